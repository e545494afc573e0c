"""Comparing: figures of two invented series, worked by hand and against pandas and numpy."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index.comparing import against, correlation, figures_of
from rentmark.records import Fixing

START = date(2026, 7, 1)


def fixing(day: int, value: int | None, status: str = "OK", **more) -> Fixing:
    made = Fixing(
        benchmark="b",
        date=START + timedelta(days=day),
        value_micros=value,
        status=status,
        rule=None if value is not None else "min_sellers",
        tier="listed",
        n_observations=3,
        n_sellers=3,
        n_votes=3,
        n_venues=3,
        gpu_seconds=0,
        p25_micros=value,
        p75_micros=value,
        top_weight="0.250000",
        carried_from=None,
        methodology="m",
        methodology_version="1",
        methodology_hash="0" * 64,
        input_digest="0" * 64,
        effective_at=datetime(2026, 7, 1, tzinfo=UTC),
        simulated=False,
        reconstructed=False,
        rights="allowed",
        settlement_grade=False,
    )
    return replace(made, **more)


def series(*values: int | None) -> list[Fixing]:
    return [fixing(n, v, "GAP" if v is None else "OK") for n, v in enumerate(values)]


FIRST = series(3_000_000, 3_100_000, None, 3_000_000, 3_000_000)
OTHER = series(3_200_000, 3_100_000, 3_000_000, 2_900_000, 3_000_001)


def test_days_are_counted_by_status_and_gaps_by_rule():
    rows = [*series(3_000_000, None, None), fixing(3, 3_000_000, "THIN"), fixing(4, 3_000_000, "CARRIED")]
    own = figures_of(rows)
    assert own.statuses == {"OK": 1, "THIN": 1, "CARRIED": 1, "GAP": 2}
    assert own.gap_rules == {"min_sellers": 2}
    assert (own.n_values, own.n_dates) == (2, 5)
    assert own.mean_micros == 3_000_000, "a carried value is no value of its own day"


def test_votes_left_out_are_counted_over_the_dates():
    rows = [
        fixing(0, None, "GAP", details='{"screened":{"capacity_unstated":3}}'),
        fixing(1, None, "GAP", details='{"screened":{"capacity_unstated":2,"robust_distance":1}}'),
    ]
    assert figures_of(rows).screened == {"capacity_unstated": 5, "robust_distance": 1}


def test_differences_are_exact_and_rounded_once():
    """By hand: on the four common days 200,000, 0, −100,000 and 1 micro-USD; mean 25,000.25, mean size 75,000.25."""
    found = against(FIRST, OTHER)
    assert found.n_common == 4
    assert found.mean_difference_micros == 25_000
    assert found.mean_absolute_micros == 75_000
    assert (found.largest_absolute_micros, found.largest_on) == (200_000, START)


def test_signs_are_compared_change_by_change_over_gaps():
    """By hand: +100,000 / −100,000 opposite; −100,000 / −200,000 alike over the gap; 0 / +100,001 only one moved."""
    found = against(FIRST, OTHER)
    assert found.n_changes == 3
    assert found.opposite == (START + timedelta(days=1),)
    assert found.one_moved == 1


def test_correlation_and_tracking_error_are_those_of_numpy():
    found = against(FIRST, OTHER)
    x, y = np.array([100_000, -100_000, 0]), np.array([-100_000, -200_000, 100_001])
    assert found.correlation == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    assert found.tracking_error == pytest.approx(np.std((y - x) / 1e6, ddof=1), abs=1e-12)


def test_volatility_counts_the_days_between():
    """By hand: ln(3.1/3), then ln(3/3.1) over two days and 0 over one: √(365 · 2·ln²(3.1/3) / 4)."""
    assert figures_of(FIRST).volatility == pytest.approx(sqrt(365 * 2 * log(3.1 / 3) ** 2 / 4), abs=1e-12)
    assert figures_of(FIRST).share_unchanged == pytest.approx(1 / 3)


def test_absent_figures_are_none():
    own, found = figures_of(series(None, None)), against(FIRST, series(None, None))
    assert (own.mean_micros, own.volatility, own.share_unchanged, own.top_share_mean) == (
        None,
        None,
        None,
        None,
    )
    assert (found.n_common, found.mean_difference_micros, found.largest_on, found.correlation) == (
        0,
        None,
        None,
        None,
    )
    assert found.tracking_error is None
    assert correlation([1, 1, 1], [1, 2, 3]) is None
    assert correlation([1, 2], [1, 2]) is None


GRID = st.lists(
    st.integers(min_value=4, max_value=20).map(lambda n: n * 250_000) | st.none(), min_size=2, max_size=20
)


@given(GRID, GRID)
def test_swapping_the_series_turns_the_sign_and_nothing_else(left, right):
    there, back = against(series(*left), series(*right)), against(series(*right), series(*left))
    assert there.n_common == back.n_common
    assert there.opposite == back.opposite
    assert there.one_moved == back.one_moved
    assert there.mean_absolute_micros == back.mean_absolute_micros
    assert there.correlation == pytest.approx(back.correlation) if there.correlation is not None else True
    if there.mean_difference_micros is not None:
        assert there.mean_difference_micros == -back.mean_difference_micros


@given(GRID)
def test_a_series_agrees_with_itself(values):
    found = against(series(*values), series(*values))
    assert found.opposite == ()
    assert found.one_moved == 0
    assert found.mean_absolute_micros in (0, None)
    assert found.tracking_error in (0.0, None)
    assert found.correlation is None or found.correlation == pytest.approx(1.0)
