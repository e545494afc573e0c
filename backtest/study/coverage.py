"""How often an interval holds the truth: the count behind every coverage figure of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..effectiveness import LEARNING_CHANGES, interval
from ..intervals import (
    Interval,
    bootstrap_t_interval,
    bootstrap_t_share_interval,
    fixed_b_interval,
    fixed_b_share_interval,
    hac_interval,
)
from ..methods.rolling import expanding_ratios
from .processes import Process

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Quantity = Literal["ratio", "effectiveness"]
PERCENTILE_DRAWS = 2_000
"""Draws of the percentile interval in the study; a report takes 10,000, which changes its ends little."""

Maker = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], Interval | None]


def percentile_share_interval(unhedged: NDArray[np.float64], hedged: NDArray[np.float64]) -> Interval:
    """The report's default for effectiveness: the percentile interval of the definitions."""
    low, high = interval(unhedged, hedged, draws=PERCENTILE_DRAWS)
    return Interval(low=low, high=high, name="percentile")


RATIO_INTERVALS: dict[str, Maker] = {
    "Newey–West": hac_interval,
    "fixed-b": fixed_b_interval,
    "bootstrap-t": bootstrap_t_interval,
}
SHARE_INTERVALS: dict[str, Maker] = {
    "percentile": percentile_share_interval,
    "fixed-b": fixed_b_share_interval,
    "bootstrap-t": bootstrap_t_share_interval,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """One line of the study. ``held`` of ``runs`` intervals held the truth.

    ``absent`` runs gave no interval; they count as not holding. ``width`` is the median width.
    ``true_held`` counts against the effectiveness of the true ratio (for a ratio, the same as ``held``).
    """

    quantity: Quantity
    interval: str
    process: str
    n: int
    runs: int
    held: int
    true_held: int
    absent: int
    width: float

    @property
    def share(self) -> float:
        """Coverage, to be set beside 0.95."""
        return self.held / self.runs


def coverage_of(process: Process, n: int, *, runs: int, seed: int) -> list[CoverageRow]:
    """Count every interval on ``runs`` seeded samples of n changes.

    The truth of the ratio is the process's. The truth of the effectiveness is that of the walk-forward
    OLS ratios actually taken, which the interval holds fixed; beside it, that of the true ratio.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    counts: dict[tuple[Quantity, str], list[int]] = {}
    widths: dict[tuple[Quantity, str], list[float]] = {}

    def count(quantity: Quantity, name: str, found: Interval | None, truth: float, other: float) -> None:
        tally = counts.setdefault((quantity, name), [0, 0, 0])
        if found is None:
            tally[2] += 1
            return
        tally[0] += found.holds(truth)
        tally[1] += found.holds(other)
        widths.setdefault((quantity, name), []).append(found.high - found.low)

    for _ in range(runs):
        sample = process.draw(generator, n)
        for name, make in RATIO_INTERVALS.items():
            still = bool((sample.rent == sample.rent[0]).all())
            found = None if still else make(sample.rent, sample.reference)
            count("ratio", name, found, sample.ratio, sample.ratio)
        ratios = expanding_ratios(sample.rent, sample.reference, LEARNING_CHANGES)[:-1]
        unhedged = sample.rent[LEARNING_CHANGES:]
        hedged = unhedged - ratios * sample.reference[LEARNING_CHANGES:]
        held, best = sample.share_of(ratios), sample.share_of(np.array([sample.ratio]))
        for name, make in SHARE_INTERVALS.items():
            still = bool((unhedged == unhedged[0]).all())
            count("effectiveness", name, None if still else make(unhedged, hedged), held, best)
    return [
        CoverageRow(
            quantity=quantity,
            interval=name,
            process=process.name,
            n=n,
            runs=runs,
            held=tally[0],
            true_held=tally[1],
            absent=tally[2],
            width=float(np.median(widths.get((quantity, name), [np.inf]))),
        )
        for (quantity, name), tally in counts.items()
    ]
