"""Fit each model on paths of its own truth, and count how often its intervals hold the truth.

Everything is simulated, from a seed alone. The truths are round figures near what the market notes
say of H100: a half-life of ten days for the one-factor process, 35 % and 20 % a year for the two
factors, a market falling 15 % a year.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from rentmark.contracts import CONTRACTS, fixing_weights
from rentmark.contracts.curve import (
    Estimate,
    FixingSeries,
    OrnsteinUhlenbeck,
    Premium,
    SchwartzSmith,
    Stepping,
    fit_ou,
    fit_schwartz_smith,
)
from rentmark.contracts.paths import Garch, fit_garch, simulate_curve_panel, simulate_garch, simulate_ou
from rentmark.records import Refusal

FIRST = date(2024, 1, 1)
YEAR = Stepping().steps_per_year
OU = OrnsteinUhlenbeck(kappa=math.log(2) / 10, level=math.log(2.8), sigma=0.35 / math.sqrt(YEAR))
GARCH = Garch(constant=0.0, autoregression=0.1, omega=4e-6, alpha=0.08, beta=0.90, degrees=6.0)
TWO_FACTOR = SchwartzSmith(
    kappa=3.0, sigma_chi=0.35, sigma_xi=0.20, rho=0.3, mu_xi=-0.15, lambda_chi=0.10, mu_xi_star=-0.20
)
FIXINGS_ALONE = SchwartzSmith(
    kappa=12.0, sigma_chi=0.35, sigma_xi=0.20, rho=0.0, mu_xi=-0.15, lambda_chi=0.0, mu_xi_star=-0.15
)
NOISE_FIXINGS, NOISE_MARKS = 0.005, 0.010
SPEC = CONTRACTS["ice-hpr"]
PANEL_MONTHS = 4
WARM_UP = 500


@dataclass
class Parameter:
    """How one parameter came out over the runs."""

    truth: float
    values: list[float] = field(default_factory=list)
    held: int = 0
    open: int = 0

    def add(self, value: float, low: float | None, high: float | None) -> None:
        """Count one estimate; an interval with an open end holds what is on that side."""
        self.values.append(value)
        self.open += low is None or high is None
        self.held += (low is None or low <= self.truth) and (high is None or self.truth <= high)

    @property
    def coverage(self) -> float:
        """Share of the runs whose interval held the truth."""
        return self.held / len(self.values)


@dataclass
class Study:
    """One model at one length: its parameters by name, and how many runs were refused."""

    runs: int
    parameters: dict[str, Parameter]
    refused: int = 0


def series_of_prices(prices: Iterable[float]) -> FixingSeries:
    """Prices as fixings in whole micro-dollars, a day each."""
    micros = tuple(round(price * 1_000_000) for price in prices)
    dates = tuple(FIRST + timedelta(days=number) for number in range(len(micros)))
    return FixingSeries("simulated", dates, micros, marks=frozenset({"simulated"}))


def ou_path(length: int, seed: int) -> FixingSeries:
    """A path of ``length`` fixings from the stationary law."""
    paths = simulate_ou(OU, OU.level, paths=1, days=length + WARM_UP, seed=seed)
    return series_of_prices(paths[WARM_UP:, 0])


def garch_path(length: int, seed: int) -> FixingSeries:
    """A path of ``length`` changes, begun after a warm-up and brought back to $2.80."""
    unconditional = GARCH.omega / (1 - GARCH.persistence)
    paths = simulate_garch(
        GARCH,
        2.8,
        last_change=0.0,
        last_shock=0.0,
        last_variance=unconditional,
        paths=1,
        days=length + 1 + WARM_UP,
        seed=seed,
    )
    kept = paths[WARM_UP:, 0]
    return series_of_prices(2.8 * kept / kept[0])


def ou_study(length: int, seeds: Iterable[int]) -> Study:
    """κ per fixing, the level in USD, σ a square root of a year."""
    truth = {"kappa": OU.kappa, "level": math.exp(OU.level), "sigma": OU.sigma * math.sqrt(YEAR)}

    def fit(seed: int) -> tuple[Estimate, ...] | Refusal:
        model = fit_ou(ou_path(length, seed))
        return model if isinstance(model, Refusal) else model.estimates

    return _study(truth, fit, seeds)


def garch_study(length: int, seeds: Iterable[int]) -> Study:
    """c, φ, ω, α, β and ν per fixing."""
    names = ("constant", "autoregression", "omega", "alpha", "beta", "degrees")
    truth = {name: getattr(GARCH, name) for name in names}

    def fit(seed: int) -> tuple[Estimate, ...] | Refusal:
        model = fit_garch(garch_path(length, seed), shortest=length)
        return model if isinstance(model, Refusal) else model.estimates

    return _study(truth, fit, seeds)


def panel_study(length: int, seeds: Iterable[int]) -> Study:
    """The two-factor model on fixings and the settlements of four months, and the premium of one month."""
    truth = {
        name: getattr(TWO_FACTOR, name)
        for name in ("kappa", "sigma_chi", "sigma_xi", "mu_xi", "rho", "lambda_chi", "mu_xi_star")
    }
    truth |= {"noise_fixings": NOISE_FIXINGS, "noise_marks": NOISE_MARKS}
    last = FIRST + timedelta(days=length - 1)
    month = f"{last + timedelta(days=190):%Y-%m}"
    days, weights = zip(*fixing_weights(SPEC, month).items(), strict=True)
    years = np.array([(day - last).days for day in days]) / YEAR
    truth["premium_percent"] = 100 * math.expm1(float(np.mean(TWO_FACTOR.log_premium(years))))

    def fit(seed: int) -> tuple[Estimate, ...] | Refusal:
        market = simulate_curve_panel(
            TWO_FACTOR,
            SPEC,
            FIRST,
            days=length,
            months=PANEL_MONTHS,
            start_usd=2.8,
            noise_fixings=NOISE_FIXINGS,
            noise_marks=NOISE_MARKS,
            seed=seed,
        )
        model = fit_schwartz_smith(market.series, market.settles, SPEC)
        if isinstance(model, Refusal):
            return model
        premium = model.premium(days, weights)
        if not isinstance(premium, Premium):
            return premium
        told = Estimate(
            name="premium_percent", value=premium.percent, low=premium.low, high=premium.high, unit="percent"
        )
        return (*model.estimates, told)

    return _study(truth, fit, seeds)


def fixings_alone_study(length: int, seeds: Iterable[int]) -> Study:
    """The two-factor model on fixings alone, from a truth without correlation, which it assumes."""
    truth = {name: getattr(FIXINGS_ALONE, name) for name in ("kappa", "sigma_chi", "sigma_xi", "mu_xi")}

    def fit(seed: int) -> tuple[Estimate, ...] | Refusal:
        market = simulate_curve_panel(
            FIXINGS_ALONE,
            SPEC,
            FIRST,
            days=length,
            months=1,
            start_usd=2.8,
            noise_fixings=0.0,
            noise_marks=0.0,
            seed=seed,
        )
        model = fit_schwartz_smith(market.series)
        return model if isinstance(model, Refusal) else model.estimates

    return _study(truth, fit, seeds)


def _study(
    truth: dict[str, float],
    fit: Callable[[int], tuple[Estimate, ...] | Refusal],
    seeds: Iterable[int],
) -> Study:
    study = Study(0, {name: Parameter(value) for name, value in truth.items()})
    for seed in seeds:
        study.runs += 1
        estimates = fit(seed)
        if isinstance(estimates, Refusal):
            study.refused += 1
            continue
        for estimate in estimates:
            if estimate.name in study.parameters:
                study.parameters[estimate.name].add(estimate.value, estimate.low, estimate.high)
    return study
