"""Reading a user's CSV row by row: cells, dates, numbers, hours, and a row refused with its reason.

Shared by every file a rent is told in: rates, usage, invoices, incidents, output figures, exchange rates.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime

from ..records import (
    MICROS_PER_USD,
    NaiveInstantError,
    RentmarkError,
    divide_half_even,
    micros_from_text,
    parse_date,
    parse_instant,
)
from .rent_book import RENT_REASONS, RentReject

MAXIMUM_BYTES = 20_000_000
SECONDS_PER_HOUR = 3600


class RowError(Exception):
    """One row can't be read: the reason code, the field and its value."""

    def __init__(self, reason: str, field: str, value: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.value = value


def read_cells(payload: bytes, name: str, layouts: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Split a CSV into its lower-case header and (line number, cells) of every row that is not blank.

    ``layouts`` says which columns such a file has. Raises RentmarkError, in one sentence, for what is
    no CSV in UTF-8 or is empty.
    """
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
        raise RentmarkError(f"{name} is empty; {layouts}.")
    header = [column.lower() for column in lines[0][1]]
    refuse_repeated(header, name)
    return header, lines[1:]


def refuse_repeated(header: list[str], name: str) -> None:
    """Raise RentmarkError for a column named twice."""
    repeated = [column for column, count in Counter(header).items() if column and count > 1]
    if repeated:
        raise RentmarkError(f"{name} has the column {repeated[0]} twice; keep one.")


def refuse_missing(header: list[str], wanted: tuple[str, ...], name: str, layouts: str) -> None:
    """Raise RentmarkError naming the wanted columns that are not there and those that are."""
    missing = ", ".join(column for column in wanted if column not in header)
    if missing:
        found = ", ".join(column for column in header if column)
        shown = found if len(found) <= 80 else found[:77] + "…"
        raise RentmarkError(f"{name} lacks the column {missing} (found: {shown}); {layouts}.")


def row_cells(header: list[str], values: list[str]) -> dict[str, str]:
    """A row by column. Raises RowError where it has fewer or more cells than the header."""
    if len(values) < len(header):
        raise RowError("truncated_row", "row", ", ".join(values))
    if any(values[len(header) :]):
        raise RowError("too_many_cells", "row", ", ".join(values))
    return dict(zip(header, values, strict=False))


def date_cell(cells: Mapping[str, str], field: str, today: date | None) -> date:
    """A date, or the UTC day of an instant with a zone; none after ``today`` where that is given."""
    text = cells[field]
    if not text:
        raise RowError("missing_date", field, text)
    try:
        day = parse_date(text)
    except ValueError:
        day = instant_cell(cells, field).date()
    if today is not None and day > today:
        raise RowError("future_date", field, text)
    return day


def instant_cell(cells: Mapping[str, str], field: str) -> datetime:
    """An instant with a zone, in UTC."""
    text = cells[field]
    if not text:
        raise RowError("missing_date", field, text)
    try:
        return parse_instant(text)
    except NaiveInstantError:
        raise RowError("naive_time", field, text) from None
    except ValueError:
        raise RowError("bad_date", field, text) from None


def number_cell(cells: Mapping[str, str], field: str, missing: str) -> int:
    """A cell in millionths; the sign is the caller's to judge. ``missing`` is the reason of a blank one."""
    text = cells[field]
    if not text:
        raise RowError(missing, field, text)
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise RowError("not_finite", field, text)
    try:
        return micros_from_text(text)
    except ValueError as error:
        reason = "too_large" if "larger" in str(error) else "not_a_number"
        raise RowError(reason, field, text) from None


def positive_micros(cells: Mapping[str, str], field: str, missing: str) -> int:
    """An amount above zero in micro-USD."""
    value = number_cell(cells, field, missing)
    if value <= 0:
        raise RowError("not_positive", field, cells[field])
    return value


def gpu_seconds_cell(
    cells: Mapping[str, str], field: str = "gpu_hours", *, zero_is_said: bool = False
) -> int:
    """Hours as integer GPU-seconds, half-even; ``zero_is_said`` lets a stated zero stand."""
    millionths = number_cell(cells, field, "missing_hours")
    seconds = divide_half_even(millionths * SECONDS_PER_HOUR, MICROS_PER_USD)
    if seconds < 0 or (seconds == 0 and not (zero_is_said and millionths == 0)):
        raise RowError("zero_hours", field, cells[field])
    return seconds


def reject_row(name: str, line: int, reason: str, field: str, value: str) -> RentReject:
    """A refused row with its sentence."""
    shown = value if len(value) <= 60 else value[:57] + "…"
    sentence = f"{name} line {line}: {field} is {shown!r}; {RENT_REASONS[reason]}."
    return RentReject(line=line, reason=reason, field=field, value=value, sentence=sentence)
