"""Shifts of the gap's mean: the best partition for every number of breaks, and how many to believe.

Bai & Perron (1998, 2003): dynamic programming over all partitions whose regimes hold at least a
share of the sample. Their number by BIC (Yao 1988), by the stricter LWZ (Liu, Wu & Zidek 1997), and
step by step with a supremum F inside each regime. All three take errors as independent: where the
gap has no stable level they describe and prove nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from ...records import Refusal
from .base import BreakTest, Outcome, Reads
from .critical import simulated_critical
from .splitting import TRIM, shortest_side, split_f_statistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BREAKS = 5
FINE_TRIM = 0.05
LWZ_SCALE, LWZ_POWER = 0.299, 2.1
"""c₀ and 2 + δ₀ of Liu, Wu & Zidek (1997), section 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The best partition with this many breaks. ``positions`` are the first values of later regimes."""

    positions: tuple[int, ...]
    squares: float
    bic: float
    lwz: float


def partitions(values: NDArray[np.float64], trim: float, most: int = MOST_BREAKS) -> tuple[Partition, ...]:
    """The least sum of squares for 0, 1, … breaks, each regime at least ⌊trim·n⌋ values (and 2) long.

    Bai & Perron (2003), section 3: one pass over the ends for each further break.
    """
    import numpy as np

    n = len(values)
    side = max(2, int(trim * n + 1e-9))
    centred = values - values.mean()
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred * centred)])

    def left(starts: NDArray[np.int64], end: int) -> NDArray[np.float64]:
        total = sums[end] - sums[starts]
        found: NDArray[np.float64] = squares[end] - squares[starts] - total * total / (end - starts)
        return np.maximum(found, 0.0)

    best = np.full((most + 1, n + 1), np.inf)
    where = np.zeros((most + 1, n + 1), dtype=np.int64)
    for end in range(side, n + 1):
        best[0, end] = left(np.array([0]), end)[0]
    for count in range(1, most + 1):
        for end in range((count + 1) * side, n + 1):
            starts = np.arange(count * side, end - side + 1)
            totals = best[count - 1, starts] + left(starts, end)
            place = int(totals.argmin())
            best[count, end], where[count, end] = totals[place], starts[place]
    found = []
    for count in range(most + 1):
        if not math.isfinite(best[count, n]):
            break
        places, end = [], n
        for step in range(count, 0, -1):
            end = int(where[step, end])
            places.append(end)
        found.append(_scored(tuple(reversed(places)), float(best[count, n]), n))
    return tuple(found)


def _scored(positions: tuple[int, ...], squares: float, n: int) -> Partition:
    """BIC and LWZ with p* = (m + 1) means and m dates (Bai & Perron 2003, section 5.4)."""
    free = 2 * len(positions) + 1
    if squares <= 0 or n <= free:
        return Partition(positions=positions, squares=squares, bic=-math.inf, lwz=-math.inf)
    penalty = LWZ_SCALE * math.pow(math.log(n), LWZ_POWER)
    return Partition(
        positions=positions,
        squares=squares,
        bic=math.log(squares / n) + free * math.log(n) / n,
        lwz=math.log(squares / (n - free)) + free * penalty / n,
    )


def sequential_breaks(values: NDArray[np.float64], most: int = MOST_BREAKS) -> tuple[int, ...]:
    """Breaks found one by one: a regime is split where its own supremum F stands out among all of them.

    With l breaks each of the l + 1 regimes is tested at 1 − 0.95^(1/(l + 1)), which is the limit law of
    sup F(l + 1 | l) (Bai & Perron 1998, proposition 8) with critical values simulated at the regime's n.
    """
    found: list[int] = []
    while len(found) < most:
        ends = [0, *found, len(values)]
        best: tuple[float, int] | None = None
        for start, end in itertools.pairwise(ends):
            tested = supremum_f_of_mean(values[start:end], regimes=len(found) + 1)
            if tested is not None and tested[0] > tested[2] and (best is None or tested[0] > best[0]):
                best = (tested[0], start + tested[1])
        if best is None:
            break
        found = sorted([*found, best[1]])
    return tuple(found)


def supremum_f_of_mean(values: NDArray[np.float64], regimes: int = 1) -> tuple[float, int, float] | None:
    """(largest F, its place, critical value) of one shift; None where the values are too few or still."""
    n = len(values)
    if n < MeanShift.minimum or bool((values == values[0]).all()):
        return None
    side = shortest_side(n, 1)
    path = split_f_statistics(values, None, side)
    place = int(path.argmax())
    critical = simulated_critical(f"mean-shift-{min(regimes, MOST_BREAKS)}", n)
    return float(path[place]), side + place, critical.value


class MeanShift(BreakTest):
    """The largest F of one shift of the mean over the middle 70 %: sup F(1 | 0) of Bai & Perron (1998)."""

    name: ClassVar[str] = "mean-shift"
    label: ClassVar[str] = "Bai–Perron sup F(1|0)"
    null: ClassVar[str] = "the gap varies around one mean, independently from value to value"
    source: ClassVar[str] = "Bai & Perron (1998, 2003); trimming 15 %"
    reads: ClassVar[Reads] = "gap"
    minimum: ClassVar[int] = 12

    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """The place of the largest F is the date."""
        (gap,) = series
        found = supremum_f_of_mean(gap)
        if found is None:
            return Refusal("no_variation", "the gap did not move")
        statistic, place, value = found
        return Outcome(
            statistic=statistic,
            critical=simulated_critical("mean-shift-1", len(gap)),
            positions=(place,) if statistic > value else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanShifts:
    """Which shifts each rule would believe, by the first date of the new mean; ``means`` in $/GPU-h by BIC."""

    trim: float
    n: int
    by_bic: tuple[date, ...] = ()
    by_lwz: tuple[date, ...] = ()
    means: tuple[float, ...] = ()
    partitions: tuple[tuple[date, ...], ...] = ()
    bic: tuple[float, ...] = ()
    lwz: tuple[float, ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The partitions with stable keys."""
        values: dict[str, Any] = {
            "trim": self.trim,
            "n": self.n,
            "by_bic": [each.isoformat() for each in self.by_bic],
            "by_lwz": [each.isoformat() for each in self.by_lwz],
            "means": list(self.means),
            "partitions": [
                {
                    "breaks": count,
                    "dates": [each.isoformat() for each in dates],
                    "bic": bic if math.isfinite(bic) else None,
                    "lwz": lwz if math.isfinite(lwz) else None,
                    **({} if math.isfinite(bic) else {"reason": "the regimes are fitted exactly"}),
                }
                for count, (dates, bic, lwz) in enumerate(
                    zip(self.partitions, self.bic, self.lwz, strict=True)
                )
            ],
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values


def mean_shifts(dates: Sequence[date], gap: NDArray[np.float64], trim: float = TRIM) -> MeanShifts:
    """Every partition of the gap up to five breaks, and the ones that BIC and LWZ choose."""
    import numpy as np

    n = len(gap)
    if n < MeanShift.minimum:
        return MeanShifts(trim=trim, n=n, reason=f"{n} values of the gap, {MeanShift.minimum} needed")
    if bool((gap == gap[0]).all()):
        return MeanShifts(trim=trim, n=n, means=(float(gap[0]),), reason="the gap did not move")
    found = partitions(gap, trim)
    # The fewest breaks win a tie: an exact fit leaves nothing for a further break to explain.
    by_bic = min(found, key=lambda each: each.bic)
    by_lwz = min(found, key=lambda each: each.lwz)

    def dated(partition: Partition) -> tuple[date, ...]:
        return tuple(dates[place] for place in partition.positions)

    regimes = np.split(gap, by_bic.positions)
    return MeanShifts(
        trim=trim,
        n=n,
        by_bic=dated(by_bic),
        by_lwz=dated(by_lwz),
        means=tuple(float(each.mean()) for each in regimes),
        partitions=tuple(dated(each) for each in found),
        bic=tuple(each.bic for each in found),
        lwz=tuple(each.lwz for each in found),
    )
