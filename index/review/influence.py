"""Influence: what each seller's absence does to the level of a day and to its move, over a whole period."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mean

from ...records import STATUSES_OBSERVED, Refusal
from ..explain import leave_one_out
from ..methodology import Benchmark
from .days import Day
from .moves import ChangeStory, who_moved_it


@dataclass(frozen=True, slots=True)
class LevelWithout:
    """The value of a date without one seller, micro-USD; None with the rule that then refuses one."""

    date: date
    seller: str
    value_micros: int
    without_micros: int | None
    reason: str | None

    @property
    def move(self) -> float | None:
        """How far the value goes without the seller, as a share of it."""
        return None if self.without_micros is None else self.without_micros / self.value_micros - 1


@dataclass(frozen=True, slots=True)
class SellerInfluence:
    """A seller over a period: mean and largest absolute move of the level without it, and the moves it made alone.

    ``n_needed`` counts dates whose value a gate refuses without it. ``n_moved_it`` counts the moves that are
    nothing without it, of those in which it changed, came or went.
    """

    seller: str
    n_dates: int
    mean_absolute: float | None
    largest: LevelWithout | None
    n_needed: int
    n_moved_it: int


@dataclass(frozen=True, slots=True)
class Influence:
    """Leave-one-seller-out over a period. ``days`` holds the largest of each date, ``stories`` each move told.

    ``n_moves`` are moves that are not zero, ``n_by_one`` those of them that one seller made.
    """

    sellers: tuple[SellerInfluence, ...]
    days: tuple[LevelWithout, ...]
    largest: LevelWithout | None
    stories: tuple[ChangeStory, ...]
    n_needed: int
    n_moves: int
    n_by_one: int
    largest_move: ChangeStory | None


def influence(benchmark: Benchmark, days: Sequence[Day]) -> Influence:
    """Take each seller out of each date with a value of its own, and out of both ends of each move."""
    observed = [day for day in days if day.fixing.status in STATUSES_OBSERVED]
    levels: dict[str, list[LevelWithout]] = {}
    worst: list[LevelWithout] = []
    for day in observed:
        value = day.fixing.value_micros or 0
        found = [
            LevelWithout(day.fixing.date, w.seller, value, w.value_micros, w.rule)
            for w in leave_one_out(benchmark, day.whole, day.window, day.state)
        ]
        for each in found:
            levels.setdefault(each.seller, []).append(each)
        sized = [each for each in found if each.move is not None]
        if sized:
            worst.append(max(sized, key=lambda each: (abs(each.move or 0), each.seller)))
    told = [who_moved_it(benchmark, a, b) for a, b in itertools.pairwise(observed)]
    stories = tuple(story for story in told if not isinstance(story, Refusal))
    moved = [story for story in stories if story.change_micros]
    sellers = [_seller(name, held, moved) for name, held in levels.items()]
    return Influence(
        sellers=tuple(sorted(sellers, key=lambda s: (-s.n_moved_it, -(s.mean_absolute or 0), s.seller))),
        days=tuple(worst),
        largest=max(worst, key=lambda each: abs(each.move or 0), default=None),
        stories=stories,
        n_needed=len({each.date for held in levels.values() for each in held if each.reason is not None}),
        n_moves=len(moved),
        n_by_one=sum(bool(story.moved_it) for story in moved),
        largest_move=max(moved, key=lambda story: abs(story.change), default=None),
    )


def _seller(name: str, held: Sequence[LevelWithout], moved: Sequence[ChangeStory]) -> SellerInfluence:
    sized = [each for each in held if each.move is not None]
    return SellerInfluence(
        seller=name,
        n_dates=len(held),
        mean_absolute=mean(abs(each.move or 0) for each in sized) if sized else None,
        largest=max(sized, key=lambda each: abs(each.move or 0), default=None),
        n_needed=sum(each.reason is not None for each in held),
        n_moved_it=sum(name in story.moved_it for story in moved),
    )
