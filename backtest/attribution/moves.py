"""How far a price series moved from an entry day into the hours of a month.

``Δ = Σ w·S(d) / Σ w − S(entry)``, the days weighed by the hours used on them, so that a series is averaged
the way the rent was. A day without a value takes the latest earlier one, at most seven days old: a
listed price stands until the next is seen. Older than that, the move is unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

OLDEST_DAYS = 7
"""How old a value may be that stands for a day without one: a weekly snapshot still reaches the next."""


class Series:
    """Prices by date in micro-USD per GPU-hour, read as steps."""

    def __init__(self, values: Mapping[date, int]) -> None:
        self._dates = sorted(values)
        self._values = [values[day] for day in self._dates]

    def at(self, day: date) -> int | None:
        """The value of a day, or the latest of the seven days before; None where there is none."""
        place = bisect_right(self._dates, day) - 1
        if place < 0 or (day - self._dates[place]).days > OLDEST_DAYS:
            return None
        return self._values[place]


@dataclass(frozen=True, slots=True)
class PaidDay:
    """A day of the month and the weight of its hours; ``key`` picks the series where that changes by day."""

    date: date
    weight: Fraction
    key: int = 0


def move(series: Sequence[Series], days: Sequence[PaidDay], entry: date, entry_key: int) -> Fraction | None:
    """The move from ``entry`` to the weighed mean of ``days``; None where a value is missing."""
    start = series[entry_key].at(entry)
    if start is None or not days:
        return None
    total = weight = Fraction(0)
    for each in days:
        value = series[each.key].at(each.date)
        if value is None:
            return None
        total += each.weight * value
        weight += each.weight
    return None if weight == 0 else total / weight - start
