"""Ornstein–Uhlenbeck: a price that is pulled back to a level.

``dX = κ(θ − X)dt + σ dW`` (Uhlenbeck & Ornstein 1930; Vasicek 1977, equation 24), with X the price
or, by default, its logarithm, which keeps prices above zero (Schwartz 1997, model 1). Observed at
steps of one fixing it is the regression ``X_{t+1} = a + b·X_t + e`` with ``b = e^{−κ}``, which is
also the exact maximum likelihood given the first observation.

A random walk looks mean-reverting in any one sample, so the interval of κ reaches down to 0 unless the
Dickey–Fuller test rejects a unit root at 5 %.

The estimate of κ is biased upwards: b̂ is too low by about (1 + 3b)/n (Marriott & Pope 1954), so
κ̂ is too high by about ``(1 + 3b)/(n·b)`` a step, near 4/n (Tang & Chen 2009). A half-life read
off a short sample is therefore too short; the bias is reported beside it and the interval allows for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

import numpy as np

from ...records import Refusal
from .models import Estimate
from .series import SHORTEST_SERIES, FixingSeries, Floats, fitting_refusal

Scale = Literal["log", "level"]
NOMINAL_COVERAGE = 0.95
NEAR_ONE = 1 - 1e-9
MACKINNON_5_PERCENT = (-2.86154, -2.8903, -4.234, -40.040)
"""MacKinnon (2010), table 2, one variable, constant without trend: the 5 % critical value of the
Dickey–Fuller t is Σ βᵢ/nⁱ. Student's t would call one random walk in five mean-reverting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrnsteinUhlenbeck:
    """The parameters of a process per step of one fixing.

    ``kappa`` is the speed of return, ``level`` what X returns to and ``sigma`` the diffusion per
    square root of a step, both in the scale of X: logarithms of USD, or USD.
    """

    kappa: float
    level: float
    sigma: float
    scale: Scale = "log"

    @property
    def half_life(self) -> float:
        """Steps until half of a deviation is gone: ln 2/κ."""
        return math.log(2) / self.kappa

    def conditional(self, last: float, steps: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of X after each number of steps, from X = ``last``."""
        decay = np.exp(-self.kappa * steps)
        mean = self.level + (last - self.level) * decay
        return mean, self.sigma**2 * -np.expm1(-2 * self.kappa * steps) / (2 * self.kappa)

    def expected_prices(self, last: float, steps: Floats) -> Floats:
        """Expected price after each number of steps, USD per GPU-hour, from X = ``last``."""
        mean, variance = self.conditional(last, steps)
        return np.exp(mean + variance / 2) if self.scale == "log" else mean

    def spot_delta(self, last: float, steps: Floats) -> Floats:
        """∂E[price after the steps]/∂price now: ``e^{−κ·steps}``, in logarithms times E/price."""
        decay = np.exp(-self.kappa * steps)
        if self.scale == "level":
            return decay
        return decay * self.expected_prices(last, steps) / math.exp(last)


@dataclass(frozen=True)
class OUModel:
    """A process fitted to a benchmark's fixings, with intervals and the bias of κ."""

    series: FixingSeries
    process: OrnsteinUhlenbeck
    pairs: int
    kappa_interval: tuple[float, float]
    kappa_bias: float
    level_interval: tuple[float | None, float | None]
    sigma_interval: tuple[float, float]
    name: str = "ou"

    @property
    def label(self) -> str:
        """What it is, and that it is an expectation."""
        of = "logarithm of the price" if self.process.scale == "log" else "price"
        return f"Ornstein–Uhlenbeck on the {of}, fitted on {self.pairs} daily changes"

    @cached_property
    def last(self) -> float:
        """X at the last fixing known."""
        values = self.series.logs if self.process.scale == "log" else self.series.prices
        return float(values[-1])

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """κ and its half-life, the level as a price, and the yearly volatility."""
        process, (low, high) = self.process, self.kappa_interval
        in_price = math.exp if process.scale == "log" else float
        yearly = math.sqrt(self.series.stepping.steps_per_year)
        unit = "per sqrt(year)" if process.scale == "log" else "USD per sqrt(year)"
        level_low, level_high = (None if end is None else in_price(end) for end in self.level_interval)
        return (
            Estimate(name="kappa", value=process.kappa, low=low, high=high, unit="per fixing"),
            Estimate(
                name="half_life",
                value=process.half_life,
                low=math.log(2) / high,
                high=None if low <= 0 else math.log(2) / low,
                unit="fixings",
            ),
            Estimate(
                name="level",
                value=in_price(process.level),
                low=level_low,
                high=level_high,
                unit="USD per GPU-hour",
            ),
            Estimate(
                name="sigma",
                value=process.sigma * yearly,
                low=self.sigma_interval[0] * yearly,
                high=self.sigma_interval[1] * yearly,
                unit=unit,
            ),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The bias of κ, whether mean reversion is shown at all, and the state of the series."""
        corrected = self.process.kappa - self.kappa_bias
        said = (
            f"kappa is biased upwards by about {self.kappa_bias:.4f} at this length: "
            f"{corrected:.4f} after correction."
        )
        if self.kappa_interval[0] <= 0:
            said += " Mean reversion is not shown: a unit root is not rejected at 5 % (Dickey–Fuller)."
        return (said, *self.series.flags)

    def expected(self, days: Sequence[date]) -> Floats:
        """Expected fixings in USD per GPU-hour on later days."""
        return self.process.expected_prices(self.last, self._steps(days))

    def spot_delta(self, days: Sequence[date]) -> Floats:
        """How much of a move of the last fixing reaches each later day."""
        return self.process.spot_delta(self.last, self._steps(days))

    def _steps(self, days: Sequence[date]) -> Floats:
        return self.series.stepping.steps(self.series.dates[-1], days).astype(np.float64)


def fit_ou(
    series: FixingSeries, scale: Scale = "log", *, shortest: int = SHORTEST_SERIES
) -> OUModel | Refusal:
    """Fit by least squares over changes of exactly one step; changes across a gap are left out.

    Intervals are at 95 %: of b with its bias taken out and Student's t, so of κ, reaching 0 where a
    unit root is not rejected; of the level by
    inverting the t test of ``a = θ(1 − b)`` (Fieller 1954), open where the data do not bound it; of σ
    by χ². A refusal for a series that is too short, constant or full of gaps, and where b̂ is not
    between 0 and 1, so that there is no return to a level to speak of.
    """
    refused = fitting_refusal(series, "Ornstein–Uhlenbeck", shortest)
    if refused is not None:
        return refused
    values = series.logs if scale == "log" else series.prices
    joined = np.flatnonzero(np.diff(series.positions) == 1)
    if len(joined) < shortest - 1:
        return Refusal(
            "too_gappy",
            f"{series.benchmark} has {len(joined)} changes over one day; {shortest - 1} are needed.",
        )
    return _fit(series, scale, values[joined], values[joined + 1])


def _fit(series: FixingSeries, scale: Scale, before: Floats, after: Floats) -> OUModel | Refusal:
    from scipy import stats  # a third of a second: only where something is fitted

    count = len(before)
    centre = before.mean()
    spread = float(((before - centre) ** 2).sum())
    if spread == 0:
        return Refusal(
            "constant", f"{series.benchmark} does not move over any single day; nothing can be fitted."
        )
    slope = float(((before - centre) * (after - after.mean())).sum()) / spread
    if not 0 < slope < NEAR_ONE:
        return Refusal(
            "no_mean_reversion",
            f"{series.benchmark} shows no return to a level: each fixing is {slope:.4f} of the one before it; "
            "use flat or schwartz-smith.",
        )
    residuals = (after - after.mean()) - slope * (before - centre)
    freedom = count - 2
    variance = float((residuals**2).sum()) / freedom
    kappa = -math.log(slope)
    bias = (1 + 3 * slope) / count
    reach = float(stats.t.ppf((1 + NOMINAL_COVERAGE) / 2, freedom))
    corrected = slope + bias
    error = math.sqrt(variance / spread)
    rejected = error > 0 and (slope - 1) / error < dickey_fuller_bound(count)
    kappa_low = -math.log(corrected + reach * error)
    kappa_high = -math.log(max(corrected - reach * error, 1e-12))
    intercept = float(after.mean()) - slope * float(centre)
    level = intercept / (1 - slope)
    diffusion = math.sqrt(2 * kappa / -math.expm1(-2 * kappa))
    chi_low, chi_high = stats.chi2.ppf([(1 - NOMINAL_COVERAGE) / 2, (1 + NOMINAL_COVERAGE) / 2], freedom)
    sum_squares = variance * freedom
    return OUModel(
        series=series,
        process=OrnsteinUhlenbeck(
            kappa=kappa, level=level, sigma=math.sqrt(variance) * diffusion, scale=scale
        ),
        pairs=count,
        kappa_interval=(kappa_low if rejected else min(kappa_low, 0.0), kappa_high),
        kappa_bias=bias / slope,
        level_interval=_fieller(before, after, slope, variance, reach),
        sigma_interval=(
            math.sqrt(sum_squares / float(chi_high)) * diffusion,
            math.sqrt(sum_squares / float(chi_low)) * diffusion,
        ),
    )


def dickey_fuller_bound(count: int) -> float:
    """The 5 % critical value of the Dickey–Fuller t with a constant on ``count`` changes."""
    return math.fsum(weight * math.pow(count, -power) for power, weight in enumerate(MACKINNON_5_PERCENT))


def _fieller(
    before: Floats, after: Floats, slope: float, variance: float, reach: float
) -> tuple[float | None, float | None]:
    """The levels θ at which ``a − θ(1 − b) = 0`` is not rejected; (None, None) where none is bounded off.

    With z = after − b̂·before, ``a − θ(1 − b)`` is z̄ − θ(1 − b̂) with variance s²(1/n + (θ − x̄)²/Sxx),
    so the ends are the roots of a quadratic in θ.
    """
    count, centre = len(before), float(before.mean())
    spread = float(((before - centre) ** 2).sum())
    intercept = float(after.mean()) - slope * centre
    pull = 1 - slope
    square = pull**2 - reach**2 * variance / spread
    linear = -2 * (pull * intercept - reach**2 * variance * centre / spread)
    constant = intercept**2 - reach**2 * variance * (1 / count + centre**2 / spread)
    discriminant = linear**2 - 4 * square * constant
    if square <= 0 or discriminant < 0:
        return None, None
    root = math.sqrt(discriminant)
    return (-linear - root) / (2 * square), (-linear + root) / (2 * square)
