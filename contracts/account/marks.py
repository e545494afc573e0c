"""Marks: the price a day ends at, the bid and ask beside it, and how much is open.

Marks are handed in: an exchange's or the user's own, or modelled ones from the fixings known that
day, which say so wherever they are used. A day without a mark is never filled in: a position is held
at the last one and said to be stale, and a trade on such a day is refused with the day named.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from ...records import Refusal, RentmarkError
from .index_view import IndexView
from .trades import MonthKey

FLAT_MARK = "modelled, flat: every remaining fixing equals the last one known"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayMark:
    """The settlement price of one contract month on one day, micro-dollars per GPU-hour.

    ``open_interest`` is in lots. ``source`` says where the price comes from; ``modelled`` that it is a
    model's.
    """

    settle_micros: int
    bid_micros: int | None = None
    ask_micros: int | None = None
    open_interest: int | None = None
    modelled: bool = False
    source: str = "stated"


MarkBook = Mapping[MonthKey, Mapping[date, DayMark]]


def mark_of(book: MarkBook, key: MonthKey, day: date, what: str) -> DayMark:
    """The mark of a contract month on a day; raises RentmarkError naming the day where there is none."""
    mark = book.get(key, {}).get(day)
    if mark is None:
        contract, month = key
        raise RentmarkError(
            f"{contract} {month} has no mark on {day}, a day with {what}; import its settlement of {day}."
        )
    return mark


def last_mark(marks: Mapping[date, DayMark], day: date) -> tuple[date, DayMark] | None:
    """The latest mark at or before a day, with its date; None before the first."""
    days = sorted(marks)
    place = bisect_right(days, day)
    return None if place == 0 else (days[place - 1], marks[days[place - 1]])


def flat_marks(view: IndexView, month: str, days: Iterable[date]) -> dict[date, DayMark] | Refusal:
    """Modelled marks of a contract month at the end of each day, from the fixings known by then.

    Fixings known count as they are, each remaining one is taken to equal the last one known. A day
    before any fixing was known has none. A refusal where the index had ceased by a day that is asked.
    """
    marks: dict[date, DayMark] = {}
    for day in sorted(days):
        ended = view.ended_by(day)
        if ended is not None:
            return ended
        value = view.flat_value(month, day)
        if value is not None:
            marks[day] = DayMark(settle_micros=value, modelled=True, source=FLAT_MARK)
    return marks
