"""Days that rules or circumstances leave without a value, rules that can't stand, and two publishers at once."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rentmark.workspace import SystemClock, Workspace

from tests.journeys.governed import NAME, day, ingest, new_workspace, offers, publish, version, write_rules
from tests.journeys.typed import ask, type_words
from tests.store import conftest as databases

postgres_url = databases.postgres_url
new_postgres = databases.new_postgres

COMMAND = "import sys; from rentmark.cli import run; sys.exit(run(sys.argv[1:]))"


@pytest.fixture(autouse=True)
def _own_database(monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)


def statuses(rows: list[dict]) -> dict[str, tuple]:
    return {row["date"]: (row["status"], row["rule"], row["value"]) for row in rows}


def test_a_feed_outage_carries_as_long_as_the_rules_say_and_then_leaves_a_gap(tmp_path):
    keys = 'outage_sources = ["invented", "second"]\noutage_carry_days = 1\nholidays = [2026-07-06]\n'
    folder = new_workspace(tmp_path / "w", keys)
    ingest(folder, "first.csv", offers(dict.fromkeys((1, 2, 3, 4, 6, 7, 8), (3.0, 3.2))))
    ingest(folder, "second.csv", offers(dict.fromkeys((1, 2, 7, 8), (3.0, 3.4)), source="second"))
    publish(folder)
    rows = ask("index", "show", NAME, "--workspace", folder)["rows"]
    told = statuses(rows)
    assert told == {
        str(day(1)): ("OK", None, "3.150000"),
        str(day(2)): ("OK", None, "3.150000"),
        str(day(3)): ("CARRIED", "feed_outage", "3.150000"),
        str(day(4)): ("GAP", "feed_outage", None),
        str(day(5)): ("GAP", "feed_outage", None),
        str(day(7)): ("OK", None, "3.150000"),
        str(day(8)): ("OK", None, "3.150000"),
    }, "the sixth is a holiday"
    assert rows[2]["carried_from"] == str(day(2))
    assert ask("index", "verify", "--workspace", folder)["passed"]
    explained = ask("index", "explain", NAME, str(day(3)), "--workspace", folder)
    assert explained["fixing"]["rule"] == "feed_outage"


def test_a_day_without_a_value_is_a_row_with_its_rule(tmp_path):
    folder = new_workspace(tmp_path / "w", "max_dispersion = 0.3\n")
    ingest(folder, "first.csv", offers({1: (3.0, 3.2), 2: (3.0,), 5: (1.0, 5.0), 6: (3.0, 3.2)}))
    ingest(folder, "other.csv", offers({3: (9.0, 9.5)}).replace(",H100,", ",B200,"))
    publish(folder)
    told = statuses(ask("index", "show", NAME, "--workspace", folder)["rows"])
    assert told == {
        str(day(1)): ("OK", None, "3.100000"),
        str(day(2)): ("GAP", "min_sellers", None),
        str(day(3)): ("GAP", "no_match", None),
        str(day(4)): ("GAP", "empty_window", None),
        str(day(5)): ("GAP", "max_dispersion", None),
        str(day(6)): ("OK", None, "3.100000"),
    }


def test_a_value_is_not_published_before_its_publication_time(tmp_path, monkeypatch):
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime(2026, 7, 5, 12, tzinfo=UTC))
    folder = new_workspace(tmp_path / "w", 'publication_time = "17:00 Europe/Berlin"\n')
    ingest(folder, "first.csv", offers(dict.fromkeys(range(1, 5), (3.0, 3.2))))
    assert publish(folder)["published"] == 3
    row = ask("index", "show", NAME, "--workspace", folder)["rows"][-1]
    assert (row["date"], row["effective_at"], row["origin"]) == (
        str(day(3)),
        "2026-07-04T15:00:00Z",
        "live",
    )
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime(2026, 7, 5, 15, tzinfo=UTC))
    assert ask("index", "publish", NAME, "--workspace", folder)["published"] == 1


BAD = {
    "an unknown key": ("hold_mve = 0.2", "has an unknown key hold_mve; did you mean hold_move?"),
    "a hold of nothing": ("hold_move = 0", "has hold_move = 0: it must be above zero."),
    "days of no hold": ("hold_days = 5", "hold_days = 5 has no effect; set hold_move or remove it."),
    "two times to count from": (
        "publication_time = '17:00 UTC'\npublication_lag_hours = 2",
        "publication_time = '17:00 UTC' and publication_lag_hours = 2 both say when a value counts; keep one.",
    ),
    "a publication time in a missing hour": (
        "publication_time = '02:30 Europe/Berlin'",
        (
            "publication_time = '02:30 Europe/Berlin' does not exist on 2020-03-29: the clocks of Europe/Berlin skip it; "
            "choose an hour that occurs every day."
        ),
    ),
    "a cut-off in a missing hour": (
        "cutoff = '02:30 Europe/Berlin'",
        (
            "cutoff = '02:30 Europe/Berlin' does not exist on 2020-03-29: the clocks of Europe/Berlin skip it; "
            "choose an hour that occurs every day."
        ),
    ),
    "a time that is none": ("publication_time = '5 pm'", "write it as HH:MM and a time zone"),
    "contradictory gates": ("thin_sellers = 2", "thin_sellers = 2 must be above min_sellers = 2."),
    "a cap nobody can keep": ("cap = 0.4", "cap = 0.4 times min_sellers = 2 is below 1"),
    "an outage without sources": (
        "outage_carry_days = 2",
        "outage_carry_days = 2 has no effect; name outage_sources or remove it.",
    ),
    "a holiday twice": ("holidays = [2026-12-25, 2026-12-25]", "it names one day twice."),
    "a window that is no number": (
        "republication_window_days = 'ever'",
        "has republication_window_days = 'ever': ",
    ),
}


@pytest.mark.parametrize(("key", "said"), BAD.values(), ids=BAD)
def test_rules_that_cannot_stand_are_one_sentence_before_any_work(tmp_path, key, said):
    write_rules(tmp_path, key)  # there is no database yet: rules are read before anything is opened
    answer = type_words("index", "build", NAME, "--workspace", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("[methodologies.list-median]")
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rentmark.toml"]


def test_a_version_that_cannot_stand_is_named(tmp_path):
    write_rules(tmp_path, versions=version("1.1.0", day(7), "more", "min_seller = 4"))
    answer = type_words("index", "build", NAME, "--workspace", tmp_path)
    assert (answer.code, answer.err) == (
        2,
        "[[methodologies.list-median.versions]], version 1.1.0 has an unknown key min_seller; did you mean min_sellers?\n",
    )


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_commands_that_publish_at_once_publish_and_hold_each_date_once(
    kind, tmp_path, request, monkeypatch
):
    url = None if kind == "sqlite" else request.getfixturevalue("new_postgres")()
    if url is not None:
        monkeypatch.setenv("RENTMARK_DATABASE_URL", url)
    folder = new_workspace(tmp_path / "w", "hold_move = 0.2\n")
    ingest(folder, "first.csv", offers(dict.fromkeys(range(1, 31), (3.0, 3.2)) | {9: (6.0, 6.2)}))
    ask("index", "build", NAME, "--workspace", folder)
    words = ("index", "publish", NAME, "--json", "--workspace", str(folder))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, *words, "--actor", actor],
            env=dict(os.environ),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for actor in ("ann", "bo", "cy")
    ]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    with Workspace.open(Path(folder), database_url=url).store as store:
        rows = store.tape_sequence(NAME)
        assert sorted(row.date for row in rows) == [day(n) for n in range(1, 31) if n != 9]
        assert {row.revision for row in rows} == {0}
        assert len({row.actor for row in rows}) == 1
        assert store.check_chain(NAME) == []
    log = ask("index", "log", NAME, "--workspace", folder)["log"]
    assert [(row["kind"], row["date"]) for row in log] == [("hold", str(day(9)))]
