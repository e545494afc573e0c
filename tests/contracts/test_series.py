"""Fixings as a series: what counts, how steps are counted, and which series nothing is fitted to."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts.curve import Stepping, series_of
from rentmark.contracts.curve.series import fitting_refusal

from .curve_making import FIRST, make_series
from .making import make_fixing


def weekday(day: date) -> bool:
    return day.weekday() < 5


def test_ok_and_thin_fixings_count_and_carried_and_gap_ones_never():
    days = [FIRST + timedelta(days=n) for n in range(4)]
    rows = [
        make_fixing(days[3], 3_300_000, status="THIN"),
        make_fixing(days[0], 3_000_000),
        make_fixing(days[1], 3_000_000, status="CARRIED"),
        make_fixing(days[2], None),
    ]
    series = series_of("invented-list", rows)
    assert series.dates == (days[0], days[3])
    assert series.positions.tolist() == [0, 3]
    assert (series.missing_steps, series.missing_share) == (2, 0.5)
    assert "2 of 4 days have no fixing" in series.flags[0]


def test_what_the_fixings_rest_on_goes_with_the_series():
    rows = [make_fixing(FIRST, simulated=True), make_fixing(FIRST + timedelta(days=1), origin="backcast")]
    assert series_of("invented-list", rows).marks == {"simulated", "backcast"}
    candidate = make_fixing(FIRST, published_at=None, origin=None)
    assert series_of("invented-list", [candidate]).marks == {"candidate"}


def test_on_a_calendar_of_weekdays_a_weekend_is_no_gap():
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(14)]
    rows = [make_fixing(day) for day in days if weekday(day)]
    assert series_of("invented-list", rows, Stepping(weekday)).missing_steps == 0
    assert series_of("invented-list", rows).missing_steps == 4


@settings(deadline=None)
@given(start=st.dates(date(2020, 1, 1), date(2030, 1, 1)), ahead=st.integers(1, 60))
def test_the_next_fixing_dates_lie_one_two_three_steps_ahead(start, ahead):
    for stepping in (Stepping(), Stepping(weekday)):
        days = stepping.dates_after(start, ahead)
        assert stepping.steps(start, days).tolist() == list(range(1, ahead + 1))


def test_a_year_of_fixings_is_365_or_261_days_and_a_quarter():
    assert Stepping().steps_per_year == 365.25
    assert Stepping(weekday).steps_per_year == pytest.approx(365.25 * 5 / 7, abs=0.5)


@pytest.mark.parametrize(
    ("series", "code", "sentence"),
    [
        (make_series([3.0, 3.1, 3.2, 3.1, 3.0]), "too_short", "invented-list has 5 fixings and OU needs 30; wait for more."),
        (make_series([3.0] * 100), "constant", "invented-list is constant at 3.000000; there is no movement"),
        (
            make_series([3.0 + 0.01 * (n % 7) for n in range(100)], skip=range(10, 40)),
            "too_gappy",
            "invented-list has no fixing on 30 of 100 days; OU is not fitted above 20 %",
        ),
    ],
)  # fmt: skip
def test_short_constant_and_gappy_series_are_refused_in_one_sentence(series, code, sentence):
    refused = fitting_refusal(series, "OU")
    assert refused is not None
    assert refused.code == code
    assert sentence in refused.sentence
    assert "\n" not in refused.sentence


def test_a_few_gaps_and_a_sticky_series_are_flagged_and_not_refused():
    sticky = make_series([3.0 + 0.1 * (n // 10) for n in range(100)], skip=(50, 51))
    assert fitting_refusal(sticky, "OU") is None
    assert "2 of 100 days have no fixing" in sticky.flags[0]
    assert "of the changes are exactly 0: the benchmark is sticky" in sticky.flags[1]
