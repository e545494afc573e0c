"""Reading a rent file: the user's own rent, from bytes to a book and its refused rows.

Two layouts, told apart by their header:

- ``date, rate_usd_per_gpu_hour[, gpu_hours]``: one row per UTC day;
- ``start, end, amount_usd, gpu_hours``: one row per invoice, ``end`` being the last day billed.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import date, timedelta

from ..records import RentmarkError, divide_half_even, sha256_hex
from .csv_cells import (
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
from .rent_book import RentBook, RentDay, RentKind, RentReject

__all__ = [
    "INVOICE_COLUMNS",
    "LAYOUTS",
    "LONGEST_PERIOD_DAYS",
    "RATE_COLUMNS",
    "SECONDS_PER_HOUR",
    "read_rent",
]

LONGEST_PERIOD_DAYS = 366
RATE_COLUMNS = ("date", "rate_usd_per_gpu_hour")
INVOICE_COLUMNS = ("start", "end", "amount_usd", "gpu_hours")
LAYOUTS = (
    f"a rent file has the columns {', '.join(RATE_COLUMNS)}[, gpu_hours] or {', '.join(INVOICE_COLUMNS)}"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """One readable row: the days it bills, and its figures in micro-USD and GPU-seconds."""

    line: int
    first: date
    last: date
    rate_micros: int
    gpu_seconds: int | None
    amount_micros: int | None


def read_rent(payload: bytes, name: str, *, today: date | None = None, simulated: bool = False) -> RentBook:
    """Read a rent file's bytes; ``name`` is what sentences call it.

    Good rows are kept beside bad ones, which come back as rejects. Rows dated after ``today`` are
    refused when it is given. Two rows that contradict each other are both refused: which one is
    right is not guessed. Raises RentmarkError, in one sentence, when the file as a whole can't be
    read or holds no usable row.
    """
    header, cells = read_cells(payload, name, LAYOUTS)
    kind = _kind_of(header, name)
    rows: list[_Row] = []
    rejects: list[RentReject] = []
    for line, values in cells:
        try:
            rows.append(_read_row(kind, header, line, values, today))
        except RowError as error:
            rejects.append(reject_row(name, line, error.reason, error.field, error.value))
    kept, clashes = _without_clashes(kind, rows, name)
    rejects = sorted([*rejects, *clashes], key=lambda reject: reject.line)
    if not kept:
        raise RentmarkError(_nothing_usable(name, len(cells), rejects))
    days = [day for row in kept for day in _spread(row)]
    return RentBook(
        name=name,
        digest=sha256_hex(payload),
        kind=kind,
        days=tuple(sorted(days, key=lambda day: day.date)),
        rejects=tuple(rejects),
        rows_read=len(cells),
        rows_used=len(kept),
        notes=_notes(kind, header, kept),
        simulated=simulated,
    )


def _kind_of(header: list[str], name: str) -> RentKind:
    if all(column in header for column in RATE_COLUMNS):
        return "rates"
    if all(column in header for column in INVOICE_COLUMNS):
        return "invoices"
    wanted = INVOICE_COLUMNS if "start" in header or "amount_usd" in header else RATE_COLUMNS
    refuse_missing(header, wanted, name, LAYOUTS)
    raise AssertionError("one of both layouts lacks a column here")


def _read_row(kind: RentKind, header: list[str], line: int, values: list[str], today: date | None) -> _Row:
    cells = row_cells(header, values)
    if kind == "rates":
        day = date_cell(cells, "date", today)
        rate = positive_micros(cells, "rate_usd_per_gpu_hour", "missing_rate")
        seconds = gpu_seconds_cell(cells) if "gpu_hours" in cells else None
        amount = None if seconds is None else divide_half_even(rate * seconds, SECONDS_PER_HOUR)
        return _Row(line, day, day, rate, seconds, amount)
    first, last = date_cell(cells, "start", today), date_cell(cells, "end", today)
    if last < first:
        raise RowError("period_ends_early", "end", cells["end"])
    if (last - first).days >= LONGEST_PERIOD_DAYS:
        raise RowError("period_too_long", "end", cells["end"])
    amount = positive_micros(cells, "amount_usd", "missing_amount")
    seconds = gpu_seconds_cell(cells)
    rate = divide_half_even(amount * SECONDS_PER_HOUR, seconds)
    if rate <= 0:
        raise RowError("not_positive", "amount_usd", cells["amount_usd"])
    return _Row(line, first, last, rate, seconds, amount)


def _without_clashes(kind: RentKind, rows: list[_Row], name: str) -> tuple[list[_Row], list[RentReject]]:
    """Drop exact repeats (once kept) and every row whose days another row claims differently."""
    seen: dict[tuple[object, ...], int] = {}
    unique: list[_Row] = []
    rejects: list[RentReject] = []
    for row in rows:
        key = (row.first, row.last, row.rate_micros, row.gpu_seconds, row.amount_micros)
        if key in seen:
            value = f"{row.first}, first on line {seen[key]}"
            rejects.append(
                reject_row(name, row.line, "duplicate_row", "date" if kind == "rates" else "start", value)
            )
            continue
        seen[key] = row.line
        unique.append(row)
    claims: dict[date, list[int]] = {}
    for row in unique:
        for day in _days(row):
            claims.setdefault(day, []).append(row.line)
    kept: list[_Row] = []
    for row in unique:
        clash = next((day for day in _days(row) if len(claims[day]) > 1), None)
        if clash is None:
            kept.append(row)
            continue
        others = ", ".join(str(line) for line in claims[clash] if line != row.line)
        reason, field = (
            ("conflicting_rates", "date") if kind == "rates" else ("overlapping_invoices", "start")
        )
        rejects.append(reject_row(name, row.line, reason, field, f"{clash}, also on line {others}"))
    return kept, rejects


def _days(row: _Row) -> list[date]:
    return [row.first + timedelta(days=number) for number in range((row.last - row.first).days + 1)]


def _spread(row: _Row) -> list[RentDay]:
    """Spread a row evenly over its days; the parts sum exactly to its hours and its amount."""
    days = _days(row)
    count = len(days)

    def share(total: int | None, number: int) -> int | None:
        if total is None:
            return None
        return total * (number + 1) // count - total * number // count

    return [
        RentDay(
            date=day,
            rate_micros=row.rate_micros,
            gpu_seconds=share(row.gpu_seconds, number),
            amount_micros=share(row.amount_micros, number),
            line=row.line,
        )
        for number, day in enumerate(days)
    ]


def _nothing_usable(name: str, rows: int, rejects: list[RentReject]) -> str:
    if not rejects:
        return f"{name} has a header and no rows; {LAYOUTS}."
    return f"{name} has no usable row ({rows} read, all refused). First: {rejects[0].sentence}"


def _notes(kind: RentKind, header: list[str], rows: list[_Row]) -> tuple[str, ...]:
    known = (*RATE_COLUMNS, "gpu_hours") if kind == "rates" else INVOICE_COLUMNS
    notes: list[str] = []
    unread = [column for column in header if column and column not in known]
    if unread:
        notes.append(f"Columns not read: {', '.join(unread)}.")
    if any(later.first < earlier.first for earlier, later in itertools.pairwise(rows)):
        notes.append("Rows were not in date order; they were sorted.")
    if kind == "invoices":
        notes.append(
            "Each invoice was spread evenly over its days (end is the last day billed), so day-to-day"
            " changes are not the market's and no observation regression is made."
        )
    return tuple(notes)
