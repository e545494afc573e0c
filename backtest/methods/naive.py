"""One hour of the reference for each hour rented, whatever the past says."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from .base import RatioMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Naive(RatioMethod):
    """h = 1: no estimation, so nothing to overfit; the bar every other method must clear."""

    name: ClassVar[str] = "naive"
    label: ClassVar[str] = "naive, h = 1"
    minimum_changes: ClassVar[int] = 0
    interval_name: ClassVar[str] = "none"

    def estimate(
        self,
        rent_changes: NDArray[np.float64],  # noqa: ARG002 - the interface of every method
        reference_changes: NDArray[np.float64],  # noqa: ARG002
    ) -> float | Refusal:
        """Always 1."""
        return 1.0

    def interval(
        self,
        rent_changes: NDArray[np.float64],  # noqa: ARG002
        reference_changes: NDArray[np.float64],  # noqa: ARG002
    ) -> tuple[float, float] | Refusal:
        """Refused: nothing is estimated, so nothing is uncertain."""
        return Refusal("not_estimated", "h = 1 is set, not estimated, so it has no interval")
