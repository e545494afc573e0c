"""Read a settlements file: every row becomes a mark or a sentence, and gaps are said.

The layout is CSV with a header: ``trade_date, contract, month, settle`` and, where known, ``bid, ask,
volume, open_interest, vintage``. Prices are dollars per GPU-hour. A vintage is a date or an instant;
without one a settlement counts as public at the end of its trade date (UTC, *assumed*).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from ...records import (
    MARK_REASONS,
    Mark,
    MarkReject,
    RentmarkError,
    UsageError,
    day_start,
    micros_from_text,
    parse_date,
    parse_instant,
)
from ..calendars import business_days
from ..listing import listing_refusal, price_refusal
from ..spec import ContractSpec

REQUIRED = ("trade_date", "contract", "month", "settle")
OPTIONAL = ("bid", "ask", "volume", "open_interest", "vintage")
HIGHEST_COUNT = 2**63 - 1


class RowRefusedError(Exception):
    """A row can't be a mark: a reason code, the field and its value, and what to say."""

    def __init__(self, reason: str, field: str, value: str, said: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.field, self.value = reason, field, value
        self.said = said


@dataclass(frozen=True, slots=True)
class RowRead:
    """A row that became a mark, with its place in the file."""

    position: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class SettlementsFile:
    """The rows of a settlements file, before they meet what stands."""

    name: str
    rows: tuple[RowRead, ...]
    rejects: tuple[MarkReject, ...]


def row_reject(name: str, position: int, refused: RowRefusedError) -> MarkReject:
    """A refused row as a sentence that names its place, its value and the remedy."""
    shown = refused.value if len(refused.value) <= 60 else refused.value[:57] + "…"
    said = refused.said or f"{refused.field} is {shown!r}; {MARK_REASONS[refused.reason]}."
    return MarkReject(
        position=position,
        reason=refused.reason,
        field=refused.field,
        value=refused.value,
        sentence=f"{name} row {position + 1}: {said}",
    )


def read_settlements(
    payload: bytes, name: str, contracts: Mapping[str, ContractSpec], received_at: datetime
) -> SettlementsFile:
    """Read the bytes of a settlements file named ``name``, received at an instant.

    Raises RentmarkError where it is not a CSV of this layout at all; what is wrong with a single row
    is a reject beside the good ones.
    """
    reader = _open(payload, name)
    rows: list[RowRead] = []
    rejects: list[MarkReject] = []
    position = -1
    try:
        for cells in reader:
            if not any(cell and cell.strip() for cell in _cells(cells)):
                continue
            position += 1
            try:
                rows.append(RowRead(position, _mark(cells, contracts, received_at)))
            except RowRefusedError as refused:
                rejects.append(row_reject(name, position, refused))
    except csv.Error as error:
        raise RentmarkError(
            f"{name} stops being a CSV after row {position + 1} ({error}); repair it."
        ) from None
    if position < 0:
        raise RentmarkError(f"{name} holds no settlements; add rows under its header.")
    return SettlementsFile(name, tuple(rows), tuple(rejects))


def _open(payload: bytes, name: str) -> csv.DictReader[str]:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RentmarkError(f"{name} is not text in UTF-8; save it as CSV in UTF-8.") from None
    if "\x00" in text:
        raise RentmarkError(f"{name} is a binary file; save it as CSV.")
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [_key(column) for column in reader.fieldnames or ()]
    except csv.Error as error:
        raise RentmarkError(f"{name} is not a CSV ({error}); repair its header.") from None
    for column in REQUIRED:
        if column not in header:
            raise RentmarkError(
                f"{name} has no column {column}; its header needs {', '.join(REQUIRED)} and may have "
                f"{', '.join(OPTIONAL)}."
            )
    if doubled := sorted({column for column in header if header.count(column) > 1}):
        raise RentmarkError(f"{name} has the column {doubled[0]} twice; keep one.")
    reader.fieldnames = header
    return reader


def _key(column: str) -> str:
    return "_".join(column.strip().lower().replace("-", " ").replace("_", " ").split())


def _cells(cells: Mapping[Any, Any]) -> list[str]:
    values = [value if isinstance(value, list) else [value or ""] for value in cells.values()]
    return [cell for value in values for cell in value]


def _mark(cells: Mapping[str, str], contracts: Mapping[str, ContractSpec], received_at: datetime) -> Mark:
    if None in cells or None in cells.values():  # how csv marks a row longer or shorter than its header
        raise RowRefusedError("malformed_record", "row", ",".join(_cells(cells)))
    spec = _contract(_needed(cells, "contract"), contracts)
    trade_date = _trade_date(_needed(cells, "trade_date"), spec, received_at)
    month = _month(_needed(cells, "month"), spec, trade_date)
    settle = _price(_needed(cells, "settle"), "settle", spec)
    bid = _price(text, "bid", spec) if (text := _given(cells, "bid")) else None
    ask = _price(text, "ask", spec) if (text := _given(cells, "ask")) else None
    if bid is not None and ask is not None and bid > ask:
        raise RowRefusedError("crossed", "bid", _given(cells, "bid"))
    return Mark(
        contract=spec.id,
        month=month,
        trade_date=trade_date,
        settle_micros=settle,
        bid_micros=bid,
        ask_micros=ask,
        volume=_count(_given(cells, "volume"), "volume"),
        open_interest=_count(_given(cells, "open_interest"), "open_interest"),
        vintage=_vintage(_given(cells, "vintage"), trade_date, received_at),
    )


def _given(cells: Mapping[str, str], field: str) -> str:
    return cells.get(field, "").strip()


def _needed(cells: Mapping[str, str], field: str) -> str:
    text = _given(cells, field)
    if not text:
        raise RowRefusedError(
            "missing_field", field, "", f"{field} is blank; {MARK_REASONS['missing_field']}."
        )
    return text


def _contract(text: str, contracts: Mapping[str, ContractSpec]) -> ContractSpec:
    spec = contracts.get(text)
    if spec is None:
        raise RowRefusedError("unknown_contract", "contract", text)
    return spec


def _trade_date(text: str, spec: ContractSpec, received_at: datetime) -> date:
    try:
        day = parse_date(text)
    except ValueError:
        raise RowRefusedError("bad_date", "trade_date", text) from None
    if day > received_at.date():
        raise RowRefusedError("future_time", "trade_date", text)
    if not trading_days(spec, day, day):
        said = f"trade_date is {text!r}, which is no business day of {spec.calendar}; correct one of them."
        raise RowRefusedError("not_a_trading_day", "trade_date", text, said)
    return day


def trading_days(spec: ContractSpec, first: date, last: date) -> tuple[date, ...]:
    """Days a contract trades on: the business days of its calendar, or every day where it names none."""
    if spec.calendar is not None:
        return business_days(spec.calendar, first, last)
    return tuple(first + timedelta(days=number) for number in range((last - first).days + 1))


def _month(text: str, spec: ContractSpec, trade_date: date) -> str:
    try:
        refusal = listing_refusal(spec, text, trade_date)
    except UsageError as error:
        raise RowRefusedError("bad_month", "month", text, error.sentence) from None
    if refusal is not None:
        raise RowRefusedError(refusal.code, "month", text, refusal.sentence)
    return text


def _price(text: str, field: str, spec: ContractSpec) -> int:
    try:
        micros = micros_from_text(text)
    except ValueError:
        raise RowRefusedError("bad_number", field, text) from None
    refusal = price_refusal(spec, micros, field)
    if refusal is not None:
        raise RowRefusedError(refusal.code, field, text, refusal.sentence)
    return micros


def _count(text: str, field: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or int(text) > HIGHEST_COUNT:
        raise RowRefusedError("bad_number", field, text)
    return int(text)


def _vintage(text: str, trade_date: date, received_at: datetime) -> datetime:
    """When a settlement was made public: its own stamp, a date at its end, or the end of the trade date."""
    end_of_trading = day_start(trade_date) + timedelta(days=1)
    if not text:
        return end_of_trading
    try:
        as_date = parse_date(text) if len(text) == len("2026-08-14") else None
        begins = parse_instant(text) if as_date is None else day_start(as_date)
    except ValueError:
        raise RowRefusedError("bad_time", "vintage", text) from None
    if begins < day_start(trade_date):
        raise RowRefusedError("vintage_before_trade_date", "vintage", text)
    if begins > received_at:
        raise RowRefusedError("future_time", "vintage", text)
    return begins if as_date is None else begins + timedelta(days=1)
