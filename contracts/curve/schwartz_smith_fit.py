"""Fit the two-factor model to a benchmark's fixings, alone or with the settlements of a contract.

On fixings alone the result is an *expectation, premium unidentified*: any premium fits as well as
another. On a curve panel the premium of each month comes with its interval.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from ...records import Refusal
from ..spec import ContractSpec
from .launches import Launch, steps_by
from .models import UNIDENTIFIED, Estimate
from .panel import Panel, make_panel
from .schwartz_smith import SchwartzSmith, log_premium
from .series import FixingSeries, Floats, fitting_refusal

if TYPE_CHECKING:
    from .state_space import TwoFactorModel

SHORTEST_TWO_FACTOR = 60
SHORTEST_PANEL_DAYS = 60
"""Days with settlements of two months or more, below which the premium is left unidentified."""
STARTING_KAPPAS = (1.0, 4.0, 12.0)
"""Half-lives of 253, 63 and 21 business days: the likelihood has more than one hill."""
MOST_ITERATIONS = 500
Z_95 = 1.959963984540054
_UNITS = {"kappa": "per year", "rho": "", "noise_fixings": "log", "noise_marks": "log"}
_VOLATILITY, _DRIFT = "per sqrt(year)", "log per year"


@dataclass(frozen=True)
class Premium:
    """The premium of a future over the expected price, in percent of it, with its 95 % interval."""

    percent: float
    low: float
    high: float


@dataclass(frozen=True)
class SchwartzSmithModel:
    """A fitted two-factor model as of its last fixing.

    ``state`` is the filtered (χ, ξ), ``state_covariance`` its uncertainty and ``gain`` how a surprise
    in the last fixing is shared between them. ``covariance`` is that of the estimates, by ``names``.
    """

    series: FixingSeries
    process: SchwartzSmith
    launches: tuple[Launch, ...]
    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    state: Floats
    state_covariance: Floats
    gain: Floats
    curve_days: int
    log_likelihood: float
    name: str = "schwartz-smith"
    warned: tuple[str, ...] = field(default=())

    @property
    def label(self) -> str:
        """What it is fitted on, and whether it is an expectation or holds a premium."""
        if self.process.premium_identified:
            return f"Schwartz–Smith two-factor, fitted on fixings and {self.curve_days} days of the curve"
        return f"Schwartz–Smith two-factor, fitted on fixings alone: {UNIDENTIFIED}"

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The parameters with 95 % intervals, kept inside their range; open where the data say nothing.

        On fixings alone all are open: the lasting factor's volatility ends at 0 in most samples of this
        length, where the usual interval holds the truth as seldom as two times in three (docs/recovery.md).
        """
        return tuple(self._estimate(place) for place in range(len(self.names)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Launches assumed, what is not identified, and the state of the series."""
        said = [launch.sentence for launch in self.launches]
        if not self.process.premium_identified:
            said.append(
                "Fixings alone do not identify the correlation of the two factors; it is set to 0 (assumed)."
            )
        return (*said, *self.warned, *self.series.flags)

    def expected(self, days: Sequence[date]) -> Floats:
        """Expected fixings in USD per GPU-hour on later days, the uncertainty of the state included."""
        years = self._years(days)
        loading = self._loading(years)
        spread = np.einsum("di,ij,dj->d", loading, self.state_covariance, loading) / 2
        level = loading @ self.state + self.process.expectation_intercept(years) + self._steps(days)
        prices: Floats = np.exp(level + spread)
        return prices

    def futures(self, days: Sequence[date]) -> Floats:
        """What a future on each later day's fixing is worth, USD per GPU-hour: the expectation and its premium."""
        return self.expected(days) * np.exp(self.process.log_premium(self._years(days)))

    def spot_delta(self, days: Sequence[date]) -> Floats:
        """How much of a move of the last fixing reaches each later day, the move shared as the filter does."""
        loading = self._loading(self._years(days))
        shared: Floats = loading @ self.gain * self.expected(days) / self.series.prices[-1]
        return shared

    def premium(self, days: Sequence[date], weights: Sequence[int]) -> Premium | Refusal:
        """The premium of a month that averages these fixings, by the delta method on its logarithm."""
        if not self.process.premium_identified:
            return Refusal("premium_unidentified", f"It is an {UNIDENTIFIED}: the model saw fixings alone.")
        share = np.array(weights, dtype=np.float64) / sum(weights)
        years = self._years(days)
        names = ("kappa", "lambda_chi", "mu_xi_star", "mu_xi")
        places = [self.names.index(name) for name in names]
        at = self.values[places]

        def value(values: Any) -> Any:
            return share @ log_premium(values[0], values[1], values[2] - values[3], years)

        middle = float(value(at))
        slopes = np.array([value(at + 1e-20j * row).imag / 1e-20 for row in np.eye(len(names))])
        variance = float(slopes @ self.covariance[np.ix_(places, places)] @ slopes)
        if not variance >= 0:
            return Refusal("premium_unidentified", "The data do not bound the premium of this month.")
        half = Z_95 * math.sqrt(variance)
        return Premium(*(100 * math.expm1(end) for end in (middle, middle - half, middle + half)))

    def _estimate(self, place: int) -> Estimate:
        from .state_space import POSITIVE

        name, value = self.names[place], float(self.values[place])
        variance = float(self.covariance[place, place])
        low: float | None = None
        high: float | None = None
        if variance > 0 and self.process.premium_identified:
            error = math.sqrt(variance)
            if name in POSITIVE:
                widening = math.exp(min(Z_95 * error / value, 500.0))
                low, high = value / widening, value * widening
            elif name == "rho":
                around = Z_95 * error / max(1 - value**2, 1e-12)
                low, high = (math.tanh(math.atanh(value) + sign * around) for sign in (-1, 1))
            else:
                low, high = value - Z_95 * error, value + Z_95 * error
        unit = _UNITS.get(name, _VOLATILITY if name.startswith("sigma") else _DRIFT)
        return Estimate(name=name, value=value, low=low, high=high, unit=unit)

    def _years(self, days: Sequence[date]) -> Floats:
        steps = self.series.stepping.steps(self.series.dates[-1], days)
        return steps / self.series.stepping.steps_per_year

    def _loading(self, years: Floats) -> Floats:
        return np.column_stack([self.process.loading(years), np.ones_like(years)])

    def _steps(self, days: Sequence[date]) -> Floats:
        return steps_by(self.launches, self.series.dates[-1], days)


def fit_schwartz_smith(
    series: FixingSeries,
    settles: Mapping[date, Mapping[str, int]] | None = None,
    spec: ContractSpec | None = None,
    launches: Iterable[Launch] = (),
    *,
    shortest: int = SHORTEST_TWO_FACTOR,
) -> SchwartzSmithModel | Refusal:
    """Fit by maximum likelihood on the fixings, and on ``settles`` (by trade date and month) where given.

    Settlements of two months or more on fewer than 60 days leave the premium unidentified, and the
    model says so. A refusal for a series that is too short, constant or full of gaps, and where no
    start converges.
    """
    refused = fitting_refusal(series, "Schwartz–Smith", shortest)
    if refused is not None:
        return refused
    scheduled = tuple(sorted(launches))
    panel = make_panel(series, settles or {}, spec, scheduled)
    warned: tuple[str, ...] = ()
    if panel.slots and panel.curve_days < min(SHORTEST_PANEL_DAYS, shortest):
        sentence = (
            f"Two months or more were settled on {panel.curve_days} days; {SHORTEST_PANEL_DAYS} are needed to fit "
            "the premium, so the settlements were left out."
        )
        warned = (sentence,)
        panel = make_panel(series, {}, None, scheduled)
    fitted = maximise(panel)
    if fitted is None:
        return Refusal(
            "did_not_converge", f"Schwartz–Smith does not converge on {series.benchmark}; use flat or ou."
        )
    results, model = fitted
    return _model(series, panel, results, tuple(model.param_names), scheduled=scheduled, warned=warned)


def maximise(panel: Panel) -> tuple[Any, TwoFactorModel] | None:
    """The maximum of the likelihood with its model; None where no start converges.

    On fixings alone every start is followed and the best end taken, since that likelihood has more
    than one hill; a curve panel has one, so there the best start is followed, then the others in turn.
    """
    from .state_space import TwoFactorModel

    model = TwoFactorModel(panel)
    best = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the optimiser warns of on its way is judged by where it ends
        starts = [model.starting_at(kappa) for kappa in STARTING_KAPPAS]
        for start in sorted(starts, key=model.loglike, reverse=True):
            try:
                found = model.fit(start, disp=0, maxiter=MOST_ITERATIONS)
            except (np.linalg.LinAlgError, ValueError):
                continue  # this start ran out of the range of numbers; the others are tried
            good = found.mle_retvals["converged"] and np.isfinite(found.llf)
            if good and (best is None or found.llf > best.llf):
                best = found
            if best is not None and panel.slots:
                break
    return None if best is None else (best, model)


def _model(
    series: FixingSeries,
    panel: Panel,
    results: Any,
    names: tuple[str, ...],
    *,
    scheduled: tuple[Launch, ...],
    warned: tuple[str, ...],
) -> SchwartzSmithModel:
    named = dict(zip(names, (float(value) for value in results.params), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a flat likelihood warns; its variances come out open below
        covariance = np.asarray(results.cov_params_default)
    predicted = results.predicted_state_cov[:, :, -2]
    noise = named.get("noise_fixings", 0.0) ** 2
    return SchwartzSmithModel(
        series=series,
        process=SchwartzSmith(
            kappa=named["kappa"],
            sigma_chi=named["sigma_chi"],
            sigma_xi=named["sigma_xi"],
            rho=named.get("rho", 0.0),
            mu_xi=named["mu_xi"],
            lambda_chi=named.get("lambda_chi"),
            mu_xi_star=named.get("mu_xi_star"),
        ),
        launches=scheduled,
        names=names,
        values=np.asarray(results.params, dtype=np.float64),
        covariance=covariance,
        state=results.filtered_state[:, -1],
        state_covariance=results.filtered_state_cov[:, :, -1],
        gain=predicted.sum(axis=1) / (predicted.sum() + noise),
        curve_days=panel.curve_days if panel.slots else 0,
        log_likelihood=float(results.llf),
        warned=warned,
    )
