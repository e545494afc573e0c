"""The identity of an observation: 64 bits of SHA-256 over a canonical text of its columns.

The canonical text of a row is ``name=value`` for each column that is not null, in the order of
the schema, joined by the unit separator (0x1f), which no text of a record may hold. Times are
whole microseconds since 1970 UTC, flags 0 or 1, floats their shortest decimal form. A null
column is absent, so that a column added later leaves the digests of older records as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA

SEPARATOR = "\x1f"
SLICE_ROWS = 16_384
"""Rows whose texts are held at once: memory stays flat however long the table is."""

_KEY = frozenset(DUPLICATE_KEY)
KEY_COLUMNS = tuple(name for name in OBSERVATION_SCHEMA.names if name in _KEY)
"""DUPLICATE_KEY in the order of the schema."""
CONTENT_COLUMNS = tuple(name for name in OBSERVATION_SCHEMA.names if name not in NOT_CONTENT)
"""Columns that say what a record says, in the order of the schema."""

Digests = npt.NDArray[np.int64]


def observation_ids(table: pa.Table) -> Digests:
    """The identity of each row (shape: rows): equal exactly where DUPLICATE_KEY is equal.

    Raises ValueError when two different rows of the table share 64 bits, which would make one
    of them vanish as a duplicate.
    """
    texts = list(canonical_texts(table, KEY_COLUMNS))
    ids = np.concatenate([_digests(text) for text in texts]) if texts else np.zeros(0, np.int64)
    _refuse_collisions(ids, texts)
    return ids


def content_checks(table: pa.Table) -> Digests:
    """64 bits over all content of each row (shape: rows), whatever payload it came in."""
    parts = [_digests(texts) for texts in canonical_texts(table, CONTENT_COLUMNS)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def canonical_texts(table: pa.Table, columns: Sequence[str]) -> Iterator[pa.Array]:
    """The canonical text of each row over the named columns, SLICE_ROWS rows at a time."""
    present = [name for name in columns if name in table.column_names]
    for start in range(0, table.num_rows, SLICE_ROWS):
        part = table.slice(start, SLICE_ROWS)
        labelled = [
            _labelled(name, part.column(name).combine_chunks())
            for name in present
            if part.column(name).null_count < part.num_rows
        ]
        if not labelled:
            yield pa.array([""] * part.num_rows, pa.string())
        else:
            yield pc.binary_join_element_wise(*labelled, SEPARATOR, null_handling="skip")


def _labelled(name: str, array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """``name=value`` for each row, written once per distinct value; null stays null."""
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    encoded = array.dictionary_encode()
    values = encoded.dictionary
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", values.type.tz)).cast(pa.int64())
    elif pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    if pa.types.is_floating(values.type):
        texts = pa.array([repr(value) for value in values.to_pylist()], pa.string())
    else:
        texts = values.cast(pa.string())
    labelled = pc.binary_join_element_wise(pa.scalar(f"{name}="), texts, "")
    return labelled.take(encoded.indices)


def _digests(texts: pa.Array) -> Digests:
    """The first eight bytes of each text's SHA-256 as a little-endian signed integer."""
    _, offsets_buffer, data_buffer = texts.buffers()
    bounds = np.frombuffer(offsets_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1].tolist()
    data = memoryview(data_buffer) if data_buffer is not None else memoryview(b"")
    sha256 = hashlib.sha256
    joined = b"".join([sha256(data[a:b]).digest() for a, b in pairwise(bounds)])
    return np.frombuffer(joined, "<i8")[::4].astype(np.int64)


def _refuse_collisions(ids: Digests, texts: Sequence[pa.Array]) -> None:
    _, first, group = np.unique(ids, return_index=True, return_inverse=True)
    if len(first) == len(ids):
        return
    repeated = np.flatnonzero(first[group] != np.arange(len(ids)))
    whole = pa.chunked_array(texts, pa.string())
    here = whole.take(pa.array(repeated))
    earlier = whole.take(pa.array(first[group][repeated]))
    if not pc.all(pc.equal(here, earlier)).as_py():
        raise ValueError("two different records share an observation_id; 64 bits did not tell them apart")
