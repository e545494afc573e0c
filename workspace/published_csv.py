"""The published CSV: every row of a tape, revisions and clocks included, as text that loses nothing.

A price is a six-decimal text, an instant ISO 8601 in UTC, an absent value an empty cell. A text that is empty,
begins with a quotation mark, holds what is not printed, or would be read by a spreadsheet as a formula stands as JSON,
so that reading gives back what was written, to the byte.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from typing import Any

from ..records import (
    FORMULA_STARTS,
    Fixing,
    RentmarkError,
    format_instant,
    format_micros,
    micros_from_text,
    parse_date,
    parse_instant,
)

_PRICE = "_micros"
_PRICE_COLUMN = "_usd_per_gpu_hour"
_FLAGS = {"true": True, "false": False}


def column_of(name: str) -> str:
    """The column of a field: prices are named by their unit."""
    return name.removesuffix(_PRICE) + _PRICE_COLUMN if name.endswith(_PRICE) else name


def tape_csv(rows: Iterable[Fixing]) -> str:
    """Tape rows in the order given, one column per field of a fixing."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    columns = fields(Fixing)
    writer.writerow([column_of(field.name) for field in columns])
    writer.writerows([_written(field, getattr(row, field.name)) for field in columns] for row in rows)
    return text.getvalue()


def read_tape_csv(text: str, where: str) -> list[Fixing]:
    """The rows of a published CSV. Raises RentmarkError naming the line and column that can't be read."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    by_column = {column_of(field.name): field for field in fields(Fixing)}
    rows: list[Fixing] = []
    try:
        header = next(reader, [])
        unknown = [name for name in header if name not in by_column]
        if unknown:
            raise RentmarkError(
                f"{where} has the column {unknown[0]!r}, which no tape of this version has; read it with a later one."
            )
        needed = [c for c, field in by_column.items() if "None" not in str(field.type) and c not in header]
        if needed:
            raise RentmarkError(
                f"{where} lacks the column {needed[0]}; `rentmark index export` writes a whole tape."
            )
        for cells in reader:
            if len(cells) != len(header):
                raise RentmarkError(
                    f"{where} line {reader.line_num}: {len(cells)} cells under {len(header)} columns; "
                    "get a whole copy."
                )
            named = dict(zip(header, cells, strict=True))
            rows.append(Fixing(**_fields(named, by_column, f"{where} line {reader.line_num}")))
    except csv.Error as error:
        raise RentmarkError(f"{where} line {reader.line_num}: {error}; get a whole copy.") from None
    return rows


def _fields(named: dict[str, str], by_column: dict[str, Field[Any]], where: str) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for column, field in by_column.items():
        cell = named.get(column, "")
        try:
            held[field.name] = _read(field, cell)
        except (ValueError, KeyError):
            raise RentmarkError(
                f"{where}: {column} is {cell!r}, which can't be read; get a whole copy."
            ) from None
    return held


def _written(field: Field[Any], value: Any) -> str:
    kind = _kind(field)
    if value is None:
        return ""
    if kind == "bool":
        return "true" if value else "false"
    if kind == "datetime":
        return format_instant(value)
    if kind == "date":
        return str(value.isoformat())
    if kind == "int":
        return format_micros(value) if field.name.endswith(_PRICE) else str(value)
    text = str(value)
    as_json = not text or text.startswith(('"', *FORMULA_STARTS)) or not text.isprintable()
    return json.dumps(text, ensure_ascii=False) if as_json else text


def _read(field: Field[Any], cell: str) -> Any:
    kind = _kind(field)
    if not cell:
        if "None" not in str(field.type):
            raise ValueError("it may not be empty")
        return None
    if kind == "int":
        return micros_from_text(cell) if field.name.endswith(_PRICE) else int(cell)
    if kind == "text":
        return json.loads(cell) if cell.startswith('"') else cell
    return _READ[kind](cell)


_READ: dict[str, Callable[[str], Any]] = {
    "bool": _FLAGS.__getitem__,
    "datetime": parse_instant,
    "date": parse_date,
}


def _kind(field: Field[Any]) -> str:
    """What a field holds, by its annotation; texts and words are text."""
    written = str(field.type).removesuffix(" | None")
    return {"int": "int", "bool": "bool", "datetime": "datetime", "dt.date": "date"}.get(written, "text")
