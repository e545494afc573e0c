"""Reading a rent file: the user's own rent, from bytes to a book and its refused rows.

Two layouts, told apart by their header:

- ``date, rate_usd_per_gpu_hour[, gpu_hours]``: one row per UTC day;
- ``start, end, amount_usd, gpu_hours``: one row per invoice, ``end`` being the last day billed.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from ..records import (
    MICROS_PER_USD,
    NaiveInstantError,
    RentmarkError,
    divide_half_even,
    micros_from_text,
    parse_date,
    parse_instant,
    sha256_hex,
)
from .rent_book import RENT_REASONS, RentBook, RentDay, RentKind, RentReject

MAXIMUM_BYTES = 20_000_000
LONGEST_PERIOD_DAYS = 366
SECONDS_PER_HOUR = 3600
RATE_COLUMNS = ("date", "rate_usd_per_gpu_hour")
INVOICE_COLUMNS = ("start", "end", "amount_usd", "gpu_hours")
LAYOUTS = (
    f"a rent file has the columns {', '.join(RATE_COLUMNS)}[, gpu_hours] or {', '.join(INVOICE_COLUMNS)}"
)


class _RowError(Exception):
    """One row can't be read: the reason code, the field and its value."""

    def __init__(self, reason: str, field: str, value: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.value = value


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
    header, cells = _read_cells(payload, name)
    kind = _kind_of(header, name)
    rows: list[_Row] = []
    rejects: list[RentReject] = []
    for line, values in cells:
        try:
            rows.append(_read_row(kind, header, line, values, today))
        except _RowError as error:
            rejects.append(_reject(name, line, error.reason, error.field, error.value))
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


def _read_cells(payload: bytes, name: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Split a CSV into its header and (line number, cells) of every row that is not blank."""
    if len(payload) > MAXIMUM_BYTES:
        limit = MAXIMUM_BYTES // 1_000_000
        raise RentmarkError(
            f"{name} is {len(payload) / 1e6:.1f} MB; the limit is {limit} MB, so split it by year."
        )
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(
            f"{name} is not UTF-8 text (byte {error.start} is {payload[error.start]:#04x}); save it as CSV UTF-8."
        ) from None
    if "\0" in text:
        raise RentmarkError(f"{name} holds binary data; save it as CSV UTF-8.")
    first_line = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines: list[tuple[int, list[str]]] = []
    try:
        for values in reader:
            stripped = [value.strip() for value in values]
            if any(stripped):
                lines.append((reader.line_num, stripped))
    except csv.Error as error:
        raise RentmarkError(
            f"{name} line {reader.line_num} is not CSV ({error}); save it as CSV UTF-8."
        ) from None
    if not lines:
        raise RentmarkError(f"{name} is empty; {LAYOUTS}.")
    header = [column.lower() for column in lines[0][1]]
    return header, lines[1:]


def _kind_of(header: list[str], name: str) -> RentKind:
    repeated = [column for column, count in Counter(header).items() if column and count > 1]
    if repeated:
        raise RentmarkError(f"{name} has the column {repeated[0]} twice; keep one.")
    if all(column in header for column in RATE_COLUMNS):
        return "rates"
    if all(column in header for column in INVOICE_COLUMNS):
        return "invoices"
    wanted = INVOICE_COLUMNS if "start" in header or "amount_usd" in header else RATE_COLUMNS
    missing = ", ".join(column for column in wanted if column not in header)
    found = ", ".join(column for column in header if column)
    shown = found if len(found) <= 80 else found[:77] + "…"
    raise RentmarkError(f"{name} lacks the column {missing} (found: {shown}); {LAYOUTS}.")


def _read_row(kind: RentKind, header: list[str], line: int, values: list[str], today: date | None) -> _Row:
    if len(values) < len(header):
        raise _RowError("truncated_row", "row", ", ".join(values))
    if any(values[len(header) :]):
        raise _RowError("too_many_cells", "row", ", ".join(values))
    cells = dict(zip(header, values, strict=False))
    if kind == "rates":
        day = _date(cells, "date", today)
        rate = _micros(cells, "rate_usd_per_gpu_hour", "missing_rate")
        seconds = _seconds(cells) if "gpu_hours" in cells else None
        amount = None if seconds is None else divide_half_even(rate * seconds, SECONDS_PER_HOUR)
        return _Row(line, day, day, rate, seconds, amount)
    first, last = _date(cells, "start", today), _date(cells, "end", today)
    if last < first:
        raise _RowError("period_ends_early", "end", cells["end"])
    if (last - first).days >= LONGEST_PERIOD_DAYS:
        raise _RowError("period_too_long", "end", cells["end"])
    amount = _micros(cells, "amount_usd", "missing_amount")
    seconds = _seconds(cells)
    rate = divide_half_even(amount * SECONDS_PER_HOUR, seconds)
    if rate <= 0:
        raise _RowError("not_positive", "amount_usd", cells["amount_usd"])
    return _Row(line, first, last, rate, seconds, amount)


def _date(cells: Mapping[str, str], field: str, today: date | None) -> date:
    text = cells[field]
    if not text:
        raise _RowError("missing_date", field, text)
    try:
        day = parse_date(text)
    except ValueError:
        try:
            day = parse_instant(text).date()
        except NaiveInstantError:
            raise _RowError("naive_time", field, text) from None
        except ValueError:
            raise _RowError("bad_date", field, text) from None
    if today is not None and day > today:
        raise _RowError("future_date", field, text)
    return day


def _number(cells: Mapping[str, str], field: str, missing: str) -> int:
    """A cell in millionths; the sign is the caller's to judge."""
    text = cells[field]
    if not text:
        raise _RowError(missing, field, text)
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise _RowError("not_finite", field, text)
    try:
        return micros_from_text(text)
    except ValueError as error:
        reason = "too_large" if "larger" in str(error) else "not_a_number"
        raise _RowError(reason, field, text) from None


def _micros(cells: Mapping[str, str], field: str, missing: str) -> int:
    value = _number(cells, field, missing)
    if value <= 0:
        raise _RowError("not_positive", field, cells[field])
    return value


def _seconds(cells: Mapping[str, str]) -> int:
    """Hours as integer GPU-seconds, half-even."""
    millionths = _number(cells, "gpu_hours", "missing_hours")
    seconds = divide_half_even(millionths * SECONDS_PER_HOUR, MICROS_PER_USD)
    if seconds <= 0:
        raise _RowError("zero_hours", "gpu_hours", cells["gpu_hours"])
    return seconds


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
                _reject(name, row.line, "duplicate_row", "date" if kind == "rates" else "start", value)
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
        rejects.append(_reject(name, row.line, reason, field, f"{clash}, also on line {others}"))
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


def _reject(name: str, line: int, reason: str, field: str, value: str) -> RentReject:
    shown = value if len(value) <= 60 else value[:57] + "…"
    sentence = f"{name} line {line}: {field} is {shown!r}; {RENT_REASONS[reason]}."
    return RentReject(line=line, reason=reason, field=field, value=value, sentence=sentence)


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
