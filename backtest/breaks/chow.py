"""Chow: a ratio that may be another one from a given date on."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import BreakTest, Levels, Outcome, Reads
from .critical import Critical
from .splitting import split_f_statistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .base import Finding

COEFFICIENTS = 2


class Chow(BreakTest):
    """Chow (1960) at a date known beforehand, such as a dated change of methodology.

    A date chosen because the data break there is not known beforehand: use the supremum F.
    """

    name: ClassVar[str] = "chow"
    label: ClassVar[str] = "Chow"
    null: ClassVar[str] = "the hedge ratio and the intercept are the same before and from the given date on"
    source: ClassVar[str] = "Chow (1960); F(2, n − 4), exact for independent normal errors"
    reads: ClassVar[Reads] = "changes"
    minimum: ClassVar[int] = 8

    def __init__(self, day: date) -> None:
        self.day = day
        self._place = 0

    def judge(self, levels: Levels) -> Finding:
        """Split the changes before the first one that ends on or after the day."""
        self._place = sum(each < self.day for each in levels.dates[1:])
        return super().judge(levels)

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """F against its own distribution; the date is the given one."""
        import numpy as np
        from scipy.stats import f as fisher

        rent, reference = series
        n = len(rent)
        place = self._place
        if min(place, n - place) < COEFFICIENTS + 1:
            fewer = min(place, n - place)
            return Refusal(
                "too_short", f"{fewer} changes on one side of {self.day}, {COEFFICIENTS + 1} needed"
            )
        values = split_f_statistics(rent, reference, COEFFICIENTS + 1)
        statistic = float(values[place - COEFFICIENTS - 1])
        if not np.isfinite(statistic):
            return Refusal(
                "no_variation", f"one side of {self.day} can't be fitted, or both are fitted exactly"
            )
        spare = n - 2 * COEFFICIENTS
        return Outcome(
            statistic=statistic,
            critical=Critical(float(fisher.ppf(0.95, COEFFICIENTS, spare)), f"F(2, {spare}), Chow (1960)"),
            p_value=float(fisher.sf(statistic, COEFFICIENTS, spare)),
            positions=(place,),
        )
