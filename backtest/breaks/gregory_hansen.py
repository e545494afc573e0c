"""Gregory–Hansen: a level shared by rent and reference once one shift of it is allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .engle_granger import exactly_linear, most_lags

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Shift = Literal["C", "C/T", "C/S"]
TRIM = 0.15
MOST_TRIED = 180
"""Breaks tried: all of them up to n = 257, then evenly spaced ones; the simulated values are made the same way."""
ASYMPTOTIC: dict[Shift, float] = {"C": -4.61, "C/T": -4.99, "C/S": -4.95}
"""5 % values of ADF* and Z_t* for one regressor (Gregory & Hansen 1996, Table 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegimeShift:
    """The smallest statistics over all breaks, and where: positions of the first value after the break."""

    adf: float
    adf_position: int
    adf_lags: int
    zt: float
    zt_position: int
    za: float
    za_position: int


def regime_shift(
    rent: NDArray[np.float64], regressors: NDArray[np.float64], shift: Shift, max_lags: int
) -> RegimeShift | None:
    """ADF*, Z_t* and Z_α* of Gregory & Hansen (1996, section 3) over breaks from 15 to 85 % of the sample.

    ``regressors`` has shape (n, m). Lags of the ADF by AIC, each on its own sample; Z by the quadratic
    spectral kernel with Andrews's (1991) AR(1) bandwidth, both as in the authors' programme. None where
    no break leaves a residual that moves.
    """
    import numpy as np

    n = len(rent)
    breaks = np.arange(int(TRIM * n + 0.5), int((1 - TRIM) * n + 0.5) + 1)
    if len(breaks) > MOST_TRIED:
        breaks = breaks[:: -(-len(breaks) // MOST_TRIED)]
    residuals = _residuals(rent, regressors, shift, breaks)
    moves = (np.diff(residuals, axis=1) ** 2).sum(axis=1) > 1e-20 * (rent * rent).sum()
    if not moves.any():
        return None
    breaks, residuals = breaks[moves], residuals[moves]
    adf, lags = residual_adf(residuals, max_lags)
    zt, za = _phillips(residuals)
    if not np.isfinite(adf).any() or not np.isfinite(zt).any():
        return None
    best, best_t, best_a = (int(np.nanargmin(each)) for each in (adf, zt, za))
    return RegimeShift(
        adf=float(adf[best]),
        adf_position=int(breaks[best]),
        adf_lags=int(lags[best]),
        zt=float(zt[best_t]),
        zt_position=int(breaks[best_t]),
        za=float(za[best_a]),
        za_position=int(breaks[best_a]),
    )


def _residuals(
    rent: NDArray[np.float64], regressors: NDArray[np.float64], shift: Shift, breaks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Least-squares residuals for every break, shape (breaks, n)."""
    import numpy as np

    n = len(rent)
    # Centring and scaling change no residual where there is an intercept, and keep the sums small.
    x = (regressors - regressors.mean(axis=0)) / regressors.std(axis=0)
    y = (rent - rent.mean()) / rent.std()
    after = (np.arange(n)[None, :] >= breaks[:, None]).astype(np.float64)
    count = len(breaks)
    rows = [np.ones(n), after, *x.T]
    if shift == "C/T":
        rows.append(np.linspace(-1, 1, n))
    if shift == "C/S":
        rows += [after * column for column in x.T]
    design = np.stack([np.broadcast_to(row, (count, n)) for row in rows], axis=1)
    inverse = np.linalg.pinv(design @ np.swapaxes(design, 1, 2), hermitian=True)
    fitted = inverse @ (design @ y)[:, :, None]
    left: NDArray[np.float64] = (y - (np.swapaxes(fitted, 1, 2) @ design)[:, 0, :]) * rent.std()
    return left


def residual_adf(
    residuals: NDArray[np.float64], max_lags: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The t of the lagged level without a constant, and the lags AIC chose, for each row of residuals."""
    import numpy as np

    rows, n = residuals.shape
    change = np.diff(residuals, axis=1)
    best = np.full(rows, np.inf)
    statistic = np.full(rows, np.nan)
    chosen = np.zeros(rows, dtype=np.int64)
    for lags in range(max_lags, -1, -1):
        wanted = change[:, lags:]
        parts = [residuals[:, lags : n - 1]]
        parts += [change[:, lags - back : n - 1 - back] for back in range(1, lags + 1)]
        design = np.stack(parts, axis=1)
        used = wanted.shape[1]
        inverse = np.linalg.pinv(design @ np.swapaxes(design, 1, 2), hermitian=True)
        cross = (design @ wanted[:, :, None])[:, :, 0]
        slopes = (inverse @ cross[:, :, None])[:, :, 0]
        squares = np.maximum((wanted * wanted).sum(axis=1) - (cross * slopes).sum(axis=1), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            criterion = np.log(squares / used) + 2 * (lags + 2) / used
            t = slopes[:, 0] / np.sqrt(inverse[:, 0, 0] * squares / (used - lags - 1))
        # The shorter of two equally good lags wins, as in the authors' programme.
        better = criterion <= best
        best, statistic = np.where(better, criterion, best), np.where(better, t, statistic)
        chosen[better] = lags
    return statistic, chosen


def _phillips(residuals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Z_t and Z_α of each row (Phillips 1987)."""
    import numpy as np

    n = residuals.shape[1]
    before, now = residuals[:, :-1], residuals[:, 1:]
    level = (before * before).sum(axis=1)
    error = now - before * ((before * now).sum(axis=1) / level)[:, None]
    count = n - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = (error[:, :-1] * error[:, 1:]).sum(axis=1) / (error[:, :-1] ** 2).sum(axis=1)
        # Andrews (1991), eq. 6.4: α(2) of an AR(1), 4ρ²/(1 − ρ)⁴.
        bandwidth = 1.3221 * (4 * rho**2 / (1 - rho) ** 4 * count) ** 0.2
    spread = np.zeros(len(residuals))
    for lag in range(1, int(np.nanmax(np.minimum(bandwidth, count - 1))) + 1):
        share = lag / bandwidth
        angle = 1.2 * math.pi * share
        weight = 25 / (12 * math.pi**2 * share**2) * (np.sin(angle) / angle - np.cos(angle))
        gamma = (error[:, :-lag] * error[:, lag:]).sum(axis=1) / count
        spread = spread + np.where(lag <= bandwidth, weight * gamma, 0.0)
    slope = ((before * now).sum(axis=1) - count * spread) / level
    variance = 2 * spread + (error * error).sum(axis=1) / count
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (slope - 1) / np.sqrt(np.where(variance > 0, variance, np.nan) / level)
    return t, n * (slope - 1)


class GregoryHansen(BreakTest):
    """Gregory & Hansen (1996), ADF* with a shift of the level (C), beside a trend (C/T), or of the slope (C/S)."""

    null: ClassVar[str] = (
        "rent and reference share no level, whatever shift is allowed: independent random walks"
    )
    source: ClassVar[str] = "Gregory & Hansen (1996)"
    reads: ClassVar[Reads] = "levels"
    minimum: ClassVar[int] = 24
    shift: ClassVar[Shift]

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """Small statistics speak for a shared level with one shift, dated where they do."""
        rent, reference = series
        refused = exactly_linear(rent, reference)
        if refused is not None:
            return refused
        n = len(rent)
        found = regime_shift(rent, reference[:, None], self.shift, most_lags(n))
        if found is None:
            return Refusal("hardly_moves", "the residual hardly moves, so there is nothing to test")
        critical = simulated_critical(self.name, n)
        return Outcome(
            statistic=found.adf,
            critical=critical,
            beyond=-1,
            positions=(found.adf_position,) if found.adf < critical.value else (),
            detail={
                "lags": found.adf_lags,
                "zt": found.zt,
                "za": found.za,
                "asymptotic_critical_value": ASYMPTOTIC[self.shift],
            },
        )


class LevelShift(GregoryHansen):
    """A shift of the level."""

    name: ClassVar[str] = "gregory-hansen-c"
    label: ClassVar[str] = "Gregory–Hansen, level"
    shift: ClassVar[Shift] = "C"


class LevelShiftWithTrend(GregoryHansen):
    """A shift of the level beside a trend."""

    name: ClassVar[str] = "gregory-hansen-ct"
    label: ClassVar[str] = "Gregory–Hansen, level and trend"
    shift: ClassVar[Shift] = "C/T"


class SlopeShift(GregoryHansen):
    """A shift of level and slope."""

    name: ClassVar[str] = "gregory-hansen-cs"
    label: ClassVar[str] = "Gregory–Hansen, level and slope"
    shift: ClassVar[Shift] = "C/S"
