"""The canonical text of a row: ``name=value`` of each column that is not null, in their order.

Columns are joined by the unit separator (0x1f), which no text of a record may hold. Times are whole
microseconds since 1970 UTC, flags 0 or 1, floats their shortest decimal form. A null column is
absent, so that a column added later leaves the texts of older records as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEPARATOR = "\x1f"
SLICE_ROWS = 32_768
"""Rows whose texts are held at once: memory stays flat however long the table is."""
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e9


def canonical_texts(table: pa.Table, columns: Sequence[str]) -> Iterator[pa.Array]:
    """The canonical text of each row over the named columns, SLICE_ROWS rows at a time."""
    for start in range(0, table.num_rows, SLICE_ROWS):
        yield text_of_each(table.slice(start, SLICE_ROWS), columns)


def text_of_each(table: pa.Table, columns: Sequence[str]) -> pa.Array:
    """The canonical text of each row of a table whose texts fit in memory."""
    pieces = _pieces(table, columns)
    if all(isinstance(piece, str) for piece in pieces):
        return pa.array(["".join(pieces)] * table.num_rows, pa.string())
    return pc.binary_join_element_wise(*pieces, "")


def stated_columns(table: pa.Table, columns: Sequence[str]) -> list[str]:
    """Those of the columns that hold a value in any row."""
    return [
        name
        for name in columns
        if name in table.column_names and table.column(name).null_count < table.num_rows
    ]


def _pieces(table: pa.Table, columns: Sequence[str]) -> list[Any]:
    """What the texts are joined from: texts that all rows share, and arrays of one per row.

    A column without a null shares its separator and label with what stands before it; one with a
    null brings its own, which are blank where it is null.
    """
    stated = [(name, _one_array(table.column(name))) for name in stated_columns(table, columns)]
    pieces: list[Any] = [""]
    # Where the first column may be blank, no row is sure to begin with it: the separator is cut off afterwards.
    unsure = bool(stated) and stated[0][1].null_count > 0
    for place, (name, array) in enumerate(stated):
        if array.null_count:
            labelled = pc.binary_join_element_wise(f"{SEPARATOR}{name}=", _texts(array), "")
            pieces.append(labelled.fill_null(""))
        else:
            _append(pieces, f"{SEPARATOR}{name}=" if place or unsure else f"{name}=")
            _append(pieces, _shared(_texts(array)))
    return [pc.utf8_slice_codeunits(pc.binary_join_element_wise(*pieces, ""), 1)] if unsure else pieces


def _append(pieces: list[Any], piece: Any) -> None:
    """Add a piece, or lengthen the last one where both are shared by all rows."""
    if isinstance(piece, str) and isinstance(pieces[-1], str):
        pieces[-1] += piece
    else:
        pieces.append(piece)


def _shared(texts: pa.Array) -> pa.Array | str:
    """The one text of all rows where there is one; else the texts."""
    first = texts[0]
    if not first.equals(texts[-1]) or not pc.all(pc.equal(texts, first)).as_py():
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
