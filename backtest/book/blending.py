"""The exposed part of a book as one rent: what a hedge is judged against, and the hours it is sized by.

Prices of several contracts are blended by the exposed hours of the month, so that a busy day of one contract
is no move of the price. A contract without a price on a day stands at its last one, at most seven days old.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from ...records import RentmarkError, month_of, round_fraction
from ..csv_cells import SECONDS_PER_HOUR
from ..programme import Exposure
from ..rent_book import RentBook, RentDay
from .days import ContractDay
from .exposure import EXPOSED, MonthExposure, book_exposure
from .reading import Book, ContractRent

OLDEST_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractMonth:
    """The exposed part of a contract in one month with a rent: whole GPU-seconds, and its exposed days."""

    rent: ContractRent
    month: str
    planned_seconds: int
    actual_seconds: int
    bill_micros: int
    days: tuple[ContractDay, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeInput:
    """What a hedge of the book needs. ``plan`` and ``ahead`` are None where the book states no hours.

    ``fixed_until`` is set where no day of the book is exposed: then ``rent`` holds the fixed days, so
    that the report can still print what it has, and there is nothing to hedge.
    """

    rent: RentBook
    exposure: tuple[MonthExposure, ...]
    months: tuple[ContractMonth, ...]
    plan: dict[str, Exposure] | None
    ahead: dict[str, Fraction] | None
    fixed_until: date | None


def hedge_input(book: Book, *, simulated: bool = False) -> HedgeInput:
    """Blend a book. Raises RentmarkError where several contracts can't be weighed for want of hours."""
    exposure = book_exposure(book)
    rows = {(each.month, each.contract): each for each in exposure}
    exposed = [(rent, _exposed_days(rent, rows)) for rent in book.contracts]
    exposed = [(rent, days) for rent, days in exposed if any(day.rate_micros for day in days)]
    fixed_until = None
    if not exposed:
        fixed_until = max(_fixed_until(rent) for rent in book.contracts)
        exposed = [
            (rent, list(rent.days)) for rent in book.contracts if any(day.rate_micros for day in rent.days)
        ]
    weighed = _weights(exposed, rows, fixed=fixed_until is not None)
    months = [] if fixed_until is not None else _months(exposed, rows)
    plan: dict[str, Exposure] | None = None
    if months:
        plan = {}
        for month in sorted({each.month for each in months}):
            parts = [each for each in months if each.month == month]
            plan[month] = Exposure(
                planned_seconds=sum(each.planned_seconds for each in parts),
                actual_seconds=sum(each.actual_seconds for each in parts),
                bill_micros=sum(each.bill_micros for each in parts),
            )
    return HedgeInput(
        rent=RentBook(
            name=book.name,
            digest=book.digest,
            kind="invoices" if any(rent.is_spread for rent, _ in exposed) else "rates",
            days=_blend(exposed, weighed),
            rejects=book.rejects,
            rows_read=book.rows_read,
            rows_used=book.rows_used,
            notes=book.notes,
            simulated=simulated,
        ),
        exposure=exposure,
        months=tuple(months),
        plan=plan,
        ahead=_ahead(exposure),
        fixed_until=fixed_until,
    )


def _exposed_days(rent: ContractRent, rows: dict[tuple[str, str], MonthExposure]) -> list[ContractDay]:
    """The days of a contract whose price moves with the market."""
    found = []
    for day in rent.days:
        row = rows.get((month_of(day.date), rent.contract.name))
        if row is not None and row.state_of(day.date) in EXPOSED:
            found.append(day)
    return found


def _fixed_until(rent: ContractRent) -> date:
    agreed = [day for day in (rent.contract.fixed_until, rent.contract.end) if day is not None]
    return min(agreed) if agreed else rent.days[-1].date if rent.days else date.min


def _weights(
    exposed: Sequence[tuple[ContractRent, list[ContractDay]]],
    rows: dict[tuple[str, str], MonthExposure],
    *,
    fixed: bool,
) -> dict[tuple[str, str], Fraction]:
    """The hours that weigh each contract by month; with one contract none are needed."""
    if len(exposed) == 1:
        return {}
    found: dict[tuple[str, str], Fraction] = {}
    for rent, days in exposed:
        name = rent.contract.name
        for month in {month_of(day.date) for day in days}:
            row = rows[month, name]
            hours = row.planned_hours if fixed else row.exposed_hours
            if hours is None:
                raise RentmarkError(
                    f"contract {name} states no hours in {month}, so its price can't be weighed beside the others';"
                    " add gpus or planned_gpu_hours to it."
                )
            found[month, name] = hours
    return found


def _blend(
    exposed: Sequence[tuple[ContractRent, list[ContractDay]]], weights: dict[tuple[str, str], Fraction]
) -> tuple[RentDay, ...]:
    dates = sorted({day.date for _, days in exposed for day in days if day.rate_micros and not day.estimated})
    paths = []
    for rent, days in exposed:
        priced = [day for day in days if day.rate_micros]
        paths.append((rent.contract.name, [day.date for day in priced], [day.rate_micros for day in priced]))
    found: list[RentDay] = []
    for number, day in enumerate(dates):
        total = weight = Fraction(0)
        for name, known, prices in paths:
            place = bisect_right(known, day) - 1
            if place < 0 or (day - known[place]).days > OLDEST_DAYS:
                continue
            hours = weights.get((month_of(day), name), Fraction(0)) if weights else Fraction(1)
            total += hours * (prices[place] or 0)
            weight += hours
        if weight:
            rate = round_fraction(total / weight)
            found.append(
                RentDay(date=day, rate_micros=rate, gpu_seconds=None, amount_micros=None, line=number + 1)
            )
    return tuple(found)


def _months(
    exposed: Sequence[tuple[ContractRent, list[ContractDay]]], rows: dict[tuple[str, str], MonthExposure]
) -> list[ContractMonth]:
    """Hours and bills by contract and month, as far as hours are known."""
    found = []
    for rent, days in exposed:
        for month in sorted({month_of(day.date) for day in days}):
            row = rows[month, rent.contract.name]
            own = tuple(day for day in days if month_of(day.date) == month)
            prices = [day.rate_micros for day in own if day.rate_micros]
            if row.exposed_hours is None:
                continue
            planned = round_fraction(row.exposed_hours * SECONDS_PER_HOUR)
            actual, bill = planned, 0
            if row.exposed_actual_hours is not None and row.exposed_bill_micros is not None:
                actual = round_fraction(row.exposed_actual_hours * SECONDS_PER_HOUR)
                bill = row.exposed_bill_micros
            elif prices:
                bill = round_fraction(Fraction(sum(prices), len(prices)) * actual / SECONDS_PER_HOUR)
            else:
                continue
            if planned == actual == 0:
                continue
            found.append(
                ContractMonth(
                    rent=rent,
                    month=month,
                    planned_seconds=planned,
                    actual_seconds=actual,
                    bill_micros=bill,
                    days=own,
                )
            )
    return found


def _ahead(exposure: Sequence[MonthExposure]) -> dict[str, Fraction] | None:
    """Exposed hours of the months to come; None where no contract has a plan."""
    found: dict[str, Fraction] = {}
    for each in exposure:
        if each.is_future and each.exposed_hours is not None:
            found[each.month] = found.get(each.month, Fraction(0)) + each.exposed_hours
    return found or None
