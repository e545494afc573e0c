"""Invoices with periods as they come, and the credits and refunds that reduce them.

``period_start, period_end, amount, hours[, currency][, kind][, contract]``; ``period_end`` is the last day
billed. An invoice is spread evenly over its days, so that a month takes its share by days; a credit or a
refund reduces the bill of the days of its own period, in proportion to what they were billed. Days no invoice
bills are missing, never zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from ...records import divide_half_even, format_micros
from ..csv_cells import (
    SECONDS_PER_HOUR,
    RowError,
    date_cell,
    gpu_seconds_cell,
    positive_micros,
    read_cells,
    refuse_missing,
    reject_row,
    row_cells,
)
from .contracts import RentalContract
from .days import ContractDay, Reading, Terms, overlapping, spread
from .exchange import ExchangeRates
from .files import is_own, terms_of

Kind = Literal["invoice", "credit", "refund"]
KINDS: tuple[Kind, ...] = ("invoice", "credit", "refund")
COLUMNS = ("period_start", "period_end", "amount")
LAYOUT = (
    "a file of invoices has the columns period_start, period_end, amount, hours[, currency]"
    "[, kind = invoice, credit or refund][, contract]"
)
LONGEST_DAYS = 366


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    kind: Kind
    first: date
    last: date
    amount_micros: int
    gpu_seconds: int | None
    terms: Terms

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=number) for number in range((self.last - self.first).days + 1)]


def read_invoices(
    payload: bytes, name: str, contract: RentalContract, exchange: ExchangeRates, today: date | None
) -> Reading:
    """Read a contract's invoices into days. Overlapping invoices are all refused: none is guessed to be right.

    An amount in another currency is converted at the rate of the last day of its period.
    """
    header, lines = read_cells(payload, name, LAYOUT)
    refuse_missing(header, (*COLUMNS, _hours_column(header)), name, LAYOUT)
    reading = Reading()
    rows: list[_Row] = []
    for line, values in lines:
        try:
            cells = row_cells(header, values)
            if not is_own(contract, cells):
                continue
            reading.rows_read += 1
            rows.append(_read(cells, line, contract, exchange, today))
        except RowError as error:
            reading.rows_read += error.field == "row"
            reading.rejects.append(reject_row(name, line, error.reason, error.field, error.value))
    rows = _without_repeats(rows, reading, name)
    bills = [row for row in rows if row.kind == "invoice"]
    clashes = overlapping((row.first, row.last, row.line) for row in bills)
    for line, (day, others) in sorted(clashes.items()):
        also = ", ".join(str(other) for other in sorted(others))
        reading.rejects.append(
            reject_row(name, line, "overlapping_invoices", "period_start", f"{day}, also on line {also}")
        )
    bills = [row for row in bills if row.line not in clashes]
    days = {day: made for row in bills for day, made in _days_of(row)}
    reading.rows_used = len(bills)
    for row in rows:
        if row.kind != "invoice":
            _reduce(days, row, reading, name)
    reading.days = [days[day] for day in sorted(days)]
    reading.notes += _notes(contract, bills, rows, reading.days)
    return reading


def _hours_column(names: Container[str]) -> str:
    return "hours" if "hours" in names else "gpu_hours"


def _read(
    cells: dict[str, str], line: int, contract: RentalContract, exchange: ExchangeRates, today: date | None
) -> _Row:
    written = cells.get("kind", "").lower() or "invoice"
    kind = next((each for each in KINDS if each == written), None)
    if kind is None:
        raise RowError("unknown_kind", "kind", cells["kind"])
    first, last = date_cell(cells, "period_start", today), date_cell(cells, "period_end", today)
    if last < first:
        raise RowError("period_ends_early", "period_end", cells["period_end"])
    if (last - first).days >= LONGEST_DAYS:
        raise RowError("period_too_long", "period_end", cells["period_end"])
    # A credit is written as what it takes off, so an amount is above zero whatever its kind.
    written_amount = positive_micros(cells, "amount", "missing_amount")
    currency = cells.get("currency", "").upper() or contract.currency
    amount = exchange.to_usd(written_amount, currency, last)
    seconds = gpu_seconds_cell(cells, _hours_column(cells)) if kind == "invoice" else None
    return _Row(line, kind, first, last, amount, seconds, terms_of(contract, cells))


def _without_repeats(rows: list[_Row], reading: Reading, name: str) -> list[_Row]:
    """Exact repeats are kept once. Credits of one period may add up, so only invoices repeat."""
    seen: dict[tuple[object, ...], int] = {}
    kept: list[_Row] = []
    for row in rows:
        key = (row.first, row.last, row.amount_micros, row.gpu_seconds)
        if row.kind == "invoice" and key in seen:
            value = f"{row.first}, first on line {seen[key]}"
            reading.rejects.append(reject_row(name, row.line, "duplicate_row", "period_start", value))
            continue
        seen.setdefault(key, row.line)
        kept.append(row)
    return kept


def _days_of(row: _Row) -> list[tuple[date, ContractDay]]:
    days = row.days
    # The price is the invoice's own: its whole amount over its whole hours, the same on every day.
    rate = divide_half_even(row.amount_micros * SECONDS_PER_HOUR, row.gpu_seconds or 1)
    amounts, seconds = spread(row.amount_micros, len(days)), spread(row.gpu_seconds, len(days))
    return [
        (
            day,
            ContractDay(
                date=day, rate_micros=rate or None, gpu_seconds=hours, amount_micros=amount, terms=row.terms
            ),
        )
        for day, amount, hours in zip(days, amounts, seconds, strict=True)
    ]


def _reduce(days: dict[date, ContractDay], row: _Row, reading: Reading, name: str) -> None:
    """Take a credit off the days of its period, in proportion to their bills; to the last micro-dollar."""
    hit = [day for day in row.days if day in days]
    billed = [days[day].amount_micros or 0 for day in hit]
    total = sum(billed)
    if total == 0:
        reading.rejects.append(
            reject_row(name, row.line, "credit_without_invoice", "period_start", f"{row.first} to {row.last}")
        )
        return
    if row.amount_micros > total:
        value = f"{format_micros(row.amount_micros)} of {format_micros(total)} billed"
        reading.rejects.append(reject_row(name, row.line, "credit_above_bill", "amount", value))
        return
    taken = before = 0
    for day, amount in zip(hit, billed, strict=True):
        before += amount
        share = divide_half_even(row.amount_micros * before, total) - taken
        taken += share
        before_credit = days[day].rate_micros
        left = amount - share
        rate = (
            None if before_credit is None or amount == 0 else divide_half_even(before_credit * left, amount)
        )
        days[day] = replace(days[day], amount_micros=left, rate_micros=rate or None)
    reading.rows_used += 1


def _notes(
    contract: RentalContract, bills: list[_Row], rows: list[_Row], days: list[ContractDay]
) -> list[str]:
    notes = [
        f"{contract.name}: each invoice was spread evenly over its days; a month takes its share by days."
    ]
    gaps = [
        (earlier.last + timedelta(days=1), later.first - timedelta(days=1))
        for earlier, later in itertools.pairwise(sorted(bills, key=lambda row: row.first))
        if (later.first - earlier.last).days > 1
    ]
    notes += [
        f"{contract.name}: no invoice bills {first} to {last}; those days are missing, not zero."
        for first, last in gaps
    ]
    credits_used = [row for row in rows if row.kind != "invoice"]
    if credits_used:
        notes.append(
            f"{contract.name}: {len(credits_used)} credits and refunds, taken off the days of their own period."
        )
    refunded = sum(day.rate_micros is None for day in days)
    if refunded:
        notes.append(
            f"{contract.name}: {refunded} days were refunded whole; they cost nothing and have no price to compare."
        )
    return notes
