"""The median: half of the weight at or below it."""

from __future__ import annotations

from collections.abc import Sequence

from ...records import Refusal, median_half_even
from .base import Estimator, weighted_quantile


def estimate(ordered: Sequence[int], weights: Sequence[int]) -> int | Refusal:
    """The plain median where all weights are equal, else the weighted quantile at one half.

    The plain median is the mean of the middle two votes on even counts, quantised half-even.
    """
    if not ordered:
        return Refusal("no_votes", "the median of no votes is not defined")
    if min(weights) == max(weights):
        return median_half_even(ordered)
    return weighted_quantile(ordered, weights, 1, 2)


MEDIAN = Estimator(
    name="median",
    summary="plain median of equal votes; weighted median where weights differ",
    source="Hyndman & Fan (1996), definition 7 at one half; weighted: Edgeworth (1888)",
    estimate=estimate,
)
