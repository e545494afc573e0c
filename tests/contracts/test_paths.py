"""Simulated paths: seeded, of the law they claim, and the same whatever was drawn before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arch.bootstrap import StationaryBootstrap
from rentmark.contracts.curve import OrnsteinUhlenbeck, SchwartzSmith
from rentmark.contracts.paths import (
    Garch,
    GarchModel,
    block_length,
    bootstrap_changes,
    fan,
    fit_garch,
    generator,
    simulate_bootstrap,
    simulate_garch,
    simulate_ou,
    simulate_schwartz_smith,
)
from rentmark.records import Refusal

from .curve_making import make_series

OU = OrnsteinUhlenbeck(kappa=0.07, level=1.0, sigma=0.02)
TWO = SchwartzSmith(kappa=3.0, sigma_chi=0.35, sigma_xi=0.2, rho=-0.4, mu_xi=-0.15)
GARCH = Garch(constant=0.001, autoregression=0.2, omega=4e-6, alpha=0.08, beta=0.9, degrees=6.0)
CHANGES = 0.01 * np.random.default_rng(1).standard_t(5, 300)


def ou(seed=1, paths=50, days=40):
    return simulate_ou(OU, 1.1, paths=paths, days=days, seed=seed)


def two(seed=1, paths=50, days=40, **more):
    return simulate_schwartz_smith(
        TWO, (0.1, 1.0), years_per_step=1 / 365, paths=paths, days=days, seed=seed, **more
    )


def garch(seed=1, paths=50, days=40, process=GARCH):
    return simulate_garch(
        process,
        2.8,
        last_change=0.01,
        last_shock=0.009,
        last_variance=2e-4,
        paths=paths,
        days=days,
        seed=seed,
    )


def boot(seed=1, paths=50, days=40, block=5.0):
    return simulate_bootstrap(CHANGES, 2.8, block=block, paths=paths, days=days, seed=seed)


@pytest.mark.parametrize("simulate", [ou, two, garch, boot])
def test_one_seed_is_one_set_of_paths_and_another_seed_is_another(simulate):
    first = simulate(7)
    assert first.shape == (40, 50)
    assert (first > 0).all()
    assert np.array_equal(first, simulate(7))
    assert np.array_equal(first, simulate(generator(7)))
    assert not np.array_equal(first, simulate(8))


def test_the_one_factor_recursion_is_the_scalar_one():
    drawn = generator(3).standard_normal((6, 2))
    x, found = 1.1, []
    for day in range(6):
        sd = 0.02 * math.sqrt((1 - math.exp(-0.14)) / 0.14)
        x = 1.0 + (x - 1.0) * math.exp(-0.07) + sd * drawn[day, 1]
        found.append(math.exp(x))
    assert ou(3, paths=2, days=6)[:, 1] == pytest.approx(found)


def test_the_two_factor_paths_have_the_variance_of_the_model_and_step_at_a_launch():
    from rentmark.contracts.curve.schwartz_smith import convexity

    steps = np.zeros(60)
    steps[20] = -0.22
    paths = np.log(two(2, paths=60_000, days=60, log_steps=steps))
    variance = 2 * convexity(TWO.kappa, TWO.sigma_chi, TWO.sigma_xi, TWO.rho, np.array([10, 60]) / 365)
    assert paths[[9, 59]].var(axis=1) == pytest.approx(variance, rel=0.02)
    moves = paths.mean(axis=1)
    assert moves[20] - moves[19] == pytest.approx(-0.22, abs=0.002)


def test_the_garch_recursion_is_the_scalar_one():
    drawn = generator(3).standard_t(6.0, (6, 2)) * math.sqrt(4 / 6)
    change, shock, variance, log_price, found = 0.01, 0.009, 2e-4, math.log(2.8), []
    for day in range(6):
        variance = 4e-6 + 0.08 * shock**2 + 0.9 * variance
        shock = math.sqrt(variance) * drawn[day, 1]
        change = 0.001 + 0.2 * change + shock
        log_price += change
        found.append(math.exp(log_price))
    assert garch(3, paths=2, days=6)[:, 1] == pytest.approx(found)


def test_garch_shocks_have_the_unconditional_variance_in_the_long_run():
    process = Garch(constant=0.0, autoregression=0.0, omega=4e-6, alpha=0.05, beta=0.9, degrees=8.0)
    changes = np.diff(np.log(garch(5, paths=4_000, days=400, process=process)), axis=0)
    assert changes[300:].var() == pytest.approx(4e-6 / (1 - 0.95), rel=0.03)


def test_the_bootstrap_draws_nothing_but_actual_changes_in_blocks_that_wrap():
    changes = np.diff(np.log(boot(4, paths=400, days=200, block=8.0)), axis=0)
    place = np.abs(changes[:, :, None] - CHANGES).argmin(axis=2)
    assert np.abs(changes - CHANGES[place]).max() < 1e-12
    follows = (place[1:] - place[:-1]) % len(CHANGES) == 1
    # a block goes on with probability 7/8; a new one begins at the next change by chance once in 300
    assert follows.mean() == pytest.approx(7 / 8 + 1 / 8 / 300, abs=0.004)


def test_the_bootstrap_has_the_law_of_arch():
    # the variance of the sum over 40 changes under both, with strongly autocorrelated changes
    drift = np.convolve(CHANGES, np.ones(5), mode="valid")
    ours = np.log(simulate_bootstrap(drift, 1.0, block=6.0, paths=20_000, days=40, seed=1)[-1])
    theirs = StationaryBootstrap(6.0, drift, seed=1)
    sums = np.array([data[0][0][:40].sum() for data in theirs.bootstrap(4_000)])
    assert ours.mean() == pytest.approx(sums.mean(), abs=4 * sums.std() / math.sqrt(4_000))
    assert ours.std() == pytest.approx(sums.std(), rel=0.05)


def test_blocks_of_one_are_independent_draws():
    changes = np.diff(np.log(boot(6, paths=300, days=300, block=1.0)), axis=0)
    lagged = np.corrcoef(changes[1:].ravel(), changes[:-1].ravel())[0, 1]
    assert abs(lagged) < 0.015


@pytest.mark.parametrize("block", [0.5, 0.0, -1.0, float("nan")])
def test_a_block_shorter_than_one_change_is_refused(block):
    with pytest.raises(ValueError, match="is not possible"):
        boot(block=block)


def test_the_block_length_is_archs_and_within_the_history():
    from arch.bootstrap import optimal_block_length

    smooth = np.convolve(CHANGES, np.ones(6), mode="valid")
    assert block_length(smooth) == pytest.approx(float(optimal_block_length(smooth)["stationary"].iloc[0]))
    assert block_length(smooth) > 2
    assert block_length(np.zeros(50)) == 1.0


def test_changes_over_a_gap_are_not_drawn():
    prices = [3.0 + 0.01 * (n % 11) for n in range(60)]
    whole, gappy = (bootstrap_changes(make_series(prices, skip=skip)) for skip in ((), (30,)))
    assert not isinstance(whole, Refusal)
    assert not isinstance(gappy, Refusal)
    assert (len(whole), len(gappy)) == (59, 57)


def test_a_fan_is_the_percentiles_of_each_day_and_nothing_where_nothing_is_printed():
    prices = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [np.nan] * 5])
    first, second = fan(prices)
    assert (first.mean, first.percentiles) == (3.0, pytest.approx((1.2, 2.0, 3.0, 4.0, 4.8)))
    assert (second.mean, second.percentiles) == (None, None)


def garch_series(length=400, seed=1):
    return make_series(garch(seed, paths=1, days=length)[:, 0])


def test_a_garch_fit_stands_where_the_series_ends_and_its_numbers_are_archs():
    from arch import arch_model

    series = garch_series()
    model = fit_garch(series)
    assert isinstance(model, GarchModel)
    changes = np.diff(series.logs)
    plain = arch_model(100 * changes, mean="AR", lags=1, vol="GARCH", dist="t", rescale=False).fit(disp="off")
    assert model.process.beta == pytest.approx(plain.params["beta[1]"], abs=0.02)
    assert model.process.autoregression == pytest.approx(plain.params.iloc[1], abs=0.01)
    assert model.last_change == changes[-1]
    expected = changes[-1] - model.process.constant - model.process.autoregression * changes[-2]
    assert model.last_shock == pytest.approx(expected, rel=1e-6)
    assert math.sqrt(model.last_variance) == pytest.approx(plain.conditional_volatility[-1] / 100, rel=0.05)


@pytest.mark.parametrize(
    ("series", "code"),
    [
        (garch_series(200), "too_short"),
        (make_series([3.0] * 300), "constant"),
        (make_series([3.0 + 0.01 * ((n // 3) % 4) for n in range(300)]), "too_many_zeros"),
        (make_series(garch(2, paths=1, days=400)[:, 0], skip=range(50, 149)), "too_gappy"),
    ],
)
def test_series_that_say_nothing_of_a_changing_variance_are_refused(series, code):
    refused = fit_garch(series)
    assert isinstance(refused, Refusal)
    assert refused.code == code
    assert "\n" not in refused.sentence
