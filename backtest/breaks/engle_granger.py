"""Engle–Granger: a level shared by rent and reference, so that the gap to the line between them closes."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def most_lags(n: int) -> int:
    """``⌊4·(n/100)^(1/4)⌋``: Schwert's (1989) shorter rule, which leaves short histories something to test."""
    return int(4 * math.pow(n / 100, 0.25))


def exactly_linear(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> Refusal | None:
    """Why no residual test is possible: a side stands still, or one is a line of the other."""
    import numpy as np

    if bool((rent == rent[0]).all()) or bool((reference == reference[0]).all()):
        which = "rent" if bool((rent == rent[0]).all()) else "reference"
        return Refusal("no_variation", f"the {which} did not vary")
    if abs(float(np.corrcoef(rent, reference)[0, 1])) > 1 - 1e-12:
        return Refusal("no_variation", "the rent is a line of the reference, so nothing is left to test")
    return None


class EngleGranger(BreakTest):
    """Engle & Granger (1987): an ADF test of the residual of rent on reference, lags by AIC.

    The statistic is statsmodels' ``coint``. MacKinnon's (2010) p value stands in ``detail``; the 5 %
    value is simulated with the same lag choice, which on short histories pushes the size up.
    """

    name: ClassVar[str] = "engle-granger"
    label: ClassVar[str] = "Engle–Granger"
    null: ClassVar[str] = "rent and reference share no level: independent random walks"
    source: ClassVar[str] = "Engle & Granger (1987); p by MacKinnon (2010)"
    reads: ClassVar[Reads] = "levels"
    minimum: ClassVar[int] = 20

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """Small statistics speak for a shared level."""
        import numpy as np

        rent, reference = series
        refused = exactly_linear(rent, reference)
        if refused is not None:
            return refused
        found = engle_granger(rent, reference)
        if isinstance(found, Refusal) or not np.isfinite(found[0]):
            return (
                found if isinstance(found, Refusal) else Refusal("hardly_moves", "the residual hardly moves")
            )
        return Outcome(
            statistic=found[0],
            critical=simulated_critical(self.name, len(rent)),
            beyond=-1,
            detail={"p_mackinnon": found[1], "most_lags": most_lags(len(rent))},
        )


def engle_granger(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> tuple[float, float] | Refusal:
    """(statistic, MacKinnon's p) by statsmodels."""
    from statsmodels.tools.sm_exceptions import CollinearityWarning, SingularMatrixWarning
    from statsmodels.tsa.stattools import coint

    with warnings.catch_warnings():
        for kind in (CollinearityWarning, SingularMatrixWarning, RuntimeWarning):
            warnings.simplefilter("error", kind)
        try:
            statistic, p_value, _ = coint(rent, reference, maxlag=most_lags(len(rent)), autolag="aic")
        except (CollinearityWarning, SingularMatrixWarning, RuntimeWarning):
            return Refusal("hardly_moves", "the residual moves too seldom for the test's regressions")
    return float(statistic), float(p_value)
