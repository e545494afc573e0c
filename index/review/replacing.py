"""Replacing: the votes of one set of rules turned into those of another, seller by seller, and what each turn moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ...records import Refusal, round_fraction, to_microseconds
from ..ballot import Ballot
from ..estimators import ESTIMATORS, Slate
from ..evaluation import Outcome, parameters_of, weigh
from ..exact import exact
from ..methodology import Benchmark, Methodology
from ..windows import Window
from .days import Day, Stand, outcome_of, stands

Change = Literal["added", "removed", "repriced", "weights", "estimator", "remainder"]
Held = Mapping[tuple[str, str], tuple[Ballot, ...]]
"""The votes that stand, by tier and seller."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one seller, the weights, the estimator or the remainder explains of a difference, micro-USD.

    ``before_micros`` and ``after_micros`` are the seller's prices under the one and under the other rules; ``why``
    says why it has none under one of them.
    """

    change: Change
    name: str
    explains_micros: int
    before_micros: int | None = None
    after_micros: int | None = None
    why: str | None = None


def pieces_between(one: Benchmark, day: Day, other: Benchmark, beside: Day) -> tuple[Piece, ...]:
    """What explains the other's value less the one's on a date on which both have one, in the order of the steps.

    Sellers that explain nothing are left out; the remainder always stands, so that the pieces add up.
    """
    total = (beside.fixing.value_micros or 0) - (day.fixing.value_micros or 0)
    left, right = outcome_of(one, day), outcome_of(other, beside)
    if left is None or right is None or "CARRIED" in (day.fixing.status, beside.fixing.status):
        return (Piece("remainder", "carried", total, why="a value is carried, of no votes of the day"),)
    old, new = _held(left), _held(right)
    sides = _Sides((old, new), (stands(left), stands(right)), (left, right))
    level = start = level_of_votes(one.methodology, old, day.window)
    changed = [name for name in sorted(old.keys() | new.keys()) if _prices(old, name) != _prices(new, name)]
    alone = {
        name: abs(level_of_votes(one.methodology, turned(old, new, name), day.window) - level)
        for name in changed
    }
    now, found = old, []
    for name in sorted(changed, key=lambda n: (-alone[n], n)):
        now = turned(now, new, name)
        after = level_of_votes(one.methodology, now, day.window)
        if after != level:
            found.append(sides.piece(name, after - level))
        level = after
    weighed = level_of_votes(one.methodology, new, beside.window, weights=other.methodology)
    estimated = level_of_votes(other.methodology, new, beside.window)
    steps = (
        Piece("weights", "weights and caps", weighed - level),
        Piece(
            "estimator",
            f"{one.methodology.estimator} to {other.methodology.estimator}",
            estimated - weighed,
        ),
    )
    rest = Piece("remainder", "remainder", total - (estimated - start))
    return (*found, *(step for step in steps if step.explains_micros), rest)


def turned(now: Held, new: Held, name: tuple[str, str]) -> Held:
    """One seller's votes as they are under the other rules; none where it has none, unless no vote would be left."""
    rest = {n: ballots for n, ballots in now.items() if n != name}
    if name in new:
        rest[name] = new[name]
    return rest or now


def level_of_votes(
    rules: Methodology, held: Held, window: Window, *, weights: Methodology | None = None
) -> int:
    """The level of votes by an estimator and weights, caps among them, with no screen and no gate, micro-USD.

    An estimator that reads earlier fixings gives way to the median. In a blend each tier is a level of its own.
    """
    by_tier: dict[str, list[Ballot]] = {}
    for (tier, _), ballots in held.items():
        by_tier.setdefault(tier if rules.hierarchy == "blend" else "", []).extend(ballots)
    shares = {str(tier): exact(share) for tier, share in (rules.blend or {}).items()}
    levels = [
        (_level(rules, ballots, window, weights or rules), shares.get(tier, Fraction(1)))
        for tier, ballots in sorted(by_tier.items())
    ]
    whole = sum((share for _, share in levels), Fraction(0))
    return round_fraction(sum((level * share for level, share in levels), Fraction(0)) / whole)


def _level(rules: Methodology, ballots: Sequence[Ballot], window: Window, weights: Methodology) -> Fraction:
    ordered = sorted(ballots, key=lambda b: b.order)
    span = (to_microseconds(window.start), to_microseconds(window.end))
    votes, _, _ = weigh(weights, ordered[0].tier, ordered, span)
    given = tuple(vote.weight for vote in votes)
    slate = Slate(
        prices=tuple(b.value_micros for b in ordered),
        weights=given if any(given) else (1,) * len(given),
        ids=tuple(b.id for b in ordered),
        instants=tuple(b.instant or span[0] for b in ordered),
        window=span,
        parameters=parameters_of(rules),
    )
    made = (ESTIMATORS["median"] if "history" in rules.rule.reads else rules.rule).work(slate)
    if isinstance(made, Refusal):  # too few votes are left in between for what this estimator asks
        made = ESTIMATORS["median"].work(slate)
    assert not isinstance(made, Refusal)  # the median refuses only votes without weight
    return made.value


def _held(outcome: Outcome) -> Held:
    found: dict[tuple[str, str], tuple[Ballot, ...]] = {}
    for part in outcome.parts or (outcome,):
        for ballot in part.standing:
            key = (ballot.tier, ballot.seller)
            found[key] = (*found.get(key, ()), ballot)
    return found


def _prices(held: Held, name: tuple[str, str]) -> list[tuple[int, int]]:
    return sorted((b.value_micros, b.gpu_seconds) for b in held.get(name, ()))


@dataclass(frozen=True, slots=True)
class _Sides:
    """The votes, prices and outcomes of the one and of the other."""

    held: tuple[Held, Held]
    prices: tuple[Mapping[str, Stand], Mapping[str, Stand]]
    outcomes: tuple[Outcome, Outcome]

    def piece(self, name: tuple[str, str], explains: int) -> Piece:
        """What a seller explains, with its prices, or why it has none under one of the two."""
        there = tuple(name in held for held in self.held)
        change: Change = "repriced" if all(there) else "removed" if there[0] else "added"
        before, after = (
            prices[name[1]].price_micros if here else None
            for prices, here in zip(self.prices, there, strict=True)
        )
        why = None
        if not all(there):
            screened = {s.ballot.seller: s.rule for s in self.outcomes[there.index(False)].screened}
            why = screened.get(name[1], "no vote")
        return Piece(change, name[1], explains, before, after, why)
