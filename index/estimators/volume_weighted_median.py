"""The volume-weighted median: the price at which half of the traded hours had changed hands."""

from __future__ import annotations

from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .quantiles import percentiles_beside
from .steps import step


def work(slate: Slate) -> Estimate | Refusal:
    """The lowest price whose cumulative volume reaches half of the total volume, no averaging.

    The form of the SOFR (Federal Reserve Bank of New York, "Additional Information about the
    Treasury Repo Reference Rates": volume-weighted median, with the 1st, 25th, 75th and 99th
    volume-weighted percentiles beside it). Exactly half counts as reached.
    """
    refusal = without_weight(slate, "no_volume", "the volume-weighted median needs traded hours")
    if refusal is not None:
        return refusal
    middle = step("volume-weighted median", "quantile", slate.terms(), Fraction(1, 2))
    return worked(middle, beside=percentiles_beside(slate))


VOLUME_WEIGHTED_MEDIAN = Estimator(
    name="volume_weighted_median",
    summary="lowest price at which half of the weight is reached, no averaging",
    source="Federal Reserve Bank of New York, SOFR methodology",
    work=work,
    reads=frozenset({"volume"}),
)
