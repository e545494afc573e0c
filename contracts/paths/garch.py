"""AR(1)–GARCH(1,1) with Student-t innovations: fitted by arch, simulated by a recursion of our own.

``r_t = c + φ·r_{t−1} + ε_t``, ``ε_t = σ_t·z_t``, ``σ²_t = ω + α·ε²_{t−1} + β·σ²_{t−1}`` (Bollerslev
1986, equation 2), z a Student t of ν degrees scaled to variance 1 (Bollerslev 1987), r the change of
the logarithm of the fixing.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from ...records import Refusal
from ..curve.models import Estimate
from ..curve.series import FixingSeries, Floats, fitting_refusal
from .draws import Seed, generator

SHORTEST_CHANGES = 250
LARGEST_ZERO_SHARE = 0.5
"""Dynamic models are refused under 250 changes or over 50 % zeros (the definitions)."""
FITTED_SCALE = 3.0
"""Standard deviation that changes are scaled to before the fit: arch's optimiser wants 1 to 1,000 squared."""
NAMES = ("Const", "AR", "omega", "alpha[1]", "beta[1]", "nu")
Z_95 = 1.959963984540054
AT_ITS_BOUND = 1e-9
"""A positive parameter this small was stopped by its bound: the data do not say how large it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Garch:
    """Parameters of changes of the logarithm, per fixing: c, φ, ω, α, β and ν."""

    constant: float
    autoregression: float
    omega: float
    alpha: float
    beta: float
    degrees: float

    @property
    def persistence(self) -> float:
        """α + β: how much of a shock to the variance is left a day later."""
        return self.alpha + self.beta


@dataclass(frozen=True, slots=True, kw_only=True)
class GarchModel:
    """A fit, and where it stands after the last change: that change, its shock and its variance."""

    series: FixingSeries
    process: Garch
    estimates: tuple[Estimate, ...]
    last_change: float
    last_shock: float
    last_variance: float
    name: str = "garch"

    @property
    def label(self) -> str:
        """What it is."""
        return f"AR(1)–GARCH(1,1) with Student-t innovations, fitted on {len(self.series) - 1} changes of the logarithm"

    @property
    def notes(self) -> tuple[str, ...]:
        """Persistence near 1, and the state of the series."""
        process = self.process
        if process.persistence < 0.999:
            return self.series.flags
        said = f"alpha + beta is {process.persistence:.4f}: shocks hardly fade, and long paths spread far."
        return (said, *self.series.flags)


def fit_garch(series: FixingSeries, *, shortest: int = SHORTEST_CHANGES) -> GarchModel | Refusal:
    """Fit by arch's maximum likelihood on changes between consecutive fixings, those over gaps included.

    A refusal for under 250 changes, over half of them 0, a series full of gaps, or a fit that does
    not converge. Intervals are the estimate ± 1.96 standard errors (of the inverse Hessian), of
    positive parameters on their logarithm.
    """
    refused = fitting_refusal(series, "GARCH", shortest + 1)
    if refused is not None:
        return refused
    if series.share_unchanged > LARGEST_ZERO_SHARE:
        return Refusal(
            "too_many_zeros",
            f"{100 * series.share_unchanged:.0f} % of the changes of {series.benchmark} are exactly 0; GARCH is not "
            "fitted above 50 %; use the bootstrap.",
        )
    changes = np.diff(series.logs)
    return _fit(series, changes)


def _fit(series: FixingSeries, changes: Floats) -> GarchModel | Refusal:
    from arch import arch_model  # a second: only where something is fitted

    scale = FITTED_SCALE / float(changes.std())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is judged by its flag below
        model = arch_model(changes * scale, mean="AR", lags=1, vol="GARCH", p=1, q=1, dist="t", rescale=False)
        found = model.fit(disp="off", show_warning=False, cov_type="classic")
        values = np.asarray(found.params, dtype=np.float64)
        errors = np.asarray(found.std_err, dtype=np.float64)
    if found.convergence_flag != 0 or not np.isfinite(values).all():
        return Refusal(
            "did_not_converge", f"GARCH does not converge on {series.benchmark}; use the bootstrap."
        )
    units = np.array([1 / scale, 1.0, 1 / scale**2, 1.0, 1.0, 1.0])
    values, errors = values * units, errors * units
    process = Garch(
        constant=values[0],
        autoregression=values[1],
        omega=values[2],
        alpha=values[3],
        beta=values[4],
        degrees=values[5],
    )
    shock = float(np.asarray(found.resid)[-1]) / scale
    return GarchModel(
        series=series,
        process=process,
        estimates=tuple(_estimate(place, values[place], errors[place]) for place in range(len(NAMES))),
        last_change=float(changes[-1]),
        last_shock=shock,
        last_variance=float(np.asarray(found.conditional_volatility)[-1] / scale) ** 2,
    )


def _estimate(place: int, value: float, error: float) -> Estimate:
    name = ("constant", "autoregression", "omega", "alpha", "beta", "degrees")[place]
    unit = {"constant": "log per fixing", "omega": "log squared per fixing"}.get(name, "")
    positive = name in {"omega", "alpha", "beta", "degrees"}
    if not error > 0 or (positive and value < AT_ITS_BOUND):
        return Estimate(name=name, value=value, low=None, high=None, unit=unit)
    if positive:
        widening = math.exp(min(Z_95 * error / value, 500.0))
        return Estimate(name=name, value=value, low=value / widening, high=value * widening, unit=unit)
    return Estimate(name=name, value=value, low=value - Z_95 * error, high=value + Z_95 * error, unit=unit)


def simulate_garch(
    process: Garch,
    last_price: float,
    *,
    last_change: float,
    last_shock: float,
    last_variance: float,
    paths: int,
    days: int,
    seed: Seed,
) -> Floats:
    """Prices in USD per GPU-hour, shape (days, paths), onwards from where the series stands."""
    drawn = generator(seed).standard_t(process.degrees, (days, paths))
    drawn *= math.sqrt((process.degrees - 2) / process.degrees)
    variance = np.full(paths, process.omega + process.alpha * last_shock**2 + process.beta * last_variance)
    change = np.full(paths, float(last_change))
    total = np.full(paths, math.log(last_price), dtype=np.float64)
    scratch = np.empty(paths)
    for row in drawn:
        np.sqrt(variance, out=scratch)
        np.multiply(row, scratch, out=row)  # the shock
        np.square(row, out=scratch)
        scratch *= process.alpha
        variance *= process.beta
        variance += scratch
        variance += process.omega
        change *= process.autoregression
        change += process.constant
        change += row
        total += change
        np.copyto(row, total)
    return np.exp(drawn, out=drawn)
