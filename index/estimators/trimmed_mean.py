"""The trimmed mean: the mean of what is left when a share of the weight is cut from both ends."""

from __future__ import annotations

from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, between, without_weight, worked
from .steps import step


def work(slate: Slate) -> Estimate | Refusal:
    """The mean of the weight between ``tail`` and 1 − ``tail``; a vote on the border counts with its part.

    With equal weights and a whole number of votes to cut this is the textbook trimmed mean; cutting
    weight instead of votes keeps it continuous in the weights (Bryan & Cecchetti 1994, equation 3).
    """
    refusal = without_weight(slate, "no_votes", "the trimmed mean of no votes is not defined")
    if refusal is not None:
        return refusal
    tail = slate.parameters.tail or Fraction(0)
    kept = between(slate.terms(), tail, 1 - tail)
    return worked(step(f"mean of the votes without {tail} of the weight at either end", "mean", kept))


TRIMMED_MEAN = Estimator(
    name="trimmed_mean",
    summary="mean of the votes with a share of the weight cut from both ends",
    source="Bryan & Cecchetti (1994), Measuring core inflation, equation 3; Tukey (1962)",
    work=work,
    keys=("tail",),
)
