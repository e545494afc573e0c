"""The latent market price of each chip: a two-factor process with dated events.

Schwartz and Smith (2000), Management Science 46(7): ``ln S_t = χ_t + ξ_t`` (a mean-reverting short
deviation and a drifting long level), stepped daily by their exact discrete moments (eqs. 3a, 3b). On top
come the events of the scenario. Nobody in the market sees this price; list prices and trades follow it.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from .scenario import (
    ANCHOR_DAY,
    CHIP_MARKETS,
    CHIPS,
    COMMON_SHOCK_LOADING,
    EVENTS,
    LAUNCH_EVENT,
    Ramp,
    TwoFactor,
)
from .stable import Floats, exponential, normals, stream

DAYS_PER_YEAR = 365.0
_PURPOSE = 1


def two_factor_path(
    parameters: TwoFactor, shocks: Floats, *, long_start: float = 0.0
) -> tuple[Floats, Floats]:
    """Daily paths of χ and ξ from ``shocks`` of shape (days, 2), independent with unit variance.

    The first element is the state on the first day: χ = 0 and ξ = ``long_start``. With a day's
    length Δ the steps are ``χ' = e^{−κΔ}χ + ε_χ`` and ``ξ' = ξ + μΔ + ε_ξ``, where
    ``Var ε_χ = σ_χ²(1 − e^{−2κΔ})/2κ``, ``Var ε_ξ = σ_ξ²Δ``, ``Cov = ρσ_χσ_ξ(1 − e^{−κΔ})/κ``.
    """
    step = 1.0 / DAYS_PER_YEAR
    kappa = parameters.mean_reversion
    decay, double_decay = exponential(np.array([-kappa * step, -2.0 * kappa * step]))
    short_sd = parameters.short_volatility * np.sqrt((1.0 - double_decay) / (2.0 * kappa))
    long_sd = parameters.long_volatility * np.sqrt(np.float64(step))
    covariance = (
        parameters.correlation
        * parameters.short_volatility
        * parameters.long_volatility
        * ((1.0 - decay) / kappa)
    )
    joint = covariance / (short_sd * long_sd) if short_sd > 0.0 and long_sd > 0.0 else np.float64(0.0)
    own = np.sqrt(1.0 - joint * joint)
    short_steps = short_sd * shocks[:, 0]
    long_steps = long_sd * (joint * shocks[:, 0] + own * shocks[:, 1]) + parameters.drift * step
    short = np.zeros(len(shocks))
    long = np.full(len(shocks), long_start)
    for day in range(1, len(shocks)):
        short[day] = decay * short[day - 1] + short_steps[day]
        long[day] = long[day - 1] + long_steps[day]
    return short, long


def ramp_path(ramp: Ramp, first_day: date, days: int) -> Floats:
    """The part of a ramp's log change that is in effect on each day."""
    elapsed = np.arange(days, dtype=np.float64) + float((first_day - ramp.start).days)
    length = float((ramp.end - ramp.start).days)
    return ramp.log_change * np.clip(elapsed / length, 0.0, 1.0)


def latent_log_prices(seed: int, first_day: date, days: int) -> Floats:
    """Log of the latent price in USD per GPU-hour, shape (days, chips) in the order of CHIPS.

    A longer window begins with the same days: shocks are drawn day by day. Each chip's shocks are
    a market-wide part and an own part, so that prices move together without being equal.
    """
    draws = normals(stream(seed, _PURPOSE), days, 1 + len(CHIPS), 2)
    own_loading = np.sqrt(np.float64(1.0 - COMMON_SHOCK_LOADING * COMMON_SHOCK_LOADING))
    years_since_anchor = (first_day - ANCHOR_DAY).days / DAYS_PER_YEAR
    logs = np.empty((days, len(CHIPS)))
    for index, chip in enumerate(CHIPS):
        market = CHIP_MARKETS[chip]
        shocks = COMMON_SHOCK_LOADING * draws[:, 0, :] + own_loading * draws[:, 1 + index, :]
        short, long = two_factor_path(
            market.process,
            shocks,
            long_start=market.log_level + market.process.drift * years_since_anchor,
        )
        total = short + long
        for number, event in enumerate(EVENTS):
            if not (chip == "B200" and number == LAUNCH_EVENT):
                total = total + market.event_response * ramp_path(event, first_day, days)
        logs[:, index] = total
    return logs
