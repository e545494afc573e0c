"""The canonical text of a row: ``name=value`` of each column that is not null, in their order.

Columns are joined by the unit separator (0x1f), which no text of a record may hold. Times are whole
microseconds since 1970 UTC, flags 0 or 1, floats their shortest decimal form. A null column is
absent, so that a column added later leaves the texts of older records as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEPARATOR = "\x1f"
SLICE_ROWS = 32_768
"""Rows whose texts are held at once: memory stays flat however long the table is."""
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e9


@dataclass(frozen=True, slots=True)
class Written:
    """The values of a column as text: one per row, null where it is null, or one that all share."""

    texts: pa.Array | str
    has_nulls: bool
    source: pa.Array
    """The values themselves: slices of a value that all rows share may be the same memory."""


def canonical_texts(table: pa.Table, columns: Sequence[str]) -> Iterator[pa.Array]:
    """The canonical text of each row over the named columns, SLICE_ROWS rows at a time."""
    for part, written in written_slices(table, columns):
        yield join_pieces(pieces_of(written, columns), part.num_rows)


def written_slices(
    table: pa.Table, columns: Collection[str]
) -> Iterator[tuple[pa.Table, Mapping[str, Written]]]:
    """SLICE_ROWS rows at a time, with the texts of those columns that state anything there."""
    before: Mapping[str, Written] = {}
    for start in range(0, table.num_rows, SLICE_ROWS):
        part = table.slice(start, SLICE_ROWS)
        written = {}
        for name in dict.fromkeys(columns):
            if name not in part.column_names or part.column(name).null_count == part.num_rows:
                continue
            array = _one_array(part.column(name))
            if name in before and _place(before[name].source) == _place(array):
                written[name] = before[name]
            else:
                written[name] = Written(_shared(_texts(array)), array.null_count > 0, array)
        before = written
        yield part, written


def pieces_of(written: Mapping[str, Written], columns: Sequence[str]) -> list[Any]:
    """What the text of a row is joined from: texts that all rows share, and arrays of one per row.

    A column without a null shares its separator and label with what stands before it; one with a
    null brings its own, which are blank where it is null.
    """
    stated = [(name, written[name]) for name in columns if name in written]
    pieces: list[Any] = [""]
    # Where the first column may be blank, no row is sure to begin with it: the separator is cut off afterwards.
    unsure = bool(stated) and stated[0][1].has_nulls
    for place, (name, found) in enumerate(stated):
        label = f"{SEPARATOR}{name}=" if place or unsure else f"{name}="
        if found.has_nulls:
            pieces.append(behind_label(name, found))
        else:
            append_piece(pieces, label)
            append_piece(pieces, found.texts)
    return [pc.utf8_slice_codeunits(pc.binary_join_element_wise(*pieces, ""), 1)] if unsure else pieces


def behind_label(name: str, found: Written) -> pa.Array:
    """The texts of a column with nulls behind their separator and label, blank where it is null."""
    return pc.binary_join_element_wise(f"{SEPARATOR}{name}=", found.texts, "").fill_null("")


def join_pieces(pieces: Sequence[Any], rows: int) -> pa.Array:
    """The text of each row from its pieces."""
    if all(isinstance(piece, str) for piece in pieces):
        return pa.array(["".join(pieces)] * rows, pa.string())
    return pc.binary_join_element_wise(*pieces, "")


def append_piece(pieces: list[Any], piece: Any) -> None:
    """Add a piece, or lengthen the last one where both are shared by all rows."""
    if isinstance(piece, str) and isinstance(pieces[-1], str):
        pieces[-1] += piece
    else:
        pieces.append(piece)


def _place(array: pa.Array) -> tuple[int, ...]:
    """Where an array lies in memory: two that are alive and lie in one place are one."""
    return (array.offset, len(array), *(buffer.address for buffer in array.buffers() if buffer is not None))


def _shared(texts: pa.Array) -> pa.Array | str:
    """The one text of all rows where there is one; else the texts."""
    first = texts[0]
    if texts.null_count or not first.equals(texts[-1]) or not pc.all(pc.equal(texts, first)).as_py():
        return texts
    return str(first.as_py())


def _one_array(chunked: pa.ChunkedArray) -> pa.Array:
    if chunked.num_chunks == 1:
        return chunked.chunk(0)
    array = chunked.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _texts(array: pa.Array) -> pa.Array:
    """The values of a column as texts; null stays null."""
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("us", array.type.tz)).cast(pa.int64())
    elif pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    return _floats(array) if pa.types.is_floating(array.type) else array.cast(pa.string())


def _floats(array: pa.Array) -> pa.Array:
    """The shortest decimal form of floats, as Python writes it.

    Arrow finds the same digits; it differs in where it turns to powers of ten and in the names of
    what is not finite, so that only plain magnitudes are left to it.
    """
    size = pc.abs(array)
    plain = pc.and_(pc.greater_equal(size, _SMALLEST_PLAIN), pc.less(size, _LARGEST_PLAIN))
    texts = array.cast(pa.string())
    whole = pc.and_(plain, pc.equal(array, pc.floor(array)))
    if pc.any(whole).as_py():
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, "0", "."), texts)
    odd = ~np.asarray(plain.fill_null(True), np.bool_)
    if odd.any():
        written = [repr(value) for value in array.filter(pa.array(odd)).to_pylist()]
        texts = pc.replace_with_mask(texts, pa.array(odd), pa.array(written, pa.string()))
    return texts
