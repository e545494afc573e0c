"""The blotter: events are only ever added, sealed, seen as of any instant, and imported once."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from rentmark.records import sha256_hex
from rentmark.records.blotter import BlotterReject
from rentmark.store import Store
from rentmark.store.blotter import (
    PreparedBlotter,
    add_blotter,
    blotter_events,
    blotter_imports,
    check_blotter,
    find_blotter_import,
)
from rentmark.store.tables import BLOTTER_EVENT

from .blotter_made import event, keep_events

REJECT = BlotterReject(
    position=1, reason="no_lots", field="lots", value="0", sentence="row 2: lots is 0; leave the trade out."
)


def disarm(store: Store) -> None:
    with store.database.writing() as connection:
        if store.database.is_sqlite:
            for change in ("update", "delete"):
                connection.exec_driver_sql(f"DROP TRIGGER blotter_event_refuses_{change}")
        else:
            connection.exec_driver_sql("DROP TRIGGER blotter_event_refuses_change ON blotter_event")


def test_events_come_back_as_they_were_kept_with_their_instant(store: Store):
    entry = keep_events(store, event(), event(action="cancel", account=None, lots=None), rejects=(REJECT,))
    assert (entry.records, entry.accepted, entry.rejected, entry.duplicates) == (3, 2, 1, 0)
    first, second = blotter_events(store)
    assert (first.content_digest, first.recorded_at) == (event().content_digest, entry.recorded_at)
    assert (second.action, second.lots, second.account) == ("cancel", None, None)
    assert blotter_imports(store) == [entry]
    assert entry.rejects == (REJECT,)
    assert find_blotter_import(store, sha256_hex(b"invented blotter"), "rules") == entry


def test_the_same_bytes_under_the_same_rules_change_nothing(store: Store):
    first = keep_events(store, event())
    assert keep_events(store, event(), event(trade_id="T2")) == first
    assert len(blotter_events(store)) == 1
    assert keep_events(store, event(trade_id="T2"), rules_hash="others").import_id == 2


def test_an_import_sees_what_stands_when_it_holds_the_lock(store: Store):
    keep_events(store, event())
    seen: list[str] = []

    def prepare(standing):
        seen.extend(each.trade_id for each in standing)
        return PreparedBlotter(records=0, duplicates=0, events=(), rejects=())

    add_blotter(
        store, prepare, payload_digest="d", rules_hash="rules", payload_bytes=0, origin_name="second.csv"
    )
    assert seen == ["T1"]


def test_an_earlier_as_of_does_not_see_later_events(store: Store):
    first = keep_events(store, event())
    keep_events(store, event(trade_id="T2"), payload=b"second")
    assert [each.trade_id for each in blotter_events(store, first.recorded_at)] == ["T1"]
    assert [each.import_id for each in blotter_imports(store, first.recorded_at)] == [1]
    assert store.latest_instant() == blotter_imports(store)[-1].recorded_at


def test_an_untouched_chain_holds_over_several_files(store: Store):
    keep_events(store, event(), event(trade_id="T2"))
    keep_events(store, event(trade_id="T3"), payload=b"second")
    assert check_blotter(store) == []


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ("UPDATE blotter_event SET lots = 6 WHERE sequence = 2", [("row_altered", 2)]),
        ("DELETE FROM blotter_event WHERE sequence = 2", [("link_broken", 3)]),
    ],
)
def test_an_altered_or_missing_event_is_located(store: Store, change: str, codes: list[tuple[str, int]]):
    keep_events(store, event(), event(trade_id="T2"), event(trade_id="T3"))
    disarm(store)
    with store.database.writing() as connection:
        connection.execute(sa.text(change))
        assert connection.scalar(sa.select(sa.func.count()).select_from(BLOTTER_EVENT)) in {2, 3}
    problems = check_blotter(store)
    assert [(problem.code, problem.sequence) for problem in problems] == codes
    assert all(problem.sentence.endswith(".") for problem in problems)
