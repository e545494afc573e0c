"""A watch that goes on from where the last one looked tells what one that looks at everything tells, each once."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from rentmark.records import UsageError
from rentmark.workspace import (
    SystemClock,
    Workspace,
    build,
    publish,
    release,
    remember_told,
    review_days,
    watch_alarms,
)

from tests.journeys.governed import FIRST, NAME, day, ingest, new_workspace, offers

STUDY = "h100-study"
RULES = """
[benchmarks.h100-study]
grade = "h100-sxm"
methodology = "list-median"
research = true
[watch]
recent_days = 366
"""
SET = "seller_set"


@pytest.fixture
def clock(monkeypatch):
    """Sets the day on which everything is done."""
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)

    def on(number: int) -> None:
        instant = datetime.combine(day(number), datetime.min.time(), UTC) + timedelta(hours=9)
        monkeypatch.setattr(SystemClock, "now", lambda _: instant)

    return on


@pytest.fixture
def read(monkeypatch):
    """The dates whose sellers are read from the archive, in order."""
    found: list[date] = []
    days_behind = review_days.days_behind

    def counted(workspace, reader, benchmark, rows, shown):
        found.extend(row.date for row in rows)
        return days_behind(workspace, reader, benchmark, rows, shown)

    monkeypatch.setattr(review_days, "days_behind", counted)
    return found


def watched(folder: Path, *, remembers: bool = True, since: str | None = None):
    """A watch of its own process: nothing is kept but what it remembers."""
    workspace = Workspace.open(folder, database_url=None)
    found = watch_alarms(workspace, since=since)
    if remembers:
        remember_told(workspace, found)
    workspace.store.close()
    return found


def published(folder: Path, *, through: date | None = None) -> None:
    workspace = Workspace.open(folder, database_url=None)
    for name in (NAME, STUDY):
        build(workspace, name)
    publish(workspace, NAME, actor="ann", through=through)
    workspace.store.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_each_alarm_is_told_once_whatever_comes_late_and_whichever_watch_is_stopped(seed, clock, tmp_path):
    """Values are held and released days after, days are published together, data come late, watches are killed.

    What is shown is held, each day, against a watch that looks at everything from the first day on.
    """
    chance = Random(seed)
    folder = new_workspace(tmp_path / "w", "hold_move = 0.2\n", RULES)
    told: list[str] = []
    held: list[int] = []
    for number in range(1, 12):
        clock(number + 1)
        price = 3.0 if number < 3 or chance.random() < 0.8 else 5.0
        sellers = chance.choice([2, 3, 4, 6, 8])
        ingest(folder, f"{number}.csv", offers({number: [price] * sellers}))
        if price > 4:
            held.append(number)
        if number > 3 and chance.random() < 0.3:  # no value of the tape changes, those of the study do
            late = offers({number - 2: [3.0] * 9}, source="late").replace(",seller-", ",late-")
            ingest(folder, f"late-{number}.csv", late)
        if chance.random() < 0.8 or number == 11:
            published(folder)
        if held and number - held[0] >= 2:
            released(folder, held.pop(0))
        if number < 2:
            continue
        killed = chance.random() < 0.3 and number < 11
        found = watched(folder, remembers=not killed)
        if not killed:
            told += [each.key for each in found.fired]
        whole = watched(folder, since=str(FIRST - timedelta(days=365)))
        assert {each.key: each.sentence for each in found.alarms} == {
            each.key: each.sentence for each in whole.alarms
        }
        assert len(found.alarms) == len(whole.alarms)
    assert len(told) == len(set(told))
    assert {each.key for each in whole.alarms} <= set(told), "late data take none away that stands"
    assert sum(f"{SET}|{NAME}|" in key for key in told) > 2, "there is something to tell"
    assert sum(f"{SET}|{STUDY}|" in key for key in told) > 2


def released(folder: Path, number: int) -> None:
    workspace = Workspace.open(folder, database_url=None)
    if number not in {row.date.day for row in workspace.store.tape(NAME)}:
        release(workspace, NAME, day(number), reason="seen", actor="bo", approved_by="cy")
    workspace.store.close()


@pytest.fixture
def twenty(clock, tmp_path):
    """Twenty days of two and five sellers in turn, published, on the morning after."""
    clock(21)
    folder = new_workspace(tmp_path / "w", "", RULES)
    ingest(folder, "first.csv", offers({n: [3.0] * (2 + 3 * (n % 2)) for n in range(1, 21)}))
    published(folder)
    return folder


def test_a_day_is_read_once_and_the_one_before_it_again(twenty, read, clock):
    first = watched(twenty)
    assert len(read) == 40, "twenty days of each of two benchmarks"
    assert sum(each.kind == SET for each in first.fired) == 38
    read.clear()
    again = watched(twenty)
    assert read == []
    assert again.fired == ()
    assert again.alarms == first.alarms
    clock(22)
    ingest(twenty, "next.csv", offers({21: [3.0] * 5}))
    published(twenty)
    watched(twenty)
    assert read == [day(20), day(21)] * 2
    watched(twenty, since=str(day(11)))
    assert len(read) == 4 + 2 * 12, (
        "one that is asked for a span looks at all of it, and at the value before it"
    )


def test_an_alarm_that_was_not_remembered_is_told_again(twenty, read):
    first = watched(twenty, remembers=False)
    second = watched(twenty)
    assert second.fired == first.fired
    assert len(read) == 80
    assert watched(twenty).fired == ()


def test_another_threshold_looks_at_everything_again(twenty, read):
    watched(twenty)
    rules = twenty / "rentmark.toml"
    stated = rules.read_text(encoding="utf-8")
    rules.write_text(stated.replace("[watch]\n", "[watch]\nseller_set_change = 0.7\n"), encoding="utf-8")
    read.clear()
    assert all(each.kind != SET for each in watched(twenty).alarms), "three of five came or left: 0.6"
    assert len(read) == 40


def test_a_memory_of_before_there_were_marks_is_read_and_nothing_is_told_twice(twenty, read):
    first = watched(twenty)
    path = twenty / "watch.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    for held in old.values():
        del held["sellers"]
    path.write_text(json.dumps(old), encoding="utf-8")
    read.clear()
    again = watched(twenty)
    assert (again.fired, again.alarms) == ((), first.alarms)
    assert len(read) == 40
    assert "sellers" in json.loads(path.read_text(encoding="utf-8"))[NAME]


def test_a_watch_that_saw_less_does_not_take_back_what_another_saw(twenty, clock):
    workspace = Workspace.open(twenty, database_url=None)
    slow = watch_alarms(workspace)
    workspace.store.close()
    clock(22)
    ingest(twenty, "next.csv", offers({21: [3.0] * 5}))
    published(twenty)
    quick = watched(twenty)
    remember_told(workspace, slow)
    assert watched(twenty).alarms == quick.alarms
    held = json.loads((twenty / "watch.json").read_text(encoding="utf-8"))
    assert held[NAME]["sellers"]["through"] == str(day(21))


def test_a_date_that_is_none_is_refused(twenty):
    with pytest.raises(UsageError, match="--since July is not a date"):
        watched(twenty, since="July")
