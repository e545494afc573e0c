"""List-to-transacted: how far advertised prices stand above those at which trades were made.

The level of a tier of offers is the plain median of its sellers' votes, that of trades the price at which half
of the GPU-hours is reached. Both are asked of the same grade and dates, whether or not the methodology uses the
tier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from ...records import median_half_even
from ..ballot import Ballot
from ..estimators import weighted_quantile

NO_TRADES = "No trades here, so no volume or list-to-trade spread."


@dataclass(frozen=True, slots=True)
class SpreadDay:
    """A date with both: the level of list prices and of trades in micro-USD, and the hours traded."""

    date: date
    listed_micros: int
    trade_micros: int
    gpu_hours: float

    @property
    def spread(self) -> float:
        """How far the list stands above the trades, as a share of the trades."""
        return (self.listed_micros - self.trade_micros) / self.trade_micros


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread over a period; without a date that has both tiers, ``reason`` says so."""

    days: tuple[SpreadDay, ...]
    n_trade_days: int
    gpu_hours: float
    median_spread: float | None
    lowest: SpreadDay | None
    highest: SpreadDay | None
    reason: str | None


def list_to_transacted(panel: Mapping[date, Sequence[Ballot]]) -> Spread:
    """The spread of each date whose ballots hold both list prices and trades of one grade."""
    found: list[SpreadDay] = []
    trade_days, seconds = 0, 0
    for day, ballots in sorted(panel.items()):
        traded = sorted((b for b in ballots if b.tier == "trade" and b.gpu_seconds), key=lambda b: b.order)
        listed = sorted(b.value_micros for b in ballots if b.tier == "listed")
        trade_days += bool(traded)
        seconds += sum(b.gpu_seconds for b in traded)
        if traded and listed:
            hours = [b.gpu_seconds for b in traded]
            level = weighted_quantile([b.value_micros for b in traded], hours, 1, 2)
            found.append(SpreadDay(day, median_half_even(listed), level, sum(hours) / 3600))
    reason = None
    if not found:
        reason = NO_TRADES if not trade_days else "No date has both trades and list prices of this grade."
    return Spread(
        days=tuple(found),
        n_trade_days=trade_days,
        gpu_hours=seconds / 3600,
        median_spread=median([d.spread for d in found]) if found else None,
        lowest=min(found, key=lambda d: d.spread, default=None),
        highest=max(found, key=lambda d: d.spread, default=None),
        reason=reason,
    )
