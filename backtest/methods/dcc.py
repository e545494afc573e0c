"""The ratio of a two-step DCC-GARCH: variances of their own, and a correlation that moves."""

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

FITTING_DEVIATION = 10.0
"""Changes are scaled to this standard deviation for the univariate fits, where arch's search is at home."""


@dataclass(frozen=True, slots=True)
class GarchFit:
    """A GARCH(1,1) with a constant mean, in the unit of the changes.

    ``deviations`` has n + 1 values and ends with the forecast; ``residuals`` are standardised.
    """

    omega: float
    alpha: float
    beta: float
    deviations: NDArray[np.float64]
    residuals: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DccFit:
    """``Q_t = (1 − a − b)·R̄ + a·z_{t−1}z′_{t−1} + b·Q_{t−1}``, correlations from Q made to have ones.

    ``products`` are z z′ as (first square, second square, cross), ``target`` their means.
    """

    a: float
    b: float
    rent: GarchFit
    reference: GarchFit
    products: NDArray[np.float64]
    target: NDArray[np.float64]
    pseudo: NDArray[np.float64]

    @property
    def correlations(self) -> NDArray[np.float64]:
        """One a change, and the forecast last."""
        return correlation(self.pseudo)

    @property
    def ratios(self) -> NDArray[np.float64]:
        """``h_t = ρ_t·σ_s,t / σ_f,t``, the forecast last."""
        return self.correlations * self.rent.deviations / self.reference.deviations


class DynamicCorrelation(RatioMethod):
    """``h = ρ·σ_s / σ_f`` forecast after the last change (Engle 2002), each step a quasi-likelihood."""

    name: ClassVar[str] = "dcc"
    label: ClassVar[str] = "DCC-GARCH"
    minimum_changes: ClassVar[int] = DYNAMIC_MINIMUM
    interval_name: ClassVar[str] = (
        "stationary bootstrap of the mean correlation, dynamics held: too short, see docs/coverage.md"
    )

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The forecast ratio; refused under 250 changes or over 50 % zeros, or where a fit does not settle."""
        fit = fit_dcc(rent_changes, reference_changes)
        return fit if isinstance(fit, Refusal) else float(fit.ratios[-1])

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """R̄ is resampled; variances, a and b stay as fitted, so their own uncertainty is left out."""
        fit = fit_dcc(rent_changes, reference_changes)
        if isinstance(fit, Refusal):
            return fit
        weight = weight_of_target(len(fit.products), fit.a, fit.b)
        forecasts = fit.pseudo[-1] + weight * (resampled_targets(fit.products) - fit.target)
        deviations = fit.rent.deviations[-1] / fit.reference.deviations[-1]
        return percentile_ends(correlation(forecasts) * deviations)


def correlation(pseudo: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross products over the root of both squares, row by row."""
    found: NDArray[np.float64] = pseudo[:, 2] / (pseudo[:, 0] * pseudo[:, 1]) ** 0.5
    return found


def fit_garch(changes: NDArray[np.float64]) -> GarchFit | Refusal:
    """The first step, by arch: GARCH(1,1), constant mean, normal quasi-likelihood (Bollerslev 1986)."""
    import numpy as np
    from arch import arch_model

    scale = FITTING_DEVIATION / float(changes.std())
    model = arch_model(changes * scale, mean="Constant", vol="GARCH", p=1, q=1, rescale=False)
    result = model.fit(disp="off", show_warning=False)
    if result.convergence_flag != 0:
        return Refusal("not_converged", "the likelihood of a GARCH(1,1) has no maximum that could be found")
    mean, omega, alpha, beta = (float(each) for each in result.params)
    deviations = np.asarray(result.conditional_volatility, dtype=np.float64)
    residual = changes * scale - mean
    ahead = math.sqrt(omega + alpha * float(residual[-1]) ** 2 + beta * float(deviations[-1]) ** 2)
    return GarchFit(
        omega=omega / scale**2,
        alpha=alpha,
        beta=beta,
        deviations=np.append(deviations, ahead) / scale,
        residuals=residual / deviations,
    )


def fit_dcc(rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]) -> DccFit | Refusal:
    """Both steps: two GARCH(1,1), then (a, b) with the mean products of standardised residuals as R̄."""
    import numpy as np

    missing = require_dynamic(rent_changes, reference_changes)
    if missing is not None:
        return missing
    rent, reference = fit_garch(rent_changes), fit_garch(reference_changes)
    if isinstance(rent, Refusal):
        return rent
    if isinstance(reference, Refusal):
        return reference
    products = np.column_stack(
        [rent.residuals**2, reference.residuals**2, rent.residuals * reference.residuals]
    )
    target = products.mean(axis=0)
    if abs(float(correlation(target[None, :])[0])) > 1 - 1e-9:
        # Rent and reference in lockstep: the correlation is ±1 on every date and has no dynamics.
        flat = np.repeat(target[None, :], len(products) + 1, axis=0)
        return DccFit(0.0, 0.0, rent, reference, products, target, flat)

    def loss(a: float, b: float) -> float:
        rho = correlation(filtered(products, target, a, b)[:-1])
        left = 1 - rho * rho
        if not bool((left > 0).all()):
            return math.inf
        squares = products[:, 0] + products[:, 1] - 2 * rho * products[:, 2]
        return float((np.log(left) + squares / left).mean()) / 2

    best = best_persistence(loss)
    if best is None:
        return Refusal("not_converged", "the likelihood of the DCC step has no maximum that could be found")
    return DccFit(*best, rent, reference, products, target, filtered(products, target, *best))
