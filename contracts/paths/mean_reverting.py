"""Paths of the Ornstein–Uhlenbeck and the two-factor process, by their exact laws at each step.

One row a fixing and one column a path, so that a step is one pass over contiguous memory. The normal
draws are made inside the result and turned into prices in place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..curve.ou import OrnsteinUhlenbeck
from ..curve.schwartz_smith import SchwartzSmith, step_covariance
from ..curve.series import Floats
from .draws import Seed, generator


def simulate_ou(process: OrnsteinUhlenbeck, last: float, *, paths: int, days: int, seed: Seed) -> Floats:
    """Prices in USD per GPU-hour, shape (days, paths), from X = ``last`` in the scale of the process.

    ``X_{t+1} = θ + (X_t − θ)e^{−κ} + σ√((1 − e^{−2κ})/2κ)·z``. On the scale ``level`` a path can go
    below zero; on ``log``, the default of a fit, it can't.
    """
    drawn = generator(seed).standard_normal((days, paths))
    decay = math.exp(-process.kappa)
    drawn *= process.sigma * math.sqrt(-math.expm1(-2 * process.kappa) / (2 * process.kappa))
    before = np.full(paths, float(last - process.level))
    scratch = np.empty(paths)
    for row in drawn:
        np.multiply(before, decay, out=scratch)
        np.add(row, scratch, out=row)
        before = row
    drawn += process.level
    return np.exp(drawn, out=drawn) if process.scale == "log" else drawn


def simulate_schwartz_smith(
    process: SchwartzSmith,
    state: Sequence[float] | Floats,
    *,
    years_per_step: float,
    log_steps: Floats | None = None,
    paths: int,
    days: int,
    seed: Seed,
) -> Floats:
    """Prices in USD per GPU-hour, shape (days, paths), from (χ, ξ) = ``state``, as expected without a premium.

    ``log_steps`` are launches: what is added to ξ on each day, shape (days,).
    """
    random = generator(seed)
    chi_noise = random.standard_normal((days, paths))
    prices = random.standard_normal((days, paths))
    var_chi, both, var_xi = step_covariance(
        process.kappa, process.sigma_chi, process.sigma_xi, process.rho, years_per_step
    )
    sd_chi = math.sqrt(var_chi)
    from_chi = both / sd_chi if sd_chi else 0.0
    own = math.sqrt(max(var_xi - from_chi**2, 0.0))
    decay = math.exp(-process.kappa * years_per_step)
    drift = np.full(days, process.mu_xi * years_per_step) + (0.0 if log_steps is None else log_steps)
    chi, xi = np.full(paths, float(state[0])), np.full(paths, float(state[1]))
    scratch = np.empty(paths)
    for noise, row, moved in zip(chi_noise, prices, drift.tolist(), strict=True):
        np.multiply(noise, from_chi, out=scratch)
        xi += scratch
        np.multiply(row, own, out=scratch)
        xi += scratch
        xi += moved
        chi *= decay
        np.multiply(noise, sd_chi, out=scratch)
        chi += scratch
        np.add(chi, xi, out=row)
    return np.exp(prices, out=prices)
