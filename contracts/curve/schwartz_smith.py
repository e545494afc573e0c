"""Schwartz & Smith (2000): a short-lived deviation over a lasting level, and the futures it implies.

``ln S = χ + ξ`` with ``dχ = −κχ dt + σχ dWχ`` and ``dξ = μξ dt + σξ dWξ``, correlation ρ (their
equations 1–2). With risk premia λχ and λξ, ``μ*ξ = μξ − λξ``, the future for delivery in τ years is
(equation 9)

``ln F(τ) = e^{−κτ}χ + ξ + μ*ξ·τ − (1 − e^{−κτ})λχ/κ + C(τ)``,
``C(τ) = ½[(1 − e^{−2κτ})σχ²/(2κ) + σξ²τ + 2(1 − e^{−κτ})ρσχσξ/κ]``,

and the expected price is the same with μξ for μ*ξ and no λχ (equation 5). A scheduled launch inside
(0, τ] adds its log step to both. Years are counted in fixings. Everything takes complex numbers too,
which the estimator differentiates with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .series import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class SchwartzSmith:
    """The parameters per year. The last two are None where no futures were seen: premium unidentified."""

    kappa: float
    sigma_chi: float
    sigma_xi: float
    rho: float
    mu_xi: float
    lambda_chi: float | None = None
    mu_xi_star: float | None = None

    @property
    def premium_identified(self) -> bool:
        """Whether the parameters come from a curve panel."""
        return self.lambda_chi is not None and self.mu_xi_star is not None

    def loading(self, years: Floats) -> Floats:
        """How much of χ is left after τ years: e^{−κτ}."""
        return np.exp(-self.kappa * years)

    def expectation_intercept(self, years: Floats) -> Floats:
        """``ln E[S(τ)] − e^{−κτ}χ − ξ`` without launches."""
        curved: Floats = convexity(self.kappa, self.sigma_chi, self.sigma_xi, self.rho, years)
        return self.mu_xi * years + curved

    def log_premium(self, years: Floats) -> Floats:
        """``ln F(τ) − ln E[S(τ)] = (μ*ξ − μξ)τ − (1 − e^{−κτ})λχ/κ``. Raises ValueError where unidentified."""
        if self.lambda_chi is None or self.mu_xi_star is None:
            raise ValueError("the premium is unidentified: no futures were seen")
        premium: Floats = log_premium(self.kappa, self.lambda_chi, self.mu_xi_star - self.mu_xi, years)
        return premium


def convexity(kappa: Any, sigma_chi: Any, sigma_xi: Any, rho: Any, years: Any) -> Any:
    """C(τ): half the variance of ln S(τ) given χ and ξ."""
    decayed = -np.expm1(-kappa * years)
    variance = (
        -np.expm1(-2 * kappa * years) * sigma_chi**2 / (2 * kappa)
        + sigma_xi**2 * years
        + 2 * decayed * rho * sigma_chi * sigma_xi / kappa
    )
    return variance / 2


def log_premium(kappa: Any, lambda_chi: Any, drift_difference: Any, years: Any) -> Any:
    """The log premium of a future over the expected price, ``drift_difference`` being μ*ξ − μξ."""
    return drift_difference * years + np.expm1(-kappa * years) * lambda_chi / kappa


def step_covariance(kappa: Any, sigma_chi: Any, sigma_xi: Any, rho: Any, years: float) -> Sequence[Any]:
    """Var χ, Cov and Var ξ of the innovations over a step of ``years``."""
    return (
        -np.expm1(-2 * kappa * years) * sigma_chi**2 / (2 * kappa),
        -np.expm1(-kappa * years) * rho * sigma_chi * sigma_xi / kappa,
        sigma_xi**2 * years,
    )
