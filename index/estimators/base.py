"""What an estimator is: standing votes in ascending order in, one exact value and its arithmetic out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, Literal

from ...records import Refusal, round_fraction
from .steps import Step, Term, step

VoteId = tuple[str, str | None, str | None]
"""What a vote is the vote of, from day to day: seller, and region and SKU where the methodology votes by them."""
Splice = Literal["movement", "window", "mean"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Keys of a methodology that an estimator reads. None where it is not set."""

    tail: Fraction | None = None
    partitions: int | None = None
    spread_floor: Fraction | None = None
    splice: Splice | None = None
    min_sellers: int = 1


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier fixing as far as estimators read it: its value, and the votes that stood, micro-USD."""

    date: date
    value_micros: int | None
    votes: Mapping[VoteId, int]


@dataclass(frozen=True, slots=True)
class Slate:
    """The standing votes of one tier and day in ascending order of price, and what the rules may read.

    ``prices`` are micro-USD per GPU-hour, ``weights`` integers. ``ids`` name the votes, ``instants`` are
    microseconds since 1970 UTC within ``window``. ``history`` holds the earlier fixings in the memory of
    the methodology, oldest first.
    """

    prices: tuple[int, ...]
    weights: tuple[int, ...]
    ids: tuple[VoteId, ...] = ()
    instants: tuple[int, ...] = ()
    window: tuple[int, int] = (0, 0)
    history: tuple[Earlier, ...] = ()
    parameters: Parameters = Parameters()

    def terms(self) -> list[Term]:
        """Each vote as a term, labelled by its seller."""
        names = [label(vote) for vote in self.ids] or [f"vote {n}" for n in range(1, len(self.prices) + 1)]
        return [
            Term(name, Fraction(price), Fraction(weight))
            for name, price, weight in zip(names, self.prices, self.weights, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, exact, in micro-USD per GPU-hour, with the steps to it and what is published beside it."""

    value: Fraction
    steps: tuple[Step, ...]
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimator:
    """A rule that turns votes into a value. It is exact, or correct to 40 digits before the one rounding.

    ``reads`` names what it needs beyond prices and weights: ``volume`` (traded hours as weights),
    ``instants`` (one vote per observation), ``history`` (earlier votes by seller). ``keys`` are the keys
    of a methodology that it cannot do without. ``value``, where there is one, is the value of ``work`` alone,
    by a shorter way; it may be asked of votes with weight only.
    """

    name: str
    summary: str
    source: str
    work: Callable[[Slate], Estimate | Refusal]
    reads: frozenset[Literal["volume", "instants", "history"]] = frozenset()
    keys: tuple[str, ...] = ()
    value: Callable[[Slate], Fraction] | None = None

    def estimate(self, ordered: Sequence[int], weights: Sequence[int], **more: Any) -> int | Refusal:
        """The value of ascending prices in whole micro-USD, rounded once, half-even; or the refusal."""
        made = self.work(Slate(tuple(ordered), tuple(weights), **more))
        return made if isinstance(made, Refusal) else round_fraction(made.value)


def label(vote: VoteId) -> str:
    """The name of a vote in words."""
    return " · ".join(part for part in vote if part is not None)


def without_weight(slate: Slate, code: str, sentence: str) -> Refusal | None:
    """The refusal where there is nothing to average."""
    return Refusal(code, sentence) if sum(slate.weights) <= 0 else None


def worked(*steps: Step, beside: Mapping[str, Any] | None = None) -> Estimate:
    """The estimate that the last of these steps comes to."""
    return Estimate(steps[-1].result, steps, beside or {})


def weighted_quantile(
    ordered: Sequence[int], weights: Sequence[int], numerator: int, denominator: int
) -> int:
    """The lowest price whose cumulative weight is at least numerator/denominator of the total.

    No averaging (Edgeworth's weighted median at one half; CF Benchmarks, BRR methodology: "the
    smallest j with Σ s_i ≥ ½ Σ s"). Exact in integers. Raises ValueError without positive weight.
    """
    total = sum(weights)
    if total <= 0:
        raise ValueError("a weighted quantile needs positive weight")
    cumulative = 0
    for price, weight in zip(ordered, weights, strict=True):
        cumulative += weight
        if cumulative * denominator >= total * numerator:
            return int(price)
    return int(ordered[-1])


def between(terms: Sequence[Term], low: Fraction, high: Fraction) -> list[Term]:
    """The terms of the weight between two shares of the total, a term on a border with the part inside.

    ``low`` and ``high`` are shares, 0 ≤ low < high ≤ 1. Terms are in ascending order.
    """
    total = sum((term.weight for term in terms), Fraction(0))
    start, end, reached = low * total, high * total, Fraction(0)
    kept = []
    for term in terms:
        inside = min(reached + term.weight, end) - max(reached, start)
        reached += term.weight
        if inside > 0:
            kept.append(Term(term.label, term.value, inside))
    return kept


def middle(terms: Sequence[Term], name: str) -> Step:
    """The plain median of terms of equal weight, else their weighted quantile at one half."""
    equal = len({term.weight for term in terms}) == 1
    return step(name, "middle" if equal else "quantile", terms, None if equal else Fraction(1, 2))
