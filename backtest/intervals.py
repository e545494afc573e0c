"""Intervals that hold what they promise on short, autocorrelated histories.

Three for a hedge ratio (Newey–West as the definitions fix it, fixed-b, bootstrap-t) and two for an
effectiveness (fixed-b and bootstrap-t of the log of the variance ratio). Which one a report shows
beside the default is decided by the study of ``docs/coverage.md``, where the truth is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bootstrap import stationary_indices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95
BOOTSTRAP_T_DRAWS = 999
"""One short of a thousand, so that the 95 % quantile is a draw (Davison & Hinkley 1997, 2.4)."""
MINIMUM_FOR_INTERVAL = 6
KIEFER_VOGELSANG = (1.9600, 2.9694, 0.4160, -0.5324)
"""Two-sided 5 % critical values of the Bartlett kernel as a cubic in b (Kiefer & Vogelsang 2005, Table 1).
``tests/backtest/test_intervals.py`` holds it against a simulation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A 95 % interval with the name of what made it."""

    low: float
    high: float
    name: str

    def holds(self, truth: float) -> bool:
        """Whether the truth lies in it."""
        return self.low <= truth <= self.high


def newey_west_lag(n: int) -> int:
    """``max(1, ⌊4(n/100)^(2/9)⌋)`` (Newey & West 1994)."""
    return max(1, math.floor(4 * math.pow(n / 100, 2 / 9)))


def fixed_b_truncation(n: int) -> int:
    """``⌈1.3 √n⌉``, at most n: the truncation for tests (Lazarus, Lewis, Stock & Watson 2018, eq. 4)."""
    return max(1, min(n, math.ceil(1.3 * math.sqrt(n))))


def fixed_b_critical(b: float) -> float:
    """The two-sided 5 % critical value at b = truncation / n (Kiefer & Vogelsang 2005)."""
    c0, c1, c2, c3 = KIEFER_VOGELSANG
    return c0 + c1 * b + c2 * b * b + c3 * b**3


def block_length(n: int) -> int:
    """Mean block of a bootstrap-t: ``⌈n^(1/3)⌉`` (the rate of Politis & White 2004), at least 3."""
    return max(3, math.ceil(round(math.cbrt(n), 9)))


def long_run_sum(scores: NDArray[np.float64], truncation: int) -> NDArray[np.float64]:
    """N × the Bartlett long-run variance of mean-zero scores, along the last axis (Newey & West 1987).

    ``truncation`` M gives shift k the weight 1 − k/M; Newey–West's lag L is M = L + 1.
    """
    total = (scores * scores).sum(axis=-1)
    for shift in range(1, min(truncation, scores.shape[-1])):
        cross = (scores[..., shift:] * scores[..., :-shift]).sum(axis=-1)
        total = total + 2 * (1 - shift / truncation) * cross
    # Bartlett weights give a sum of squares; a rounding may leave it a hair below zero.
    held: NDArray[np.float64] = total.clip(min=0.0)
    return held


def slope_and_error(
    rent: NDArray[np.float64], reference: NDArray[np.float64], truncation: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slopes of rent on reference with an intercept and their standard errors, along the last axis.

    NaN where the reference stands still. The error carries the correction n/(n − 2).
    """
    import numpy as np

    n = rent.shape[-1]
    x = reference - reference.mean(axis=-1, keepdims=True)
    y = rent - rent.mean(axis=-1, keepdims=True)
    still = (reference == reference[..., :1]).all(axis=-1)
    sxx = np.where(still, np.nan, (x * x).sum(axis=-1))
    slope = (x * y).sum(axis=-1) / sxx
    scores = x * (y - slope[..., None] * x)
    error = np.sqrt(long_run_sum(scores, truncation) * n / (n - 2)) / sxx
    return slope, error


def hac_interval(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> Interval:
    """The report's default: Newey–West, n/(n − 2), Student's t with n − 2 degrees of freedom."""
    from scipy.stats import t as student

    n = len(rent)
    slope, error = slope_and_error(rent, reference, newey_west_lag(n) + 1)
    reach = float(student.ppf((1 + CONFIDENCE) / 2, n - 2)) * float(error)
    return Interval(low=float(slope) - reach, high=float(slope) + reach, name="Newey–West")


def fixed_b_interval(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> Interval:
    """A wide Bartlett window with the critical value that belongs to it (Kiefer & Vogelsang 2005)."""
    truncation = fixed_b_truncation(len(rent))
    slope, error = slope_and_error(rent, reference, truncation)
    reach = fixed_b_critical(truncation / len(rent)) * float(error)
    return Interval(low=float(slope) - reach, high=float(slope) + reach, name="fixed-b")


def bootstrap_t_interval(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> Interval | None:
    """A symmetric bootstrap-t: the stationary bootstrap of pairs, each draw studentised by Newey–West.

    (Hall 1988; Götze & Künsch 1996 for dependent data.) None where more than one draw in twenty
    is fitted exactly and so has no error to be measured by.
    """
    import numpy as np

    n = len(rent)
    truncation = newey_west_lag(n) + 1
    slope, error = slope_and_error(rent, reference, truncation)
    drawn = stationary_indices(n, draws=BOOTSTRAP_T_DRAWS, mean_block=block_length(n))
    slopes, errors = slope_and_error(rent[drawn], reference[drawn], truncation)
    reach = _studentised_reach(np.abs(slopes - slope), errors)
    if reach is None or not float(error) > 0:
        return None
    wide = reach * float(error)
    return Interval(low=float(slope) - wide, high=float(slope) + wide, name="bootstrap-t")


def log_share_and_error(
    unhedged: NDArray[np.float64], hedged: NDArray[np.float64], truncation: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``log(Var hedged / Var unhedged)`` and its standard error by the delta method, along the last axis.

    NaN where either stands still.
    """
    import numpy as np

    n = unhedged.shape[-1]
    u = unhedged - unhedged.mean(axis=-1, keepdims=True)
    v = hedged - hedged.mean(axis=-1, keepdims=True)
    still = (unhedged == unhedged[..., :1]).all(axis=-1) | (hedged == hedged[..., :1]).all(axis=-1)
    before = np.where(still, np.nan, (u * u).mean(axis=-1))
    after = np.where(still, np.nan, (v * v).mean(axis=-1))
    scores = v * v / after[..., None] - u * u / before[..., None]
    error = np.sqrt(long_run_sum(scores, truncation) * n / (n - 1)) / n
    return np.log(after / before), error


def fixed_b_share_interval(unhedged: NDArray[np.float64], hedged: NDArray[np.float64]) -> Interval | None:
    """Effectiveness by fixed-b on the log of the variance ratio; None where either side stands still."""
    truncation = fixed_b_truncation(len(unhedged))
    value, error = log_share_and_error(unhedged, hedged, truncation)
    if not math.isfinite(float(value)):
        return None
    reach = fixed_b_critical(truncation / len(unhedged)) * float(error)
    return _share_interval(float(value), reach, "fixed-b")


def bootstrap_t_share_interval(unhedged: NDArray[np.float64], hedged: NDArray[np.float64]) -> Interval | None:
    """Effectiveness by a symmetric bootstrap-t on the log of the variance ratio; None as for the ratio."""
    import numpy as np

    n = len(unhedged)
    truncation = newey_west_lag(n) + 1
    value, error = log_share_and_error(unhedged, hedged, truncation)
    if not math.isfinite(float(value)):
        return None
    drawn = stationary_indices(n, draws=BOOTSTRAP_T_DRAWS, mean_block=block_length(n))
    before, after = unhedged[drawn], hedged[drawn]
    values, errors = log_share_and_error(before, after, truncation)
    # A draw in which one side alone stands still is infinitely far; one in which both do says nothing.
    one_still = (before == before[:, :1]).all(axis=1) != (after == after[:, :1]).all(axis=1)
    distances = np.where(one_still, np.inf, np.abs(values - value))
    reach = _studentised_reach(distances, np.where(one_still, 0.0, errors))
    return None if reach is None else _share_interval(float(value), reach * float(error), "bootstrap-t")


def _share_interval(value: float, reach: float, name: str) -> Interval | None:
    if value + reach > 700:  # exp would leave the floating range: no bound worth printing
        return None
    return Interval(low=1 - math.exp(value + reach), high=1 - math.exp(value - reach), name=name)


def _studentised_reach(distances: NDArray[np.float64], errors: NDArray[np.float64]) -> float | None:
    """The 95 % quantile of distance / error; draws without an error are the furthest of all."""
    import numpy as np

    usable = ~np.isnan(distances) & ~np.isnan(errors)
    distances, errors = distances[usable], errors[usable]
    if len(distances) == 0:
        return None
    measured = errors > 1e-12 * max(float(errors.max()), 1e-300)
    ratios = np.where(measured, np.where(measured, distances, 0.0) / np.where(measured, errors, 1.0), np.inf)
    found = float(np.sort(ratios)[math.ceil(CONFIDENCE * (len(ratios) + 1)) - 1])
    return found if math.isfinite(found) else None
