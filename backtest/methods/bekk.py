"""The ratio of a scalar BEKK with variance targeting: covariances that drift and return together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import DYNAMIC_MINIMUM, RatioMethod, require_dynamic
from .filters import best_persistence, filtered, percentile_ends, resampled_targets, weight_of_target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT = 1e-12


@dataclass(frozen=True, slots=True)
class BekkFit:
    """``H_t = (1 − a − b)·S + a·e_{t−1}e′_{t−1} + b·H_{t−1}``; ``products`` are e e′, ``target`` S.

    Rows are (rent variance, reference variance, covariance); ``covariances`` ends with the forecast.
    """

    a: float
    b: float
    products: NDArray[np.float64]
    target: NDArray[np.float64]
    covariances: NDArray[np.float64]


class ScalarBekk(RatioMethod):
    """``h = H_sf / H_ff`` forecast after the last change (Engle & Kroner 1995, scalar, targeted)."""

    name: ClassVar[str] = "bekk"
    label: ClassVar[str] = "scalar BEKK"
    minimum_changes: ClassVar[int] = DYNAMIC_MINIMUM
    interval_name: ClassVar[str] = (
        "stationary bootstrap of the target, dynamics held: too short, see docs/coverage.md"
    )

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The forecast ratio; refused under 250 changes or over 50 % zeros."""
        fit = fit_bekk(rent_changes, reference_changes)
        if isinstance(fit, Refusal):
            return fit
        last = fit.covariances[-1]
        return float(last[2] / last[1])

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The target is resampled; a and b stay as fitted, so their own uncertainty is left out."""
        fit = fit_bekk(rent_changes, reference_changes)
        if isinstance(fit, Refusal):
            return fit
        weight = weight_of_target(len(fit.products), fit.a, fit.b)
        forecasts = fit.covariances[-1] + weight * (resampled_targets(fit.products) - fit.target)
        return percentile_ends(forecasts[:, 2] / forecasts[:, 1])


def fit_bekk(rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]) -> BekkFit | Refusal:
    """Gaussian quasi-maximum likelihood for (a, b), the sample covariance held as target."""
    import numpy as np

    missing = require_dynamic(rent_changes, reference_changes)
    if missing is not None:
        return missing
    first = rent_changes - rent_changes.mean()
    second = reference_changes - reference_changes.mean()
    products = np.column_stack([first * first, second * second, first * second])
    target = products.mean(axis=0)
    if target[0] * target[1] - target[2] ** 2 <= EXACT * target[0] * target[1]:
        # An exact line has no covariance matrix to invert; its ratio is the same on every date.
        flat = np.repeat(target[None, :], len(products) + 1, axis=0)
        return BekkFit(0.0, 0.0, products, target, flat)

    def loss(a: float, b: float) -> float:
        h = filtered(products, target, a, b)[:-1]
        determinant = h[:, 0] * h[:, 1] - h[:, 2] ** 2
        if not bool((determinant > 0).all()):
            return math.inf
        squares = h[:, 1] * products[:, 0] + h[:, 0] * products[:, 1] - 2 * h[:, 2] * products[:, 2]
        return float((np.log(determinant) + squares / determinant).mean()) / 2

    best = best_persistence(loss)
    if best is None:
        return Refusal("not_converged", "the likelihood of the BEKK model has no maximum that could be found")
    return BekkFit(*best, products, target, filtered(products, target, *best))
