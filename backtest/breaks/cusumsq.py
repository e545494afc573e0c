"""CUSUM of squares: a hedge whose error becomes larger or smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .recursive import recursive_residuals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CusumOfSquares(BreakTest):
    """Brown, Durbin & Evans (1975): the largest distance of the share of squares from a straight line."""

    name: ClassVar[str] = "cusumsq"
    label: ClassVar[str] = "CUSUM of squares"
    null: ClassVar[str] = "ratio, intercept and the variance of the error are the same throughout"
    source: ClassVar[str] = "Brown, Durbin & Evans (1975), section 2.4"
    reads: ClassVar[Reads] = "changes"
    minimum: ClassVar[int] = 12

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """The place of the largest distance is the date, where the null is rejected."""
        found = recursive_residuals(*series)
        if isinstance(found, Refusal):
            return found
        errors, first = found
        path = squares_path(errors)
        critical = simulated_critical(self.name, series[0].shape[-1])
        statistic = float(path.max())
        # The next change is the first one with another variance; the last one has none after it.
        after = min(first + int(path.argmax()) + 1, series[0].shape[-1] - 1)
        return Outcome(
            statistic=statistic, critical=critical, positions=(after,) if statistic > critical.value else ()
        )


def squares_path(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """``|Σ_{j ≤ r} w_j² / Σ w² − r/m|``, along the last axis; NaN where every residual is zero."""
    import numpy as np

    m = errors.shape[-1]
    squares = np.cumsum(errors * errors, axis=-1)
    total = np.where(squares[..., -1:] > 0, squares[..., -1:], np.nan)
    found: NDArray[np.float64] = np.abs(squares / total - np.arange(1, m + 1) / m)
    return found
