"""A simulated market of fixings and futures: a benchmark and a contract's months under a two-factor truth.

What the recovery study fits (docs/recovery.md). Everything here is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from ...records import MICROS_PER_USD, UsageError, quantise
from ..calendars import fixing_weights
from ..curve.launches import Launch, steps_by
from ..curve.schwartz_smith import SchwartzSmith, step_covariance
from ..curve.series import FixingSeries, Floats, Stepping
from ..listing import contract_months
from ..spec import ContractSpec
from .draws import Seed, generator


@dataclass(frozen=True)
class SimulatedPanel:
    """Simulated fixings, the settlements of each day by month in micro-USD, and the states behind them."""

    series: FixingSeries
    settles: dict[date, dict[str, int]]
    states: Floats
    """χ and ξ of each day, shape (days, 2)."""


def simulate_curve_panel(
    process: SchwartzSmith,
    spec: ContractSpec,
    first: date,
    *,
    days: int,
    months: int,
    start_usd: float,
    noise_fixings: float,
    noise_marks: float,
    seed: Seed,
    launches: Iterable[Launch] = (),
) -> SimulatedPanel:
    """A fixing every day and the settlements of the nearest months whose averaging has not begun.

    χ starts from its stationary law, ξ at the logarithm of ``start_usd``; the noises are standard
    deviations of logarithms. Each month is the mean of the futures on its fixings, day by day. Raises
    UsageError for parameters without a premium, which say nothing of futures.
    """
    if not process.premium_identified:
        raise UsageError("a curve panel needs lambda_chi and mu_xi_star; give both.")
    random = generator(seed)
    scheduled = sorted(launches)
    stepping = Stepping()
    dates = (first, *stepping.dates_after(first, days - 1))
    per_step = 1 / stepping.steps_per_year
    states = _states(process, dates, per_step, math.log(start_usd), launches=scheduled, random=random)
    observed = states.sum(axis=1) + noise_fixings * random.standard_normal(days)
    settles: dict[date, dict[str, int]] = {}
    weights: dict[str, tuple[list[date], Floats]] = {}
    for day, state in zip(dates, states, strict=True):
        following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
        board = contract_months(spec, f"{following:%Y-%m}", months)
        noises = noise_marks * random.standard_normal(months)
        settles[day] = {}
        for month, noise in zip(board, noises, strict=True):
            if month not in weights:
                of_month = fixing_weights(spec, month)
                weights[month] = list(of_month), np.array(list(of_month.values()), dtype=np.float64)
            fixing, weight = weights[month]
            steps = steps_by(scheduled, day, fixing)
            futures = _futures(process, state, np.array([(d - day).days for d in fixing]) * per_step, steps)
            settles[day][month] = quantise(
                float(np.average(futures, weights=weight)) * math.exp(noise) * MICROS_PER_USD
            )
    series = FixingSeries(
        benchmark="simulated",
        dates=dates,
        value_micros=tuple(quantise(math.exp(value) * MICROS_PER_USD) for value in observed),
        stepping=stepping,
        marks=frozenset({"simulated"}),
    )
    return SimulatedPanel(series, settles, states)


def _states(
    process: SchwartzSmith,
    dates: tuple[date, ...],
    per_step: float,
    start: float,
    *,
    launches: list[Launch],
    random: np.random.Generator,
) -> Floats:
    var_chi, both, var_xi = step_covariance(
        process.kappa, process.sigma_chi, process.sigma_xi, process.rho, per_step
    )
    shocks = random.multivariate_normal([0, 0], [[var_chi, both], [both, var_xi]], len(dates))
    jumps = np.diff(steps_by(launches, dates[0], dates), prepend=0.0)
    states = np.empty((len(dates), 2))
    states[0] = random.standard_normal() * process.sigma_chi / math.sqrt(2 * process.kappa), start
    decay = math.exp(-process.kappa * per_step)
    for row in range(1, len(dates)):
        states[row, 0] = decay * states[row - 1, 0] + shocks[row, 0]
        states[row, 1] = states[row - 1, 1] + process.mu_xi * per_step + jumps[row] + shocks[row, 1]
    return states


def _futures(process: SchwartzSmith, state: Floats, years: Floats, log_steps: Floats) -> Floats:
    level = process.loading(years) * state[0] + state[1] + process.expectation_intercept(years)
    prices: Floats = np.exp(level + process.log_premium(years) + log_steps)
    return prices
