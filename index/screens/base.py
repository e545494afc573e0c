"""What screens are handed and what they hand back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from ..ballot import Ballot
from ..state import State

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Sitting:
    """The votes of one tier and date that still stand, and the state their rules read."""

    tier: str
    day: date
    ballots: tuple[Ballot, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Screened:
    """A vote left out: by which rule, and why in one sentence with its figures."""

    ballot: Ballot
    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Found:
    """What one screen leaves out, and a line on what it measured."""

    out: tuple[Screened, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Screening:
    """What all screens together leave standing."""

    standing: tuple[Ballot, ...]
    screened: tuple[Screened, ...]
    notes: tuple[str, ...]


def middle_of(values: Sequence[int]) -> Fraction:
    """The plain median of whole numbers, exact."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return Fraction(ordered[half] + ordered[-half - 1], 2)


def ratio_apart(left: Fraction, right: Fraction) -> Fraction:
    """How many times the larger of two is the smaller: one measure for the dear and the cheap side."""
    return max(left / right, right / left)


def eliminate(
    levels: Mapping[Key, int],
    measure: Callable[[Mapping[Key, int]], Mapping[Key, Fraction | Decimal]],
    fewest: int,
) -> dict[Key, Fraction | Decimal]:
    """Take out what is furthest beyond, one at a time and equals together, measuring afresh each time.

    ``measure`` gives, for those it finds beyond, how far. Two wild values can't hide one another for long,
    what is left is beyond nothing, and without the first that is taken out all the rest comes out the same.
    Below ``fewest`` nothing is measured.
    """
    standing = dict(levels)
    gone: dict[Key, Fraction | Decimal] = {}
    while len(standing) >= fewest:
        beyond = measure(standing)
        if not beyond:
            break
        worst = max(beyond.values())
        for key in [key for key, far in beyond.items() if far == worst]:
            gone[key] = worst
            del standing[key]
    return gone
