"""The two-factor model: its prices against simulation, its likelihood against the joint normal density."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pytest
from rentmark.contracts import CONTRACTS, fixing_weights
from rentmark.contracts.curve import (
    Launch,
    Premium,
    SchwartzSmith,
    SchwartzSmithModel,
    fit_schwartz_smith,
    make_panel,
    read_launch,
)
from rentmark.contracts.curve.launches import steps_by
from rentmark.contracts.curve.models import UNIDENTIFIED
from rentmark.contracts.curve.schwartz_smith import convexity, log_premium, step_covariance
from rentmark.contracts.paths import simulate_curve_panel, simulate_schwartz_smith
from rentmark.records import Refusal, UsageError

from .curve_making import make_series

ICE = CONTRACTS["ice-hpr"]
FIRST = date(2026, 1, 5)
TRUTH = SchwartzSmith(
    kappa=3.0, sigma_chi=0.35, sigma_xi=0.20, rho=0.3, mu_xi=-0.15, lambda_chi=0.10, mu_xi_star=-0.20
)


def market(days=120, seed=1, launches=(), months=3, process=TRUTH):
    return simulate_curve_panel(
        process,
        ICE,
        FIRST,
        days=days,
        months=months,
        start_usd=2.8,
        noise_fixings=0.005,
        noise_marks=0.01,
        seed=seed,
        launches=launches,
    )


def fitted(found) -> SchwartzSmithModel:
    assert isinstance(found, SchwartzSmithModel), found
    return found


def test_a_future_for_now_is_the_price_now_and_premium_and_convexity_vanish():
    at_once = np.array([0.0])
    assert TRUTH.loading(at_once) == 1
    assert TRUTH.expectation_intercept(at_once) == 0
    assert TRUTH.log_premium(at_once) == 0


def test_far_ahead_the_deviation_is_gone_and_its_premium_is_lambda_over_kappa():
    far = np.array([50.0])
    assert TRUTH.loading(far) < 1e-60
    assert TRUTH.log_premium(far) == pytest.approx((-0.20 + 0.15) * 50 - 0.10 / 3.0)


def test_the_covariance_over_a_year_is_what_its_days_make():
    # Var and Cov of (χ, ξ) after a year by the recursion of 365 steps
    a, b, c = step_covariance(3.0, 0.35, 0.20, 0.3, 1 / 365)
    decay = math.exp(-3.0 / 365)
    var_chi = both = var_xi = 0.0
    for _ in range(365):
        var_chi, both, var_xi = decay**2 * var_chi + a, decay * both + b, var_xi + c
    assert step_covariance(3.0, 0.35, 0.20, 0.3, 1.0) == pytest.approx((var_chi, both, var_xi))
    assert convexity(3.0, 0.35, 0.20, 0.3, 1.0) == pytest.approx((var_chi + 2 * both + var_xi) / 2)


def test_the_expectation_is_the_mean_of_simulated_paths():
    paths = simulate_schwartz_smith(
        TRUTH, (0.1, 1.0), years_per_step=1 / 365.25, paths=60_000, days=120, seed=7
    )
    years = np.array([30, 60, 120]) / 365.25
    expected = np.exp(TRUTH.loading(years) * 0.1 + 1.0 + TRUTH.expectation_intercept(years))
    assert paths[[29, 59, 119]].mean(axis=1) == pytest.approx(expected, rel=4e-3)


def test_the_likelihood_is_the_joint_normal_density_of_everything_observed():
    from rentmark.contracts.curve.state_space import PANEL_NAMES, START_VARIANCE, TINY, TwoFactorModel
    from scipy.stats import multivariate_normal

    launches = [Launch(FIRST + timedelta(days=4)), Launch(FIRST + timedelta(days=80), -0.1)]
    made = market(days=9, launches=launches, months=2)
    series = make_series(made.series.prices, first=FIRST, skip=(3,))
    settles = {day: marks for day, marks in made.settles.items() if day != FIRST + timedelta(days=5)}
    panel = make_panel(series, settles, ICE, launches)
    values = dict(zip(PANEL_NAMES, (3.0, 0.35, 0.20, -0.15, 0.3, 0.10, -0.20, 0.005, 0.01), strict=True))
    found = TwoFactorModel(panel).loglike(np.array(list(values.values())))

    step = panel.years_per_step
    a, b, c = step_covariance(3.0, 0.35, 0.20, 0.3, step)
    rows, decay = 9, math.exp(-3.0 * step)
    mean = np.zeros((rows, 2))
    cov = np.zeros((rows, 2, rows, 2))
    mean[0] = 0.0, panel.log_prices[0, 0]
    cov[0, :, 0, :] = np.diag([0.35**2 / 6.0, START_VARIANCE])
    move = np.diag([decay, 1.0])
    for t in range(1, rows):
        mean[t] = move @ mean[t - 1] + (0.0, -0.15 * step + panel.jumps[t])
        for s in range(t):
            cov[t, :, s, :] = move @ cov[t - 1, :, s, :]
            cov[s, :, t, :] = cov[t, :, s, :].T
        cov[t, :, t, :] = move @ cov[t - 1, :, t - 1, :] @ move.T + np.array([[a, b], [b, c]])
    seen, loadings, levels, noises = [], [], [], []
    for t in range(rows):
        for slot in range(3):
            if np.isnan(panel.log_prices[t, slot]):
                continue
            years = 0.0 if slot == 0 else panel.years[t, slot - 1]
            intercept = (
                -0.15 * years + convexity(3.0, 0.35, 0.20, 0.3, years) + log_premium(3.0, 0.10, -0.05, years)
            )
            intercept += 0.0 if slot == 0 else panel.launch_steps[t, slot - 1]
            seen.append(panel.log_prices[t, slot])
            loadings.append((t, np.array([math.exp(-3.0 * years), 1.0])))
            levels.append(loadings[-1][1] @ mean[t] + intercept)
            noises.append(0.005**2 + TINY if slot == 0 else 0.01**2 + TINY)
    joint = np.array([[h @ cov[t, :, s, :] @ g for s, g in loadings] for t, h in loadings])
    wanted = multivariate_normal.logpdf(seen, levels, joint + np.diag(noises))
    assert panel.jumps[4] == pytest.approx(-0.22)
    assert len(seen) == 8 + 2 * 8
    assert found == pytest.approx(wanted, rel=1e-9)


def test_on_fixings_alone_it_is_an_expectation_without_premium_and_without_intervals():
    model = fitted(fit_schwartz_smith(market(days=300).series))
    assert not model.process.premium_identified
    assert UNIDENTIFIED in model.label
    assert model.process.rho == 0
    assert any("set to 0 (assumed)" in note for note in model.notes)
    assert all(estimate.low is None for estimate in model.estimates)
    refused = model.premium(model.series.dates[:1], [1])
    assert isinstance(refused, Refusal)
    assert refused.code == "premium_unidentified"
    with pytest.raises(ValueError, match="no futures were seen"):
        model.futures(model.series.dates[:1])


def test_on_a_curve_panel_the_premium_comes_with_its_interval():
    made = market(days=200)
    model = fitted(fit_schwartz_smith(made.series, made.settles, ICE))
    assert model.curve_days == 200
    weights = fixing_weights(ICE, "2026-12")
    premium = model.premium(list(weights), list(weights.values()))
    assert isinstance(premium, Premium)
    assert premium.low < premium.percent < premium.high
    days = list(weights)
    ratio = model.futures(days) / model.expected(days) - 1
    assert 100 * ratio.mean() == pytest.approx(premium.percent, abs=0.05)


def test_the_fitted_curve_prices_the_marks_it_saw():
    made = market(days=200)
    model = fitted(fit_schwartz_smith(made.series, made.settles, ICE))
    last = made.series.dates[-1]
    for month, micros in made.settles[last].items():
        priced = model.futures(list(fixing_weights(ICE, month))).mean()
        assert priced == pytest.approx(micros / 1e6, rel=0.03)  # the noise of a mark is 1 %


def test_few_days_of_a_curve_leave_the_premium_unidentified_and_say_so():
    made = market(days=120)
    few = dict(list(made.settles.items())[:12])
    model = fitted(fit_schwartz_smith(made.series, few, ICE))
    assert not model.process.premium_identified
    assert "settled on 12 days; 60 are needed" in model.warned[0]
    single = {day: dict(list(marks.items())[:1]) for day, marks in made.settles.items()}
    assert not fitted(fit_schwartz_smith(made.series, single, ICE)).process.premium_identified


def test_a_month_leaves_the_panel_when_its_averaging_begins():
    made = market(days=60)
    accruing = {day: {**marks, "2026-01": 2_000_000} for day, marks in made.settles.items()}
    with_it, without = (make_panel(made.series, settles, ICE) for settles in (accruing, made.settles))
    assert np.array_equal(with_it.log_prices, without.log_prices, equal_nan=True)


def test_a_scheduled_launch_lowers_the_curve_from_its_day_on_and_says_that_it_is_assumed():
    launch = Launch(FIRST + timedelta(days=400))
    series = market(days=300).series
    plain, stepped = (fitted(fit_schwartz_smith(series, launches=found)) for found in ((), (launch,)))
    days = [launch.day - timedelta(days=1), launch.day, launch.day + timedelta(days=90)]
    assert stepped.expected(days) / plain.expected(days) == pytest.approx(
        [1.0, math.exp(-0.22), math.exp(-0.22)]
    )
    assert launch.sentence in stepped.notes
    assert "assumed; SSRN 6926798" in launch.sentence


def test_a_launch_in_the_past_is_taken_out_of_the_drift():
    launch = Launch(FIRST + timedelta(days=150), -0.5)
    made = market(days=300, launches=(launch,), process=TRUTH)
    blind = fitted(fit_schwartz_smith(made.series, made.settles, ICE))
    seeing = fitted(fit_schwartz_smith(made.series, made.settles, ICE, (launch,)))
    assert seeing.log_likelihood > blind.log_likelihood + 50
    assert seeing.process.sigma_xi < blind.process.sigma_xi


def test_the_spot_delta_shares_a_surprise_between_what_fades_and_what_lasts():
    model = fitted(fit_schwartz_smith(market(days=200).series, market(days=200).settles, ICE))
    days = [model.series.dates[-1] + timedelta(days=n) for n in (1, 30, 365, 3650)]
    relative = model.spot_delta(days) * model.series.prices[-1] / model.expected(days)
    assert 0 < model.gain[1] < model.gain.sum() <= 1.0001
    assert list(relative) == sorted(relative, reverse=True)
    assert relative[-1] == pytest.approx(model.gain[1])


@pytest.mark.parametrize(
    ("series", "code"),
    [
        (make_series([3.0] * 80), "constant"),
        (make_series([3.0 + 0.01 * (n % 5) for n in range(40)]), "too_short"),
        (make_series([3.0 + 0.01 * (n % 5) for n in range(200)], skip=range(20, 90)), "too_gappy"),
    ],
)
def test_series_that_say_nothing_are_refused(series, code):
    refused = fit_schwartz_smith(series)
    assert isinstance(refused, Refusal)
    assert refused.code == code


def test_a_few_gaps_are_bridged_and_flagged():
    whole = market(days=200)
    gappy = make_series(whole.series.prices, first=FIRST, skip=(50, 51, 120))
    model = fitted(fit_schwartz_smith(gappy, whole.settles, ICE))
    assert any("3 of 200 days have no fixing" in note for note in model.notes)
    assert model.process.kappa == pytest.approx(
        fitted(fit_schwartz_smith(whole.series, whole.settles, ICE)).process.kappa, rel=0.2
    )


@pytest.mark.parametrize(
    ("text", "launch"),
    [
        ("2026-11-01", Launch(date(2026, 11, 1))),
        ("2026-11-01:-0.15", Launch(date(2026, 11, 1), -0.15, published=False)),
    ],
)
def test_a_launch_is_written_as_a_day_with_or_without_its_step(text, launch):
    assert read_launch(text) == launch


@pytest.mark.parametrize("text", ["soon", "2026-11-01:", "2026-11-01:big", "2026-11-01:nan", "2026-11-01:-9"])
def test_what_is_no_launch_is_one_sentence(text):
    with pytest.raises(UsageError, match=f"--launch {text}") as refused:
        read_launch(text)
    assert "\n" not in refused.value.sentence


def test_launches_add_up_to_the_days_after_them():
    first, second = Launch(date(2026, 3, 1)), Launch(date(2026, 6, 1), -0.1)
    days = [date(2026, 2, 28), date(2026, 3, 1), date(2026, 7, 1)]
    assert steps_by([first, second], date(2026, 1, 1), days) == pytest.approx([0.0, -0.22, -0.32])
    assert steps_by([first, second], date(2026, 3, 1), days) == pytest.approx([0.0, 0.0, -0.1])
