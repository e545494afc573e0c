"""What a programme had learned by a day: past months' rent changes beside each instrument's price changes.

A month teaches from the day it is over: its rent paid to the last day and every contract settled. Its rent
change is the month's mean rent less the last rent before the day it was entered, its price change the
settlement less the entry price of that day: the settlement then known, else the last fixing known.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

from ...contracts.account import DayMark
from ...records import MICROS_PER_USD, Refusal, month_bounds, month_of
from ..methods import METHODS
from ..rent_book import RentBook
from .instruments import Instrument, later_month, trading_day
from .several import several_ratios
from .spec import SEVERAL_METHOD, ProgrammeSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedMonth:
    """One month as a lesson; micro-USD per GPU-hour, contracts in the programme's order.

    ``known_on`` is the first day whose start (00:00 UTC) saw all of it.
    """

    month: str
    entered: date
    known_on: date
    rent: Fraction
    rent_change: Fraction
    settled_micros: tuple[int, ...]
    price_changes_micros: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """The ratios of a day: by contract, one weight per lag, from so many months."""

    weights: Mapping[str, tuple[float, ...]]
    learned_from: int
    last_month: str | None

    @property
    def ratios(self) -> dict[str, float]:
        """The ratio of each contract."""
        return {contract: sum(weights) for contract, weights in self.weights.items()}


def rent_by_month(book: RentBook) -> dict[str, list[int]]:
    """Micro-USD rates of the days of each month, in order of months."""
    found: dict[str, list[int]] = {}
    for day in book.days:
        found.setdefault(month_of(day.date), []).append(day.rate_micros)
    return found


def last_rent_before(book: RentBook, day: date) -> int | None:
    """The rate of the last day with a rent before a day."""
    earlier = [each for each in book.days if each.date < day]
    return earlier[-1].rate_micros if earlier else None


def learned_months(
    programme: ProgrammeSpec, book: RentBook, instruments: Sequence[Instrument], through: date
) -> tuple[LearnedMonth, ...]:
    """Every month that can teach by the end of ``through``, in order."""
    lead = instruments[0]
    ahead = programme.months_ahead if programme.style == "strip" else 1
    found: list[LearnedMonth] = []
    for month, rates in rent_by_month(book).items():
        entered = trading_day(lead.spec, later_month(month, -ahead), days_before(programme, lead))
        last_rent = last_rent_before(book, entered)
        ends = month_bounds(month)[1]
        if last_rent is None or ends > through:
            continue
        outcomes = [each.view.outcome(month, through) for each in instruments]
        entries = [_entry_price(each, month, entered) for each in instruments]
        finals = [None if each is None else each.final for each in outcomes]
        if any(final is None for final in finals) or any(price is None for price in entries):
            continue
        known = max(ends, *(final.day for final in finals if final is not None)) + timedelta(days=1)
        rent = Fraction(sum(rates), len(rates))
        settled = tuple(final.price_micros for final in finals if final is not None)
        found.append(
            LearnedMonth(
                month=month,
                entered=entered,
                known_on=known,
                rent=rent,
                rent_change=rent - last_rent,
                settled_micros=settled,
                price_changes_micros=tuple(
                    price - entry for price, entry in zip(settled, entries, strict=True) if entry is not None
                ),
            )
        )
    return tuple(found)


def days_before(programme: ProgrammeSpec, lead: Instrument) -> int:
    """How many trading days before a month's last one the programme trades."""
    if programme.trade_business_days_before is not None:
        return programme.trade_business_days_before
    return lead.spec.roll_business_days if programme.style == "stack" else 0


def _entry_price(instrument: Instrument, month: str, day: date) -> int | None:
    """The settlement of the day where the month had one, else the last fixing known at its start."""
    stated = instrument.stated.get(month, {}).get(day)
    if isinstance(stated, DayMark):
        return stated.settle_micros
    known = instrument.view.last_value(day - timedelta(days=1))
    return None if known is None else known[1]


def lesson_on(
    programme: ProgrammeSpec,
    contracts: Sequence[str],
    learned: Sequence[LearnedMonth],
    day: date,
    side: str,
) -> Lesson | Refusal:
    """The ratios from months known at the start of a day, or why there are none."""
    known = [each for each in learned if each.known_on <= day]
    last = known[-1].month if known else None
    method = METHODS[programme.method].for_side("provider" if side == "provider" else "buyer")
    if len(known) < method.minimum_changes:
        return Refusal("too_short", f"months known: {len(known)}, needed: {method.minimum_changes}")
    if len(contracts) > 1:
        assert programme.method == SEVERAL_METHOD  # the rules' own validation
        several = several_ratios(contracts, _dollars([each.rent_change for each in known]), _columns(known))
        if isinstance(several, Refusal):
            return several
        weights = {name: (ratio,) for name, ratio in zip(contracts, several, strict=True)}
        return Lesson(weights=weights, learned_from=len(known), last_month=last)
    if method.reads_levels:
        rents = [later.rent - earlier.rent for earlier, later in itertools.pairwise(known)]
        prices = [
            Fraction(later.settled_micros[0] - earlier.settled_micros[0])
            for earlier, later in itertools.pairwise(known)
        ]
    else:
        rents = [each.rent_change for each in known]
        prices = [Fraction(each.price_changes_micros[0]) for each in known]
    found = method.weights(_dollars(rents), _dollars(prices))
    if isinstance(found, Refusal):
        return found
    return Lesson(weights={contracts[0]: found}, learned_from=len(known), last_month=last)


def _dollars(micros: Sequence[Fraction]) -> NDArray[np.float64]:
    import numpy as np

    return np.array([float(each / MICROS_PER_USD) for each in micros], dtype=np.float64)


def _columns(known: Sequence[LearnedMonth]) -> NDArray[np.float64]:
    """Price changes in dollars, shape (months, contracts)."""
    import numpy as np

    rows = [
        [float(Fraction(change, MICROS_PER_USD)) for change in each.price_changes_micros] for each in known
    ]
    return np.array(rows, dtype=np.float64)
