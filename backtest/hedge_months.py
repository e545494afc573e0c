"""The hedge month by month: what was known at entry, what the month cost, what it settled at.

A month is entered on the last trading day of the month before, seeing only fixings effective by
that day's 00:00 UTC and rent of earlier days. Without a contract it is entered at the last common
date before the month, and settles on the mean of the month's fixings: a proxy, never a settlement.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ..contracts import (
    ContractSpec,
    Settlement,
    fixings_for_settlement,
    fixings_known_at,
    last_trade_date,
    settle,
)
from ..records import Fixing, day_start, month_bounds, month_of, round_fraction
from .methods import RatioMethod
from .series import Changes, CommonDate, observed_micros

EntrySource = Literal["quote", "flat"]
SettledOn = Literal["final price", "indicative price", "mean of fixings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeMonth:
    """One month of a hedge; prices in micro-USD per GPU-hour.

    ``entry_price_micros`` is K: the user's quote, or *flat*: the last fixing known before the trade
    (``fixing_date``) plus the entry premium. ``settlement_micros`` is FSP, None with a ``reason``
    where the month printed none. ``last_date`` is the last day the month rests on, ``known_from`` is the instant from which a later trade may learn
    from this month.
    """

    month: str
    entry_date: date
    fixing_date: date
    entry_price_micros: int
    entry_source: EntrySource
    last_rent_date: date
    last_rent_micros: int
    rent: Fraction
    rent_days: int
    last_date: date
    settlement_micros: int | None
    settled_on: SettledOn | None
    status: str
    fixings: int
    expected: int | None
    known_from: datetime
    settlement: Settlement | None = None
    reason: str | None = None

    @property
    def rent_change(self) -> Fraction:
        """The month's mean rent − the last rent before entry."""
        return self.rent - self.last_rent_micros

    @property
    def price_change_micros(self) -> int:
        """FSP − K. Only for a month that has a settlement."""
        assert self.settlement_micros is not None
        return self.settlement_micros - self.entry_price_micros


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRule:
    """How entry prices are set: the user's quotes by month first, else flat plus a premium."""

    premium_percent: Decimal = Decimal(0)
    quotes_micros: Mapping[str, int] | None = None

    def price(self, month: str, last_fixing_micros: int) -> tuple[int, EntrySource]:
        """K for a month, given the last fixing known before the trade."""
        if self.quotes_micros is not None and month in self.quotes_micros:
            return self.quotes_micros[month], "quote"
        factor = 1 + Fraction(self.premium_percent) / 100
        return round_fraction(last_fixing_micros * factor), "flat"


def hedge_changes(months: Iterable[HedgeMonth]) -> Changes:
    """(Month's mean rent − last rent before entry) paired with (FSP − K), where FSP exists."""
    settled = [month for month in months if month.settlement_micros is not None]
    return Changes(
        kind="hedge",
        dates=tuple(month.last_date for month in settled),
        rent=tuple(month.rent_change for month in settled),
        reference=tuple(Fraction(month.price_change_micros) for month in settled),
    )


def chained_changes(months: Iterable[HedgeMonth]) -> Changes:
    """Changes from one settled month to the next of the month's mean rent and of its FSP.

    For methods that add changes up to levels: entry-to-mean changes do not follow one upon the other.
    """
    settled = [month for month in months if month.settlement_micros is not None]
    pairs = list(itertools.pairwise(settled))
    return Changes(
        kind="hedge",
        dates=tuple(later.last_date for _, later in pairs),
        rent=tuple(later.rent - earlier.rent for earlier, later in pairs),
        reference=tuple(
            Fraction((later.settlement_micros or 0) - (earlier.settlement_micros or 0))
            for earlier, later in pairs
        ),
    )


def changes_for(method: RatioMethod, months: Iterable[HedgeMonth]) -> Changes:
    """The hedge changes a method learns from: entry to mean, or chained where it reads levels."""
    return chained_changes(months) if method.reads_levels else hedge_changes(months)


def proxy_months(
    rent: Mapping[date, int],
    fixings: Mapping[date, Fixing],
    common: Sequence[CommonDate],
    entry: EntryRule,
) -> tuple[HedgeMonth, ...]:
    """Hedge months without a contract: FSP is the mean of the month's OK and THIN fixings.

    Entered at the last common date before the month; K and the last rent are that date's.
    """
    observed = observed_micros(fixings)
    dates = [each.date for each in common]
    rent_by_month, fixing_by_month = _by_month(rent), _by_month(observed)
    months: list[HedgeMonth] = []
    for month in sorted({month_of(day) for day in dates}):
        first = month_bounds(month)[0]
        place = bisect_left(dates, first)
        if place == 0:
            continue  # nothing was known before the first month
        at = common[place - 1]
        price, source = entry.price(month, at.reference_micros)
        rents, values = rent_by_month[month], fixing_by_month[month]
        last_date = max(*rents, *values)
        months.append(
            HedgeMonth(
                month=month,
                entry_date=at.date,
                fixing_date=at.date,
                entry_price_micros=price,
                entry_source=source,
                last_rent_date=at.date,
                last_rent_micros=at.rent_micros,
                rent=_mean(rents),
                rent_days=len(rents),
                last_date=last_date,
                settlement_micros=round_fraction(_mean(values)),
                settled_on="mean of fixings",
                status="proxy",
                fixings=len(values),
                expected=None,
                # A proxy trades on a common date's own values, so it may know that whole day.
                known_from=day_start(last_date),
            )
        )
    return tuple(months)


def contract_months(
    spec: ContractSpec,
    rent: Mapping[date, int],
    tape: Sequence[Fixing],
    *,
    benchmark: str,
    now: datetime,
    entry: EntryRule,
) -> tuple[HedgeMonth, ...]:
    """Hedge months through a contract: FSP is its final price, else its indicative one, said which.

    Months in which the user paid a rent and before whose entry both a fixing and a rent were known.
    """
    rent_dates = sorted(rent)
    rent_by_month = _by_month(rent)
    months: list[HedgeMonth] = []
    for month, rents in sorted(rent_by_month.items()):
        trade = last_trade_date(spec, _month_before(month))
        known = observed_micros(fixings_known_at(tape, day_start(trade)))
        place = bisect_left(rent_dates, trade)
        if not known or place == 0:
            continue
        fixing_date = max(known)
        last_rent = rent_dates[place - 1]
        price, source = entry.price(month, known[fixing_date])
        settlement = settle(
            spec,
            month,
            fixings_for_settlement(spec, month, tape, now),
            benchmark=benchmark,
            now=now,
        )
        final = settlement.final_settlement_price_micros
        fsp = settlement.price_micros
        settled_on: SettledOn | None = None
        if fsp is not None:
            settled_on = "indicative price" if final is None else "final price"
        rent_over = day_start(max(rents) + timedelta(days=1))
        months.append(
            HedgeMonth(
                month=month,
                entry_date=trade,
                fixing_date=fixing_date,
                entry_price_micros=price,
                entry_source=source,
                last_rent_date=last_rent,
                last_rent_micros=rent[last_rent],
                rent=_mean(rents),
                rent_days=len(rents),
                last_date=max(rents),
                settlement_micros=fsp,
                settled_on=settled_on,
                status=settlement.status,
                fixings=settlement.fixings,
                expected=settlement.expected,
                known_from=max(settlement.effective_at, rent_over),
                settlement=settlement,
                reason=None if fsp is not None else _why_no_price(settlement),
            )
        )
    return tuple(months)


def _why_no_price(settlement: Settlement) -> str:
    counted = f"{settlement.fixings} of {settlement.expected} fixings"
    if settlement.status == "accruing":
        return f"accruing: {counted} known"
    return f"determination: {counted}, so no price is printed"


def _month_before(month: str) -> str:
    return month_of(month_bounds(month)[0] - timedelta(days=1))


def _by_month(values: Mapping[date, int]) -> dict[str, dict[date, int]]:
    grouped: dict[str, dict[date, int]] = {}
    for day, value in values.items():
        grouped.setdefault(month_of(day), {})[day] = value
    return grouped


def _mean(values: Mapping[date, int]) -> Fraction:
    return Fraction(sum(values.values()), len(values))
