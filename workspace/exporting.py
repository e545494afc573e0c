"""Exports: an answer of a command as JSON, as tables of a workbook, or its main table as CSV.

Every list of objects of an answer becomes a table, everything else a summary of paths and values. What the
answer carries as marks (simulated, backcast, proxy, …) stands in every file. A cell of text is written as
text whatever it begins with, so that no spreadsheet takes what a file said for a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..records import RentmarkError, UsageError, neutral

SUFFIXES = (".csv", ".json", ".xlsx")
MAIN_TABLES = {"hedge": "months", "hedge programme": "months", "hedge compare": "ranking"}
"""The table a CSV holds, by command."""
FLAGS = ("simulated", "reconstructed", "backcast", "proxy", "entry_assumed", "modelled")
"""Keys of an answer that are marks where they are true."""
LONGEST_SHEET_NAME = 31
_PRICE = re.compile(r"-?\d+\.\d{6}\Z")

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of an answer; cells as JSON has them, nested lists written out."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def export_row(command: str, row: Mapping[str, Any], path: Path) -> None:
    """Write an answer to a file whose suffix says how.

    Raises UsageError for another suffix and RentmarkError where the file can't be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"--export {path} ends in {suffix or 'nothing'}; it is {', '.join(SUFFIXES)}.")
    if suffix == ".json":
        payload = (json.dumps(row, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    elif suffix == ".csv":
        payload = csv_of(main_table(command, row)).encode()
    else:
        payload = workbook_of(tables_of(row), marks_of_row(row), _instant_of(row))
    try:
        path.write_bytes(payload)
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None


def marks_of_row(row: Mapping[str, Any]) -> str:
    """The marks of an answer in words, such as ``SIMULATED · BACKCAST``; empty where it has none."""
    marks = [name.replace("_", " ").upper() for name in FLAGS if row.get(name) is True]
    if row.get("origin") == "backcast":
        marks.append("BACKCAST")
    if row.get("fixing_state") == "candidate":
        marks.append("CANDIDATE")
    return " · ".join(marks)


def tables_of(row: Mapping[str, Any]) -> list[Table]:
    """The summary of an answer and one table for each list of objects in it."""
    lists = {name: value for name, value in row.items() if _is_table(value)}
    rest = _flat({name: value for name, value in row.items() if name not in lists})
    summary = Table(name="summary", columns=("what", "value"), rows=tuple(rest.items()))
    return [summary, *(_table(name, value) for name, value in lists.items())]


def main_table(command: str, row: Mapping[str, Any]) -> Table:
    """The main table of an answer with its marks as columns at the end."""
    table = _table(MAIN_TABLES[command], row[MAIN_TABLES[command]])
    marks = [name for name in (*FLAGS, "origin", "fixing_state") if name in row]
    values = tuple(row[name] for name in marks)
    return Table(
        name=table.name,
        columns=(*table.columns, *(f"report.{name}" for name in marks)),
        rows=tuple((*cells, *values) for cells in table.rows),
    )


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _table(name: str, objects: Sequence[Mapping[str, Any]]) -> Table:
    flat = [_flat(each) for each in objects]
    found = dict.fromkeys(column for each in flat for column in each)
    # an object that is null in some rows leaves a column of its own beside its parts, with nothing in it
    columns = tuple(
        column
        for column in found
        if not any(other.startswith(f"{column}.") for other in found)
        or any(each.get(column) is not None for each in flat)
    )
    return Table(
        name=name,
        columns=columns,
        rows=tuple(tuple(each.get(column) for column in columns) for each in flat),
    )


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Cell]:
    """Nested objects as dotted paths; a list of plain values joined, one of objects counted and written out."""
    found: dict[str, Cell] = {}
    for name, value in values.items():
        path = f"{before}{name}"
        if isinstance(value, Mapping):
            found |= _flat(value, f"{path}.")
        elif isinstance(value, list):
            found[path] = "; ".join(_written(each) for each in value)
        else:
            found[path] = value
    return found


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in _flat(value).items() if each is not None)
    return str(value)


def csv_of(table: Table) -> str:
    """A table as CSV: a header, then one line a row; an absent cell is blank."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([neutral(column) for column in table.columns])
    for cells in table.rows:
        writer.writerow(["" if cell is None else neutral(_as_text(cell)) for cell in cells])
    return target.getvalue()


def _as_text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)


def workbook_of(tables: Sequence[Table], marks: str, made_at: datetime | None) -> bytes:
    """A workbook with a sheet for each table; the marks stand above every header.

    Prices are numbers with six decimals, text is text whatever it begins with. The same answer gives the
    same bytes.
    """
    import xlsxwriter

    target = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(target, options)
    book.set_properties({"created": made_at or datetime(2000, 1, 1), "title": marks})  # noqa: DTZ001 - a property
    bold, priced = book.add_format({"bold": True}), book.add_format({"num_format": "0.000000"})
    for table in tables:
        sheet = book.add_worksheet(table.name[:LONGEST_SHEET_NAME])
        sheet.write_string(0, 0, marks or "rentmark")
        for place, column in enumerate(table.columns):
            sheet.write_string(1, place, column, bold)
        for line, cells in enumerate(table.rows, start=2):
            for place, cell in enumerate(cells):
                if cell is None:
                    continue
                if isinstance(cell, bool):
                    sheet.write_boolean(line, place, cell)
                elif isinstance(cell, int | float):
                    sheet.write_number(line, place, cell)
                elif _PRICE.match(cell):
                    sheet.write_number(line, place, float(cell), priced)
                else:
                    sheet.write_string(line, place, cell)
        sheet.freeze_panes(2, 1)
        sheet.set_column(0, max(0, len(table.columns) - 1), 16)
    book.close()
    return target.getvalue()


def _instant_of(row: Mapping[str, Any]) -> datetime | None:
    now = row.get("now")
    return None if now is None else datetime.fromisoformat(now).replace(tzinfo=None)
