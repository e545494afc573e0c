"""Tests of a shared level: Engle–Granger, Johansen, Gregory–Hansen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rentmark.backtest.breaks.gregory_hansen import regime_shift, residual_adf
from statsmodels.tsa.stattools import adfuller, coint
from statsmodels.tsa.vector_ar.vecm import coint_johansen

from .break_suite import BreakSuite

ANSWERS = Path(__file__).resolve().parents[1] / "answers" / "gregory_hansen_1996.csv"


def common_level(generator, shift=0.0, slope_after=0.8):
    reference = 3 + np.cumsum(0.05 * generator.normal(size=300))
    after = np.arange(300) >= 150
    slope = np.where(after, slope_after, 0.8)
    return slope * reference + shift * after + 0.05 * generator.normal(size=300), reference


class TestEngleGranger(BreakSuite):
    name = "engle-granger"

    def broken(self, generator):
        return *common_level(generator), None

    def test_the_statistic_is_that_of_statsmodels_with_fewer_lags(self):
        levels = self.steady(120)
        found = self.test.judge(levels)
        assert found.detail["most_lags"] == 4
        assert found.statistic == coint(levels.rent, levels.reference, maxlag=4, autolag="aic")[0]


class TestJohansen(BreakSuite):
    name = "johansen"
    # Since numpy 2.5 `eig` gives complex numbers always, and statsmodels 0.15 casts them to real ones.
    pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")

    def broken(self, generator):
        return *common_level(generator), None

    def test_the_statistic_is_that_of_statsmodels(self):
        levels = self.steady(120)
        found = self.test.judge(levels)
        trace = coint_johansen(np.column_stack([levels.rent, levels.reference]), 0, 1).lr1
        assert (found.statistic, found.detail["trace_of_rank_1"]) == (trace[0], trace[1])
        # Golden: Osterwald-Lenum's (1992) table 1.1 as MacKinnon, Haug & Michelis (1999) refined it.
        assert found.detail["asymptotic_critical_value"] == 15.4943

    def test_walks_without_drift_need_a_larger_value_than_the_table_for_drifting_ones(self):
        """Golden: Johansen & Juselius (1990), table A2 (constant estimated, no trend in the data), two walks: 17.844.

        Table A1 of the same paper and the 15.49 that statsmodels carries are for data that drift; rents that
        only walk meet A2, at n = 500 with a small-sample part on top.
        """
        assert self.test.judge(self.steady(500)).critical == pytest.approx(17.844, abs=0.6)


@pytest.fixture(scope="module")
def money():
    """Money demand of the United States, the example of Gregory & Hansen (1996), section 5."""
    rows = np.loadtxt(ANSWERS, delimiter=",", skiprows=4)
    assert rows.shape == (124, 3)
    return np.log(rows[:, 0]), rows[:, 1:]


class TestLevelShift(BreakSuite):
    name = "gregory-hansen-c"

    def broken(self, generator):
        return *common_level(generator, shift=1.0), 150


class TestLevelShiftWithTrend(BreakSuite):
    name = "gregory-hansen-ct"

    def broken(self, generator):
        return *common_level(generator, shift=1.0), 150


class TestSlopeShift(BreakSuite):
    name = "gregory-hansen-cs"

    def broken(self, generator):
        return *common_level(generator, slope_after=1.6), 150


def test_money_demand_gives_the_adf_of_the_authors_programme(money):
    """Golden: the gretl package gregory_hansen 0.6, a translation of B. Hansen's GAUSS programme of 1996.

    Its own test (tests/run_tests.inp) holds, on these data, for C/S with lags up to 6 by AIC: ADF* −4.77755
    with 4 lags, break at 0.66129 of the sample; Z_t* and Z_α* both break at 0.693548.
    """
    found = regime_shift(*money, "C/S", 6)
    assert found.adf == pytest.approx(-4.77755, abs=5e-6)
    assert found.adf_lags == 4
    assert found.adf_position / 124 == pytest.approx(0.66129, abs=1e-6)
    assert found.zt_position / 124 == pytest.approx(0.693548, abs=1e-6)
    assert found.za_position / 124 == pytest.approx(0.693548, abs=1e-6)


def test_money_demand_gives_the_z_statistics_but_for_a_slip_of_the_translation(money):
    """Golden: the same package gives Z_t* −4.18042 and Z_α* −31.5576; ours are −4.18067 and −31.5619.

    The disagreement is explained: GAUSS's ``e[2:n]/e[1:n-1]`` regresses e_t on e_{t−1}; gretl's
    ``e[2:n]\\e[1:n-1]`` regresses the other way round and so divides by Σe_t². With that slip undone the
    other way, below, its figures come out to every digit it prints.
    """
    found = regime_shift(*money, "C/S", 6)
    assert found.zt == pytest.approx(-4.18042, abs=3e-4)
    assert found.za == pytest.approx(-31.5576, abs=5e-3)
    translated = [translated_phillips(*money, place) for place in range(19, 106)]
    assert min(t for t, _ in translated) == pytest.approx(-4.18042, abs=5e-6)
    assert min(a for _, a in translated) == pytest.approx(-31.5576, abs=5e-5)
    straight = [translated_phillips(*money, place, slip=False) for place in range(19, 106)]
    assert found.zt == pytest.approx(min(t for t, _ in straight))
    assert found.za == pytest.approx(min(a for _, a in straight))


def translated_phillips(rent, regressors, place, *, slip=True):
    """Z_t and Z_α at one break, written anew from the paper's section 3, with the translation's slip or without."""
    n = len(rent)
    after = (np.arange(n) >= place).astype(float)
    design = np.column_stack([np.ones(n), after, regressors, after[:, None] * regressors])
    e = rent - design @ np.linalg.lstsq(design, rent, rcond=None)[0]
    before, now = e[:-1], e[1:]
    u = now - before * (before @ now) / ((now @ now) if slip else (before @ before))
    first, second = u[:-1], u[1:]
    rho = (first @ second) / ((second @ second) if slip else (first @ first))
    bandwidth = 1.3221 * (4 * rho**2 / (1 - rho) ** 4 * (n - 1)) ** 0.2
    spread = 0.0
    for lag in range(1, int(bandwidth) + 1):
        x = 6 * np.pi * lag / bandwidth / 5
        spread += 3 / x**2 * (np.sin(x) / x - np.cos(x)) * (u[:-lag] @ u[lag:]) / (n - 1)
    slope = (before @ now - (n - 1) * spread) / (before @ before)
    variance = 2 * spread + u @ u / (n - 1)
    return (slope - 1) / np.sqrt(variance / (before @ before)), n * (slope - 1)


def test_every_break_is_a_regression_and_an_adf_of_its_own(money):
    """Golden: numpy's least squares and statsmodels' adfuller without a constant, break by break."""
    rent, regressors = money
    n = len(rent)
    smallest = np.inf
    for place in range(19, 106):
        after = (np.arange(n) >= place).astype(float)
        design = np.column_stack([np.ones(n), after, regressors])
        left = rent - design @ np.linalg.lstsq(design, rent, rcond=None)[0]
        statistic = adfuller(left, maxlag=2, regression="n", autolag=None, result_object=True).statistic
        smallest = min(smallest, statistic)
        ours = residual_adf(left[None, :], 2)
        if ours[1][0] == 2:
            assert ours[0][0] == pytest.approx(statistic, abs=1e-8)
    assert np.isfinite(smallest)
