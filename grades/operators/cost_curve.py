"""The cost curve: producers by unit cost, as wide as their capacity. Position on it is relative.

Two curves. By *full* cost (C3: cash cost, depreciation and interest) a producer is under water when the
price does not pay for its capital. By *cash* cost (C1: power, colocation, staff) it leaves: sunk capital
does not decide that. The 90th percentile of capacity is a rough price support, not a floor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import Literal

from ...records import RentmarkError

Basis = Literal["full", "cash"]
PERCENTS = (25, 50, 75, 90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """One producer on one date. Costs are micro-USD per unit of product; ``cash_micros`` None is unknown."""

    date: date
    name: str
    capacity: Fraction
    full_micros: int
    cash_micros: int | None

    def cost_micros(self, basis: Basis) -> int | None:
        """Its cost on a basis."""
        return self.full_micros if basis == "full" else self.cash_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A producer's place on a curve. Capacity runs from ``capacity_from`` to ``capacity_to`` along the axis.

    ``rank`` 1 is the cheapest; equal costs share a rank. ``percentile`` is the share of all capacity (in
    percent) that produces at this cost or less, so the dearest stands at 100.
    """

    producer: Producer
    cost_micros: int
    capacity_from: Fraction
    capacity_to: Fraction
    rank: int
    percentile: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CostCurve:
    """The producers of one date in the order of their cost, cheapest first."""

    date: date
    basis: Basis
    bars: tuple[Bar, ...]
    unknown: tuple[Producer, ...]
    """Producers whose cost on this basis is not known: not on the curve, and not guessed."""

    @property
    def capacity(self) -> Fraction:
        """All capacity on the curve."""
        return self.bars[-1].capacity_to if self.bars else Fraction(0)

    def percentile_micros(self, percent: int) -> int | None:
        """The lowest cost at which at least ``percent`` of the capacity produces; None on an empty curve."""
        for bar in self.bars:
            if bar.percentile >= percent:
                return bar.cost_micros
        return None

    def above(self, price_micros: int) -> tuple[Bar, ...]:
        """Producers whose cost is above a price, dearest first."""
        return tuple(bar for bar in reversed(self.bars) if bar.cost_micros > price_micros)


def curve_of(producers: Sequence[Producer], on: date, basis: Basis) -> CostCurve:
    """The curve of one date. Raises RentmarkError where no producer is stated for that date."""
    present = [producer for producer in producers if producer.date == on]
    if not present:
        raise RentmarkError(f"No producer is stated for {on}; dates: {_listed(dates_stated(producers))}.")
    known: list[tuple[int, Producer]] = []
    unknown: list[Producer] = []
    for producer in present:
        cost = producer.cost_micros(basis)
        if cost is None:
            unknown.append(producer)
        else:
            known.append((cost, producer))
    known.sort(key=lambda pair: (pair[0], pair[1].name))
    total = sum((producer.capacity for _, producer in known), Fraction(0))
    bars: list[Bar] = []
    reached = Fraction(0)
    for cost, level in groupby(known, key=lambda pair: pair[0]):
        equals = [producer for _, producer in level]
        rank = len(bars) + 1
        at_or_below = reached + sum((producer.capacity for producer in equals), Fraction(0))
        for producer in equals:
            bars.append(
                Bar(
                    producer=producer,
                    cost_micros=cost,
                    capacity_from=reached,
                    capacity_to=reached + producer.capacity,
                    rank=rank,
                    percentile=100 * at_or_below / total,
                )
            )
            reached += producer.capacity
    return CostCurve(date=on, basis=basis, bars=tuple(bars), unknown=tuple(unknown))


def dates_stated(producers: Sequence[Producer]) -> tuple[date, ...]:
    """The dates of a file, ascending."""
    return tuple(sorted({producer.date for producer in producers}))


def _listed(dates: Sequence[date]) -> str:
    return ", ".join(str(day) for day in dates) or "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """What leaves once the price falls below ``below_micros``: the producers whose cash cost that is.

    ``gone`` is all capacity that has left by then, of ``share`` of the capacity on the curve.
    """

    below_micros: int
    producers: tuple[str, ...]
    capacity: Fraction
    gone: Fraction
    share: Fraction


def exits(curve: CostCurve) -> tuple[Exit, ...]:
    """How capacity leaves as the price falls, the first to go first. Meant for the cash curve."""
    found: list[Exit] = []
    gone = Fraction(0)
    for cost in sorted({bar.cost_micros for bar in curve.bars}, reverse=True):
        leaving = [bar for bar in curve.bars if bar.cost_micros == cost]
        capacity = sum((bar.producer.capacity for bar in leaving), Fraction(0))
        gone += capacity
        found.append(
            Exit(
                below_micros=cost,
                producers=tuple(bar.producer.name for bar in leaving),
                capacity=capacity,
                gone=gone,
                share=gone / curve.capacity,
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One producer at two dates; None where it is on one of them only. Improvement is one thing, place another."""

    name: str
    before: Bar | None
    after: Bar | None
    producers_before: int
    producers_after: int

    @property
    def improved(self) -> bool | None:
        """Whether its own cost fell."""
        return self._compare(lambda bar: bar.cost_micros)

    @property
    def gained_place(self) -> bool | None:
        """Whether its rank got better."""
        return self._compare(lambda bar: bar.rank)

    @property
    def lost_place(self) -> bool | None:
        """Whether its rank got worse."""
        return self._compare(lambda bar: -bar.rank)

    def _compare(self, of: Callable[[Bar], int]) -> bool | None:
        """Whether a figure is lower at the later date; None without both."""
        if self.before is None or self.after is None:
            return None
        return of(self.after) < of(self.before)


def moves(before: CostCurve, after: CostCurve) -> tuple[Move, ...]:
    """Every producer of either date, in the order of the later curve, then of the earlier."""
    earlier = {bar.producer.name: bar for bar in before.bars}
    later = {bar.producer.name: bar for bar in after.bars}
    names = [*later, *(name for name in earlier if name not in later)]
    return tuple(
        Move(
            name=name,
            before=earlier.get(name),
            after=later.get(name),
            producers_before=len(earlier),
            producers_after=len(later),
        )
        for name in names
    )
