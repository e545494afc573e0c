"""The study in small: where the truth is known, intervals and methods find it as often as the docs say.

Null: none; coverage counts. Processes and n are named in each test; everything is simulated and seeded.
"""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest.measured import MEASURED, MEASURED_RUNS
from rentmark.backtest.study import (
    PROCESSES,
    AutoregressivePair,
    CommonLevel,
    DynamicPair,
    StickyRent,
    coverage_of,
    method_errors,
)


@pytest.mark.parametrize("process", PROCESSES, ids=lambda each: each.name)
@pytest.mark.parametrize(("n", "runs"), [(38, 200), (60, 200), (500, 100)])
def test_each_interval_holds_the_truth_as_often_as_the_kept_study_says(process, n, runs):
    for row in coverage_of(process, n, runs=runs, seed=5):
        measured = MEASURED[row.quantity, row.interval, process.name, n] / 100
        # Four standard errors of a share of this many runs: a wrong formula is further off.
        allowed = 4 * np.sqrt(max(measured * (1 - measured), 0.02) / runs)
        assert row.share == pytest.approx(measured, abs=allowed), row


def test_at_500_the_kept_study_has_the_defaults_within_93_to_97_percent_but_for_sticky_effectiveness():
    assert MEASURED_RUNS == 1_000
    found = {
        key[::2][0] + ", " + key[2]: value
        for key, value in MEASURED.items()
        if key[3] == 500 and key[1] in {"Newey–West", "percentile"}
    }
    outside = {name for name, value in found.items() if not 93 <= value <= 97}
    assert len(found) == 6
    # A rent that moves once in four steps has few, large changes: the percentile interval holds 92 %.
    assert outside == {"effectiveness, sticky"}


@pytest.mark.parametrize("process", [*PROCESSES, CommonLevel()], ids=lambda each: each.name)
def test_the_moments_a_process_states_are_those_of_a_long_sample(process):
    sample = process.draw(np.random.default_rng(4), 200_000)
    found = np.cov(sample.rent, sample.reference)
    assert found[0, 0] == pytest.approx(sample.rent_variance, rel=0.05)
    assert found[1, 1] == pytest.approx(sample.reference_variance, rel=0.03)
    assert found[0, 1] == pytest.approx(sample.covariance, rel=0.06)
    assert found[0, 1] / found[1, 1] == pytest.approx(sample.ratio, abs=0.015)


def test_dimson_finds_what_a_sticky_rent_answers_late_and_ols_does_not():
    rows = {row.method: row for row in method_errors(StickyRent(), 500, ("ols", "dimson"), runs=60, seed=3)}
    assert rows["dimson"].bias == pytest.approx(0, abs=0.04)
    assert rows["ols"].bias == pytest.approx(0, abs=0.03)
    assert StickyRent().three_step_ratio > 2 * StickyRent().chance * StickyRent().slope


def test_the_dynamic_models_are_nearer_than_ols_where_the_ratio_moves():
    """DCC-GARCH process, n = 500, 12 runs: RMSE of the next ratio."""
    rows = {r.method: r for r in method_errors(DynamicPair(), 500, ("ols", "dcc", "bekk"), runs=12, seed=8)}
    assert rows["dcc"].rmse < rows["ols"].rmse
    assert rows["bekk"].rmse < rows["ols"].rmse
    assert abs(rows["dcc"].bias) < 0.08


def test_ols_is_nearer_than_dcc_where_the_ratio_stands_still():
    """Independent process, n = 500, 12 runs; why OLS is the default."""
    pair = AutoregressivePair("independent", 0.0)
    rows = {row.method: row for row in method_errors(pair, 500, ("ols", "dcc"), runs=12, seed=8)}
    assert rows["ols"].rmse <= rows["dcc"].rmse


def test_what_is_too_short_for_a_method_is_counted_as_refused():
    (row,) = method_errors(DynamicPair(), 60, ("dcc",), runs=2, seed=1)
    assert (row.refused, row.bias, row.rmse, row.intervals) == (2, None, None, 0)
