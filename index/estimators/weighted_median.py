"""The weighted median: the lowest price at which half of the weight is reached, whatever the weights."""

from __future__ import annotations

from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .quantiles import percentiles_beside
from .steps import step


def work(slate: Slate) -> Estimate | Refusal:
    """The lowest price whose cumulative weight is at least half of the total; never between two votes."""
    refusal = without_weight(slate, "no_votes", "the weighted median needs votes with weight")
    if refusal is not None:
        return refusal
    middle = step("weighted median of the votes", "quantile", slate.terms(), Fraction(1, 2))
    return worked(middle, beside=percentiles_beside(slate))


WEIGHTED_MEDIAN = Estimator(
    name="weighted_median",
    summary="lowest price at which half of the weight is reached, also where weights are equal",
    source="Edgeworth (1888), On a new method of reducing observations; lower weighted median",
    work=work,
)
