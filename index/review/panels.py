"""Panels: how much of the level's way was prices, and how much was who was there to be asked.

Each move is taken apart (``index.composition``); the price effects, chained, are what the level would have
done had the panel been the same on both days of every move.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ...records import STATUSES_OBSERVED
from ..composition import Composition, composition
from ..methodology import Benchmark
from .days import Day, outcome_of


@dataclass(frozen=True, slots=True)
class PanelMove:
    """A move of the level and its parts, micro-USD; ``matched`` is the chained matched-panel level after it.

    ``reason`` stands where the move can't be taken apart; the chain then stays where it was.
    """

    before: date
    after: date
    level_before_micros: int
    level_micros: int
    price_micros: int | None
    entry_micros: int | None
    exit_micros: int | None
    residual_micros: int | None
    n_common: int
    entered: tuple[str, ...]
    left: tuple[str, ...]
    matched: float
    reason: str | None

    @property
    def change_micros(self) -> int:
        """The move of the level."""
        return self.level_micros - self.level_before_micros

    @property
    def panel_micros(self) -> int | None:
        """What of the move is not prices of those who were there on both days."""
        return None if self.price_micros is None else self.change_micros - self.price_micros


@dataclass(frozen=True, slots=True)
class Panels:
    """The way of the level over a period beside that of the matched panel.

    ``level`` and ``matched`` are the whole moves as shares of the first value; ``matched`` is None where no move
    can be taken apart, as where each observation is a vote. ``by_panel`` counts moves of which
    more than half, by size, is not prices; ``n_unexplained`` those that can't be taken apart.
    """

    moves: tuple[PanelMove, ...]
    first: date | None
    first_micros: int | None
    level: float | None
    matched: float | None
    n_moves: int
    by_panel: int
    n_unexplained: int
    largest_panel_move: PanelMove | None


def panels(benchmark: Benchmark, days: Sequence[Day]) -> Panels:
    """Take the moves between consecutive dates with values of their own apart, and chain their price effects."""
    observed = [day for day in days if day.fixing.status in STATUSES_OBSERVED]
    found: list[PanelMove] = []
    matched = float(observed[0].fixing.value_micros or 0) if observed else 0.0
    for then, now in itertools.pairwise(observed):
        outcomes = [outcome_of(benchmark, day) for day in (then, now)]
        stood = [() if o is None else o.standing for o in outcomes]
        made = composition(benchmark, (then.fixing.date, stood[0]), (now.fixing.date, stood[1]))
        before, after = then.fixing.value_micros or 0, now.fixing.value_micros or 0
        taken = made if isinstance(made, Composition) else None
        price = None if taken is None else taken.price_micros
        if taken is not None and taken.price_micros is not None and taken.exit_micros is not None:
            # exit is the level of those who stayed less that of all, on the day before
            matched *= 1 + taken.price_micros / (taken.level_before_micros + taken.exit_micros)
        found.append(
            PanelMove(
                before=then.fixing.date,
                after=now.fixing.date,
                level_before_micros=before,
                level_micros=after,
                price_micros=price,
                entry_micros=None if taken is None else taken.entry_micros,
                exit_micros=None if taken is None else taken.exit_micros,
                residual_micros=None if taken is None else taken.residual_micros,
                n_common=0 if taken is None else len(taken.common),
                entered=() if taken is None else taken.entered,
                left=() if taken is None else taken.left,
                matched=matched,
                reason=None if price is not None else _why(made),
            )
        )
    moved = [move for move in found if move.change_micros]
    sized = [move for move in moved if move.panel_micros is not None]
    taken_apart = any(move.reason is None for move in found)
    first = observed[0].fixing if observed else None
    return Panels(
        moves=tuple(found),
        first=None if first is None else first.date,
        first_micros=None if first is None else first.value_micros,
        level=found[-1].level_micros / (first.value_micros or 1) - 1 if found and first else None,
        matched=found[-1].matched / (first.value_micros or 1) - 1 if taken_apart and first else None,
        n_moves=len(moved),
        by_panel=sum(2 * abs(m.panel_micros or 0) > abs(m.change_micros) for m in sized),
        n_unexplained=sum(move.reason is not None for move in found),
        largest_panel_move=max(sized, key=lambda m: abs(m.panel_micros or 0), default=None),
    )


def _why(made: object) -> str:
    return getattr(made, "sentence", "no vote is in both days")
