"""Parallel run: two sets of rules on the same dates, and what of each difference each constituent explains.

On a date with two values the votes of the one are turned into those of the other, one seller at a time: its votes
are taken out, put in or given the other's prices (sequential replacement), weighed and averaged by the one's rules.
Then the weights and caps become the other's, then the estimator. Each step's move is what it explains. The order
matters, as always where effects meet: a seller that moves the value more on its own goes first. What the steps do
not reach, such as a rounding to fewer decimals or an estimator that reads history, is the remainder and is shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import correlation, mean

from ..methodology import Benchmark
from .days import Day
from .replacing import Change, Piece, pieces_between

FEWEST_MOVES = 10
"""Changes below which no correlation is given."""


@dataclass(frozen=True, slots=True)
class ParallelDay:
    """A date under both rules. Without two values ``reason`` says which is missing, and why."""

    date: date
    one_micros: int | None
    other_micros: int | None
    pieces: tuple[Piece, ...]
    reason: str | None

    @property
    def difference_micros(self) -> int | None:
        """The other's value less the one's."""
        if self.one_micros is None or self.other_micros is None:
            return None
        return self.other_micros - self.one_micros

    @property
    def difference(self) -> float | None:
        """The same as a share of the one's value."""
        return None if self.difference_micros is None else self.difference_micros / (self.one_micros or 1)


@dataclass(frozen=True, slots=True)
class Explained:
    """A constituent over the whole run: dates on which it explains something, sum and mean size, micro-USD."""

    name: str
    change: Change
    n_dates: int
    mean_absolute_micros: float
    sum_micros: int


@dataclass(frozen=True, slots=True)
class Parallel:
    """A parallel run. Differences are the other's value less the one's."""

    one: str
    other: str
    same_grade: bool
    days: tuple[ParallelDay, ...]
    changed_keys: tuple[tuple[str, str, str], ...]
    n_both: int
    n_differ: int
    n_only_one: int
    n_only_other: int
    mean_difference: float | None
    mean_absolute: float | None
    largest: ParallelDay | None
    by_constituent: tuple[Explained, ...]
    correlation_of_changes: float | None


def parallel(
    one: Benchmark,
    days: Sequence[Day],
    other: Benchmark,
    other_days: Mapping[date, Day],
    *,
    names: tuple[str, str],
) -> Parallel:
    """Run two sets of rules side by side over the dates of ``days``.

    ``other_days`` hold the other's ballots and what it makes of them. ``names`` are how the two are called.
    """
    found = [_day(one, day, other, other_days.get(day.window.date)) for day in days]
    both = [day for day in found if day.difference_micros is not None]
    differ = [day for day in both if day.difference_micros]
    return Parallel(
        one=names[0],
        other=names[1],
        same_grade=one.grade == other.grade,
        days=tuple(found),
        changed_keys=_changed_keys(one, other),
        n_both=len(both),
        n_differ=len(differ),
        n_only_one=sum(d.one_micros is not None and d.other_micros is None for d in found),
        n_only_other=sum(d.one_micros is None and d.other_micros is not None for d in found),
        mean_difference=mean(d.difference or 0 for d in both) if both else None,
        mean_absolute=mean(abs(d.difference or 0) for d in both) if both else None,
        largest=max(differ, key=lambda d: abs(d.difference or 0), default=None),
        by_constituent=_by_constituent(differ),
        correlation_of_changes=_correlation(both),
    )


def _day(one: Benchmark, day: Day, other: Benchmark, beside: Day | None) -> ParallelDay:
    left, right = day.fixing, None if beside is None else beside.fixing
    values = (left.value_micros, None if right is None else right.value_micros)
    if right is None or None in values:
        lacking = [f"{left.rule} under the one"] if values[0] is None else []
        if right is None:
            lacking.append("no fixing date under the other")
        elif values[1] is None:
            lacking.append(f"{right.rule} under the other")
        return ParallelDay(left.date, *values, (), "; ".join(lacking))
    pieces: tuple[Piece, ...] = ()
    if beside is not None:
        pieces = pieces_between(one, day, other, beside)
    return ParallelDay(left.date, *values, pieces, None)


def _by_constituent(differ: Sequence[ParallelDay]) -> tuple[Explained, ...]:
    held: dict[str, list[Piece]] = {}
    for day in differ:
        for piece in day.pieces:
            if piece.explains_micros:
                held.setdefault(piece.name, []).append(piece)
    found = [
        Explained(
            name,
            pieces[-1].change,
            len(pieces),
            mean(abs(p.explains_micros) for p in pieces),
            sum(p.explains_micros for p in pieces),
        )
        for name, pieces in held.items()
    ]
    return tuple(sorted(found, key=lambda e: (-e.mean_absolute_micros * e.n_dates, e.name)))


def _changed_keys(one: Benchmark, other: Benchmark) -> tuple[tuple[str, str, str], ...]:
    """The keys of grade and methodology that differ, with what each says of them."""
    found = []
    for kind, left, right in (
        ("grade", one.grade, other.grade),
        ("methodology", one.methodology, other.methodology),
    ):
        a, b = left.model_dump(mode="json"), right.model_dump(mode="json")
        found += [(f"{kind}.{key}", _word(a[key]), _word(b[key])) for key in a if a[key] != b.get(key)]
    return tuple(found)


def _word(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(_word(v) for v in value)
    if isinstance(value, dict):
        inner = (f"{key} {_word(v)}" for key, v in value.items() if v is not None)
        return f"({', '.join(inner)})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _correlation(both: Sequence[ParallelDay]) -> float | None:
    """Of the changes from one common date to the next; None where there are few or one side never moves."""
    moves = [
        ((b.one_micros or 0) - (a.one_micros or 0), (b.other_micros or 0) - (a.other_micros or 0))
        for a, b in itertools.pairwise(both)
    ]
    sides = list(zip(*moves, strict=True))
    if len(moves) < FEWEST_MOVES or any(len(set(side)) < 2 for side in sides):
        return None
    return correlation(*sides)
