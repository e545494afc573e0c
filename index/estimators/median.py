"""The median: half of the weight at or below it."""

from __future__ import annotations

from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, middle, weighted_quantile, without_weight, worked


def work(slate: Slate) -> Estimate | Refusal:
    """The plain median where all weights are equal, else the weighted quantile at one half.

    The plain median is the mean of the middle two votes on even counts.
    """
    refusal = without_weight(slate, "no_votes", "the median of no votes is not defined")
    return refusal or worked(middle(slate.terms(), "median of the votes"))


def value(slate: Slate) -> Fraction:
    """The same without the steps: most fixings are medians, and a build makes many."""
    if min(slate.weights) == max(slate.weights):
        half = len(slate.prices) // 2
        return Fraction(slate.prices[half] + slate.prices[-half - 1], 2)
    return Fraction(weighted_quantile(slate.prices, slate.weights, 1, 2))


MEDIAN = Estimator(
    name="median",
    summary="plain median of equal votes; weighted median where weights differ",
    source="Hyndman & Fan (1996), definition 7 at one half; weighted: Edgeworth (1888)",
    work=work,
    value=value,
)
