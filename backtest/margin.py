"""What the variation account would have drawn: modelled, because no real marks exist.

Every open month is marked each day *flat*: fixings known count as they are, each remaining one is
taken to equal the last one known. Cash moves in cents through the contract's
own ledger, without fees. What the account has paid out is cash the hedger must find, whatever
the hedge gives back at settlement.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from ..contracts import ContractSpec, FinalSettlement, Order, daily_ledger, fixing_weights
from ..contracts.vintage import effective_instants
from ..records import MICROS_PER_CENT, Fixing, day_start, divide_half_even, format_micros, round_fraction
from .hedge_months import HedgeMonth
from .programme import PREMIUMS_PERCENT, ProgrammeMonth
from .series import observed_micros

FLAT_MARKS = "modelled: every remaining fixing is marked at the last one known"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginPath:
    """Cumulative variation by day in whole cents (as micro-USD), by entry premium in percent, and its draw.

    ``peak_draw_micros`` is the most the account had paid out, net, at the end of any day;
    ``largest_fall_micros`` its largest fall from an earlier high (or from zero), which is the cash to
    find where gains were not kept. ``initial_micros`` is the contract's initial margin on the largest month held, None
    where it is not published.
    """

    days: tuple[date, ...]
    variation_micros: Mapping[int, tuple[int, ...]]
    peak_draw_micros: Mapping[int, int]
    largest_fall_micros: Mapping[int, int]
    peak_date: date | None
    initial_micros: int | None

    def to_json(self) -> dict[str, Any]:
        """The peak draw at each entry premium, with what it is modelled on."""
        initial = self.initial_micros
        values: dict[str, Any] = {
            "peak_variation": {_label(p): format_micros(v) for p, v in self.peak_draw_micros.items()},
            "largest_fall": {_label(p): format_micros(v) for p, v in self.largest_fall_micros.items()},
            "peak_date": None if self.peak_date is None else self.peak_date.isoformat(),
            "initial": None if initial is None else format_micros(initial),
            "modelled": True,
            "marks": FLAT_MARKS,
        }
        reasons: list[str] = []
        if self.peak_date is None:
            reasons.append("the account never paid out, net, at the assumed entry price")
        if initial is None:
            reasons.append("the contract's initial margin is not published and is not included")
        if reasons:
            values["reason"] = "; ".join(reasons)
        return values


def _label(premium: int) -> str:
    return f"{premium:+d}%" if premium else "0%"


def margin_path(
    spec: ContractSpec,
    months: Sequence[HedgeMonth],
    programme: Sequence[ProgrammeMonth],
    fixings: Mapping[date, Fixing],
) -> MarginPath | None:
    """The variation account of a programme run through a contract; None where nothing was held."""
    held = {each.month: each for each in programme if each.lots}
    if not held:
        return None
    paths = {each.month: _marks(spec, each, fixings) for each in months if each.month in held}
    first = min(min(path) for path in paths.values())
    last = max(max(path) for path in paths.values())
    days = tuple(first + timedelta(days=number) for number in range((last - first).days + 1))
    variation: dict[int, tuple[int, ...]] = {}
    draws: dict[int, int] = {}
    falls: dict[int, int] = {}
    peak_date: date | None = None
    for premium in PREMIUMS_PERCENT:
        cumulative = [0] * len(days)
        for month, path in paths.items():
            paid = _cash_by_day(spec, held[month], path, premium)
            booked = sorted(paid)
            for number, day in enumerate(days):
                place = bisect_right(booked, day)
                if place:
                    cumulative[number] += paid[booked[place - 1]] * MICROS_PER_CENT
        variation[premium] = tuple(cumulative)
        lowest = min(cumulative)
        draws[premium] = max(0, -lowest)
        falls[premium] = _largest_fall(cumulative)
        if premium == 0 and lowest < 0:
            peak_date = days[cumulative.index(lowest)]
    initial: int | None = None
    if spec.initial_margin_micros is not None:
        initial = spec.initial_margin_micros * max(abs(each.lots or 0) for each in held.values())
    return MarginPath(
        days=days,
        variation_micros=variation,
        peak_draw_micros=draws,
        largest_fall_micros=falls,
        peak_date=peak_date,
        initial_micros=initial,
    )


def _cash_by_day(
    spec: ContractSpec, position: ProgrammeMonth, marks: Mapping[date, int], premium: int
) -> dict[date, int]:
    """Cents paid in all by the end of each day of one month's position."""
    assert position.lots is not None
    entered = divide_half_even(position.entry_price_micros * (100 + premium), 100)
    opened, closed = min(marks), max(marks)
    ledger = daily_ledger(
        spec,
        position.month,
        [Order(day=opened, lots=position.lots, price_micros=entered)],
        {day: mark for day, mark in marks.items() if day != closed},
        modelled_marks=True,
        final=FinalSettlement(day=closed, price_micros=marks[closed]),
    )
    return {each.day: each.cash_total_cents for each in ledger.long.days}


def _marks(spec: ContractSpec, each: HedgeMonth, fixings: Mapping[date, Fixing]) -> dict[date, int]:
    """The flat mark of one month at the end of each day it is open, ending at its settlement.

    The mark of day d rests on fixings effective by the end of d. An expected fixing that was due
    and did not come is left out of the mean, as it will be at settlement.
    """
    assert each.settlement_micros is not None
    assert each.settlement is not None
    weights = fixing_weights(spec, each.month)
    due = effective_instants(weights, fixings)
    counted = {day.date: day.value_micros for day in each.settlement.days if day.counted}
    observed = observed_micros(fixings)
    by_effect = sorted((fixings[day].effective_at, day, value) for day, value in observed.items())
    effects = [effective for effective, _, _ in by_effect]
    closes = each.settlement.effective_at
    marks: dict[date, int] = {}
    day = each.entry_date
    while True:
        ends = day_start(day + timedelta(days=1))
        if ends >= closes:
            marks[day] = each.settlement_micros
            return marks
        known = {d: value for d, value in counted.items() if value is not None and due[d] <= ends}
        remaining = sum(weights[d] for d, instant in due.items() if instant > ends)
        last = by_effect[bisect_right(effects, ends) - 1][2]
        fixed = sum(weights[d] * value for d, value in known.items())
        # The fair value of the flat expectation: each fixing, known or expected, with its own weight.
        total = sum(weights[d] for d in known) + remaining
        marks[day] = round_fraction(Fraction(fixed + remaining * last, total))
        day += timedelta(days=1)


def _largest_fall(cumulative: Sequence[int]) -> int:
    """The largest fall from an earlier high, or from zero at the start."""
    high = deepest = 0
    for value in cumulative:
        high = max(high, value)
        deepest = max(deepest, high - value)
    return deepest
