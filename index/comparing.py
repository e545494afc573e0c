"""Comparing: what several methodologies print of the same good on the same data, in figures.

Floating numbers stand for statistics alone; means and differences of prices are exact and rounded once,
half-even, to a micro-dollar. A change runs from one date with a value to the next one, whatever their distance.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log, sqrt

from ..records import STATUSES_OBSERVED, Fixing, round_fraction

DAYS_A_YEAR = 365
FEWEST_CHANGES = 3
"""Fewest changes of which a correlation is given."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one series of fixings looks like by itself. Values are of OK and THIN dates; CARRIED repeats them.

    ``volatility`` is the realised one a year, √(365 · Σ r² / Σ days) over log changes r (Andersen & Bollerslev
    1998, with unequal steps); None below two changes. ``gap_rules`` counts dates and ``screened`` votes left out,
    each by rule, the commonest first. ``share_unchanged`` is the share of changes that are 0.
    """

    n_dates: int
    statuses: Mapping[str, int]
    gap_rules: Mapping[str, int]
    screened: Mapping[str, int]
    first_value: dt.date | None
    last_value: dt.date | None
    mean_micros: int | None
    volatility: float | None
    share_unchanged: float | None
    top_share_mean: float | None
    top_share_highest: float | None

    @property
    def n_values(self) -> int:
        """Dates with a value of their own."""
        return sum(self.statuses[status] for status in STATUSES_OBSERVED)


@dataclass(frozen=True, slots=True)
class Against:
    """How a series differs from another on the dates on which both have a value of their own.

    Differences are this one less the other, micro-USD. ``tracking_error`` is the standard deviation (n − 1)
    of the difference of changes, USD per GPU-hour. ``opposite`` are dates on which one rose and the other
    fell, ``one_moved`` counts those on which only one of them changed.
    """

    n_common: int
    n_changes: int
    mean_difference_micros: int | None
    mean_absolute_micros: int | None
    largest_absolute_micros: int | None
    largest_on: dt.date | None
    correlation: float | None
    tracking_error: float | None
    opposite: tuple[dt.date, ...]
    one_moved: int


def figures_of(fixings: Sequence[Fixing]) -> Figures:
    """The figures of one series, in order of date."""
    held = values_of(fixings)
    days = sorted(held)
    changes = [(log(held[b] / held[a]), (b - a).days) for a, b in pairwise(days)]
    shares = [float(f.top_weight) for f in fixings if f.date in held and f.top_weight is not None]
    return Figures(
        n_dates=len(fixings),
        statuses={s: sum(f.status == s for f in fixings) for s in ("OK", "THIN", "CARRIED", "GAP")},
        gap_rules=dict(Counter(f.rule or "" for f in fixings if f.status == "GAP").most_common()),
        screened=dict(_screened(fixings).most_common()),
        first_value=days[0] if days else None,
        last_value=days[-1] if days else None,
        mean_micros=_mean(list(held.values())),
        volatility=_realised(changes),
        share_unchanged=sum(r == 0 for r, _ in changes) / len(changes) if changes else None,
        top_share_mean=sum(shares) / len(shares) if shares else None,
        top_share_highest=max(shares, default=None),
    )


def against(first: Sequence[Fixing], other: Sequence[Fixing]) -> Against:
    """How ``other`` differs from ``first``."""
    before, after = values_of(first), values_of(other)
    days = sorted(before.keys() & after.keys())
    apart = {day: after[day] - before[day] for day in days}
    largest = max(days, key=lambda day: (abs(apart[day]), day), default=None)
    moves = [(b, before[b] - before[a], after[b] - after[a]) for a, b in pairwise(days)]
    return Against(
        n_common=len(days),
        n_changes=len(moves),
        mean_difference_micros=_mean(list(apart.values())),
        mean_absolute_micros=_mean([abs(value) for value in apart.values()]),
        largest_absolute_micros=None if largest is None else abs(apart[largest]),
        largest_on=largest,
        correlation=correlation([x for _, x, _ in moves], [y for _, _, y in moves]),
        tracking_error=_deviation([(y - x) / 1_000_000 for _, x, y in moves]),
        opposite=tuple(day for day, x, y in moves if x * y < 0),
        one_moved=sum((x == 0) != (y == 0) for _, x, y in moves),
    )


def values_of(fixings: Sequence[Fixing]) -> dict[dt.date, int]:
    """The values of dates that have one of their own, micro-USD."""
    return {
        f.date: f.value_micros
        for f in fixings
        if f.status in STATUSES_OBSERVED and f.value_micros is not None
    }


def correlation(left: Sequence[int], right: Sequence[int]) -> float | None:
    """Pearson's correlation of paired changes; None below three pairs or where one side never changes.

    The sums are exact; the quotient is the only floating step.
    """
    n = len(left)
    if n < FEWEST_CHANGES:
        return None
    cross = n * sum(x * y for x, y in zip(left, right, strict=True)) - sum(left) * sum(right)
    spread = [n * sum(x * x for x in side) - sum(side) ** 2 for side in (left, right)]
    if not all(spread):
        return None
    return max(-1.0, min(1.0, cross / sqrt(spread[0]) / sqrt(spread[1])))


def _screened(fixings: Sequence[Fixing]) -> Counter[str]:
    """Votes that screens left out, by rule, over all dates."""
    counted: Counter[str] = Counter()
    for fixing in fixings:
        counted.update(json.loads(fixing.details).get("screened", {}) if fixing.details else {})
    return counted


def _mean(values: Sequence[int]) -> int | None:
    return round_fraction(Fraction(sum(values), len(values))) if values else None


def _realised(changes: Sequence[tuple[float, int]]) -> float | None:
    if len(changes) < 2:
        return None
    return sqrt(DAYS_A_YEAR * sum(r * r for r, _ in changes) / sum(days for _, days in changes))


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
