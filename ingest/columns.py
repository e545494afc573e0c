"""Columns of distinct values: each distinct text is read once, however many rows repeat it.

A column is a list of distinct values and, for each row, the place of its value in that list.
Reading a payload of 315,321 rows that names 26 chips then costs 26 readings; the rows are only
ever touched by numpy and Arrow. Where nearly every row has a value of its own, such as a time,
the values stand in an Arrow array instead (:mod:`.held`) and are read all at once. A value that
could not be read is a :class:`Fault` in the list and travels through every later step, so that a
row is refused for the first thing wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .held import FEW, AtOnce, Flags, Held, clean_many
from .texts import LONGEST_SHOWN, LONGEST_TEXT, Bad, Fault, clean_text, fault_of, shown

__all__ = [
    "LONGEST_SHOWN",
    "LONGEST_TEXT",
    "SHARED_ROWS",
    "AtOnce",
    "Bad",
    "Codes",
    "Column",
    "Fault",
    "Places",
    "by_presence",
    "clean_text",
    "clean_texts",
    "constant",
    "first_stated",
    "from_cells",
    "group_rows",
    "join",
    "repeated",
    "shown",
    "whole_column",
]

T = TypeVar("T")
U = TypeVar("U")

Codes = npt.NDArray[np.signedinteger[Any]]
Places = npt.NDArray[np.int64]

SHARED_ROWS = 32_768
"""Rows that one copy of a shared value stands for."""

_CODE_LIMIT = 2**62
_TABLE_LIMIT = 1 << 22
"""Combinations up to which a table of them is quicker than sorting the rows."""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Distinct values and the place of each row's value among them.

    ``name`` is the payload's own name of the field. ``values`` has one entry per distinct value
    (shape: distinct), ``codes`` one per row (shape: rows). Values held by Arrow may repeat.
    """

    name: str
    values: Sequence[T | Fault]
    codes: Codes

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def faults(self) -> Flags:
        """One flag per distinct value: true where it was refused."""
        if isinstance(self.values, Held):
            return self.values.flags()
        return np.fromiter((isinstance(value, Fault) for value in self.values), np.bool_, len(self.values))

    def convert(self, read: Callable[[T], U | Bad]) -> Column[U]:
        """Read each distinct value once; what was refused before stays refused."""
        if isinstance(self.values, Held) and isinstance(read, AtOnce):
            return Column(self.name, self.values.read(self.name, read), self.codes)
        return Column(self.name, [_read(self.name, value, read) for value in self.values], self.codes)

    def to_arrow(self, kind: pa.DataType, rows: Places | None = None) -> pa.Array | pa.ChunkedArray:
        """One Arrow value per row, or per chosen row; refused values are null.

        Instants are microseconds since 1970. A value that all rows share is kept once for many.
        """
        codes = self.codes if rows is None else self.codes[rows]
        if isinstance(self.values, Held):
            values = self.values.array.cast(kind)
            if len(codes) == len(values) and np.array_equal(codes, np.arange(len(values))):
                return values
            return values.take(pa.array(codes))
        known = [None if isinstance(value, Fault) else value for value in self.values]
        if len(known) == 1:
            return repeated(known[0], kind, len(codes))
        return pa.array(known, kind).take(pa.array(codes))

    def to_numpy(self, missing: int) -> npt.NDArray[np.int64]:
        """One integer per row; ``missing`` stands for null and refused values."""
        if isinstance(self.values, Held):
            held = self.values.array.cast(pa.int64()).fill_null(missing)
            return np.asarray(held.to_numpy(zero_copy_only=False), np.int64)[self.codes]
        values = [missing if value is None or isinstance(value, Fault) else value for value in self.values]
        return np.array(values, np.int64)[self.codes]

    def at(self, rows: Places) -> list[Any]:
        """The values of some rows, refused ones as their Fault."""
        if isinstance(self.values, Held):
            return self.values.at(self.codes[rows])
        values = self.values
        return [values[code] for code in self.codes[rows].tolist()]


def _read(name: str, value: T | Fault, read: Callable[[T], U | Bad]) -> U | Fault:
    if isinstance(value, Fault):
        return value
    outcome = read(value)
    return fault_of(outcome, name, value) if isinstance(outcome, Bad) else outcome


def repeated(value: object, kind: pa.DataType, rows: int) -> pa.ChunkedArray:
    """One value on every row, in chunks that are all the same memory."""
    chunk = pa.repeat(pa.scalar(value, kind), min(rows, SHARED_ROWS))
    whole, rest = divmod(rows, SHARED_ROWS)
    return pa.chunked_array([chunk] * whole + [chunk.slice(0, rest)], kind)


def constant(name: str, value: T, rows: int) -> Column[T]:
    """A column that holds one value on every row."""
    return Column(name, [value], np.zeros(rows, np.int8))


def whole_column(name: str, cells: pa.Array) -> Column[str | None]:
    """A column of cleaned texts, one per row, that are expected to differ from row to row."""
    return Column(name, clean_many(name, cells), np.arange(len(cells), dtype=np.int32))


def from_cells(name: str, cells: Sequence[Any]) -> Column[str | None]:
    """A column of cleaned texts from one cell per row (text, bytes, a Fault, or None)."""
    if len(cells) > FEW:
        try:
            encoded = pa.array(cells, pa.string()).dictionary_encode(null_encoding="encode")
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
            pass  # bytes, a Fault or half a character among them: one by one, then
        else:
            values = clean_many(name, encoded.dictionary)
            return Column(name, values, encoded.indices.to_numpy(zero_copy_only=False))
    place: dict[Any, int] = {}
    codes = [place.setdefault(cell, len(place)) for cell in cells]
    return Column(name, [clean_text(name, cell) for cell in place] or [None], np.array(codes, np.int32))


def clean_texts(name: str, cells: pa.Array) -> Sequence[str | Fault | None]:
    """As :func:`clean_text` for an Arrow array of bytes."""
    return clean_many(name, cells)


def first_stated(columns: Sequence[Column[str | None]]) -> Column[str | None]:
    """Row by row the first text that is there; a fault counts as one."""
    present = [column for column in columns if len(column.values) > 1 or column.values[0] is not None]
    if len(present) <= 1:
        return (present or columns)[0]
    if any(isinstance(column.values, Held) for column in present) and not any(
        column.faults.any() for column in present
    ):
        texts = pc.coalesce(*(column.to_arrow(pa.string()) for column in present))
        return Column(columns[0].name, Held(texts), np.arange(len(texts), dtype=np.int32))
    return join(present, lambda *texts: next((text for text in texts if text is not None), None))


def by_presence(column: Column[Any], stated: T, blank: T) -> Column[T]:
    """One value on the rows where a column states something, another where it is blank."""
    if isinstance(column.values, Held):
        there = np.asarray(column.values.array.is_valid(), np.bool_)
    else:
        there = np.fromiter((value is not None for value in column.values), np.bool_, len(column.values))
    return Column(column.name, [blank, stated], there[column.codes].astype(np.int8))


def group_rows(columns: Sequence[Column[Any]], rows: int) -> tuple[Places, Places]:
    """Group rows that agree in every column.

    Returns the first row of each group (shape: groups) and each row's group (shape: rows).
    """
    combined = np.zeros(rows, np.int64)
    size = 1
    for column in columns:
        width = len(column.values)
        if width <= 1:
            continue
        if size > _CODE_LIMIT // width:
            _, combined = _distinct(combined, size)
            size = int(combined.max(initial=0)) + 1
        combined = combined * width + column.codes
        size *= width
    return _distinct(combined, size)


def _distinct(combined: Places, size: int) -> tuple[Places, Places]:
    """First row and number of each combination, in ascending order of the combinations."""
    rows = len(combined)
    if size <= min(_TABLE_LIMIT, 4 * rows):
        table = np.full(size, rows, np.int64)
        np.minimum.at(table, combined, np.arange(rows, dtype=np.int64))
        present = np.flatnonzero(table < rows)
        first = table[present]
        table[present] = np.arange(len(present))
        return first, table[combined]
    order = np.argsort(combined)
    ordered = combined[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    group = np.empty(rows, np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=rows))
    first = np.minimum.reduceat(order, starts) if rows else order
    return np.asarray(first, np.int64), group


def join(columns: Sequence[Column[Any]], read: Callable[..., U | Bad]) -> Column[U]:
    """Read several columns together, each distinct combination once.

    ``read`` takes one value per column. A combination with a refused value is refused for the
    first of them. A Bad without a column is laid on the first column.
    """
    varying = [column for column in columns if len(column.values) != 1]
    combinations: Iterable[tuple[Any, ...]]
    group: Codes
    if len(varying) == 1:  # every combination is one of that column's values
        group = varying[0].codes
        combinations = product(*(column.values for column in columns))
    else:
        first, places = group_rows(columns, columns[0].rows)
        group = places.astype(np.int32)
        combinations = zip(*(column.at(first) for column in columns), strict=True)
    return Column(
        columns[0].name, [_read_parts(columns[0].name, parts, read) for parts in combinations], group
    )


def _read_parts(name: str, parts: tuple[Any, ...], read: Callable[..., U | Bad]) -> U | Fault:
    for part in parts:
        if isinstance(part, Fault):
            return part
    outcome = read(*parts)
    return fault_of(outcome, name, parts[0]) if isinstance(outcome, Bad) else outcome
