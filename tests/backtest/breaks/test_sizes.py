"""Sizes where the null is true: a part of ``proof/breaks_size.py``, and its tables against published limits.

Null, process and n stand with each case; 100 runs here, 1,000 in the proof, whose results are in
``docs/breaks-size.md``.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from rentmark.backtest.breaks import BREAK_TESTS
from rentmark.backtest.breaks.critical import simulated_critical
from rentmark.backtest.breaks.gregory_hansen import ASYMPTOTIC
from rentmark.backtest.breaks.size_notes import measured_sizes, size_note
from rentmark.backtest.breaks.sizes import SIZES, SIZES_RUNS
from rentmark.backtest.study.break_sizes import adf_statistics, critical_values, nulls_of, size_of
from statsmodels.tsa.adfvalues import mackinnoncrit
from statsmodels.tsa.stattools import adfuller

PAGE = Path(__file__).resolve().parents[3] / "docs" / "breaks-size.md"
QUICK_CASES = [
    (test, n)
    for test in ("adf", *BREAK_TESTS)
    for n in (38, 60, 500)
    if n < 500 or not test.startswith(("gregory-hansen", "adf", "engle"))
]
"""At n = 500 the slow ones are left to the proof."""


@pytest.mark.parametrize(("test", "n"), QUICK_CASES)
def test_a_true_null_is_rejected_about_as_often_as_promised(test, n):
    """Null and process: those the test assumes (``nulls_of``). Binomial(100, 0.07) stays under 16 in 99.9 %."""
    null = next(each for each in nulls_of(test) if each.assumed)
    row = size_of(test, null, n, runs=100, seed=7)
    assert row.refused == 0
    assert row.rejected <= 15


@pytest.mark.parametrize("test", ["adf", *BREAK_TESTS])
def test_every_test_was_sized_at_every_n_and_holds_two_points_on_its_own_null(test):
    assumed = next(each.name for each in nulls_of(test) if each.assumed)
    for n in (38, 60, 500):
        assert abs(SIZES[test, assumed, n] - 5) <= 2
        for null in nulls_of(test):
            assert (test, null.name, n) in SIZES


def test_the_page_of_the_proof_says_what_reports_cite():
    text = PAGE.read_text(encoding="utf-8")
    assert f"with {SIZES_RUNS:,} seeded runs" in text
    assert SIZES_RUNS >= 1_000
    for (test, process, n), percent in SIZES.items():
        row = re.search(
            rf"^\| {re.escape(test)} \| \*?\*?{re.escape(process)}\*?\*? \|(.*)$", text, re.MULTILINE
        )
        assert row is not None
        assert f"{percent:.1f} %" in row[1], (test, process, n)


@pytest.mark.parametrize(("n", "at"), [(20, 38), (38, 38), (59, 38), (60, 60), (188, 60), (2_000, 500)])
def test_a_report_cites_the_largest_studied_n_that_is_not_above(n, at):
    assert measured_sizes("cusum", n)[1] == at
    assert f"simulated cases at n = {at}" in size_note("cusum", n)
    assert size_note("chow", n) is None


@pytest.mark.parametrize(
    ("table", "scale", "published"),
    [
        # Golden: Andrews (2003), Table 1, π₀ = 0.15, 5 %: 8.68 for one coefficient, 11.72 for two, as Wald = p·F.
        ("mean-shift-1", 1, 8.68),
        ("sup-f", 2, 11.72),
        # Golden: Bai & Perron (2003b), sup F(l + 1 | l), q = 1, ε = 0.15, 5 %: 8.58, 10.13, 11.14, 11.83, 12.25.
        ("mean-shift-2", 1, 10.13),
        ("mean-shift-3", 1, 11.14),
        ("mean-shift-4", 1, 11.83),
        ("mean-shift-5", 1, 12.25),
        # Golden: Brown, Durbin & Evans (1975): 0.948, for a path observed at every instant.
        ("cusum", 1, 0.948),
        ("gregory-hansen-c", 1, ASYMPTOTIC["C"]),
        ("gregory-hansen-ct", 1, ASYMPTOTIC["C/T"]),
        ("gregory-hansen-cs", 1, ASYMPTOTIC["C/S"]),
    ],
)
def test_simulated_values_come_near_the_published_limits(table, scale, published):
    """A finite path is crossed a little less often than a continuous one, and its tails are a little fatter."""
    largest = scale * simulated_critical(table, 1_000).value
    assert largest == pytest.approx(published, rel=0.04)


@pytest.mark.parametrize(("table", "variables"), [("adf", 1), ("engle-granger", 2)])
def test_unit_root_values_come_near_mackinnon(table, variables):
    """Golden: MacKinnon (2010) by statsmodels; lags chosen by AIC push the simulated value further out."""
    published = float(mackinnoncrit(N=variables, regression="c", nobs=500)[1])
    assert simulated_critical(table, 500).value == pytest.approx(published, abs=0.12)
    assert simulated_critical(table, 38).value < float(mackinnoncrit(N=variables, regression="c", nobs=38)[1])


def test_critical_values_are_repeatable_and_lie_between_their_neighbours():
    one = critical_values("mean-shift", 38, runs=500, seed=4)
    assert critical_values("mean-shift", 38, runs=500, seed=4) == one
    ends = sorted((simulated_critical("sup-f", 38).value, simulated_critical("sup-f", 50).value))
    between = simulated_critical("sup-f", 44)
    assert ends[0] < between.value < ends[1]
    assert "n = 38 and 50" in between.source
    assert simulated_critical("sup-f", 9_999).value == simulated_critical("sup-f", 1_000).value


@pytest.mark.parametrize("n", [25, 38, 100])
def test_the_batched_adf_is_statsmodels(n):
    """Golden: statsmodels' adfuller with its default choice of lags, row by row."""
    walks = np.cumsum(np.random.default_rng(n).normal(size=(12, n)), axis=1)
    expected = [adfuller(row, result_object=True).statistic for row in walks]
    assert adf_statistics(walks) == pytest.approx(expected, abs=1e-8)


def test_more_regimes_ask_for_more():
    values = [simulated_critical(f"mean-shift-{regimes}", 100).value for regimes in range(1, 6)]
    assert values == sorted(values)
