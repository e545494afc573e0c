"""The volume-weighted mean: dollars paid over hours traded."""

from __future__ import annotations

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .steps import step


def work(slate: Slate) -> Estimate | Refusal:
    """Σ hours·p / Σ hours: the average price of an hour that changed hands (a unit value)."""
    refusal = without_weight(slate, "no_volume", "the volume-weighted mean needs traded hours")
    return refusal or worked(step("volume-weighted mean", "mean", slate.terms()))


VOLUME_WEIGHTED_MEAN = Estimator(
    name="volume_weighted_mean",
    summary="dollars paid over hours traded, the average price of a traded hour",
    source="Berkowitz, Logue & Noser (1988), The total cost of transactions on the NYSE: VWAP",
    work=work,
    reads=frozenset({"volume"}),
)
