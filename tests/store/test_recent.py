"""The end of a tape, read narrowly, is what reading all of it gives: over revisions, gaps, weeks and old ends."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.store import Store
from rentmark.store.recent import (
    dates_published,
    recent_candidates,
    recent_fixings,
    recent_of,
    tape_since,
)

from .making import HOUR, START, SteppedClock, make_fixing, publish

FIRST = date(2026, 7, 7)
NAMES = ("invented-list", "another-list", "weekly-list", "empty-list")


def fill(store: Store, clock: SteppedClock) -> None:
    """Three tapes: one whose last value is old, one revised at its end, one of weeks."""
    publish(store, make_fixing(FIRST), make_fixing(FIRST + timedelta(days=1), 3_300_000, status="THIN"))
    publish(store, *(make_fixing(FIRST + timedelta(days=n), None) for n in range(2, 140)))
    other = {"benchmark": "another-list"}
    publish(store, *(make_fixing(FIRST + timedelta(days=n), 2_000_000 + n, **other) for n in range(30)))
    weeks = {"benchmark": "weekly-list"}
    publish(store, *(make_fixing(FIRST + timedelta(weeks=n), 1_000_000 + n, **weeks) for n in range(30)))
    clock.step()
    publish(store, make_fixing(FIRST + timedelta(days=29), 2_500_000, revision=1, reason="late", **other))
    publish(store, make_fixing(FIRST + timedelta(days=28), None, revision=1, reason="late", **other))


@pytest.mark.parametrize("as_of", [None, START, START + HOUR / 2, START - HOUR])
@pytest.mark.parametrize("days", [1, 14, 90])
def test_the_end_of_a_tape_is_that_of_the_whole_tape(store: Store, clock: SteppedClock, days, as_of):
    fill(store, clock)
    found = recent_fixings(store.database, NAMES, days=days, as_of=as_of)
    whole = {name: store.tape(name, as_of=as_of) for name in NAMES}
    assert found == {name: recent_of(rows, days=days) for name, rows in whole.items() if rows}
    if as_of is None:
        last = FIRST + timedelta(days=139)
        end = found["invented-list"]
        assert (end.last.date, end.last.status) == (last, "GAP")
        assert (end.before.date, end.before.value_micros) == (FIRST + timedelta(days=1), 3_300_000)
        assert found["another-list"].before.date == FIRST + timedelta(
            days=27
        )  # the day between was withdrawn


def test_candidates_end_as_they_do_when_all_are_read(store: Store):
    rows = [make_fixing(FIRST + timedelta(days=n), 3_000_000 + n if n % 3 else None) for n in range(40)]
    store.replace_candidates("invented-list", "latest", rows, START)
    store.replace_candidates("invented-list", "as of then", rows[:5], START)
    assert recent_candidates(store.database, NAMES, "latest", days=14) == {
        "invented-list": recent_of(store.candidates("invented-list", "latest"), days=14)
    }


def test_a_chart_reads_the_days_it_shows(store: Store, clock: SteppedClock):
    fill(store, clock)
    for name in NAMES[:3]:
        for as_of in (None, START + HOUR / 2):
            rows = store.tape(name, as_of=as_of)
            first = rows[-1].date - timedelta(days=20)
            assert tape_since(store.database, name, first, as_of=as_of) == [
                r for r in rows if r.date >= first
            ]
    assert tape_since(store.database, "empty-list", FIRST) == []


def test_dates_are_counted_once_however_often_they_were_revised(store: Store, clock: SteppedClock):
    fill(store, clock)
    assert dates_published(store.database, NAMES) == {name: len(store.tape(name)) for name in NAMES[:3]}


moved = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from([None, 1_000_000, 1_250_000])), min_size=1, max_size=14
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moved=moved, days=st.integers(1, 40))
def test_any_tape_ends_as_it_does_when_all_of_it_is_read(tmp_path_factory, moved, days):
    """Days come in any order and are revised at will; prices stand on a coarse grid."""
    root = tmp_path_factory.mktemp("recent") / "w"
    with Store.create(root, database_url=None, simulated=False, clock=SteppedClock()) as store:
        revisions: dict[int, int] = {}
        for day, value in moved:
            revisions[day] = revisions.get(day, -1) + 1
            reason = "revised" if revisions[day] else None
            publish(
                store,
                make_fixing(FIRST + timedelta(days=day), value, revision=revisions[day], reason=reason),
            )
        rows = store.tape("invented-list")
        assert recent_fixings(store.database, ["invented-list"], days=days) == {
            "invented-list": recent_of(rows, days=days)
        }
