"""The days of a contract month: fixing days, last trade, hours, and the lot they make.

Business days come from exchange_calendars, built with an explicit first and last day because its
default range moves with today's date, which would make an old answer change.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from ..records import RentmarkError, UsageError, month_bounds, month_of
from .spec import ContractSpec

CALENDAR_FIRST = date(2000, 1, 1)
CALENDAR_LAST = date(2050, 12, 31)
"""The span business days are answered for. Beyond the years an exchange has announced its holidays
for, they follow from its standing rules."""

HOURS_PER_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractMonth:
    """One month of a contract with everything its dates decide."""

    contract: str
    month: str
    fixing_days: tuple[date, ...]
    last_trade_date: date
    unit_gpu_hours: int
    tick_value_micros: int


def bounds_of(month: str) -> tuple[date, date]:
    """First and last day of ``2026-08``; raises UsageError for what is not a month."""
    try:
        return month_bounds(month)
    except ValueError as error:
        raise UsageError(f"{error}; write it as YYYY-MM.") from None


@lru_cache(maxsize=32)
def _trading_days(calendar: str) -> tuple[date, date, tuple[date, ...]]:
    """First and last day the calendar is answered for, and its trading days between them."""
    import exchange_calendars  # with pandas 0.5 s: only where business days are asked
    from exchange_calendars.errors import InvalidCalendarName
    from pandas.errors import Pandas4Warning

    try:
        with warnings.catch_warnings():
            # exchange_calendars 4.13 uses a pandas call that pandas 3.1 deprecates; no fault of the caller.
            warnings.simplefilter("ignore", Pandas4Warning)
            # Every calendar knows this one month; its class then says how far it may be asked.
            probe = exchange_calendars.get_calendar(calendar, start=date(2024, 1, 1), end=date(2024, 1, 31))
            earliest, latest = type(probe).bound_min(), type(probe).bound_max()
            first = CALENDAR_FIRST if earliest is None else max(CALENDAR_FIRST, earliest.date())
            last = CALENDAR_LAST if latest is None else min(CALENDAR_LAST, latest.date())
            built = exchange_calendars.get_calendar(calendar, start=first, end=last)
    except InvalidCalendarName:
        raise UsageError(
            f"calendar is {calendar!r}, which exchange_calendars does not know; name one such as XNYS, CMES or XLON."
        ) from None
    except (ValueError, NotImplementedError) as error:
        # ASEX and XTAE, among others, fail inside exchange_calendars 4.13 under pandas 3.1.
        raise RentmarkError(
            f"calendar {calendar} cannot be built by the installed exchange_calendars and pandas; "
            "name another, or install versions that build it."
        ) from error
    return first, last, tuple(day.date() for day in built.sessions.to_pydatetime())


def business_days(calendar: str, first: date, last: date) -> tuple[date, ...]:
    """The trading days of an exchange calendar from ``first`` to ``last``, both included.

    Raises UsageError when the calendar does not exist and RentmarkError outside the span it covers.
    """
    covered_first, covered_last, days = _trading_days(calendar)
    if first < covered_first or last > covered_last:
        raise RentmarkError(
            f"calendar {calendar} is known from {covered_first} to {covered_last}, "
            f"which does not cover {first} to {last}; ask for a month inside it."
        )
    return days[bisect_left(days, first) : bisect_right(days, last)]


def fixing_days(spec: ContractSpec, month: str) -> tuple[date, ...]:
    """The days whose fixings a contract month averages, ascending.

    Raises UsageError for what is not a month, RentmarkError outside the calendar's span.
    """
    first, last = bounds_of(month)
    if spec.averaging == "every_day":
        return tuple(first + timedelta(days=number) for number in range((last - first).days + 1))
    assert spec.calendar is not None  # the spec's own validation
    return business_days(spec.calendar, first, last)


def last_trade_date(spec: ContractSpec, month: str) -> date:
    """The last day a contract month trades, by the spec's ``last_trade`` rule."""
    if spec.last_trade == "last_fixing_day":
        return fixing_days(spec, month)[-1]
    assert spec.calendar is not None  # the spec's own validation
    return business_days(spec.calendar, *bounds_of(month))[-1]


def hours_in_month(month: str) -> int:
    """Hours of a calendar month in UTC: 24 for each of its days."""
    first, last = bounds_of(month)
    return ((last - first).days + 1) * HOURS_PER_DAY


def unit_gpu_hours(spec: ContractSpec, month: str) -> int:
    """GPU-hours one lot of a contract month stands for."""
    hours = hours_in_month(month)  # a month that is no month is refused under every rule
    if spec.unit_rule == "fixed":
        assert spec.fixed_gpu_hours is not None  # the spec's own validation
        return spec.fixed_gpu_hours
    return hours * spec.unit_gpus


def tick_value_micros(spec: ContractSpec, month: str) -> int:
    """What one tick is worth on one lot, in micro-dollars."""
    return spec.tick_micros * unit_gpu_hours(spec, month)


def contract_months(spec: ContractSpec, first: str, count: int | None = None) -> tuple[str, ...]:
    """``count`` consecutive contract months from ``first`` on; by default as many as are listed.

    Raises UsageError when ``count`` is below 1 or above the listing, or is left out where the
    number of listed months is unknown.
    """
    start, _ = bounds_of(first)
    wanted = spec.listing_months if count is None else count
    if wanted is None:
        raise UsageError(f"how many months {spec.id} lists is unknown; say how many you want.")
    if wanted < 1:
        raise UsageError(f"{wanted} contract months were asked for; ask for at least 1.")
    if spec.listing_months is not None and wanted > spec.listing_months:
        raise UsageError(
            f"{wanted} months of {spec.id} were asked for and {spec.listing_months} are listed at a time; ask for fewer."
        )
    zero_based = start.year * 12 + start.month - 1
    return tuple(
        month_of(date(number // 12, number % 12 + 1, 1)) for number in range(zero_based, zero_based + wanted)
    )


def contract_month(spec: ContractSpec, month: str) -> ContractMonth:
    """Everything the dates of one contract month decide."""
    return ContractMonth(
        contract=spec.id,
        month=month,
        fixing_days=fixing_days(spec, month),
        last_trade_date=last_trade_date(spec, month),
        unit_gpu_hours=unit_gpu_hours(spec, month),
        tick_value_micros=tick_value_micros(spec, month),
    )
