"""Parquet bytes to text columns: distinct typed values become the text they would be written as."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from ..records import Refusal
from .columns import Column, clean_text
from .not_offers import not_an_offer
from .raw import RawTable, positions_between
from .unpack import LARGEST_PAYLOAD_BYTES

LARGEST_RECORDS = 50_000_000
"""Rows of one payload. A few kilobytes of run-length encoded Parquet can claim billions."""


def read_parquet(
    content: bytes | bytearray, wanted: Collection[str], *, origin_name: str
) -> RawTable | Refusal:
    """Read the wanted columns of a Parquet file; a damaged file is refused as a whole."""
    from pyarrow import parquet

    unreadable = Refusal("not_this_format", f"{origin_name} is damaged or cut-off Parquet; fetch it again.")
    try:
        file = parquet.ParquetFile(pa.BufferReader(pa.py_buffer(content)))
        names = list(file.schema_arrow.names)
        groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
        unpacked = sum(group.total_byte_size for group in groups)
        if file.metadata.num_rows > LARGEST_RECORDS or unpacked > LARGEST_PAYLOAD_BYTES:
            return Refusal(
                "too_large", f"{origin_name} holds more than {LARGEST_RECORDS:,} rows or 4 GiB; split it."
            )
        other = not_an_offer(names, origin_name)
        if other is not None:
            return other
        included = [name for name in names if name in wanted]
        twice = [name for name in included if names.count(name) > 1]
        if twice:
            return Refusal("not_this_format", f"{origin_name} names the column {twice[0]} twice; keep one.")
        nested = [name for name in included if pa.types.is_nested(file.schema_arrow.field(name).type)]
        if nested:
            return Refusal(
                "not_this_format", f"{origin_name} has the column {nested[0]} as nested values; flatten it."
            )
        # A dictionary of one long text can stand for millions of rows: texts stay in their dictionary.
        texts = [name for name in included if _is_text(file.schema_arrow.field(name).type)]
        kept = parquet.ParquetFile(pa.BufferReader(pa.py_buffer(content)), read_dictionary=texts)
        table = kept.read(columns=included, use_threads=False)
        table.select(texts).validate(full=True)  # damage can point outside of a dictionary
        columns = {name: _column(name, table.column(name)) for name in included}
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError):
        return unreadable
    return RawTable(columns=columns, positions=positions_between(table.num_rows, ()), names=names)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _column(name: str, chunked: pa.ChunkedArray) -> Column[str | None]:
    kind = chunked.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        chunked = chunked.cast(pa.timestamp("us", kind.tz), safe=False)
    if not pa.types.is_dictionary(chunked.type):
        chunked = chunked.dictionary_encode()
    array = pa.chunked_array(chunked.chunks, chunked.type).unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], chunked.type)
    values = [clean_text(name, _written(value)) for value in array.dictionary.to_pylist()]
    missing = len(values)
    codes = array.indices.fill_null(missing).to_numpy(zero_copy_only=False).astype(np.int64)
    return Column(name, [*values, None], codes)


def _written(value: Any) -> str | bytes | None:
    """The text of a typed value: shortest form of a float, ISO 8601 of a time."""
    if value is None or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)
