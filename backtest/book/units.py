"""A book in the unit its user stated."""

from __future__ import annotations

from dataclasses import replace

from ...records import divide_half_even
from ..units import UnitAnswer
from .days import ContractDay
from .reading import Book, ContractRent


def book_in_unit(book: Book, answer: UnitAnswer) -> Book:
    """Every day of a book in dollars per GPU-hour; see :func:`rentmark.backtest.units.in_unit`."""
    rents = tuple(
        ContractRent(
            rent.contract,
            tuple(_day(day, answer, spread=rent.is_spread) for day in rent.days),
            rent.is_spread,
        )
        for rent in book.contracts
    )
    return replace(book, contracts=rents, notes=(answer.note, *book.notes))


def _day(day: ContractDay, answer: UnitAnswer, *, spread: bool) -> ContractDay:
    rate = None if day.rate_micros is None else divide_half_even(day.rate_micros, answer.divisor)
    if answer.kind == "per-node" and spread:
        hours = None if day.gpu_seconds is None else day.gpu_seconds * answer.divisor
        return replace(day, rate_micros=rate, gpu_seconds=hours)
    amount = None if day.amount_micros is None else divide_half_even(day.amount_micros, answer.divisor)
    return replace(day, rate_micros=rate, amount_micros=amount)
