"""Reading an account of spending and output from TOML or CSV bytes."""

from __future__ import annotations

import csv
import io
import tomllib
from typing import Any

from ...records import RentmarkError, UsageError
from .cost_account import LINES, SINGLES, CostFile, Output, read_tables

LINE = "line"
LONGEST_WHOLE = 18
_FLAGS = {"true": True, "false": False}
_FLAG_KEYS = ("output_net_of_downtime", "colocation_bundles_power")
_TEXT_KEYS = ("name", "kind", "what", "bounds", "rule")


def read_cost_file(payload: bytes, name: str) -> CostFile:
    """Read an account; a name that ends in ``.csv`` is CSV, any other TOML.

    Raises RentmarkError or UsageError with one sentence that names the table or line, the key and its value.
    """
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    document = _csv_tables(text, name) if name.casefold().endswith(".csv") else _toml_tables(text, name)
    account = read_tables(document, name)
    _check(account, name)
    return account


def _toml_tables(text: str, name: str) -> dict[str, Any]:
    try:
        # numbers with a point stay text until a table reads them as exact decimals
        return tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} can't be read as TOML: {error}.") from None


def _csv_tables(text: str, name: str) -> dict[str, Any]:
    """One row a line; the column ``line`` names its table, the other columns are that table's keys."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    document: dict[str, Any] = {}
    try:
        header = [(cell or "").strip() for cell in reader.fieldnames or ()]
        if LINE not in header:
            raise UsageError(
                f"{name} has no column {LINE}, which names what a row is; see docs/operators.md."
            )
        for cells in reader:
            where = f"{name} line {reader.line_num}"
            if None in cells or None in cells.values():
                raise UsageError(f"{where} does not have {len(header)} cells; complete it.")
            row = {key.strip(): value.strip() for key, value in cells.items() if value.strip()}
            kind = row.pop(LINE, "")
            if not kind and not row:
                continue
            if kind in LINES:
                document.setdefault(kind, []).append(_nested(row))
            elif kind in SINGLES and kind not in document:
                document[kind] = _nested(row)
            elif kind in SINGLES:
                raise UsageError(f"{where}: a second {kind} row; an account has one.")
            else:
                raise UsageError(f"{where}: {LINE} is {kind!r}; known: {', '.join((*SINGLES, *LINES))}.")
    except csv.Error as error:
        raise UsageError(f"{name} line {reader.line_num} can't be read as CSV: {error}.") from None
    return document


def _nested(row: dict[str, str]) -> dict[str, Any]:
    """``failures.rule`` in a heading is the key ``rule`` of the table ``failures``."""
    table: dict[str, Any] = {}
    for key, value in row.items():
        place, _, inner = key.partition(".")
        if inner:
            table.setdefault(place, {})[inner] = _cell(inner, value)
        else:
            table[key] = _cell(key, value)
    return table


def _cell(key: str, text: str) -> str | int | bool:
    """A cell as TOML would hold it: a flag, a whole number, or text, which may be an exact decimal."""
    if key in _FLAG_KEYS:
        return _FLAGS.get(text.casefold(), text)
    whole = key not in _TEXT_KEYS and text.isascii() and text.isdigit() and len(text) <= LONGEST_WHOLE
    return int(text) if whole else text


def _check(file: CostFile, name: str) -> None:
    """What no single table can see."""
    period = file.account
    for what, spans in (("output", file.output), ("breach", file.breach)):
        for number, span in enumerate(spans, start=1):
            if what == "output" and (span.start < period.start or span.end > period.end):
                raise UsageError(
                    f"{name} [[output]] {number} reaches outside the account's period; its spending would be missing."
                )
            if what == "breach" and not span.overlaps(period):
                raise UsageError(
                    f"{name} [[breach]] {number} lies outside the account's period; check its times."
                )
    _refuse_double_output(file.output, name)
    for number, upgrade in enumerate(file.upgrade, start=1):
        if not period.start <= upgrade.on < period.end:
            raise UsageError(f"{name} [[upgrade]] {number} is dated outside the account's period; check on.")
    if not (file.rented or file.owned or file.spending):
        raise UsageError(f"{name} states no spending; add [[rented]], [[owned]] or [[spending]].")


def _refuse_double_output(windows: tuple[Output, ...], name: str) -> None:
    for number, window in enumerate(windows, start=1):
        for earlier, other in enumerate(windows[: number - 1], start=1):
            if window.name == other.name and window.overlaps(other):
                raise UsageError(
                    f"{name} [[output]] {number} and {earlier} overlap in time and are both called "
                    f"{window.name!r}: output would count twice; part them, or name them apart."
                )
