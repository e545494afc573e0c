"""What one contract cost, day by day, and the files it is read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from ..rent_book import RentReject

TOLD_BY_ROW = ("provider", "region", "grade", "term_months", "pricing")
"""Columns that may say by row what was rented, where it changed within a contract."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What was rented on a day, as far as the book says; a row's own words win over its contract's."""

    provider: str | None = None
    region: str | None = None
    grade: str | None = None
    term_months: int | None = None
    pricing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractDay:
    """One UTC day of a contract: price in micro-USD per GPU-hour, hours in GPU-seconds, amount in micro-USD.

    ``rate_micros`` is None where nothing was billed or it was refunded whole; hours and amount are None
    where they are not stated. ``estimated`` tells a day whose price is an earlier one that still stood.
    """

    date: date
    rate_micros: int | None
    gpu_seconds: int | None
    amount_micros: int | None
    terms: Terms
    estimated: bool = False


@dataclass(slots=True)
class Reading:
    """What came out of one file for one contract; ``rows_read = rows_used + len(rejects)``."""

    days: list[ContractDay] = field(default_factory=list)
    rejects: list[RentReject] = field(default_factory=list)
    rows_read: int = 0
    rows_used: int = 0
    notes: list[str] = field(default_factory=list)


def spread(total: int | None, count: int) -> list[int | None]:
    """Split a total evenly over days; the parts are whole and sum exactly to it."""
    if total is None:
        return [None] * count
    return [total * (number + 1) // count - total * number // count for number in range(count)]


def overlapping(periods: Iterable[tuple[date, date, int]]) -> dict[int, tuple[date, list[int]]]:
    """Of (first day, last day, line): the lines whose days another claims too, with a day and those lines."""
    ordered = sorted(periods)
    found: dict[int, tuple[date, list[int]]] = {}
    open_periods: list[tuple[date, date, int]] = []
    for first, last, line in ordered:
        open_periods = [each for each in open_periods if each[1] >= first]
        for _, _, other in open_periods:
            for one, two in ((line, other), (other, line)):
                day, lines = found.setdefault(one, (first, []))
                lines.append(two)
                found[one] = (day, lines)
        open_periods.append((first, last, line))
    return found
