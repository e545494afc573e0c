"""Cost to manipulate: how far sellers who quote what they like move a value, through screens, caps and gates.

For each date the votes of one seller, of two that collude, of all sellers of a venue, or of sellers that did not
exist before are set to every price of a grid, and the value is made again by the engine. What counts is the
largest move each way and the price nearest to the value that already gets it.

What it can't see: prices are set on one day alone, so a screen that follows a seller from day to day meets a jump
and not a patient drift; colluders quote one price; pairs are those of the few sellers that move the value most alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from ...records import STATUSES_OBSERVED
from ..methodology import Benchmark
from .attacks import MOST_PUPPETS, Attack, Search, looks_at_prices
from .days import Day

MOST_DATES = 60
"""A longer period is asked on so many dates, evenly spaced, the last among them."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one kind of actor gets over the dates asked, each way.

    ``worst_up`` and ``worst_down`` are the largest moves, the medians are over dates (no move counts as 0).
    ``n_silenced`` counts dates on which some price of theirs leaves no value at all.
    """

    kind: str
    n_names: int
    n_dates: int
    attacks: tuple[Attack, ...]
    n_silenced: int

    @property
    def label(self) -> str:
        """The actor in words, with how many where that differs: ``3 added sellers``."""
        if self.kind != "added sellers":
            return self.kind
        return f"{self.n_names} added seller{'s' if self.n_names > 1 else ''}"

    def worst(self, direction: int) -> Attack | None:
        """The largest move in one direction."""
        ways = [a for a in self.attacks if a.direction == direction]
        return max(ways, key=lambda a: (abs(a.move), a.date), default=None)

    def median_move(self, direction: int) -> float | None:
        """The median over dates of the largest move in one direction."""
        if not self.n_dates:
            return None
        sized = [a.move for a in self.attacks if a.direction == direction]
        return median([*sized, *[0.0] * (self.n_dates - len(sized))])

    @property
    def unbounded(self) -> bool:
        """Whether a higher price moves the value ever further."""
        return any(a.unbounded for a in self.attacks)


@dataclass(frozen=True, slots=True)
class PuppetsNeeded:
    """How many added sellers a move of a size takes, in one direction: the fewest and the median over dates.

    None where more than MOST_PUPPETS are needed on the dates in question.
    """

    target: float
    direction: int
    fewest: int | None
    fewest_on: date | None
    median: float | None
    n_reached: int
    n_dates: int


@dataclass(frozen=True, slots=True)
class Manipulation:
    """What manipulation takes over a period. ``dates`` were asked, of ``n_dates`` with a value of their own."""

    dates: tuple[date, ...]
    n_dates: int
    reaches: tuple[Reach, ...]
    puppets: tuple[PuppetsNeeded, ...]
    by_price: bool
    """Whether any rule looks at how far a price is from others."""


def manipulation(benchmark: Benchmark, days: Sequence[Day]) -> Manipulation:
    """Ask the cost to manipulate on the dates of a period that have a value of their own."""
    observed = [day for day in days if day.fixing.status in STATUSES_OBSERVED]
    asked = spaced(observed, MOST_DATES)
    kinds: dict[tuple[str, int], list[Attack]] = {}
    silenced: dict[tuple[str, int], int] = {}
    asked_of: dict[tuple[str, int], int] = {}
    needed: dict[tuple[float, int], list[tuple[int | None, date]]] = {}
    for day in asked:
        search = Search(benchmark, day)
        for kind, n, attacks, silent in (*search.sellers(), *search.venues(), *search.puppets()):
            kinds.setdefault((kind, n), []).extend(attacks)
            silenced[kind, n] = silenced.get((kind, n), 0) + silent
            asked_of[kind, n] = asked_of.get((kind, n), 0) + 1
        for key, many in search.needed.items():
            needed.setdefault(key, []).append((many, day.fixing.date))
    return Manipulation(
        dates=tuple(day.fixing.date for day in asked),
        n_dates=len(observed),
        reaches=tuple(
            Reach(kind, n, asked_of[kind, n], tuple(attacks), silenced[kind, n])
            for (kind, n), attacks in kinds.items()
        ),
        puppets=tuple(_needed(target, way, found) for (target, way), found in needed.items()),
        by_price=looks_at_prices(benchmark.methodology),
    )


def spaced(days: Sequence[Day], most: int) -> list[Day]:
    """At most so many of the days, evenly spaced, the last among them."""
    if len(days) <= most:
        return list(days)
    return [days[-1 - (len(days) - 1) * n // (most - 1)] for n in reversed(range(most))]


def _needed(target: float, way: int, found: Sequence[tuple[int | None, date]]) -> PuppetsNeeded:
    reached = [(many, day) for many, day in found if many is not None]
    fewest = min(reached, default=None)
    ordered = sorted(MOST_PUPPETS + 1 if many is None else many for many, _ in found)
    middle = median(ordered)
    return PuppetsNeeded(
        target,
        way,
        None if fewest is None else fewest[0],
        None if fewest is None else fewest[1],
        None if middle > MOST_PUPPETS else float(middle),
        len(reached),
        len(found),
    )
