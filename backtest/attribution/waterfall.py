"""One month taken apart: from a plan that the hedge covers exactly to what was paid, one cause at a time.

With a contract's hours ``a`` (planned H or actual A), its rent ``r₀ + p`` (last rate before entry, and its
move), the hedge's hours ``q`` and the move ``g`` of what it settles on, the month costs

``f = Σ a·(r₀ + p) − Σ H·r₀ − q·g − roll + fees``.

At the start every cause is off: a = H, q = Σ e·H (the exposed hours) and p = e·g, so f = 0. Each cause
switches its own part on; after the last f is the month's T but for what no cause explains. The value of
a cause is f after − f before, so the lines telescope to T whatever the order; what depends on the order is
shown as the range of both. Rents, prices and hours are exact; each step is rounded once, half-even.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...records import round_fraction
from .lines import HEDGE_LINES, NAMED_LINES, RENT_LINES, LineName


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One rental contract in one month; hours and amounts are positive for a buyer, negative for a provider.

    ``exposure`` is the share of its hours whose price moves (0 for a fixed month). ``moves`` holds, for
    each cause on the side of the rent that the data can separate, how far the own price moved beyond
    what it would have done without that cause, in micro-USD per GPU-hour.
    """

    name: str
    planned_hours: Fraction
    actual_hours: Fraction
    bill_micros: int
    budget_rate_micros: int
    exposure: Fraction = Fraction(1)
    moves: Mapping[LineName, Fraction] = field(default_factory=dict)

    @property
    def budget_micros(self) -> int:
        """Planned hours at the last rate before entry."""
        return round_fraction(self.planned_hours * self.budget_rate_micros)


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgedPosition:
    """What was held over one month and what it paid. Hours are signed: positive is long.

    ``settlement_move`` is FSP − the fixing at entry, in micro-USD per GPU-hour. ``moves`` are the parts of
    it that come from the index's rules and from averaging. The exposed hours become ``day_count_hours``
    (the same number of exact lots in every month), those ``ratio_hours`` (the hedge ratio), those
    ``held_hours`` (whole lots). ``roll_micros`` is profit, ``fees_micros`` cost.
    """

    settlement_move: Fraction
    day_count_hours: Fraction
    ratio_hours: Fraction
    held_hours: Fraction
    moves: Mapping[LineName, Fraction] = field(default_factory=dict)
    roll_micros: int = 0
    fees_micros: int = 0

    @property
    def pnl_micros(self) -> int:
        """Futures P&L: hours held × the settlement's move, plus roll, less fees; rounded half-even once."""
        return round_fraction(self.held_hours * self.settlement_move) + self.roll_micros - self.fees_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthParts:
    """One month's T and its lines in micro-USD, forward and reverse; both sum exactly to T."""

    month: str
    bill_micros: int
    budget_micros: int
    pnl_micros: int
    forward: Mapping[LineName, int]
    reverse: Mapping[LineName, int]

    @property
    def total_micros(self) -> int:
        """T of the month: actual bill − budget bill − futures P&L."""
        return self.bill_micros - self.budget_micros - self.pnl_micros


def take_apart(month: str, legs: Sequence[Leg], position: HedgedPosition) -> MonthParts:
    """Attribute one month in both orders. What no cause explains stands in *unexplained* in either."""
    bill = sum(leg.bill_micros for leg in legs)
    budget = sum(leg.budget_micros for leg in legs)
    pnl = position.pnl_micros
    total = bill - budget - pnl
    return MonthParts(
        month=month,
        bill_micros=bill,
        budget_micros=budget,
        pnl_micros=pnl,
        forward=_walk(legs, position, NAMED_LINES, total),
        reverse=_walk(legs, position, tuple(reversed(NAMED_LINES)), total),
    )


def _walk(
    legs: Sequence[Leg], position: HedgedPosition, order: Sequence[LineName], total: int
) -> dict[LineName, int]:
    on: set[LineName] = set()
    found: dict[LineName, int] = {}
    before = round_fraction(_cost(legs, position, on))
    for name in order:
        on.add(name)
        after = round_fraction(_cost(legs, position, on))
        found[name] = after - before
        before = after
    return {**{name: found[name] for name in NAMED_LINES}, "unexplained": total - before}


def _cost(legs: Sequence[Leg], position: HedgedPosition, on: set[LineName]) -> Fraction:
    """The month's f with the causes in ``on`` at their actual state, exact, in micro-USD."""
    zero = Fraction(0)
    # The common move is what the settlement would have moved by without causes of its own.
    common = position.settlement_move - sum((position.moves.get(n, zero) for n in HEDGE_LINES), zero)
    settled = common + sum((position.moves.get(n, zero) for n in HEDGE_LINES if n in on), zero)
    cost = Fraction(0)
    exposed = Fraction(0)
    for leg in legs:
        move = common + sum((leg.moves.get(n, zero) for n in RENT_LINES if n in on), zero)
        hours = leg.actual_hours if "volume" in on else leg.planned_hours
        cost += hours * (leg.budget_rate_micros + leg.exposure * move)
        cost -= leg.planned_hours * leg.budget_rate_micros
        exposed += leg.exposure * leg.planned_hours
    held = exposed
    if "day_count" in on:
        held += position.day_count_hours - exposed
    if "hedge_ratio" in on:
        held += position.ratio_hours - position.day_count_hours
    if "rounding" in on:
        held += position.held_hours - position.ratio_hours
    cost -= held * settled
    if "roll" in on:
        cost -= position.roll_micros
    if "fees" in on:
        cost += position.fees_micros
    return cost
