"""Concentration: how much of the weight one seller, venue or aggregator holds, through time.

The Herfindahl–Hirschman index is the sum of squared percentages: 10,000 is one name alone, 10,000/n is n
equal ones (Herfindahl 1950, Hirschman 1945).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from statistics import median

from ...records import STATUSES_OBSERVED
from ..ballot import Ballot
from ..evaluation import Outcome
from ..methodology import Benchmark
from .days import Day, outcome_of

KINDS = ("seller", "venue", "aggregator")
DIRECT = "(direct)"
"""What stands as the aggregator of a vote that came through none."""


@dataclass(frozen=True, slots=True)
class Held:
    """How the weight of a day is held by one kind of name: the largest, its share, and the index."""

    date: date
    n_names: int
    top: str
    top_share: float
    hhi: float


@dataclass(frozen=True, slots=True)
class Concentration:
    """Concentration by one kind of name over a period, by date, with the worst of it.

    ``largest`` ranks names by their mean share over the dates with a value. ``named`` is false where no vote
    says: as of aggregators where a file states none.
    """

    kind: str
    days: tuple[Held, ...]
    median_top_share: float | None
    worst: Held | None
    median_hhi: float | None
    highest_hhi: Held | None
    largest: tuple[tuple[str, float], ...]
    named: bool


def concentration(benchmark: Benchmark, days: Sequence[Day], kind: str) -> Concentration:
    """Concentration of the weight behind each value. A vote of several venues is split evenly over them.

    ``kind`` is one of KINDS. Dates without a value of their own are left out.
    """
    found: list[Held] = []
    sums: dict[str, Fraction] = {}
    for day in days:
        outcome = outcome_of(benchmark, day) if day.fixing.status in STATUSES_OBSERVED else None
        if outcome is None:
            continue
        shares = shares_of(outcome, kind)
        if not shares:
            continue
        for name, share in shares.items():
            sums[name] = sums.get(name, Fraction(0)) + share
        top = max(sorted(shares), key=lambda name: shares[name])
        hhi = sum((share * share for share in shares.values()), Fraction(0)) * 10_000
        found.append(Held(day.window.date, len(shares), top, float(shares[top]), float(hhi)))
    ranked = sorted(sums, key=lambda name: (-sums[name], name))
    return Concentration(
        kind=kind,
        days=tuple(found),
        median_top_share=median([held.top_share for held in found]) if found else None,
        worst=max(found, key=lambda held: held.top_share, default=None),
        median_hhi=median([held.hhi for held in found]) if found else None,
        highest_hhi=max(found, key=lambda held: held.hhi, default=None),
        largest=tuple((name, float(sums[name] / len(found))) for name in ranked),
        named=any(name != DIRECT for name in sums),
    )


def shares_of(outcome: Outcome, kind: str) -> Mapping[str, Fraction]:
    """The share of the weight that each name of a kind holds. In a blend a tier holds its stated share."""
    parts = outcome.parts or (outcome,)
    portions = outcome.part_shares or (Fraction(1),)
    held: dict[str, Fraction] = {}
    for part, portion in zip(parts, portions, strict=True):
        total = sum(vote.weight for vote in part.votes)
        if not total:
            continue
        for ballot, vote in zip(part.standing, part.votes, strict=True):
            names = names_of_ballot(ballot, kind)
            for name in names:
                piece = portion * Fraction(vote.weight, total * len(names))
                held[name] = held.get(name, Fraction(0)) + piece
    return held


def names_of_ballot(ballot: Ballot, kind: str) -> tuple[str, ...]:
    """The seller, the venues or the aggregators of a vote."""
    if kind == "seller":
        return (ballot.seller,)
    if kind == "venue":
        return ballot.venues
    return ballot.aggregators or (DIRECT,)
