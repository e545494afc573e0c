"""The ratio that makes the worst months least bad (Rockafellar & Uryasev 2000), drift taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from ..bootstrap import percentile, stationary_indices
from ..intervals import BOOTSTRAP_T_DRAWS, CONFIDENCE, block_length
from .base import RatioMethod, Side, require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
MINIMUM_TAIL = 10
STEPS = 60
"""Golden-section steps: each keeps 0.618 of the bracket, so sixty leave 3e-13 of it."""
GOLDEN = (5**0.5 - 1) / 2


class MinimumCvar(RatioMethod):
    """Minimises the mean of the worst 5 % of demeaned hedged changes: rises for a buyer, falls for a provider.

    Refused where n(1 − α) < 10, that is below 200 changes: fewer than ten cases make no tail.
    """

    name: ClassVar[str] = "cvar"
    label: ClassVar[str] = "minimum CVaR 95 %"
    minimum_changes: ClassVar[int] = 200
    interval_name: ClassVar[str] = "stationary bootstrap, percentile"

    def __init__(self, side: Side = "buyer") -> None:
        self.side: Side = side

    def for_side(self, side: Side) -> RatioMethod:
        """The method that looks at the tail which hurts that side."""
        return MinimumCvar(side)

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The ratio with the least CVaR."""
        missing = self._refused(rent_changes, reference_changes)
        if missing is not None:
            return missing
        return float(self._least(rent_changes[None, :], reference_changes[None, :])[0])

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The 95 % percentile interval over resampled pairs."""
        import numpy as np

        missing = self._refused(rent_changes, reference_changes)
        if missing is not None:
            return missing
        n = len(rent_changes)
        drawn = stationary_indices(n, draws=BOOTSTRAP_T_DRAWS, mean_block=block_length(n))
        drawn = drawn[~(reference_changes[drawn] == reference_changes[drawn][:, :1]).all(axis=1)]
        ordered = np.sort(self._least(rent_changes[drawn], reference_changes[drawn]))
        tail = (1 - CONFIDENCE) / 2
        return percentile(ordered, tail), percentile(ordered, 1 - tail)

    @staticmethod
    def _refused(rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]) -> Refusal | None:
        n = len(rent_changes)
        if round(n * (1 - LEVEL), 9) < MINIMUM_TAIL:
            return Refusal(
                "too_short", f"n(1 − α) is {n * (1 - LEVEL):.1f} with {n} changes, {MINIMUM_TAIL} needed"
            )
        return require(rent_changes, reference_changes, 2)

    def _least(self, rent: NDArray[np.float64], reference: NDArray[np.float64]) -> NDArray[np.float64]:
        """The minimiser of each row by golden section: CVaR is convex in the ratio."""
        import numpy as np

        sign = 1.0 if self.side == "buyer" else -1.0
        y = rent - rent.mean(axis=1, keepdims=True)
        x = reference - reference.mean(axis=1, keepdims=True)
        sxx = (x * x).sum(axis=1)
        centre = (x * y).sum(axis=1) / sxx
        # A bracket that surely holds the minimum: twice the ratio of spreads to either side of OLS.
        reach = 4 * np.sqrt((y * y).sum(axis=1) / sxx) + 1e-12
        low, high = centre - reach, centre + reach

        def value(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
            return worst_mean(sign * (y - ratio[:, None] * x))

        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at_left, at_right = value(left), value(right)
        for _ in range(STEPS):
            lower = at_left <= at_right
            high, low = np.where(lower, right, high), np.where(lower, low, left)
            new_left, new_right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            probe = np.where(lower, new_left, new_right)
            at_probe = value(probe)
            at_left, at_right = np.where(lower, at_probe, at_right), np.where(lower, at_left, at_probe)
            left, right = np.where(lower, probe, right), np.where(lower, left, probe)
        middle: NDArray[np.float64] = (low + high) / 2
        return middle


def worst_mean(losses: NDArray[np.float64], level: float = LEVEL) -> NDArray[np.float64]:
    """CVaR of each row: the mean of its worst 1 − ``level``, the case at the edge counted in part.

    (Rockafellar & Uryasev 2002, eq. 25, for equally likely cases.)
    """
    import numpy as np

    n = losses.shape[1]
    cases = n * (1 - level)
    whole = int(np.floor(round(cases, 9)))
    ordered = np.partition(losses, n - whole - 1, axis=1) if whole < n else losses
    tail = ordered[:, n - whole :].sum(axis=1)
    edge = ordered[:, n - whole - 1] if whole < n else 0.0
    held: NDArray[np.float64] = (tail + max(0.0, cases - whole) * edge) / cases
    return held
