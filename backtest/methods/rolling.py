"""Ratios over a moving window and over all the past: one figure, or the whole path at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from ..rolling import rolling_ratios
from .base import RatioMethod, require
from .ols import OrdinaryLeastSquares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 24


class Rolling(RatioMethod):
    """The OLS ratio of the last 24 changes: forgets the old regime, pays with a wider interval."""

    name: ClassVar[str] = "rolling"
    label: ClassVar[str] = f"rolling OLS, {WINDOW} changes"
    minimum_changes: ClassVar[int] = WINDOW
    interval_name: ClassVar[str] = "fixed-b, of the window alone"

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The slope of the last window; refused before one is full."""
        missing = require(rent_changes, reference_changes, WINDOW)
        if missing is not None:
            return missing
        return OrdinaryLeastSquares().estimate(rent_changes[-WINDOW:], reference_changes[-WINDOW:])

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The interval of that window's slope."""
        return OrdinaryLeastSquares().interval(rent_changes[-WINDOW:], reference_changes[-WINDOW:])


class Expanding(OrdinaryLeastSquares):
    """The OLS ratio of every change so far, from the twenty-fourth on.

    Walking forward, OLS expands as well: at any one date the two are the same number. It stands
    here by name because programmes state which of the two they re-estimate by.
    """

    name: ClassVar[str] = "expanding"
    label: ClassVar[str] = "expanding OLS, all changes so far"

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The slope of all changes; refused before there are 24."""
        missing = require(rent_changes, reference_changes, self.minimum_changes)
        return super().estimate(rent_changes, reference_changes) if missing is None else missing


def expanding_ratios(
    rent: NDArray[np.float64], reference: NDArray[np.float64], minimum: int = WINDOW
) -> NDArray[np.float64]:
    """The slope of all changes up to each one, from the ``minimum``-th on: length n − minimum + 1.

    Welford's (1962) updates of the centred sums; NaN where the reference has not moved yet.
    """
    import numpy as np

    found: list[float] = []
    mean_x = mean_y = sxx = sxy = 0.0
    for number, (y, x) in enumerate(zip(rent, reference, strict=True), start=1):
        off = x - mean_x
        mean_x += off / number
        mean_y += (y - mean_y) / number
        sxx += off * (x - mean_x)
        sxy += off * (y - mean_y)
        if number >= minimum:
            found.append(sxy / sxx if sxx > 0 else np.nan)
    return np.array(found, dtype=np.float64)


__all__ = ["WINDOW", "Expanding", "Rolling", "expanding_ratios", "rolling_ratios"]
