"""The basis: rent − fixing of the day, and the month's rent − what the hedge settled at.

Level is not risk: paying a constant premium over the reference does not make a hedge bad. What the
hedge can't remove is the part that moves.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..records import MICROS_PER_USD, Refusal, percentile_half_even, round_fraction
from .breaks.critical import Critical, simulated_critical
from .breaks.size_notes import size_note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MINIMUM_FOR_ADF = 20


@dataclass(frozen=True, slots=True)
class Basis:
    """Moments of a basis in dollars per GPU-hour; None comes with a ``reason``."""

    n: int
    mean: float | None = None
    sd: float | None = None
    p5: float | None = None
    p50: float | None = None
    p95: float | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The moments with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "mean": self.mean, "sd": self.sd, "p5": self.p5, "p50": self.p50, "p95": self.p95, "n": self.n,
        }  # fmt: skip
        if self.reason is not None:
            values["reason"] = self.reason
        return values


def basis_of(values_micros: Sequence[Fraction | int]) -> Basis:
    """Mean, sd (n − 1) and percentiles (linear interpolation) of a basis in micro-USD per GPU-hour."""
    n = len(values_micros)
    if n == 0:
        return Basis(n=0, reason="no date has both a rent and a fixing")
    exact = [Fraction(value) for value in values_micros]
    mean = sum(exact, Fraction(0)) / n
    spread: float | None = None
    if n > 1:
        variance = sum(((value - mean) ** 2 for value in exact), Fraction(0)) / (n - 1)
        spread = math.sqrt(variance) / MICROS_PER_USD
    ordered = sorted(round_fraction(value) for value in exact)
    p5, p50, p95 = (percentile_half_even(ordered, percent) / MICROS_PER_USD for percent in (5, 50, 95))
    reason = None if n > 1 else "one value has no spread"
    return Basis(n, float(mean / MICROS_PER_USD), spread, p5, p50, p95, reason)


@dataclass(frozen=True, slots=True)
class Stationarity:
    """Augmented Dickey–Fuller test of the price basis (Dickey & Fuller 1979, Said & Dickey 1984).

    Null: the basis has a unit root, so no level it returns to. Constant in the regression, lags
    chosen by AIC, p by MacKinnon (1994). That p rejects a true null too often on short histories, so
    ``stable`` is judged by a 5 % value simulated with the same choice of lags. Dates are taken as they
    come, whatever their distance.
    """

    p_value: float
    lags: int
    n: int
    statistic: float
    critical: Critical

    @property
    def stable(self) -> bool:
        """Whether the null of no stable level is rejected at 5 %."""
        return self.statistic < self.critical.value

    def to_json(self) -> dict[str, Any]:
        """The test with stable keys."""
        return {
            "adf_p": self.p_value,
            "adf_statistic": self.statistic,
            "adf_critical_value": self.critical.value,
            "adf_critical_source": self.critical.source,
            "adf_size": size_note("adf", self.n),
            "adf_lags": self.lags,
            "n": self.n,
            "stable": self.stable,
        }


def stationarity(values_micros: Sequence[int]) -> Stationarity | Refusal:
    """Test whether a basis has a level it returns to; see :class:`Stationarity`."""
    n = len(values_micros)
    if n < MINIMUM_FOR_ADF:
        return Refusal("too_short", f"{n} values, {MINIMUM_FOR_ADF} needed")
    steps = {later - earlier for earlier, later in itertools.pairwise(values_micros)}
    if len(steps) == 1:
        return Refusal(
            "no_variation", "the basis moves by the same amount every time, so there is nothing to test"
        )
    import numpy as np

    found = augmented_dickey_fuller(np.array(values_micros, dtype=np.float64) / MICROS_PER_USD)
    if found is None:
        return Refusal("hardly_moves", "the basis moves too seldom for the test's regressions")
    statistic, p_value, lags = found
    return Stationarity(
        p_value=p_value, lags=lags, n=n, statistic=statistic, critical=simulated_critical("adf", n)
    )


def augmented_dickey_fuller(values: NDArray[np.float64]) -> tuple[float, float, int] | None:
    """(statistic, MacKinnon's p, lags by AIC) by statsmodels; None where its regressions are singular."""
    from statsmodels.tools.sm_exceptions import SingularMatrixWarning
    from statsmodels.tsa.stattools import adfuller

    with warnings.catch_warnings():
        warnings.simplefilter("error", SingularMatrixWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            result = adfuller(values, result_object=True)
        except (SingularMatrixWarning, RuntimeWarning):
            return None
    return float(result.statistic), float(result.pvalue), int(result.lags)
