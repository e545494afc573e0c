"""Coverage: which dates have a value, by what right, and how long the gaps are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from ...records import STATUSES_OBSERVED
from .days import Day

STATUSES = ("OK", "THIN", "CARRIED", "GAP")


@dataclass(frozen=True, slots=True)
class CoverageDay:
    """A date of the calendar: its status, the rule of a GAP or THIN one, and how many sellers voted."""

    date: date
    status: str
    rule: str | None
    n_sellers: int


@dataclass(frozen=True, slots=True)
class CoverageMonth:
    """A calendar month: fixing dates by status, and the dates themselves."""

    month: str
    counts: Mapping[str, int]
    days: tuple[CoverageDay, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The calendar of a period. ``observed`` is the share of its dates with a value of their own (OK or THIN).

    ``longest_gap`` counts fixing dates in a row without one, ``longest_gap_from`` is the first of them. ``rules``
    counts the rules that left a date without a value, or thin. ``fewest_sellers`` is the least on a date with a value.
    """

    months: tuple[CoverageMonth, ...]
    counts: Mapping[str, int]
    rules: Mapping[str, int]
    observed: float
    longest_gap: int
    longest_gap_from: date | None
    fewest_sellers: int | None
    fewest_sellers_on: date | None
    median_sellers: float | None

    @property
    def dates(self) -> int:
        """How many fixing dates the period has."""
        return sum(self.counts.values())


def coverage(days: Sequence[Day]) -> Coverage:
    """The coverage of days in order of date. Raises ValueError without one."""
    if not days:
        raise ValueError("a period without a fixing date has no coverage")
    listed = [CoverageDay(d.fixing.date, d.fixing.status, d.fixing.rule, d.fixing.n_sellers) for d in days]
    months: dict[str, list[CoverageDay]] = {}
    for day in listed:
        months.setdefault(f"{day.date:%Y-%m}", []).append(day)
    length, since = _longest_gap(listed)
    observed = [day for day in listed if day.status in STATUSES_OBSERVED]
    fewest = min(observed, key=lambda day: (day.n_sellers, day.date), default=None)
    sellers = sorted(day.n_sellers for day in observed)
    return Coverage(
        months=tuple(CoverageMonth(m, _counts(held), tuple(held)) for m, held in months.items()),
        counts=_counts(listed),
        rules=dict(Counter(day.rule for day in listed if day.rule is not None).most_common()),
        observed=len(observed) / len(listed),
        longest_gap=length,
        longest_gap_from=since,
        fewest_sellers=None if fewest is None else fewest.n_sellers,
        fewest_sellers_on=None if fewest is None else fewest.date,
        median_sellers=float(median(sellers)) if sellers else None,
    )


def _counts(days: Sequence[CoverageDay]) -> dict[str, int]:
    counted = Counter(day.status for day in days)
    return {status: counted[status] for status in STATUSES}


def _longest_gap(days: Sequence[CoverageDay]) -> tuple[int, date | None]:
    longest, since, run, began = 0, None, 0, None
    for day in days:
        if day.status in STATUSES_OBSERVED:
            run, began = 0, None
            continue
        run, began = run + 1, began or day.date
        if run > longest:
            longest, since = run, began
    return longest, since
