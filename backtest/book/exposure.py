"""Which hours of a contract move with the market, month by month, and which a hedge would only add risk to.

- *fixed*: a price fixed for the day has no exposure;
- *floating*, *indexed*: the whole price moves;
- *capped*: exposed only while the last price before the month is under the cap. At the cap, a rise costs
  nothing more and the whole hedge would be a bet on a fall; the share in between is not modelled;
- *renewal*: days that only a renewal covers are *forecast* exposure: they may never come.

Planned hours size a hedge, so exposure is counted in planned hours; positive for a buyer, negative for a provider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Literal

from ...records import format_micros, month_bounds, month_of
from ..csv_cells import SECONDS_PER_HOUR
from ..sentences import Role
from .contracts import RentalContract
from .exchange import ExchangeRates
from .reading import Book, ContractRent

DayState = Literal["fixed", "floating", "indexed", "capped", "at the cap", "renewal", "ended", "not started"]
EXPOSED: tuple[DayState, ...] = ("floating", "indexed", "capped", "renewal")
MONTHS_AHEAD = 12
"""How far ahead exposure is listed: open-ended contracts would go on for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthExposure:
    """One contract in one month; hours in GPU-hours without sign, ``exposed_hours`` out of the planned ones.

    ``actual_hours`` and ``bill_micros`` are None where nothing is known of them, as in months to come;
    ``planned_is_actual`` where the contract states no plan and the hours used stand for it.
    """

    month: str
    contract: str
    states: tuple[DayState, ...]
    planned_hours: Fraction | None
    planned_is_actual: bool
    exposed_hours: Fraction | None
    actual_hours: Fraction | None
    exposed_actual_hours: Fraction | None
    bill_micros: int | None
    exposed_bill_micros: int | None
    is_forecast: bool
    is_future: bool
    notice_by: date | None
    by_day: Mapping[date, DayState]

    def state_of(self, day: date) -> DayState:
        """How the price of one day of the month is set."""
        return self.by_day[day]

    def to_json(self, role: Role) -> dict[str, Any]:
        """The row with its documented keys; exposure is signed: negative for a provider."""
        sign = 1 if role == "buyer" else -1
        row: dict[str, Any] = {
            "month": self.month,
            "contract": self.contract,
            "price": list(self.states),
            "planned_gpu_hours": _hours(self.planned_hours),
            "actual_gpu_hours": _hours(self.actual_hours),
            "exposed_gpu_hours": None if self.exposed_hours is None else _hours(sign * self.exposed_hours),
            "to_come": self.is_future,
            "forecast": self.is_forecast,
            "notice_by": None if self.notice_by is None else self.notice_by.isoformat(),
            "bill": None if self.bill_micros is None else format_micros(self.bill_micros),
        }
        reasons = []
        if self.planned_hours is None:
            reasons.append("the contract states neither gpus nor planned hours, and no hours were used")
        if self.actual_hours is None or self.bill_micros is None:
            reasons.append("to come" if self.is_future else "no hours are stated")
        if reasons:
            row["reason"] = "; ".join(reasons)
        return row


def state_on(contract: RentalContract, day: date, *, at_cap: bool, has_rent: bool) -> DayState:
    """How the price of a day is set. Days with a rent after the agreed end show that the contract was renewed."""
    if contract.start is not None and day < contract.start:
        return "not started"
    starts, ends = contract.renewal_starts, contract.renewal_ends
    if starts is not None and day >= starts:
        return "renewal" if has_rent or (ends is not None and day <= ends) else "ended"
    if contract.price == "fixed" or (contract.fixed_until is not None and day <= contract.fixed_until):
        return "fixed"
    if contract.price == "capped":
        return "at the cap" if at_cap else "capped"
    return contract.price


def month_exposure(rent: ContractRent, month: str, exchange: ExchangeRates, *, last: date) -> MonthExposure:
    """One contract's month; ``last`` is the last day anything is known of the book."""
    contract = rent.contract
    first, end = month_bounds(month)
    days = [first + timedelta(days=number) for number in range((end - first).days + 1)]
    told = {day.date: day for day in rent.days if month_of(day.date) == month}
    at_cap = _at_cap(rent, first, exchange)
    rented_to = max(told, default=None)
    runs = {
        day: state_on(contract, day, at_cap=at_cap, has_rent=rented_to is not None and day <= rented_to)
        for day in days
    }
    exposed_days = [day for day in days if runs[day] in EXPOSED]
    running = [day for day in days if runs[day] not in ("ended", "not started")]
    hours = [(day, told[day].gpu_seconds) for day in sorted(told) if told[day].gpu_seconds is not None]
    known = bool(hours)
    used = {day: Fraction(seconds or 0, SECONDS_PER_HOUR) for day, seconds in hours}
    actual = sum(used.values(), Fraction(0)) if known else None
    exposed_actual = sum((used.get(day, Fraction(0)) for day in exposed_days), Fraction(0)) if known else None
    whole = contract.planned_hours(month)
    planned = None if whole is None else whole * len(running) / len(days)
    exposed = None if whole is None else whole * len(exposed_days) / len(days)
    if whole is None and known:
        planned, exposed = actual, exposed_actual
    states = tuple(dict.fromkeys(runs[day] for day in days))
    return MonthExposure(
        month=month,
        contract=contract.name,
        states=states,
        planned_hours=planned,
        planned_is_actual=whole is None and known,
        exposed_hours=exposed,
        actual_hours=actual,
        exposed_actual_hours=exposed_actual,
        bill_micros=sum(told[day].amount_micros or 0 for day in used) if known else None,
        exposed_bill_micros=sum(told[day].amount_micros or 0 for day in exposed_days if day in used)
        if known
        else None,
        is_forecast="renewal" in states,
        is_future=first > last,
        notice_by=contract.notice_by if "renewal" in states else None,
        by_day=runs,
    )


def book_exposure(book: Book) -> tuple[MonthExposure, ...]:
    """Every contract in every month it runs in: those with a rent, and those planned, a year ahead."""
    last = max(day.date for rent in book.contracts for day in rent.days)
    ahead = last.year * 12 + last.month - 1 + MONTHS_AHEAD
    horizon = month_of(date(ahead // 12, ahead % 12 + 1, 1))
    found: list[MonthExposure] = []
    for rent in book.contracts:
        for month in _months_of(rent, last, horizon):
            each = month_exposure(rent, month, book.exchange, last=last)
            running = set(each.states) - {"ended", "not started"}
            if running and (each.planned_hours is not None or not each.is_future):
                found.append(each)
    return tuple(sorted(found, key=lambda each: (each.month, each.contract)))


def _months_of(rent: ContractRent, last: date, horizon: str) -> Sequence[str]:
    dates = [day.date for day in rent.days]
    start = min([*dates, *([rent.contract.start] if rent.contract.start else [])], default=last)
    found = []
    number = start.year * 12 + start.month - 1
    while (month := month_of(date(number // 12, number % 12 + 1, 1))) <= horizon:
        found.append(month)
        number += 1
    return found


def _at_cap(rent: ContractRent, first: date, exchange: ExchangeRates) -> bool:
    """Whether the last price before a month stood at the cap; before any price, it does not."""
    cap = rent.contract.cap_micros
    before = rent.price_before(first)
    if cap is None or before is None or before.rate_micros is None:
        return False
    # Without a rate that day's own rent could not be converted either, and says so.
    ceiling = exchange.value(cap, rent.contract.currency, before.date)
    return ceiling is not None and before.rate_micros >= ceiling


def _hours(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
