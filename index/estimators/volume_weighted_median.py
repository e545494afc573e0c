"""The volume-weighted median: the price at which half of the traded hours had changed hands."""

from __future__ import annotations

from collections.abc import Sequence

from ...records import Refusal
from .base import Estimator, weighted_quantile


def estimate(ordered: Sequence[int], weights: Sequence[int]) -> int | Refusal:
    """The lowest price whose cumulative volume reaches half of the total volume, no averaging.

    The form of the SOFR (Federal Reserve Bank of New York, "Additional Information about the
    Treasury Repo Reference Rates": volume-weighted median). Exactly half counts as reached.
    """
    if not ordered or sum(weights) <= 0:
        return Refusal("no_volume", "the volume-weighted median needs traded hours")
    return weighted_quantile(ordered, weights, 1, 2)


VOLUME_WEIGHTED_MEDIAN = Estimator(
    name="volume_weighted_median",
    summary="lowest price at which half of the weight is reached, no averaging",
    source="Federal Reserve Bank of New York, SOFR methodology",
    estimate=estimate,
)
