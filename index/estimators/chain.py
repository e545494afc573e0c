"""What the chained estimators share: where a chain begins, and the votes that two dates have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from ...records import format_micros
from .base import Earlier, Estimate, Slate, VoteId, middle, worked
from .steps import Step, Term, step


def begin(slate: Slate) -> Estimate:
    """The level of a chain without an earlier value in its memory: the median of the votes."""
    return worked(middle(slate.terms(), "first level of the chain: median"), beside={"chain_begins": True})


def valued(history: Iterable[Earlier]) -> list[Earlier]:
    """The earlier fixings that have a value, oldest first."""
    return [earlier for earlier in history if earlier.value_micros]


def sellers_of(votes: Iterable[VoteId]) -> int:
    """Distinct sellers among votes."""
    return len({vote[0] for vote in votes})


def relatives(now: Mapping[VoteId, int], then: Mapping[VoteId, int], weights: Mapping[VoteId, int]) -> Step:
    """The weighted geometric mean of price relatives of the votes that both dates have.

    Jevons' index of an elementary aggregate (1863; CPI Manual 2020, chapter 8). It meets the time
    reversal test: there and back is one.
    """
    common = sorted(now.keys() & then.keys(), key=repr)
    terms = [
        Term(" · ".join(filter(None, v)), Fraction(now[v], then[v]), Fraction(weights[v])) for v in common
    ]
    return step(f"mean price relative of {len(common)} matched votes", "geometric_mean", terms, unit="ratio")


def carried_forward(earlier: Earlier, relative: Fraction) -> Step:
    """An earlier level times a relative."""
    assert earlier.value_micros is not None
    level = Term(f"level of {earlier.date}", Fraction(earlier.value_micros))
    return step(
        f"{format_micros(earlier.value_micros)} of {earlier.date} carried forward",
        "product",
        [level, Term("relative", relative)],
    )
