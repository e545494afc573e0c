"""Columns of distinct values: each distinct text is read once, however many rows repeat it.

A column is a list of distinct values and, for each row, the place of its value in that list.
Reading a payload of 315,321 rows that names 26 chips then costs 26 readings; the rows are only
ever touched by numpy and Arrow. A value that could not be read is a :class:`Fault` in the list
and travels through every later step, so that a row is refused for the first thing wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

T = TypeVar("T")
U = TypeVar("U")

Codes = npt.NDArray[np.int64]

LONGEST_TEXT = 1_000
"""Characters of one field; a longer one is no name, price or place, whatever it is."""
LONGEST_SHOWN = 200
"""Characters of a refused value that are kept beside the reason; the payload keeps all of it."""

_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_CODE_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Bad:
    """What a reader returns for a value it refuses: a reason code of ``REJECT_REASONS``.

    ``column`` and ``value`` name another field than the one being read, where a reading of
    several fields fails on one of them.
    """

    reason: str
    column: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A refused value in its column: the reason, the payload's name of the field, the value."""

    reason: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Distinct values and the place of each row's value among them.

    ``name`` is the payload's own name of the field. ``values`` has one entry per distinct value
    (shape: distinct), ``codes`` one per row (shape: rows).
    """

    name: str
    values: Sequence[T | Fault]
    codes: Codes

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def faults(self) -> npt.NDArray[np.bool_]:
        """One flag per distinct value: true where it was refused."""
        return np.fromiter((isinstance(value, Fault) for value in self.values), np.bool_, len(self.values))

    def convert(self, read: Callable[[T], U | Bad]) -> Column[U]:
        """Read each distinct value once; what was refused before stays refused."""
        return Column(self.name, [_read(self.name, value, read) for value in self.values], self.codes)

    def to_arrow(self, kind: pa.DataType) -> pa.Array:
        """One Arrow value per row; refused values are null. Instants are microseconds since 1970."""
        values = [None if isinstance(value, Fault) else value for value in self.values]
        return pa.array(values, kind).take(pa.array(self.codes))

    def to_numpy(self, missing: int) -> npt.NDArray[np.int64]:
        """One integer per row; ``missing`` stands for null and refused values."""
        values = [missing if value is None or isinstance(value, Fault) else value for value in self.values]
        return np.array(values, np.int64)[self.codes]


def _read(name: str, value: T | Fault, read: Callable[[T], U | Bad]) -> U | Fault:
    if isinstance(value, Fault):
        return value
    outcome = read(value)
    return _fault(outcome, name, value) if isinstance(outcome, Bad) else outcome


def _fault(bad: Bad, name: str, value: object) -> Fault:
    seen = bad.value if bad.value is not None else value
    text = "" if seen is None else shown(str(seen))
    return Fault(bad.reason, bad.column or name, text)


def constant(name: str, value: T, rows: int) -> Column[T]:
    """A column that holds one value on every row."""
    return Column(name, [value], np.zeros(rows, np.int64))


def from_cells(name: str, cells: Iterable[Any]) -> Column[str | None]:
    """A column of cleaned texts from one cell per row (text, bytes, or None)."""
    place: dict[Any, int] = {}
    codes = [place.setdefault(cell, len(place)) for cell in cells]
    values = [clean_text(name, cell) for cell in place]
    return Column(name, values or [None], np.array(codes, np.int64))


def clean_texts(name: str, cells: pa.Array) -> list[str | Fault | None]:
    """As :func:`clean_text` for an Arrow array of bytes, whole where all of it is clean."""
    try:
        texts = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    except pa.ArrowInvalid:
        return [clean_text(name, cell) for cell in cells.to_pylist()]
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > LONGEST_TEXT or pc.any(pc.match_substring_regex(texts, "[\\x00-\\x1f\\x7f]")).as_py():
        return [clean_text(name, cell) for cell in cells.to_pylist()]
    return [text or None for text in texts.to_pylist()]


def clean_text(name: str, cell: str | bytes | Fault | None) -> str | Fault | None:
    """The text of a cell without surrounding spaces; blank is None.

    Text that is not UTF-8, holds control characters (a line break, the separator of digests) or
    is longer than LONGEST_TEXT is a Fault: it could not be shown, compared or sealed.
    """
    if cell is None or isinstance(cell, Fault):
        return cell
    text = cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell
    text = text.strip()
    if len(text) > LONGEST_TEXT or _CONTROL.search(text):
        return Fault("malformed_record", name, shown(text))
    return text or None


def shown(text: str) -> str:
    """A refused value as it is kept: short, printable, valid UTF-8."""
    short = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", short)


def group_rows(columns: Sequence[Column[Any]], rows: int) -> tuple[Codes, Codes]:
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
            distinct, combined = np.unique(combined, return_inverse=True)
            size = len(distinct)
        combined = combined * width + column.codes
        size *= width
    _, first, group = np.unique(combined, return_index=True, return_inverse=True)
    return first.astype(np.int64), group.astype(np.int64)


def join(columns: Sequence[Column[Any]], read: Callable[..., U | Bad]) -> Column[U]:
    """Read several columns together, each distinct combination once.

    ``read`` takes one value per column. A combination with a refused value is refused for the
    first of them. A Bad without a column is laid on the first column.
    """
    varying = [column for column in columns if len(column.values) != 1]
    combinations: Iterable[tuple[Any, ...]]
    if len(varying) == 1:  # every combination is one of that column's values
        group = varying[0].codes
        combinations = product(*(column.values for column in columns))
    else:
        first, group = group_rows(columns, columns[0].rows)
        combinations = zip(*(_values_at(column, first) for column in columns), strict=True)
    return Column(
        columns[0].name, [_read_parts(columns[0].name, parts, read) for parts in combinations], group
    )


def _values_at(column: Column[Any], rows: Codes) -> list[Any]:
    values = column.values
    return [values[code] for code in column.codes[rows].tolist()]


def _read_parts(name: str, parts: tuple[Any, ...], read: Callable[..., U | Bad]) -> U | Fault:
    for part in parts:
        if isinstance(part, Fault):
            return part
    outcome = read(*parts)
    return _fault(outcome, name, parts[0]) if isinstance(outcome, Bad) else outcome
