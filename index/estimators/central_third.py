"""The central-third mean of spread votes: continuous where a plain median jumps from vote to vote."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ...records import Refusal
from .base import Earlier, Estimate, Estimator, Slate, VoteId, between, without_weight, worked
from .steps import Term, step

THIRD = Fraction(1, 3)


def work(slate: Slate) -> Estimate | Refusal:
    """The mean of the central third of the weight of p, p − sd and p + sd of every vote.

    sd is the standard deviation of that seller's own votes in the memory, at least ``spread_floor`` of
    its price (Computable, CGI methodology: 90 days, 3 %). At most a third of the weight can lie above
    the highest or below the lowest vote, so the value stays within the votes.
    """
    refusal = without_weight(slate, "no_votes", "no vote has weight")
    if refusal is not None:
        return refusal
    floor = slate.parameters.spread_floor or Fraction(0)
    spread = []
    ids = slate.ids or [(term.label, None, None) for term in slate.terms()]
    for vote, term in zip(ids, slate.terms(), strict=True):
        width = max(Fraction(spread_micros(vote, slate.history)), floor * term.value)
        for sign, shift in (("−sd", -width), ("", Fraction(0)), ("+sd", width)):
            spread.append(Term(f"{term.label} {sign}".strip(), term.value + shift, term.weight))
    spread.sort(key=lambda term: (term.value, term.label))
    kept = between(spread, THIRD, 2 * THIRD)
    return worked(step("mean of the central third of the spread votes", "mean", kept))


def spread_micros(vote: VoteId, history: Sequence[Earlier]) -> int:
    """The sample standard deviation of a vote over the memory, in whole micro-USD; 0 below two values.

    The root of the exact variance, rounded to nearest, so that it is the same on every machine.
    """
    past = [earlier.votes[vote] for earlier in history if vote in earlier.votes]
    if len(past) < 2:
        return 0
    mean = Fraction(sum(past), len(past))
    variance = sum(((price - mean) ** 2 for price in past), Fraction(0)) / (len(past) - 1)
    return (isqrt(4 * variance.numerator // variance.denominator) + 1) // 2


CENTRAL_THIRD_MEAN = Estimator(
    name="central_third_mean",
    summary="mean of the central third of votes spread by their own standard deviation",
    source="Computable, Compute GPU Index (CGI) methodology: p and p ± sd, 90 days, floor 3 %",
    work=work,
    reads=frozenset({"history"}),
    keys=("spread_floor", "memory_days"),
)
