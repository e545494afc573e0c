"""Intervals: critical values that are what they say, and the same algebra as the default regression."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest import regress
from rentmark.backtest.coverage_notes import coverage_note, coverage_range
from rentmark.backtest.intervals import (
    bootstrap_t_interval,
    bootstrap_t_share_interval,
    fixed_b_critical,
    fixed_b_interval,
    fixed_b_share_interval,
    fixed_b_truncation,
    hac_interval,
    long_run_sum,
)
from rentmark.backtest.notes import short_history

from .making import make_changes, wander


def walk(count=61, seed=3):
    return np.diff(np.array(wander(count, seed=seed))) / 1e6


def test_the_hac_interval_is_that_of_the_report():
    """Golden: statsmodels' HAC covariance, through ``regress``."""
    rent, reference = walk(seed=3), walk(seed=5)
    found = hac_interval(rent, reference)
    other = regress(make_changes([round(x * 1e6) for x in rent], [round(x * 1e6) for x in reference]))
    assert (found.low, found.high) == (pytest.approx(other.ratio_low), pytest.approx(other.ratio_high))
    second = fixed_b_interval(rent, reference)
    assert (second.low, second.high) == (pytest.approx(other.fixed_b_low), pytest.approx(other.fixed_b_high))


@pytest.mark.parametrize("b", [0.1, 0.25])
def test_the_fixed_b_critical_value_is_what_a_simulation_gives(b):
    """Golden: 4,000 seeded t statistics of a mean of 400 normal values; Kiefer & Vogelsang (2005) beside it."""
    values = np.random.default_rng(2).normal(size=(4_000, 400))
    means = values.mean(axis=1)
    error = np.sqrt(long_run_sum(values - means[:, None], round(400 * b))) / 400
    simulated = np.quantile(np.abs(means) / error, 0.95)
    assert fixed_b_critical(b) == pytest.approx(simulated, abs=0.09)


def test_the_truncation_follows_lazarus_and_others_and_never_exceeds_n():
    assert [fixed_b_truncation(n) for n in (1, 38, 60, 500)] == [1, 9, 11, 30]


@pytest.mark.parametrize("make", [hac_interval, fixed_b_interval, bootstrap_t_interval])
def test_scaling_the_rent_scales_the_interval(make):
    rent, reference = walk(seed=3), walk(seed=5)
    one, two = make(rent, reference), make(rent * 4, reference)
    assert (two.low, two.high) == (pytest.approx(4 * one.low), pytest.approx(4 * one.high))


@pytest.mark.parametrize("make", [fixed_b_share_interval, bootstrap_t_share_interval])
def test_an_effectiveness_interval_surrounds_the_figure_and_ignores_the_unit(make):
    rent, reference = walk(seed=3), walk(seed=5)
    hedged = rent - 0.3 * reference
    figure = 1 - hedged.var() / rent.var()
    one, two = make(rent, hedged), make(rent * 8, hedged * 8)
    assert one.low < figure < one.high < 1
    assert (two.low, two.high) == (pytest.approx(one.low), pytest.approx(one.high))


def test_a_rent_that_stands_still_has_no_effectiveness_interval():
    still, moving = np.zeros(20), walk(21)
    assert fixed_b_share_interval(still, moving) is None
    assert bootstrap_t_share_interval(still, moving) is None
    assert bootstrap_t_share_interval(np.eye(1, 30, 3)[0], np.eye(1, 30, 5)[0]) is None


def test_an_interval_that_covered_under_90_percent_is_called_too_short():
    least, most, size = coverage_range("effectiveness", "percentile", 38)
    assert least < 90 <= 100 >= most
    assert size == 38
    assert coverage_note("effectiveness", "percentile", 38).startswith("too short: held the truth in ")
    assert not coverage_note("ratio", "Newey–West", 600).startswith("too short")
    assert coverage_note("ratio", "none such", 38) is None


@pytest.mark.parametrize(("n", "size"), [(20, 38), (38, 38), (59, 38), (60, 60), (499, 60), (1_000, 500)])
def test_coverage_is_cited_from_a_history_no_longer_than_the_readers(n, size):
    assert coverage_range("ratio", "fixed-b", n)[2] == size


def test_the_caution_stands_where_there_is_an_interval_from_few_months():
    (said,) = short_history(38)
    least, most, _ = coverage_range("ratio", "Newey–West", 38)
    assert f"{least:.0f} to {most:.0f} % (ratio)" in said
    assert short_history(35) == short_history(60) == []
