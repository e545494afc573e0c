"""The minimum-variance ratio: the slope of rent changes on reference changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from ..intervals import MINIMUM_FOR_INTERVAL, fixed_b_interval
from .base import RatioMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OrdinaryLeastSquares(RatioMethod):
    """``h* = Cov(ΔS, ΔF) / Var(ΔF)`` (Johnson 1960, Ederington 1979)."""

    name: ClassVar[str] = "ols"
    label: ClassVar[str] = "OLS"
    minimum_changes: ClassVar[int] = 24
    interval_name: ClassVar[str] = "fixed-b"

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The slope with an intercept; refused when the reference did not vary."""
        if len(reference_changes) < 2 or bool((reference_changes == reference_changes[0]).all()):
            return Refusal("constant_reference", "the reference did not vary, so no ratio can be estimated")
        centred = reference_changes - reference_changes.mean()
        return float(centred @ (rent_changes - rent_changes.mean()) / (centred @ centred))

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The fixed-b interval (Kiefer & Vogelsang 2005), which holds better than Newey–West's when short."""
        if len(rent_changes) < MINIMUM_FOR_INTERVAL:
            return Refusal(
                "too_short", f"{len(rent_changes)} changes, {MINIMUM_FOR_INTERVAL} needed for an interval"
            )
        found = fixed_b_interval(rent_changes, reference_changes)
        return found.low, found.high
