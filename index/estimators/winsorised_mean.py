"""The winsorised mean: the tails are drawn in to the votes at their borders, and count in full."""

from __future__ import annotations

from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .steps import Term, step


def work(slate: Slate) -> Estimate | Refusal:
    """The mean after each vote in the lowest ``tail`` of the weight is raised to the first vote above it.

    That vote is the lowest whose cumulative weight *exceeds* the tail; the upper end mirrors it. With
    equal weights the k = ⌊tail·n⌋ votes at either end take the value of the next (Dixon 1960).
    """
    refusal = without_weight(slate, "no_votes", "the winsorised mean of no votes is not defined")
    if refusal is not None:
        return refusal
    tail = slate.parameters.tail or Fraction(0)
    terms = slate.terms()
    low, high = _border(terms, tail), _border(terms[::-1], tail)
    drawn = [
        Term(
            term.label if low <= term.value <= high else f"{term.label} (drawn in)",
            min(max(term.value, low), high),
            term.weight,
        )
        for term in terms
    ]
    return worked(step(f"mean of the votes, {tail} of the weight at either end drawn in", "mean", drawn))


def _border(terms: list[Term], tail: Fraction) -> Fraction:
    """The first value, from this end, at which more than ``tail`` of the weight is reached."""
    total = sum((term.weight for term in terms), Fraction(0))
    reached = Fraction(0)
    for term in terms:
        reached += term.weight
        if reached > tail * total:
            return term.value
    return terms[-1].value


WINSORISED_MEAN = Estimator(
    name="winsorised_mean",
    summary="mean of the votes with a share of the weight at both ends drawn in to its border",
    source="Dixon (1960), Simplified estimation from censored normal samples; Tukey (1962)",
    work=work,
    keys=("tail",),
)
