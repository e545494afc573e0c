"""The days of a contract month: fixing days, last trade, hours, and the lot they make."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, timedelta

from ..records import RentmarkError, UsageError, month_bounds, month_of, parse_date
from ..records.exchange_days import ExchangeDays, UnbuiltCalendarError, UnknownCalendarError, exchange_days
from .spec import ContractSpec

HOURS_PER_DAY = 24
LONGEST_CLOSURE_DAYS = 20
"""More calendar days than any exchange stays closed in a row, holidays of two weeks included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractMonth:
    """One month of a contract with everything its dates decide."""

    contract: str
    month: str
    fixing_days: tuple[date, ...]
    last_trade_date: date
    roll_date: date
    spot_limit_first_day: date | None
    unit_gpu_hours: int
    tick_value_micros: int


def bounds_of(month: str) -> tuple[date, date]:
    """First and last day of ``2026-08``; raises UsageError for what is not a month."""
    try:
        return month_bounds(month)
    except ValueError as error:
        raise UsageError(f"{error}; write it as YYYY-MM.") from None


def _trading_days(calendar: str) -> ExchangeDays:
    """The days of a calendar, or the sentence that says why there are none."""
    try:
        return exchange_days(calendar)
    except UnknownCalendarError:
        raise UsageError(
            f"calendar is {calendar!r}, which exchange_calendars does not know; name one such as XNYS, CMES or XLON."
        ) from None
    except UnbuiltCalendarError as error:
        raise RentmarkError(
            f"calendar {calendar} cannot be built by the installed exchange_calendars and pandas; "
            "name another, or install versions that build it."
        ) from error


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


def period_bounds(spec: ContractSpec, month: str) -> tuple[date, date]:
    """First and last calendar day of a contract month: the whole of it, or what is left of it.

    A balance of the month is written by its first day, ``2026-08-14``. Raises UsageError for what is
    neither a month nor, where the contract asks for one, a day.
    """
    if spec.period == "month":
        return bounds_of(month)
    try:
        first = parse_date(month)
    except ValueError as error:
        raise UsageError(
            f"{error}; {spec.id} settles on the balance of a month, written by its first day."
        ) from None
    return first, bounds_of(month_of(first))[1]


def averaging_bounds(spec: ContractSpec, month: str) -> tuple[date, date]:
    """First and last day between which fixings are averaged, with the contract's early month ends."""
    first, last = period_bounds(spec, month)
    early = spec.period_ends.get(last.month)
    last = last if early is None else last.replace(day=early)
    if first > last:
        raise UsageError(
            f"{spec.id} {month} begins after its last day of averaging, {last}; name an earlier day."
        )
    return first, last


def fixing_weights(spec: ContractSpec, month: str) -> dict[date, int]:
    """The days whose fixings a contract month averages, ascending, each with its whole weight.

    The weight is 1, or under ``day_weighted`` the calendar days the fixing stands for: its own and
    those after it that are no business days, as CME one-month SOFR futures (SR1) average overnight
    rates. There the fixing before the month stands for the days before its
    first business day. Raises UsageError for what is not a month or leaves no fixing day,
    RentmarkError outside the calendar's span.
    """
    first, last = averaging_bounds(spec, month)
    if spec.averaging == "every_day":
        days = tuple(first + timedelta(days=number) for number in range((last - first).days + 1))
    else:
        assert spec.calendar is not None  # the spec's own validation
        days = business_days(spec.calendar, first, last)
        if spec.averaging == "day_weighted":
            return _day_weights(spec.calendar, first, last, days)
    if spec.averaging_last is not None:
        days = days[-spec.averaging_last :]
    if not days:
        raise UsageError(f"{spec.id} {month} has no fixing day from {first} to {last}; name an earlier day.")
    return dict.fromkeys(days, 1)


def _day_weights(calendar: str, first: date, last: date, days: tuple[date, ...]) -> dict[date, int]:
    if not days or days[0] > first:
        before = business_days(
            calendar, first - timedelta(days=LONGEST_CLOSURE_DAYS), first - timedelta(days=1)
        )
        days = (*before[-1:], *days)
    starts = [max(day, first) for day in days]
    following = [*starts[1:], last + timedelta(days=1)]
    return {day: (end - start).days for day, start, end in zip(days, starts, following, strict=True)}


def fixing_days(spec: ContractSpec, month: str) -> tuple[date, ...]:
    """The days whose fixings a contract month averages, ascending; raises as ``fixing_weights``."""
    return tuple(fixing_weights(spec, month))


def last_trade_date(spec: ContractSpec, month: str) -> date:
    """The last day a contract month trades, by the spec's ``last_trade`` rule."""
    if spec.last_trade == "last_fixing_day":
        return fixing_days(spec, month)[-1]
    assert spec.calendar is not None  # the spec's own validation
    first, last = averaging_bounds(spec, month)
    trading = business_days(spec.calendar, first, last)
    if not trading:
        raise UsageError(
            f"{spec.id} {month} has no business day from {first} to {last}; name an earlier day."
        )
    return trading[-1]


def business_days_before(spec: ContractSpec, day: date, count: int) -> date:
    """The day ``count`` business days of the contract's calendar before ``day``; every day without one."""
    if spec.calendar is None or count == 0:
        return day - timedelta(days=count)
    reach = timedelta(days=LONGEST_CLOSURE_DAYS + 2 * count)
    return business_days(spec.calendar, day - reach, day - timedelta(days=1))[-count]


def roll_date(spec: ContractSpec, month: str) -> date:
    """The day on which a position in a contract month rolls into the next one."""
    return business_days_before(spec, last_trade_date(spec, month), spec.roll_business_days)


def spot_limit_first_day(spec: ContractSpec, month: str) -> date | None:
    """The first day on which the spot-month limit holds; None where it is unknown."""
    if spec.limits is None or spec.limits.spot_month_business_days is None:
        return None
    return business_days_before(spec, last_trade_date(spec, month), spec.limits.spot_month_business_days)


def hours_in_month(month: str) -> int:
    """Hours of a calendar month in UTC: 24 for each of its days."""
    first, last = bounds_of(month)
    return ((last - first).days + 1) * HOURS_PER_DAY


def unit_gpu_hours(spec: ContractSpec, month: str) -> int:
    """GPU-hours one lot of a contract month stands for."""
    first, last = period_bounds(spec, month)  # a month that is no month is refused under every rule
    if spec.unit_rule == "fixed":
        assert spec.fixed_gpu_hours is not None  # the spec's own validation
        return spec.fixed_gpu_hours
    return ((last - first).days + 1) * HOURS_PER_DAY * spec.unit_gpus


def tick_value_micros(spec: ContractSpec, month: str) -> int:
    """What one tick is worth on one lot, in micro-dollars."""
    return spec.tick_micros * unit_gpu_hours(spec, month)


def contract_month(spec: ContractSpec, month: str) -> ContractMonth:
    """Everything the dates of one contract month decide."""
    return ContractMonth(
        contract=spec.id,
        month=month,
        fixing_days=fixing_days(spec, month),
        last_trade_date=last_trade_date(spec, month),
        roll_date=roll_date(spec, month),
        spot_limit_first_day=spot_limit_first_day(spec, month),
        unit_gpu_hours=unit_gpu_hours(spec, month),
        tick_value_micros=tick_value_micros(spec, month),
    )
