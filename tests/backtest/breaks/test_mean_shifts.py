"""Shifts of the gap's mean: the partitions are the best ones, and published ones come out."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.breaks import mean_shifts, sequential_breaks
from rentmark.backtest.breaks.mean_shifts import partitions, supremum_f_of_mean
from statsmodels.datasets import nile

from .break_suite import BreakSuite


class TestMeanShift(BreakSuite):
    name = "mean-shift"

    def broken(self, generator):
        gap = generator.normal(size=300) + np.where(np.arange(300) >= 120, 2.0, 0.0)
        return 5 + gap, np.full(300, 5.0), 120

    def test_a_rent_that_follows_the_reference_exactly_is_refused_or_unbroken(self):
        # A gap that is constant but for rounding has nothing in it.
        reference = np.arange(80.0)
        found = self.test.judge(self.levels(reference + 1.0, reference))
        assert found.statistic is None

    @staticmethod
    def levels(rent, reference):
        from .break_suite import levels_of

        return levels_of(rent, reference)


@pytest.fixture(scope="module")
def river():
    return nile.load_pandas().data["volume"].to_numpy(dtype=float)


def test_the_nile_breaks_where_it_is_known_to(river):
    """Golden: R strucchange 1.5, ``summary(breakpoints(Nile ~ 1))`` (Zeileis et al. 2003, section 5.1).

    Residual squares 2835157, 1597457, 1552924, 1538097, 1507888, 1659994 for 0 to 5 breaks; breaks after
    observation 28; 28, 83; 28, 68, 83; 28, 45, 68, 83; 15, 30, 45, 68, 83. One break by BIC: the dam of 1898.
    """
    found = partitions(river, 0.15)
    assert [round(each.squares) for each in found] == [2835157, 1597457, 1552924, 1538097, 1507888, 1659994]
    assert [each.positions for each in found] == [
        (),
        (28,),
        (28, 83),
        (28, 68, 83),
        (28, 45, 68, 83),
        (15, 30, 45, 68, 83),
    ]
    assert min(found, key=lambda each: each.bic).positions == (28,)
    assert min(found, key=lambda each: each.lwz).positions == (28,)


def test_bic_differs_from_strucchange_by_a_constant_alone(river):
    """Golden: the same summary prints BIC 1318, 1270, 1276, 1285, 1292, 1311.

    R gives −2 log L + ln n · 2(m + 1), which counts the error's variance; Bai & Perron's ln(SSR/n) + p* ln n / n
    does not. So n · ours + n(1 + ln 2π) + ln n is R's.
    """
    n = len(river)
    ours = [each.bic * n + n * (1 + np.log(2 * np.pi)) + np.log(n) for each in partitions(river, 0.15)]
    assert [round(each) for each in ours] == [1318, 1270, 1276, 1285, 1292, 1311]


def test_the_supremum_f_of_the_nile(river):
    """Golden: strucchange's ``sctest(Fstats(Nile ~ 1))``: sup.F = 75.93."""
    statistic, place, critical = supremum_f_of_mean(river)
    assert statistic == pytest.approx(75.93, abs=0.005)
    assert place == 28
    assert statistic > critical


def test_the_nile_breaks_once_step_by_step(river):
    assert sequential_breaks(river) == (28,)


@given(
    values=st.lists(st.integers(0, 4).map(lambda each: each * 0.25), min_size=8, max_size=13),
    breaks=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_dynamic_programming_finds_what_trying_every_partition_finds(values, breaks):
    gap = np.array(values)
    n, side = len(gap), 2
    found = partitions(gap, 0.2, breaks)[breaks]

    def squares(places):
        return sum(((each - each.mean()) ** 2).sum() for each in np.split(gap, places))

    every = [
        places
        for places in itertools.combinations(range(side, n - side + 1), breaks)
        if all(later - earlier >= side for earlier, later in itertools.pairwise([0, *places, n]))
    ]
    assert found.squares == pytest.approx(min(squares(places) for places in every), abs=1e-9)
    assert squares(found.positions) == pytest.approx(found.squares, abs=1e-9)


def test_a_level_far_from_zero_moves_no_break():
    generator = np.random.default_rng(2)
    gap = generator.normal(size=90) + np.where(np.arange(90) >= 40, 3.0, 0.0)
    near, far = partitions(gap, 0.15), partitions(gap + 1e4, 0.15)
    assert [each.positions for each in near] == [each.positions for each in far]
    assert far[1].squares == pytest.approx(near[1].squares, rel=1e-6)


def test_a_step_without_noise_is_one_break_and_not_five():
    dates = [date(2026, 1, 1) + timedelta(days=number) for number in range(40)]
    found = mean_shifts(dates, np.where(np.arange(40) < 20, 1.0, 2.0))
    assert found.by_bic == found.by_lwz == (dates[20],)
    assert found.means == (1.0, 2.0)
    row = found.to_json()
    assert row["partitions"][1]["bic"] is None
    assert row["partitions"][1]["reason"] == "the regimes are fitted exactly"


@pytest.mark.parametrize(("values", "why"), [([1.0] * 5, "12 needed"), ([1.0] * 30, "did not move")])
def test_what_cannot_be_split_says_why(values, why):
    dates = [date(2026, 1, 1) + timedelta(days=number) for number in range(len(values))]
    assert why in mean_shifts(dates, np.array(values)).reason


@pytest.mark.parametrize(("size", "found"), [(3.0, True), (0.0, False)])
def test_known_shifts_are_found_and_none_invented(size, found):
    """Truth: 120 independent values, shifts of ``size`` standard deviations at 40 and 80; 40 runs."""
    right = 0
    for seed in range(40):
        gap = np.random.default_rng(seed).normal(size=120) + size * (np.arange(120) // 40)
        places = min(partitions(gap, 0.15), key=lambda each: each.lwz).positions
        if found:
            right += len(places) == 2 and abs(places[0] - 40) <= 3 and abs(places[1] - 80) <= 3
        else:
            right += places == ()
    assert right >= 36
