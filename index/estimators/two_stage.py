"""Two stages: a median within each seller, then the median over sellers."""

from __future__ import annotations

from ...records import Refusal
from .base import Estimate, Estimator, Slate, middle, without_weight, worked
from .by_seller import terms_by_seller
from .steps import Term


def work(slate: Slate) -> Estimate | Refusal:
    """The median of each seller's votes by their weights, then the plain median over sellers.

    Each seller counts once however many votes it has, and a seller's odd vote does not move its own
    median (the two levels of an elementary aggregate: CPI Manual 2020, chapter 8).
    """
    refusal = without_weight(slate, "no_votes", "no seller has a vote with weight")
    if refusal is not None:
        return refusal
    within = [middle(terms, f"median of {seller}") for seller, terms in terms_by_seller(slate)]
    across = sorted((Term(made.name, made.result) for made in within), key=lambda term: term.value)
    return worked(*within, middle(across, "median over sellers"))


TWO_STAGE = Estimator(
    name="two_stage",
    summary="median over sellers of the weighted median of each seller's votes",
    source="ILO and others (2020), Consumer Price Index Manual: Concepts and Methods, chapter 8",
    work=work,
)
