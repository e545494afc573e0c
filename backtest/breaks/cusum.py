"""CUSUM of recursive residuals: a ratio that drifts away from what earlier changes said."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .recursive import recursive_residuals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Cusum(BreakTest):
    """Brown, Durbin & Evans (1975): the largest |W_r| in units of their two lines."""

    name: ClassVar[str] = "cusum"
    label: ClassVar[str] = "CUSUM"
    null: ClassVar[str] = "the hedge ratio and the intercept are the same throughout"
    source: ClassVar[str] = "Brown, Durbin & Evans (1975), section 2.3"
    reads: ClassVar[Reads] = "changes"
    minimum: ClassVar[int] = 12

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """The first crossing of the critical lines is the date, where there is one."""
        import numpy as np

        found = recursive_residuals(*series)
        if isinstance(found, Refusal):
            return found
        errors, first = found
        path = cusum_path(errors)
        critical = simulated_critical(self.name, series[0].shape[-1])
        over = np.flatnonzero(path > critical.value)
        return Outcome(
            statistic=float(path.max()),
            critical=critical,
            positions=(first + int(over[0]),) if len(over) else (),
        )


def cusum_path(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """``|W_r| / (√m·(1 + 2·(r − k)/m))`` with ``W_r = Σ w/σ̂`` and m recursive residuals, along the last axis.

    Brown, Durbin & Evans's lines stand at 0.948 for 5 %; σ̂² is the mean square of the residuals,
    which is the residual variance of the whole regression. NaN where that is zero.
    """
    import numpy as np

    m = errors.shape[-1]
    square = (errors * errors).mean(axis=-1, keepdims=True)
    sigma = np.sqrt(np.where(square > 0, square, np.nan))
    lines = np.sqrt(m) * (1 + 2 * np.arange(1, m + 1) / m)
    found: NDArray[np.float64] = np.abs(np.cumsum(errors / sigma, axis=-1)) / lines
    return found
