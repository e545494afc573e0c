"""Windows: which instants a fixing date collects, through the clock changes of 2026."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import Methodology, cutoff_instant, is_fixing_date, window_of, windows_between
from rentmark.records import UsageError, from_microseconds, to_microseconds

from .making import LATER, benchmark, hours, offer

MICROSECOND = timedelta(microseconds=1)


def rules(**changes: Any) -> Methodology:
    return Methodology.read({"version": "1", "inputs": ["listed"], **changes}, "[methodologies.m]")


def rules_at(cutoff: str) -> Methodology:
    """Rules with a cut-off that reading refuses, because some day skips it."""
    return rules(cutoff="16:00 UTC").model_copy(update={"cutoff": cutoff})


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_without_a_cut_off_a_fixing_date_is_the_utc_day():
    window = window_of(rules(), date(2026, 7, 8), LATER)
    assert (window.start, window.end) == (utc("2026-07-08T00:00"), utc("2026-07-09T00:00"))
    assert window.cutoff_at == window.effective_at == utc("2026-07-09T00:00")
    assert window.seen_until == LATER


# The United States change clocks on 8 March and 1 November 2026, Britain on 29 March and 25 October.
@pytest.mark.parametrize(
    ("cutoff", "day", "instant", "length_hours"),
    [
        ("16:00 America/New_York", date(2026, 3, 7), "2026-03-07T21:00", 24),
        ("16:00 America/New_York", date(2026, 3, 8), "2026-03-08T20:00", 23),
        ("16:00 America/New_York", date(2026, 3, 9), "2026-03-09T20:00", 24),
        ("16:00 America/New_York", date(2026, 10, 31), "2026-10-31T20:00", 24),
        ("16:00 America/New_York", date(2026, 11, 1), "2026-11-01T21:00", 25),
        ("16:00 America/New_York", date(2026, 11, 2), "2026-11-02T21:00", 24),
        ("16:00 Europe/London", date(2026, 3, 28), "2026-03-28T16:00", 24),
        ("16:00 Europe/London", date(2026, 3, 29), "2026-03-29T15:00", 23),
        ("16:00 Europe/London", date(2026, 10, 24), "2026-10-24T15:00", 24),
        ("16:00 Europe/London", date(2026, 10, 25), "2026-10-25T16:00", 25),
        ("00:00 Asia/Kolkata", date(2026, 7, 8), "2026-07-07T18:30", 24),
        ("23:59 Pacific/Auckland", date(2026, 7, 8), "2026-07-08T11:59", 24),
    ],
)
def test_a_cut_off_keeps_its_local_hour_through_clock_changes(cutoff, day, instant, length_hours):
    window = window_of(rules(cutoff=cutoff), day, LATER)
    assert window.cutoff_at == cutoff_instant(rules(cutoff=cutoff), day) == utc(instant)
    assert window.end == utc(instant) + MICROSECOND
    assert window.end - window.start == hours(length_hours)


@pytest.mark.parametrize(
    ("cutoff", "day", "zone"),
    [
        ("02:00 America/New_York", date(2026, 3, 8), "America/New_York"),
        ("02:59 America/New_York", date(2026, 3, 8), "America/New_York"),
        ("01:30 Europe/London", date(2026, 3, 29), "Europe/London"),
    ],
)
def test_a_skipped_hour_is_refused_with_the_day_and_the_zone(cutoff, day, zone):
    with pytest.raises(UsageError) as refused:
        cutoff_instant(rules_at(cutoff), day)
    assert refused.value.sentence == (
        f"cutoff = '{cutoff}' does not exist on {day}: the clocks of {zone} skip it; "
        "choose an hour that occurs every day."
    )


@pytest.mark.parametrize(
    ("cutoff", "day", "instant"),
    [
        ("01:59 America/New_York", date(2026, 3, 8), "2026-03-08T06:59"),
        ("03:00 America/New_York", date(2026, 3, 8), "2026-03-08T07:00"),
        ("02:00 Europe/London", date(2026, 3, 29), "2026-03-29T01:00"),
    ],
)
def test_the_minutes_around_a_skipped_hour_stand(cutoff, day, instant):
    assert cutoff_instant(rules(cutoff=cutoff), day) == utc(instant)


@pytest.mark.parametrize(
    ("cutoff", "day", "instant"),
    [
        ("01:30 America/New_York", date(2026, 11, 1), "2026-11-01T05:30"),
        ("01:00 America/New_York", date(2026, 11, 1), "2026-11-01T05:00"),
        ("01:30 Europe/London", date(2026, 10, 25), "2026-10-25T00:30"),
    ],
)
def test_a_repeated_hour_means_its_first_occurrence(cutoff, day, instant):
    assert cutoff_instant(rules_at(cutoff), day) == utc(instant)


def test_on_weekdays_monday_collects_the_weekend():
    window = window_of(rules(calendar="weekdays", cutoff="16:00 UTC"), date(2026, 7, 6), LATER)
    assert window.start == utc("2026-07-03T16:00") + MICROSECOND
    assert window.end == utc("2026-07-06T16:00") + MICROSECOND


def test_on_weekdays_without_a_cut_off_monday_is_monday():
    window = window_of(rules(calendar="weekdays"), date(2026, 7, 6), LATER)
    assert (window.start, window.end) == (utc("2026-07-06T00:00"), utc("2026-07-07T00:00"))


def test_a_weekday_calendar_has_no_weekend():
    week = [date(2026, 7, 6) + timedelta(days=number) for number in range(7)]
    assert [is_fixing_date(rules(calendar="weekdays"), day) for day in week] == [True] * 5 + [False] * 2
    assert all(is_fixing_date(rules(), day) for day in week)
    built = windows_between(rules(calendar="weekdays"), date(2026, 7, 3), date(2026, 7, 7), LATER)
    assert [w.date.day for w in built] == [3, 6, 7]


def test_a_lookback_moves_the_start_and_staleness_brings_it_nearer():
    end = utc("2026-07-09T00:00")
    day = date(2026, 7, 8)
    assert window_of(rules(lookback_hours=72), day, LATER).start == end - hours(72)
    assert window_of(rules(lookback_hours=72, staleness_hours=30), day, LATER).start == end - hours(30)
    assert window_of(rules(staleness_hours=6), day, LATER).start == end - hours(6)
    # staleness never widens what the window collects
    assert window_of(rules(staleness_hours=48), day, LATER).start == end - hours(24)
    assert window_of(rules(lookback_hours=12, staleness_hours=48), day, LATER).start == end - hours(12)
    assert window_of(rules(lookback_hours=72, staleness_hours=30), day, LATER).end == end


def test_a_lookback_is_counted_from_the_cut_off():
    window = window_of(rules(cutoff="16:00 America/New_York", lookback_hours=2), date(2026, 7, 8), LATER)
    assert window.start == utc("2026-07-08T18:00") + MICROSECOND
    assert window.end == utc("2026-07-08T20:00") + MICROSECOND


def test_a_value_counts_from_the_cut_off_and_the_publication_lag():
    window = window_of(rules(cutoff="16:00 UTC", publication_lag_hours=5), date(2026, 7, 8), LATER)
    assert window.cutoff_at == utc("2026-07-08T16:00")
    assert window.effective_at == utc("2026-07-08T21:00")


@pytest.mark.parametrize(
    ("seen_until", "last"),
    [
        (utc("2026-07-08T23:59:59.999999"), date(2026, 7, 7)),
        (utc("2026-07-09T00:00"), date(2026, 7, 8)),
    ],
)
def test_a_date_whose_cut_off_has_not_passed_is_not_built(seen_until, last):
    assert windows_between(rules(), date(2026, 7, 1), date(2026, 7, 31), seen_until)[-1].date == last


def test_a_range_that_ends_before_it_begins_has_no_windows():
    assert windows_between(rules(), date(2026, 7, 8), date(2026, 7, 7), LATER) == []


zones = st.sampled_from(
    ["UTC", "America/New_York", "Europe/London", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"]
)
cutoffs = st.one_of(
    st.none(),
    # from 04:00 on, an hour that no clock change of these zones skips
    st.builds(
        lambda hour, minute, zone: f"{hour:02d}:{minute:02d} {zone}",
        st.integers(4, 23),
        st.integers(0, 59),
        zones,
    ),
)
instants = st.integers(to_microseconds(utc("2026-01-10T00:00")), to_microseconds(utc("2026-12-20T00:00")))
near_a_second = instants.map(lambda count: count - count % 60_000_000)


@given(cutoffs, st.booleans(), st.one_of(instants, near_a_second))
def test_each_instant_is_in_exactly_one_window(cutoff, weekdays, count):
    # without a cut-off a weekday calendar collects weekdays only, as its days are UTC days
    calendar = "weekdays" if weekdays and cutoff is not None else "every_day"
    asked = rules(calendar=calendar, **({} if cutoff is None else {"cutoff": cutoff}))
    instant = from_microseconds(count)
    day = instant.date()
    around = windows_between(asked, day - timedelta(days=5), day + timedelta(days=5), LATER + hours(24 * 365))
    assert sum(window.start <= instant < window.end for window in around) == 1
    assert [w.start for w in around[1:]] == [w.end for w in around[:-1]]


def test_the_panel_gives_an_offer_at_the_cut_off_to_that_date_and_a_microsecond_later_to_the_next(world):
    cutoff = utc("2026-07-08T20:00")
    rows = [
        offer(seller="before", observed_at=cutoff - hours(24)),
        offer(seller="first", observed_at=cutoff - hours(24) + MICROSECOND),
        offer(seller="last", observed_at=cutoff),
        offer(seller="after", observed_at=cutoff + MICROSECOND),
    ]
    made = benchmark(cutoff="16:00 America/New_York")
    windows = windows_between(made.methodology, date(2026, 7, 7), date(2026, 7, 9), LATER)
    found = world(rows).ballots(made, windows)
    sellers = {day.day: sorted(b.seller for b in ballots) for day, ballots in found.items()}
    assert sellers == {7: ["before"], 8: ["first", "last"], 9: ["after"]}


def test_the_panel_gives_midnight_to_the_day_it_begins(world):
    midnight = utc("2026-07-08T00:00")
    rows = [
        offer(seller="eve", observed_at=midnight - MICROSECOND),
        offer(seller="dawn", observed_at=midnight),
    ]
    made = benchmark()
    windows = windows_between(made.methodology, date(2026, 7, 7), date(2026, 7, 8), LATER)
    found = world(rows).ballots(made, windows)
    assert {day.day: [b.seller for b in ballots] for day, ballots in found.items()} == {
        7: ["eve"],
        8: ["dawn"],
    }


def test_under_a_lookback_one_offer_counts_on_every_date_that_reaches_back_to_it(world):
    made = benchmark(lookback_hours=48)
    windows = windows_between(made.methodology, date(2026, 7, 7), date(2026, 7, 10), LATER)
    found = world([offer(observed_at=utc("2026-07-08T06:00"))]).ballots(made, windows)
    assert [day.day for day in sorted(found)] == [8, 9]
