"""Wash trades: the cheapest volume that moves a value made of trades, weighed by their hours.

One trade between names unknown to the rules, so that no screen of affiliates or of circles sees it, is added to
a date at every price of a grid; the fewest whole GPU-hours that move the value by a target are sought by halving.
Its money goes round: what it costs is fees and whatever the venue keeps; the amount is what must be there to do it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil, floor
from statistics import median

from ...records import STATUSES_OBSERVED, divide_half_even
from ..methodology import Benchmark
from .attacks import DOWN, TARGETS, UP
from .days import Day, outcome_of
from .manipulation import spaced

MOST_WASHED = 20
"""A longer period is asked on so many dates, evenly spaced, the last among them: each takes hundreds of fixings."""
MOST_VOLUME = 100
"""Hours are sought up to so many times those of the date."""
PRICE_FACTORS = (1.0, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0)
"""Prices of the trade, times the value aimed at (or divided by it, downwards)."""
NO_VOLUME = "The value is not weighed by traded hours, so no volume moves it; see added sellers."


@dataclass(frozen=True, slots=True)
class WashTrade:
    """The cheapest trade that moves the value of a date by a target: price and amount in micro-USD, whole GPU-hours."""

    date: date
    target: float
    direction: int
    value_micros: int
    moved_micros: int
    price_micros: int
    gpu_hours: int
    day_gpu_hours: float

    @property
    def amount_micros(self) -> int:
        """Hours times price."""
        return self.gpu_hours * self.price_micros


@dataclass(frozen=True, slots=True)
class WashCost:
    """What a move by a target takes in one direction over the dates asked.

    ``cheapest`` is the least amount of any date; ``n_reached`` counts the dates on which the target can be met within
    MOST_VOLUME times the hours of the date.
    """

    target: float
    direction: int
    cheapest: WashTrade | None
    median_amount_micros: int | None
    median_share_of_volume: float | None
    n_reached: int
    n_dates: int


@dataclass(frozen=True, slots=True)
class Wash:
    """The cost of wash trades over a period, or why there is none."""

    costs: tuple[WashCost, ...]
    n_dates: int
    reason: str | None


def wash_trades(benchmark: Benchmark, days: Sequence[Day]) -> Wash:
    """Ask what wash trades would take on the dates whose value was made of trades by their hours."""
    if benchmark.methodology.weights != "volume":
        return Wash((), 0, NO_VOLUME)
    traded = [d for d in days if d.fixing.status in STATUSES_OBSERVED and d.fixing.tier == "trade"]
    if not traded:
        return Wash((), 0, "No date of the period has a value made of trades.")
    asked = spaced(traded, MOST_WASHED)
    costs = []
    for target in TARGETS:
        for way in (UP, DOWN):
            found = [cheapest_wash(benchmark, day, target, way) for day in asked]
            costs.append(_cost(target, way, [w for w in found if w is not None], len(asked)))
    return Wash(tuple(costs), len(asked), None)


def cheapest_wash(benchmark: Benchmark, day: Day, target: float, direction: int) -> WashTrade | None:
    """The trade of the least amount that moves the value of a date by ``target`` or more; None without one."""
    outcome = outcome_of(benchmark, day)
    if outcome is None or outcome.value_micros is None or not outcome.standing:
        return None
    value = outcome.value_micros
    aim = value * (1 + direction * target)
    held = outcome.counts.gpu_seconds / 3600
    most = max(1, int(held * MOST_VOLUME))
    middle = outcome.standing[len(outcome.standing) // 2]
    best: WashTrade | None = None

    def moved(price: int, hours: int) -> int | None:
        added = replace(
            middle,
            seller="wash seller",
            buyer=None if middle.buyer is None else "wash buyer",
            value_micros=price,
            gpu_seconds=hours * 3600,
            n_observations=1,
            observation_id=None if middle.observation_id is None else -1,
        )
        ballots = sorted([*day.whole, added], key=lambda b: b.order)
        made = outcome_of(benchmark, day, ballots)
        return None if made is None else made.value_micros

    for factor in PRICE_FACTORS if direction == UP else reversed(PRICE_FACTORS):
        price = ceil(aim * factor) if direction == UP else max(1, floor(aim / factor))
        # more hours than this at this price would cost more than what is found already
        limit = most if best is None else min(most, (best.amount_micros - 1) // price)
        hours = _fewest(lambda h, p=price: _enough(moved(p, h), aim, direction), limit)  # type: ignore[misc]
        made = None if hours is None else moved(price, hours)
        if hours is not None and made is not None:
            best = WashTrade(day.fixing.date, target, direction, value, made, price, hours, held)
    return best


def _enough(made: int | None, aim: float, direction: int) -> bool:
    return made is not None and (made - aim) * direction >= 0


def _fewest(enough: Callable[[int], bool], most: int) -> int | None:
    """The fewest whole hours that are enough, by halving; more hours never move less. None where ``most`` are not."""
    if most < 1 or not enough(most):
        return None
    low, high = 0, most
    while high - low > 1:
        half = (low + high) // 2
        low, high = (low, half) if enough(half) else (half, high)
    return high


def _cost(target: float, way: int, found: Sequence[WashTrade], dates: int) -> WashCost:
    amounts = sorted(w.amount_micros for w in found)
    half = len(amounts) // 2
    return WashCost(
        target=target,
        direction=way,
        cheapest=min(found, key=lambda w: (w.amount_micros, w.date), default=None),
        median_amount_micros=divide_half_even(amounts[half] + amounts[-half - 1], 2) if amounts else None,
        median_share_of_volume=median(w.gpu_hours / w.day_gpu_hours for w in found) if found else None,
        n_reached=len(found),
        n_dates=dates,
    )
