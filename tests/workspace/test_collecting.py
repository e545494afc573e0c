"""Collecting: each source on its own, archived before it is read, asked no more often than it says."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rentmark.ingest.live import Fetched, FetchLimits, FetchRequest, Outcome, Unchanged
from rentmark.records import Refusal, RentmarkError, UsageError
from rentmark.workspace import Workspace, verify
from rentmark.workspace.collecting import World, collect, collect_summary
from rentmark.workspace.config import read_configuration
from rentmark.workspace.core import FILE_NAME

TABULAR = b"observed_at,seller,gpu_model,price_per_gpu_hour\n2026-08-14T06:00:00Z,amber,H100,3.10\n"
BOOK = {
    "offers": [
        {
            "id": 1, "machine_id": 7, "host_id": 9, "hosting_type": 1, "verification": "verified",
            "gpu_name": "H100 SXM", "gpu_ram": 81920, "num_gpus": 8, "dph_total": 24.0, "rentable": True,
            "rented": False, "geolocation": "Texas, US",
        }
    ]
}  # fmt: skip
"""An invented order book that does not say when it was collected."""


class Market:
    """Stands in for the sources: what each address answers, and what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[FetchRequest] = []
        self.moment = datetime(2026, 9, 1, tzinfo=UTC)
        self.pauses: list[float] = []

    def fetch(self, request: FetchRequest, _limits: FetchLimits) -> Outcome:
        self.asked.append(request)
        answer = self.answers[request.url]
        if isinstance(answer, BaseException):
            raise answer
        if not isinstance(answer, bytes):
            return answer
        self.moment += timedelta(hours=1)
        return Fetched(
            payload=answer, status=200, headers={"etag": '"v1"'}, received_at=self.moment, attempts=1
        )

    def world(self, **more: Any) -> World:
        return World(fetch=self.fetch, environment={}, sleep=self.pauses.append, seconds=lambda: 0.0, **more)


@pytest.fixture
def market() -> Market:
    return Market()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace.create(tmp_path / "w", database_url=None)
    yield made
    made.store.close()


def with_sources(workspace: Workspace, **tables: dict[str, Any]) -> Workspace:
    """The workspace with these [collect.NAME] tables."""
    file = workspace.root / FILE_NAME
    lines = []
    for name, values in tables.items():
        lines.append(f"[collect.{name.replace('_', '-')}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    file.write_text(file.read_text() + "\n" + "\n".join(lines) + "\n")
    return Workspace(workspace.root, read_configuration(file), workspace.store, workspace.clock)


def run(workspace: Workspace, market: Market, *names: str, **more: Any):
    return collect(workspace, names, world=market.world(), **more)


A, B, C = "https://a.example/1", "https://a.example/2", "https://b.example/3"


def test_one_source_that_fails_stops_no_other(workspace: Workspace, market: Market):
    sources = with_sources(
        workspace,
        first={"feed": "tabular", "url": A},
        second={"feed": "tabular", "url": B},
        third={"feed": "tabular", "url": C},
    )
    market.answers = {
        A: Refusal("no_answer", "a.example answers 500."),
        B: RentmarkError("The disk is full."),
        C: TABULAR,
    }
    found = run(sources, market)
    assert [(one.name, one.status) for one in found] == [
        ("first", "failed"), ("second", "failed"), ("third", "ingested"),
    ]  # fmt: skip
    assert found[0].sentence == "a.example answers 500."
    assert found[2].sentence == "1 records = 1 accepted + 0 rejected + 0 duplicates."
    summary = collect_summary(found)
    assert (summary["failed"], summary["alarms"]) == (2, 0)


def test_an_answer_is_archived_with_its_address_and_headers(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A})
    market.answers[A] = TABULAR
    run(sources, market)
    (entry,) = workspace.store.ledger()
    assert entry.fetched_from == A
    assert workspace.store.get_payload(entry.payload_digest) == TABULAR
    assert 'answer header etag: "v1"' in entry.notes
    assert entry.notes[0].startswith("fetched at 2026-09-01T01:00:00Z from https://a.example/1 (HTTP 200)")
    assert entry.received_at == market.moment


def test_what_cannot_be_read_is_archived_all_the_same_and_refused(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "vast", "url": A})
    market.answers[A] = b"<html>Please sign in</html>"
    for _ in range(2):
        (found,) = run(sources, market, whatever_the_interval=True)
        assert found.status == "refused"
    (entry,) = workspace.store.ledger()
    assert workspace.store.get_payload(entry.payload_digest) == b"<html>Please sign in</html>"
    assert entry.accepted == 0


def test_a_source_is_asked_no_more_often_than_it_says(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A, "interval_hours": 6})
    market.answers[A] = Refusal("no_answer", "a.example answers 500.")
    assert [one.status for one in run(sources, market)] == ["failed"]
    assert [one.status for one in run(sources, market)] == ["not_due"]
    assert [one.status for one in run(sources, market, whatever_the_interval=True)] == ["failed"]
    assert len(market.asked) == 2


def test_a_damaged_note_of_the_last_attempt_does_not_stop_collecting(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A})
    market.answers[A] = TABULAR
    run(sources, market)
    (workspace.root / "archive/collect/amber.asked").write_text("nonsense")
    assert [one.status for one in run(sources, market)] == ["already_ingested"]


def test_two_requests_to_one_host_leave_a_pause(workspace: Workspace, market: Market):
    sources = with_sources(
        workspace,
        first={"feed": "tabular", "url": A},
        other={"feed": "tabular", "url": C},
        second={"feed": "tabular", "url": B, "seconds_between_requests": 7},
    )
    market.answers = dict.fromkeys((A, B, C), TABULAR)
    run(sources, market)
    assert market.pauses == [7.0]


def test_a_source_that_another_command_asks_is_left_to_it(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A})
    folder = workspace.root / "archive/collect"
    folder.mkdir(parents=True)
    with (folder / "amber.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert [one.status for one in run(sources, market)] == ["busy"]
    assert market.asked == []


def test_what_dates_itself_is_asked_for_only_if_it_changed(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A, "interval_hours": 0})
    market.answers[A] = TABULAR
    run(sources, market)
    market.answers[A] = Unchanged(attempts=1)
    assert [one.status for one in run(sources, market)] == ["unchanged"]
    assert [request.etag for request in market.asked] == [None, '"v1"']
    assert len(workspace.store.ledger()) == 1


def test_the_same_bytes_again_change_nothing(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A, "interval_hours": 0})
    market.answers[A] = TABULAR
    assert [one.status for one in run(sources, market) + run(sources, market)] == [
        "ingested",
        "already_ingested",
    ]


def test_a_book_that_only_its_fetch_dates_is_a_new_snapshot_each_time(workspace: Workspace, market: Market):
    """A market that stands still was seen again: its offers count on both days."""
    sources = with_sources(workspace, vast={"feed": "vast", "url": A, "interval_hours": 0})
    market.answers[A] = json.dumps(BOOK).encode()
    assert [one.status for one in run(sources, market) + run(sources, market)] == ["ingested", "ingested"]
    assert [request.etag for request in market.asked] == [None, None]
    first, second = workspace.store.ledger()
    assert first.payload_digest == second.payload_digest
    assert (first.accepted, second.accepted, second.supersedes) == (1, 1, None)
    assert workspace.store.observed_range() == (first.received_at, second.received_at)
    assert [check.result for check in verify(workspace, [], level=2).batches] == ["identical", "identical"]


def test_a_mapping_is_applied(workspace: Workspace, market: Market):
    file = workspace.root / FILE_NAME
    file.write_text(file.read_text() + '\n[mappings.berlin]\ntime_zone = "Europe/Berlin"\n')
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A, "mapping": "berlin"})
    market.answers[A] = TABULAR.replace(b"Z,", b",")
    run(sources, market)
    assert workspace.store.observed_range() == (datetime(2026, 8, 14, 4, tzinfo=UTC),) * 2


def test_a_variable_that_is_not_set_stops_its_source_alone(workspace: Workspace, market: Market):
    sources = with_sources(
        workspace,
        amber={"feed": "tabular", "url": A},
        basalt={"feed": "tabular", "url": C},
    )
    file = workspace.root / FILE_NAME
    file.write_text(file.read_text() + '\n[collect.amber.headers]\nAuthorization = "Bearer ${AMBER_KEY}"\n')
    sources = Workspace(workspace.root, read_configuration(file), workspace.store, workspace.clock)
    market.answers = {A: TABULAR, C: TABULAR}
    found = run(sources, market)
    assert [one.status for one in found] == ["failed", "ingested"]
    assert "needs AMBER_KEY" in found[0].sentence


CATALOGUE = (
    b"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor\n"
    b"h100x8,us-1,24.8,96,900.0,8,H100,80.0,False,,nvidia\n"
)


def test_the_package_gpuhunt_collects_its_providers(workspace: Workspace, market: Market):
    sources = with_sources(workspace, hunted={"feed": "gpuhunt", "provider": "amber"})
    (found,) = collect(sources, world=market.world(catalogue=lambda provider: CATALOGUE))
    assert found.status == "ingested"
    assert found.source == "gpuhunt:amber"
    (entry,) = workspace.store.ledger()
    assert entry.fetched_from == "gpuhunt:amber"
    refused = market.world(
        catalogue=lambda provider: Refusal("no_answer", f"gpuhunt could not read {provider}.")
    )
    (failed,) = collect(sources, whatever_the_interval=True, world=refused)
    assert (failed.status, failed.sentence) == ("failed", "gpuhunt could not read amber.")


def test_only_the_named_sources_or_those_of_a_feed_are_asked(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A}, vast={"feed": "vast", "url": C})
    market.answers = {A: TABULAR, C: json.dumps(BOOK).encode()}
    assert [one.name for one in run(sources, market, "vast")] == ["vast"]
    assert [one.name for one in run(sources, market, feed_id="tabular")] == ["amber"]
    with pytest.raises(UsageError, match=r"no \[collect.opal\]"):
        run(sources, market, "opal")
    with pytest.raises(UsageError, match="has feed = 'lambda'"):
        run(sources, market, feed_id="lambda")
    with pytest.raises(UsageError, match="names a source"):
        run(workspace, market)


def test_a_simulated_workspace_collects_nothing(tmp_path: Path, market: Market):
    text = 'clock = "simulated"\n[collect.amber]\nfeed = "tabular"\nurl = "https://a.example/1"\n'
    made = Workspace.create(tmp_path / "s", database_url=None, text=text)
    with pytest.raises(RentmarkError, match="simulated workspace collects nothing"):
        run(made, market)
    assert market.asked == []
    made.store.close()


def offers(day: int, sellers: str, price: float = 3.0) -> bytes:
    lines = [f"2026-08-{day:02d}T06:00:00Z,seller-{name},H100,{price}" for name in sellers]
    return "\n".join(["observed_at,seller,gpu_model,price_per_gpu_hour", *lines]).encode() + b"\n"


def test_drift_is_told_stored_and_an_alarm_of_collect(workspace: Workspace, market: Market):
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A, "interval_hours": 0})
    market.answers[A] = offers(1, "abcdefgh")
    (first,) = run(sources, market)
    assert (first.alarms, first.ingested.drift) == ([], [])
    market.answers[A] = offers(2, "abcdefghi")
    (second,) = run(sources, market)
    assert second.alarms == []
    assert [change.code for change in second.ingested.drift] == ["sellers_appeared"]
    market.answers[A] = offers(3, "abc")
    (third,) = run(sources, market)
    assert third.alarms == [
        "user: 6 of 9 sellers of the last batch are absent: seller-d, seller-e, seller-f, seller-g, seller-h, seller-i."
    ]
    market.answers[A] = offers(4, "abcdefghijkl")
    (fourth,) = run(sources, market)
    assert {change.code for change in fourth.ingested.drift} == {"sellers_appeared"}
    market.answers[A] = (
        offers(5, "abcdefghijkl" * 3, 3.0).replace(b"3.0", b"") + offers(5, "a").split(b"\n", 1)[1]
    )
    (fifth,) = run(sources, market)
    assert {"record_count", "reject_share", "sellers_vanished"} <= {
        change.code for change in fifth.ingested.drift
    }
    assert collect_summary([fifth])["alarms"] == 3
    stored = workspace.store.ledger()[-1]
    assert sum(note.startswith("drift alarm") for note in stored.notes) == 3


def test_files_and_fetches_of_a_feed_are_not_held_against_each_other(workspace: Workspace, market: Market):
    from rentmark.workspace import ingest_payload

    ingest_payload(workspace, "tabular", "mine.csv", offers(1, "abcdefgh"))
    sources = with_sources(workspace, amber={"feed": "tabular", "url": A})
    market.answers[A] = offers(2, "xy")
    (found,) = run(sources, market)
    assert found.ingested.drift == []
