"""Stickiness: how seldom sellers change a price, and how long one stands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import log
from statistics import median

from ..methodology import Benchmark
from .days import Day, Stand, outcome_of, stands


@dataclass(frozen=True, slots=True)
class StickyDay:
    """A date against the one before with votes: sellers of both, and those whose price is the same."""

    date: date
    n_common: int
    n_unchanged: int


@dataclass(frozen=True, slots=True)
class StickySeller:
    """A seller: dates on which it stood, price changes between consecutive ones, dates its price stood at most."""

    seller: str
    n_dates: int
    n_changes: int
    longest_spell: int


@dataclass(frozen=True, slots=True)
class Stickiness:
    """How sticky prices are. ``share_unchanged`` is over all pairs of one seller on consecutive fixing dates.

    A spell is consecutive dates at one price; ``median_spell`` is over complete ones, which both began and
    ended with a change in sight. ``n_open_spells`` are cut off by the period or by an absence: as they are
    mostly the long ones, the median is too short where they are many. ``implied_spell`` is −1/ln(1 − f) dates, f
    the share of votes that change from one date to the next (Bils & Klenow 2004), which minds them.
    ``value_unchanged`` is the share of changes of the published value that are exactly zero.
    """

    days: tuple[StickyDay, ...]
    sellers: tuple[StickySeller, ...]
    share_unchanged: float | None
    value_unchanged: float | None
    n_spells: int
    n_open_spells: int
    median_spell: float | None
    median_open_spell: float | None
    implied_spell: float | None


def stickiness(benchmark: Benchmark, days: Sequence[Day]) -> Stickiness:
    """Stickiness of the votes that stood, over days in order of date."""
    stood = [(day.window.date, stands(outcome_of(benchmark, day))) for day in days]
    pairs: list[StickyDay] = []
    for (_, then), (day, now) in itertools.pairwise(stood):
        common = then.keys() & now.keys()
        if common:
            pairs.append(StickyDay(day, len(common), sum(then[s] == now[s] for s in common)))
    names = sorted({seller for _, held in stood for seller in held})
    closed: list[int] = []
    loose: list[int] = []
    sellers = []
    for name in names:
        line = [held.get(name) for _, held in stood]
        runs = _spells(line)
        closed += [length for length, whole in runs if whole]
        loose += [length for length, whole in runs if not whole]
        sellers.append(
            StickySeller(name, sum(s is not None for s in line), _changes(line), max(n for n, _ in runs))
        )
    values = [d.fixing.value_micros for d in days if d.fixing.status in ("OK", "THIN")]
    moves = [after == before for before, after in itertools.pairwise(values)]
    total = sum(day.n_common for day in pairs)
    share = sum(day.n_unchanged for day in pairs) / total if total else None
    return Stickiness(
        days=tuple(pairs),
        sellers=tuple(sorted(sellers, key=lambda s: (-s.n_changes, s.seller))),
        share_unchanged=share,
        value_unchanged=sum(moves) / len(moves) if moves else None,
        n_spells=len(closed),
        n_open_spells=len(loose),
        median_spell=float(median(closed)) if closed else None,
        median_open_spell=float(median(loose)) if loose else None,
        implied_spell=-1 / log(share) if share is not None and 0 < share < 1 else None,
    )


def _changes(line: Sequence[Stand | None]) -> int:
    return sum(a is not None and b is not None and a != b for a, b in itertools.pairwise(line))


def _spells(line: Sequence[Stand | None]) -> list[tuple[int, bool]]:
    """Lengths of runs at one price, each with whether both its ends are changes in sight."""
    found: list[tuple[int, bool]] = []
    start = 0
    for place in range(1, len(line) + 1):
        if place < len(line) and line[place] == line[start]:
            continue
        if line[start] is not None:
            began = start > 0 and line[start - 1] is not None
            ended = place < len(line) and line[place] is not None
            found.append((place - start, began and ended))
        start = place
    return found
