"""The mean of provider means: each seller's average first, then the average over sellers."""

from __future__ import annotations

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .by_seller import terms_by_seller
from .steps import Term, step


def work(slate: Slate) -> Estimate | Refusal:
    """P = (1/n) Σ_j P̄_j with P̄_j the mean of seller j's votes by their weights.

    Silicon Data's published form is Σ w_j·P̄_j with weights w_j that it does not disclose; here every
    seller weighs the same, which is an assumption and says so.
    """
    refusal = without_weight(slate, "no_votes", "no seller has a vote with weight")
    if refusal is not None:
        return refusal
    within = [step(f"mean of {seller}", "mean", terms) for seller, terms in terms_by_seller(slate)]
    terms = [Term(made.name, made.result) for made in within]
    return worked(*within, step("mean over sellers", "mean", terms))


MEAN_OF_MEANS = Estimator(
    name="mean_of_means",
    summary="plain mean over sellers of the weighted mean of each seller's votes",
    source="Silicon Data, GPU index methodology: provider means, then across providers (weights assumed equal)",
    work=work,
)
