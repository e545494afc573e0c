"""Quandt–Andrews: a ratio that may be another one from some date on, whichever that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .splitting import shortest_side, split_f_statistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COEFFICIENTS = 2


class SupremumF(BreakTest):
    """The largest Chow statistic over the middle 70 % (Quandt 1960, Andrews 1993).

    As a Wald statistic, 2·F, Andrews's (2003) asymptotic 5 % value is 11.72; at these n it is simulated.
    """

    name: ClassVar[str] = "sup-f"
    label: ClassVar[str] = "supremum F"
    null: ClassVar[str] = "the hedge ratio and the intercept are the same throughout"
    source: ClassVar[str] = "Quandt (1960); Andrews (1993, corrected 2003), trimming 15 %"
    reads: ClassVar[Reads] = "changes"
    minimum: ClassVar[int] = 20

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """The place of the largest F is the date."""
        import numpy as np

        rent, reference = series
        n = len(rent)
        side = shortest_side(n, COEFFICIENTS)
        values = split_f_statistics(rent, reference, side)
        fitted = np.isfinite(values)
        if not fitted.any():
            return Refusal("no_variation", "no split leaves two sides that can be fitted")
        best = int(np.where(fitted, values, -np.inf).argmax())
        critical = simulated_critical(self.name, n)
        statistic = float(values[best])
        return Outcome(
            statistic=statistic,
            critical=critical,
            positions=(side + best,) if statistic > critical.value else (),
            detail={"splits": int(fitted.sum()), "splits_left_out": int((~fitted).sum())},
        )
