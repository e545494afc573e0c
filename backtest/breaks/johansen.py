"""Johansen: a combination of rent and reference that returns to a level."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .engle_granger import exactly_linear

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAGS = 1


class Johansen(BreakTest):
    """Johansen (1991): the trace statistic of rank 0, unrestricted constant, one lagged difference.

    The statistic is statsmodels' ``coint_johansen``. Its asymptotic 5 % value, 15.49, rejects far too
    often on short histories, so the 5 % value is simulated; the Reinsel–Ahn factor (n − 2·lags)/n of
    Reinsel & Ahn (1992) stands in ``detail`` for comparison.
    """

    name: ClassVar[str] = "johansen"
    label: ClassVar[str] = "Johansen trace"
    null: ClassVar[str] = "rent and reference share no level: independent random walks"
    source: ClassVar[str] = "Johansen (1991); small samples: Reinsel & Ahn (1992)"
    reads: ClassVar[Reads] = "levels"
    minimum: ClassVar[int] = 20

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """Large statistics speak for a shared level."""
        import numpy as np

        rent, reference = series
        refused = exactly_linear(rent, reference)
        if refused is not None:
            return refused
        found = johansen_trace(rent, reference)
        if found is None or not np.isfinite(found[0]):
            return Refusal("hardly_moves", "the changes move too seldom for the test's regressions")
        used = len(rent) - LAGS - 1
        return Outcome(
            statistic=found[0],
            critical=simulated_critical(self.name, len(rent)),
            detail={
                "trace_of_rank_1": found[1],
                "reinsel_ahn_trace": found[0] * (used - 2 * (LAGS + 1)) / used,
                "asymptotic_critical_value": found[2],
            },
        )


def johansen_trace(
    rent: NDArray[np.float64], reference: NDArray[np.float64]
) -> tuple[float, float, float] | None:
    """Trace statistics of rank 0 and 1, and the asymptotic 5 % value of the first; None where singular.

    The eigenvalues are those of a product of two positive definite matrices, so real; where rounding makes them
    complex the problem is singular in all but name.
    """
    import numpy as np
    from statsmodels.tsa.vector_ar.vecm import coint_johansen

    try:
        with warnings.catch_warnings():
            # Since numpy 2.5 `eig` gives complex numbers always, and statsmodels 0.15 casts them to real ones.
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            found = coint_johansen(np.column_stack([rent, reference]), det_order=0, k_ar_diff=LAGS)
    except np.linalg.LinAlgError:
        return None
    if np.any(np.imag(found.eig)):
        return None
    return float(found.lr1[0]), float(found.lr1[1]), float(found.cvt[0, 1])
