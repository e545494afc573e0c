"""From the rows of a payload to its records: one candidate price each.

A row with an on-demand and a spot price holds two records; a blank price cell is none. A row without any
price is one record that lacks its first, so that it is refused and not lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .columns import Column, Fault
from .raw import RawTable

PRICE = "price"
"""The column of a spread table that holds the text of the price."""
PRICED_BY = "priced by"
"""The column of a spread table that names the payload's column of that price."""


def spread(raw: RawTable, price_columns: Sequence[str]) -> RawTable:
    """One row per price that a row holds, in the order of the columns, then of the rows.

    Records are counted anew: ``positions`` are places among the candidate prices of the payload.
    """
    columns = [raw.column(name) for name in price_columns]
    filled = np.column_stack([_filled(column) for column in columns])
    filled[~filled.any(axis=1), 0] = True
    row, which = np.nonzero(filled)
    counts = filled.sum(axis=1)
    damaged_places = [record.position for record in raw.damaged]
    last = max([*raw.positions[-1:].tolist(), *damaged_places], default=-1)
    held = np.zeros(last + 1, np.int64)
    held[raw.positions] = counts
    held[damaged_places] = 1
    start = np.cumsum(held) - held
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    values: list[str | Fault | None] = []
    offsets = []
    for column in columns:
        offsets.append(len(values))
        values.extend(column.values)
    codes = np.column_stack([column.codes for column in columns])[row, which] + np.array(offsets)[which]
    spread_columns = {name: take(column, row) for name, column in raw.columns.items()}
    spread_columns[PRICE] = Column(PRICE, values, codes)
    spread_columns[PRICED_BY] = Column(PRICED_BY, list(price_columns), which.astype(np.int64))
    return replace(
        raw,
        columns=spread_columns,
        positions=start[raw.positions[row]] + within,
        damaged=[replace(record, position=int(start[record.position])) for record in raw.damaged],
    )


def only(raw: RawTable, kept: npt.NDArray[np.bool_], what: str) -> RawTable:
    """The rows that are records; the others keep their place, are not counted, and are noted as ``what``."""
    passed_over = int((~kept).sum())
    if not passed_over:
        return raw
    rows = np.flatnonzero(kept)
    return replace(
        raw,
        columns={name: take(column, rows) for name, column in raw.columns.items()},
        positions=raw.positions[rows],
        notes=(*raw.notes, f"passed over, as they {what}: {passed_over}"),
    )


def take(column: Column[Any], rows: npt.NDArray[np.intp]) -> Column[Any]:
    """A column of the chosen rows; its distinct values stay as they are."""
    return Column(column.name, column.values, column.codes[rows])


def _filled(column: Column[Any]) -> npt.NDArray[np.bool_]:
    stated = np.fromiter((value is not None for value in column.values), np.bool_, len(column.values))
    return np.asarray(stated[column.codes], np.bool_)


def part(record: Any, path: str) -> Any:
    """The value at a dotted path of a parsed document; None where it is absent.

    Where the path runs into something that has no parts, that thing comes back in a list, which no
    field takes: the record is refused as malformed.
    """
    for key in path.split("."):
        if record is None:
            return None
        if not isinstance(record, Mapping):
            return [record]
        record = record.get(key)
    return record


def flat(record: Any, paths: Iterable[str], **more: Any) -> Any:
    """The named parts of a record side by side, with ``more`` beside them; what is no object stays."""
    if not isinstance(record, Mapping):
        return record
    return {path: part(record, path) for path in paths} | more
