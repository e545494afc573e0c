"""An instrument of a programme: its contract, its index as known day by day, and its marks.

A day's mark is the settlement as first made public where there is one. Before a month has any, it is
marked flat, from the fixings known at the end of that day, and says *modelled*; once it has had one, a
day without a settlement has no mark. So what a day saw never depends on what came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from ...contracts import ContractSpec, business_days, fixing_days, last_trade_date
from ...contracts.account import DayMark, IndexView, flat_marks
from ...records import Mark, Refusal, month_bounds, month_of, round_fraction

IMPORTED = "imported settlements, as first published"
FLAT_ENTRY = "modelled, flat: the fixings effective before the trade, each remaining one as the last"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """A contract on a benchmark. ``stated`` holds its settlements as first published, by month and day."""

    view: IndexView
    stated: Mapping[str, Mapping[date, DayMark]]
    corrected: int = 0
    """Settlements of which a later vintage exists; the first one counts."""
    _flat: dict[tuple[str, date], DayMark | None] = field(default_factory=dict)

    @property
    def spec(self) -> ContractSpec:
        """The contract."""
        return self.view.spec

    def mark(self, month: str, day: date) -> DayMark | Refusal:
        """The mark of a month on a day, or why there is none."""
        stated = self.stated.get(month, {})
        if day in stated:
            return stated[day]
        if any(earlier < day for earlier in stated):
            return Refusal("no_mark", f"{self.spec.id} {month} has no settlement on {day}")
        if (month, day) not in self._flat:
            found = flat_marks(self.view, month, [day])
            if isinstance(found, Refusal):
                return found
            self._flat[month, day] = found.get(day)
        mark = self._flat[month, day]
        if mark is None:
            return Refusal("no_mark", f"{self.spec.id} {month} can't be marked on {day}: no fixing was known")
        return mark

    def marks(self, month: str, first: date, through: date) -> dict[date, DayMark]:
        """Every mark of a month from a day on, to the month's last fixing at the latest."""
        last = min(through, fixing_days(self.spec, month)[-1])
        days = {*trading_days(self.spec, first, last), first}
        days |= {day for day in self.stated.get(month, {}) if first <= day <= through}
        found = {day: self.mark(month, day) for day in sorted(days)}
        return {day: mark for day, mark in found.items() if isinstance(mark, DayMark)}

    def entry_mark(self, month: str, day: date, premium_percent: int = 0) -> DayMark | Refusal:
        """What a month is dealt at on a day: its settlement where it has one, else flat from before the trade.

        A flat entry is what the fixings effective by that day's 00:00 UTC say: before the month the last of
        them, inside it also those that count. Had the futures traded ``premium_percent`` over the last
        fixing, what has fixed carries no premium: the entry is higher by premium · remaining share · last
        fixing. A stated settlement is left as it is.
        """
        mark = self.mark(month, day)
        if isinstance(mark, Refusal) or not mark.modelled:
            return mark
        before = day - timedelta(days=1)
        last, flat = self.view.last_value(before), self.view.flat_value(month, before)
        if last is None or flat is None:
            return Refusal("no_mark", f"{self.spec.id} {month}: no fixing was known before {day}")
        share = self.view.share(month, before).remaining_share
        rise = round_fraction(share * last[1] * premium_percent / 100)
        said = f"; {premium_percent:+d} % on what had not fixed" if premium_percent else ""
        return DayMark(settle_micros=flat + rise, modelled=True, source=f"{FLAT_ENTRY}{said}")


def first_prints(marks: Iterable[Mark]) -> tuple[dict[str, dict[date, DayMark]], int]:
    """The first vintage of each settlement by month and day, and how many were corrected later."""
    first: dict[tuple[str, date], Mark] = {}
    vintages: dict[tuple[str, date], int] = {}
    for mark in marks:
        key = mark.month, mark.trade_date
        vintages[key] = vintages.get(key, 0) + 1
        if key not in first or mark.vintage < first[key].vintage:
            first[key] = mark
    found: dict[str, dict[date, DayMark]] = {}
    for (month, day), mark in sorted(first.items()):
        found.setdefault(month, {})[day] = DayMark(
            settle_micros=mark.settle_micros,
            bid_micros=mark.bid_micros,
            ask_micros=mark.ask_micros,
            open_interest=mark.open_interest,
            source=IMPORTED,
        )
    return found, sum(count > 1 for count in vintages.values())


def trading_days(spec: ContractSpec, first: date, last: date) -> tuple[date, ...]:
    """Days a contract trades between two: its calendar's business days, every day without one."""
    if first > last:
        return ()
    if spec.calendar is not None:
        return business_days(spec.calendar, first, last)
    return tuple(first + timedelta(days=number) for number in range((last - first).days + 1))


def trading_day(spec: ContractSpec, month: str, days_before: int) -> date:
    """The day of a calendar month on which a programme trades: so many trading days before its last one."""
    first, last = month_bounds(month)
    if spec.period == "month":
        last = min(last, last_trade_date(spec, month))
    days = trading_days(spec, first, last)
    return days[max(0, len(days) - 1 - days_before)]


def later_month(month: str, count: int) -> str:
    """The calendar month so many months after another (before it, where negative)."""
    number = int(month[:4]) * 12 + int(month[5:7]) - 1 + count
    return month_of(date(number // 12, number % 12 + 1, 1))
