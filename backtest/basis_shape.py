"""The shape of a basis: its constant premium apart from what moves, how fast it returns, and its seasons.

Level is not risk: a premium that stays can be budgeted. What a hedge can't remove is the part that moves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from ..records import MICROS_PER_USD, month_of

MINIMUM_FOR_RETURN = 12
MINIMUM_FOR_SEASONS = 36
"""Monthly changes: three of each calendar month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seasons:
    """One-way analysis of variance of monthly changes by calendar month; None with a ``reason``.

    ``share`` is the part of their variance that calendar months explain. Null: no month differs.
    """

    n: int
    share: float | None = None
    p_value: float | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The test with stable keys."""
        values: dict[str, Any] = {"n": self.n, "share": self.share, "p_value": self.p_value}
        return values if self.reason is None else values | {"reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class BasisShape:
    """A basis taken apart, in dollars per GPU-hour; None comes with a ``reason``.

    ``premium`` is the mean, ``moving_sd`` the spread around it, ``moving_share`` = sd²/(sd² + mean²).
    ``persistence`` is the AR(1) slope with Kendall's (1954) correction (1 + 3φ)/n; ``half_life`` =
    ln ½ / ln φ in values and, by their mean distance, in days.
    """

    n: int
    premium: float | None = None
    moving_sd: float | None = None
    moving_share: float | None = None
    minimum: float | None = None
    minimum_date: date | None = None
    maximum: float | None = None
    maximum_date: date | None = None
    largest_move: float | None = None
    largest_move_date: date | None = None
    persistence: float | None = None
    half_life: float | None = None
    half_life_days: float | None = None
    seasons: Seasons
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The shape with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "n": self.n,
            "premium": self.premium,
            "moving_sd": self.moving_sd,
            "moving_share": self.moving_share,
            "minimum": self.minimum,
            "minimum_date": _day(self.minimum_date),
            "maximum": self.maximum,
            "maximum_date": _day(self.maximum_date),
            "largest_move": self.largest_move,
            "largest_move_date": _day(self.largest_move_date),
            "persistence": self.persistence,
            "half_life": self.half_life,
            "half_life_days": self.half_life_days,
            "seasons": self.seasons.to_json(),
        }
        return values if self.reason is None else values | {"reason": self.reason}


def _day(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


def shape_of(dates: Sequence[date], values_micros: Sequence[Fraction | int]) -> BasisShape:
    """The shape of a basis in micro-USD per GPU-hour on increasing dates."""
    n = len(dates)
    seasons = seasons_of(dates, values_micros)
    if n == 0:
        return BasisShape(n=0, seasons=seasons, reason="no date has both a rent and a fixing")
    dollars = [float(Fraction(value) / MICROS_PER_USD) for value in values_micros]
    low = min(range(n), key=lambda place: dollars[place])
    high = max(range(n), key=lambda place: dollars[place])
    ends: dict[str, Any] = {
        "n": n,
        "premium": math.fsum(dollars) / n,
        "minimum": dollars[low],
        "minimum_date": dates[low],
        "maximum": dollars[high],
        "maximum_date": dates[high],
        "seasons": seasons,
    }
    if n == 1:
        return BasisShape(**ends, reason="one value does not move")
    mean = ends["premium"]
    variance = math.fsum((value - mean) ** 2 for value in dollars) / (n - 1)
    moves = [later - earlier for earlier, later in itertools.pairwise(dollars)]
    most = max(range(n - 1), key=lambda place: abs(moves[place]))
    total = variance + mean * mean
    persistence, half_life, reason = _return_of(dollars)
    days = None if half_life is None else half_life * (dates[-1] - dates[0]).days / (n - 1)
    return BasisShape(
        **ends,
        moving_sd=math.sqrt(variance),
        moving_share=variance / total if total > 0 else 0.0,
        largest_move=moves[most],
        largest_move_date=dates[most + 1],
        persistence=persistence,
        half_life=half_life,
        half_life_days=days,
        reason=reason,
    )


def _return_of(values: Sequence[float]) -> tuple[float | None, float | None, str | None]:
    """(persistence, half-life in values, why there is none)."""
    n = len(values) - 1
    if n < MINIMUM_FOR_RETURN:
        return None, None, f"{n} pairs of values, {MINIMUM_FOR_RETURN} needed for a half-life"
    before, after = values[:-1], values[1:]
    mean_before, mean_after = math.fsum(before) / n, math.fsum(after) / n
    spread = math.fsum((x - mean_before) ** 2 for x in before)
    if spread <= 0 or len(set(before)) == 1:
        return None, None, "the basis did not move, so it has no half-life"
    cross = math.fsum((x - mean_before) * (y - mean_after) for x, y in zip(before, after, strict=True))
    slope = cross / spread
    persistence = slope + (1 + 3 * slope) / n
    if persistence >= 1:
        return (
            persistence,
            None,
            f"nothing pulls the basis back (persistence {persistence:.2f}): no half-life",
        )
    if persistence <= 0:
        return persistence, None, "the basis is back within one value, so a half-life says nothing"
    return persistence, math.log(0.5) / math.log(persistence), None


def seasons_of(dates: Sequence[date], values_micros: Sequence[Fraction | int]) -> Seasons:
    """Whether the basis moves differently by calendar month, from changes of its monthly means."""
    grouped: dict[str, list[Fraction]] = {}
    for day, value in zip(dates, values_micros, strict=True):
        grouped.setdefault(month_of(day), []).append(Fraction(value))
    means = [(month, sum(each, Fraction(0)) / len(each)) for month, each in sorted(grouped.items())]
    changes = [(later[0][5:], later[1] - earlier[1]) for earlier, later in itertools.pairwise(means)]
    n = len(changes)
    if n < MINIMUM_FOR_SEASONS:
        return Seasons(n=n, reason=f"{n} monthly changes, {MINIMUM_FOR_SEASONS} needed to see seasons")
    by_month: dict[str, list[float]] = {}
    for name, change in changes:
        by_month.setdefault(name, []).append(float(change / MICROS_PER_USD))
    if len({change for _, change in changes}) == 1:
        return Seasons(n=n, reason="the basis moves by the same amount every month")
    from scipy.stats import f as fisher

    every = [value for each in by_month.values() for value in each]
    mean = math.fsum(every) / n
    whole = math.fsum((value - mean) ** 2 for value in every)
    between = math.fsum(len(each) * (math.fsum(each) / len(each) - mean) ** 2 for each in by_month.values())
    share = min(1.0, between / whole)
    groups = len(by_month)
    if share >= 1 or n <= groups:
        return Seasons(
            n=n, share=share, reason="calendar months explain the changes exactly, so there is no test"
        )
    statistic = (share / (groups - 1)) / ((1 - share) / (n - groups))
    return Seasons(n=n, share=share, p_value=float(fisher.sf(statistic, groups - 1, n - groups)))
