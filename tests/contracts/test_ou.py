"""Ornstein–Uhlenbeck: its law, its fit, its bias, and the delta in the month."""

from __future__ import annotations

import math
from datetime import timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import fair_value, parallel_delta
from rentmark.contracts.curve import FlatModel, OrnsteinUhlenbeck, OUModel, fit_ou
from rentmark.contracts.curve.models import weighted_mean
from rentmark.contracts.curve.ou import dickey_fuller_bound
from rentmark.contracts.paths import simulate_ou
from rentmark.records import Refusal

from .curve_making import FIRST, make_series

TEN_DAYS = OrnsteinUhlenbeck(kappa=math.log(2) / 10, level=3.0, sigma=0.01, scale="level")


def ou_series(length=400, seed=3, scale="log", skip=()):
    process = OrnsteinUhlenbeck(
        kappa=0.1, level=math.log(2.8) if scale == "log" else 2.8, sigma=0.02, scale=scale
    )
    start = process.level
    return make_series(simulate_ou(process, start, paths=1, days=length, seed=seed)[:, 0], skip=skip)


def fitted(series, scale="log") -> OUModel:
    model = fit_ou(series, scale)
    assert isinstance(model, OUModel)
    return model


def test_spot_delta_with_a_half_life_of_ten_days_before_the_first_of_21_fixings_is_0_51():
    # (1/21) Σ_{j=1..21} 2^{−j/10} = 0.508705..
    deltas = TEN_DAYS.spot_delta(3.2, np.arange(1.0, 22.0))
    assert weighted_mean(deltas, [1] * 21) == pytest.approx(0.508705, abs=1e-6)
    assert round(weighted_mean(deltas, [1] * 21), 2) == 0.51


def test_in_logarithms_at_its_level_the_delta_is_the_same_but_for_convexity():
    process = OrnsteinUhlenbeck(kappa=math.log(2) / 10, level=math.log(3.0), sigma=1e-6)
    deltas = process.spot_delta(math.log(3.0), np.arange(1.0, 22.0))
    assert weighted_mean(deltas, [1] * 21) == pytest.approx(0.508705, abs=1e-6)


@pytest.mark.parametrize("scale", ["level", "log"])
def test_the_spot_delta_is_the_slope_of_the_expectation(scale):
    process = OrnsteinUhlenbeck(kappa=0.07, level=1.0, sigma=0.03, scale=scale)
    steps = np.arange(1.0, 40.0)
    price = 2.5
    x = math.log if scale == "log" else float
    up, down = (process.expected_prices(x(price + e), steps) for e in (1e-6, -1e-6))
    assert process.spot_delta(x(price), steps) == pytest.approx((up - down) / 2e-6, rel=1e-6)


def test_the_expectation_goes_from_the_last_fixing_to_the_level():
    expected = TEN_DAYS.expected_prices(4.0, np.array([0.0, 10.0, 20.0, 1000.0]))
    assert expected == pytest.approx([4.0, 3.5, 3.25, 3.0])


@pytest.mark.parametrize("scale", ["level", "log"])
def test_expectation_and_variance_are_those_of_simulated_paths(scale):
    process = OrnsteinUhlenbeck(kappa=0.05, level=1.0, sigma=0.04, scale=scale)
    paths = simulate_ou(process, 1.3, paths=100_000, days=30, seed=5)
    days = np.arange(1.0, 31.0)
    assert paths.mean(axis=1) == pytest.approx(process.expected_prices(1.3, days), rel=2e-3)
    _, variance = process.conditional(1.3, days)
    observed = np.log(paths) if scale == "log" else paths
    assert observed.var(axis=1) == pytest.approx(variance, rel=0.02)


def test_the_fit_is_the_regression_of_each_fixing_on_the_one_before():
    series = ou_series()
    slope, intercept = np.polyfit(series.logs[:-1], series.logs[1:], 1)  # least squares by numpy
    model = fitted(series)
    assert model.process.kappa == pytest.approx(-math.log(slope), rel=1e-9)
    assert model.process.level == pytest.approx(intercept / (1 - slope), rel=1e-9)
    residuals = series.logs[1:] - intercept - slope * series.logs[:-1]
    daily = residuals.std(ddof=2)
    assert model.process.sigma == pytest.approx(
        daily * math.sqrt(2 * model.process.kappa / (1 - slope**2)), rel=1e-9
    )
    assert model.kappa_bias == pytest.approx((1 + 3 * slope) / (399 * slope))
    assert "kappa is biased upwards by about" in model.notes[0]


def test_changes_over_a_gap_are_left_out_and_said():
    whole, gappy = fitted(ou_series()), fitted(ou_series(skip=(100, 101, 200)))
    # two gaps, each losing the change over it, and three fixings gone: 399 − 5
    assert (whole.pairs, gappy.pairs) == (399, 394)
    assert any("3 of 400 days have no fixing" in note for note in gappy.notes)


def test_a_price_that_runs_away_is_refused():
    refused = fit_ou(make_series(math.exp(0.3 * 1.01**n) for n in range(200)))
    assert isinstance(refused, Refusal)
    assert refused.code == "no_mean_reversion"


def test_a_sawtooth_below_zero_autocorrelation_is_refused():
    refused = fit_ou(make_series(3.0 + 0.1 * (-1) ** n for n in range(100)))
    assert isinstance(refused, Refusal)
    assert refused.code == "no_mean_reversion"


def test_where_mean_reversion_is_not_shown_the_model_says_so_and_leaves_the_half_life_open():
    rng = np.random.default_rng(3)
    model = fitted(make_series(np.exp(1 + np.cumsum(0.02 * rng.standard_normal(120)))))
    half_life = next(e for e in model.estimates if e.name == "half_life")
    assert half_life.high is None
    assert "Mean reversion is not shown" in model.notes[0]


def test_random_walks_are_called_mean_reverting_one_time_in_twenty():
    rng = np.random.default_rng(4)
    walks = np.exp(1 + np.cumsum(0.02 * rng.standard_normal((400, 120)), axis=1))
    fits = [fit_ou(make_series(walk)) for walk in walks]
    shown = sum(isinstance(fit, OUModel) and fit.kappa_interval[0] > 0 for fit in fits)
    # 20 expected; above 34 or below 9 happens by chance about once in 400
    assert 9 <= shown <= 34


def test_the_bound_is_that_of_statsmodels():
    from statsmodels.tsa.adfvalues import mackinnoncrit

    for count in (60, 500):
        assert dickey_fuller_bound(count) == pytest.approx(mackinnoncrit(1, "c", count)[1], abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(factor=st.sampled_from([0.25, 0.5, 2.0, 4.0]), seed=st.integers(0, 30))
def test_scaling_prices_scales_level_and_expectation_and_nothing_else(factor, seed):
    series = ou_series(seed=seed)
    scaled = make_series(series.prices * factor)
    days = [series.dates[-1] + timedelta(days=n) for n in (1, 30)]
    one, other = fitted(series), fitted(scaled)
    assert other.process.kappa == pytest.approx(one.process.kappa, rel=1e-3)
    assert other.expected(days) == pytest.approx(one.expected(days) * factor, rel=1e-4)


def test_in_the_month_a_flat_path_is_worth_itself_and_the_last_day_is_the_settlement():
    flat = FlatModel(make_series([3.25] * 5))
    days = [FIRST + timedelta(days=n) for n in range(5, 21)]
    expected = [round(value * 1_000_000) for value in flat.expected(days)]
    assert fair_value([3_250_000] * 5, expected) == 3_250_000
    assert fair_value([3_250_000] * 20 + [4_300_000], []) == Fraction(20 * 3_250_000 + 4_300_000, 21)


@settings(deadline=None)
@given(known=st.integers(0, 20), kappa=st.sampled_from([0.01, 0.0693, 0.5]))
def test_the_spot_delta_is_within_the_parallel_delta_and_vanishes_with_it(known, kappa):
    process = OrnsteinUhlenbeck(kappa=kappa, level=3.0, sigma=0.01, scale="level")
    left = 21 - known
    spot = float(process.spot_delta(3.2, np.arange(1.0, left + 1.0)).sum()) / 21
    assert 0 < spot < parallel_delta(known, 21)
