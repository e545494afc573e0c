"""The exposed contracts of each hedged month, with what was rented day by day, for the attribution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction

from ...grades import Grade
from ..attribution import Dimensions, RentedDay, RentedLeg
from ..csv_cells import SECONDS_PER_HOUR
from .blending import ContractMonth
from .days import Terms


def rented_legs(
    months: Sequence[ContractMonth],
    last_rents: Mapping[str, tuple[date, int]],
    grade_named: Callable[[str], Grade],
) -> dict[str, tuple[RentedLeg, ...]]:
    """Legs by month. ``last_rents`` gives by month the last rent before entry: its date and micro-USD an hour.

    A contract that had no price by then is budgeted at the book's own last rent. Raises what
    ``grade_named`` raises for a grade nobody knows.
    """
    known: dict[Terms, Dimensions] = {}

    def dimensions(terms: Terms) -> Dimensions:
        if terms not in known:
            known[terms] = Dimensions(
                provider=terms.provider,
                region=terms.region,
                grade=None if terms.grade is None else grade_named(terms.grade),
                term_months=terms.term_months,
                pricing=terms.pricing,
            )
        return known[terms]

    found: dict[str, list[RentedLeg]] = {}
    for each in months:
        if each.month not in last_rents:
            continue
        entry, book_rate = last_rents[each.month]
        before = [day for day in each.rent.days if day.rate_micros is not None and day.date <= entry]
        start = before[-1] if before else None
        contract = each.rent.contract
        has_hours = any(day.gpu_seconds is not None for day in each.days)
        days = tuple(
            RentedDay(day.date, Fraction(weight), dimensions(day.terms))
            for day in each.days
            if (weight := (day.gpu_seconds or 0) if has_hours else 1)
        )
        found.setdefault(each.month, []).append(
            RentedLeg(
                name=contract.name,
                planned_hours=Fraction(each.planned_seconds, SECONDS_PER_HOUR),
                actual_hours=Fraction(each.actual_seconds, SECONDS_PER_HOUR),
                bill_micros=each.bill_micros,
                days=days,
                entry_date=entry if start is None else start.date,
                entry_dimensions=dimensions(each.days[0].terms if start is None else start.terms),
                budget_rate_micros=book_rate if start is None else start.rate_micros or book_rate,
                index=contract.index,
            )
        )
    return {month: tuple(legs) for month, legs in found.items()}
