"""The two-factor model as a state space, filtered and fitted by statsmodels (Kalman 1960; Harvey 1989).

State (χ, ξ), one step a fixing; the observations of a step are the logarithm of the fixing and of
each month's settlement, whatever of them is there. Kept apart because statsmodels takes a second to
import.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.tsa.statespace.mlemodel import MLEModel

from .panel import Panel
from .schwartz_smith import convexity, log_premium, step_covariance
from .series import Floats

START_VARIANCE = 1.0
"""Of ξ before the first fixing, in squared logarithms: wider than any price moved, so that it decides nothing."""
TINY = 1e-10
SPOT_NAMES = ("kappa", "sigma_chi", "sigma_xi", "mu_xi")
PANEL_NAMES = (*SPOT_NAMES, "rho", "lambda_chi", "mu_xi_star", "noise_fixings", "noise_marks")
POSITIVE = frozenset({"kappa", "sigma_chi", "sigma_xi", "noise_fixings", "noise_marks"})


class TwoFactorModel(MLEModel):  # type: ignore[misc]  # statsmodels is not typed
    """χ and ξ behind a panel. ``slots`` 0 is fixings alone: ρ = 0, since they do not identify it, and no premium."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        super().__init__(panel.log_prices, k_states=2, k_posdef=2, loglikelihood_burn=0)
        steps = len(panel.log_prices)
        self["selection"] = np.eye(2)
        design = np.ones((1 + panel.slots, 2, steps))
        self["design"] = design if panel.slots else design[:, :, 0]
        if panel.slots:
            self["obs_intercept"] = np.zeros((1 + panel.slots, steps))
        self["state_intercept"] = np.stack([np.zeros(steps), np.append(panel.jumps[1:], 0.0)])
        self.ssm.filter_univariate = True

    @property
    def param_names(self) -> list[str]:
        """The parameters in order."""
        return list(PANEL_NAMES if self.panel.slots else SPOT_NAMES)

    @property
    def start_params(self) -> Floats:
        """Half of the variance of changes to each factor, a deviation that halves in a quarter."""
        return self.starting_at(2.8)

    def starting_at(self, kappa: float) -> Floats:
        """Starting values with a given speed of return, a year."""
        first = self.panel.log_prices[:, 0]
        changes = np.diff(first[np.isfinite(first)])
        yearly = max(float(changes.std()) / np.sqrt(self.panel.years_per_step), 1e-3)
        start = [kappa, yearly, yearly / 2, 0.0]
        return np.array([*start, 0.0, 0.0, 0.0, 0.01, 0.01] if self.panel.slots else start)

    def transform_params(self, unconstrained: Any) -> Any:
        """Positive parameters from their logarithms, ρ from the inverse hyperbolic tangent."""
        made = np.array(unconstrained, ndmin=1)
        for place, name in enumerate(self.param_names):
            made[place] = _constrained(name, made[place])
        return made

    def untransform_params(self, constrained: Any) -> Any:
        """The inverse of ``transform_params``."""
        made = np.array(constrained, ndmin=1)
        for place, name in enumerate(self.param_names):
            if name in POSITIVE:
                made[place] = np.log(made[place])
            elif name == "rho":
                made[place] = np.arctanh(made[place])
        return made

    def update(self, params: Any, **kwargs: Any) -> None:
        """Put parameters into the system matrices."""
        values = super().update(params, **kwargs)
        named = dict(zip(self.param_names, values, strict=True))
        kappa, chi, xi, rho = named["kappa"], named["sigma_chi"], named["sigma_xi"], named.get("rho", 0.0)
        years = self.panel.years_per_step
        self["transition"] = np.array([[np.exp(-kappa * years), 0.0], [0.0, 1.0]])
        var_chi, both, var_xi = step_covariance(kappa, chi, xi, rho, years)
        self["state_cov"] = np.array([[var_chi, both], [both, var_xi]])
        jumps = np.append(self.panel.jumps[1:], 0.0)
        self["state_intercept"] = np.stack([np.zeros_like(jumps) * kappa, jumps + named["mu_xi"] * years])
        noise = np.full(1 + self.panel.slots, TINY, dtype=values.dtype)
        if self.panel.slots:
            noise = noise + named["noise_marks"] ** 2
            noise[0] = named["noise_fixings"] ** 2 + TINY
            self._update_curve(named, rho)
        self["obs_cov"] = np.diag(noise)
        stationary = chi**2 / (2 * kappa)
        first = self.panel.log_prices[0, 0]
        self.ssm.initialize_known(
            np.array([0.0, first], dtype=values.dtype),
            np.array([[stationary, 0.0], [0.0, START_VARIANCE]], dtype=values.dtype),
        )

    def _update_curve(self, named: dict[str, Any], rho: Any) -> None:
        kappa, years = named["kappa"], self.panel.years.T
        self["design", 1:, 0, :] = np.exp(-kappa * years)
        self["obs_intercept", 1:, :] = (
            named["mu_xi"] * years
            + convexity(kappa, named["sigma_chi"], named["sigma_xi"], rho, years)
            + log_premium(kappa, named["lambda_chi"], named["mu_xi_star"] - named["mu_xi"], years)
            + self.panel.launch_steps.T
        )


def _constrained(name: str, value: Any) -> Any:
    if name in POSITIVE:
        return np.exp(value)
    return np.tanh(value) if name == "rho" else value
