"""The identity of an observation: 64 bits of SHA-256 over who offers what, when and at which price.

The columns stand in groups (:data:`WHO`, :data:`WHAT`, :data:`TERMS`) of which few combinations occur; each
combination is digested once, and a row's digest is taken over those of its groups, as in a tree of hashes
(Merkle 1980). With ``head(x)`` the first eight bytes of SHA-256 of ``x``, ``text`` the canonical text of
:mod:`.canonical_texts` over the columns of a group, ``int64`` eight bytes little-endian and ``‖`` one behind the other:

- ``observation_id = head(head(text WHO) ‖ head(text WHAT) ‖ int64 observed_at ‖ int64 price_micros ‖ text KEY_DETAILS)``,
- ``content_check``: begun as ``mix(observation_id + head(text TERMS))``; each column of :data:`DETAILS` that the row
  states makes it ``mix(content_check + mix(number + head(name)))``, where the number is the bits of a float, the
  microseconds of an instant, or the digest of a text by :mod:`.mixing`, which also has ``mix``.

Identities are read as signed integers, little-endian. A null column is absent from its text, so that a column added
later leaves the digests of older records as they are. The check is no seal: it tells apart what differs by accident,
and that nobody altered the archive is told by the SHA-256 of its files and payloads in the ledger.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..records.progress_bar import draw_no_bar
from ..records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA
from .canonical_texts import SLICE_ROWS, canonical_texts, stated_columns, text_of_each
from .columns import Codes, Column, group_rows
from .mixing import Digests, mix, text_digests
from .two_at_once import MANY_ROWS, each

WHO = ("source", "seller", "venue")
"""Key columns that say who offers."""
KEY_DETAILS = ("machine", "trade_id", "trade_status", "gpu_seconds", "reported_at")
"""Key columns of which nearly every row may have a value of its own."""
_NUMBERS = ("observed_at", "price_micros")
DETAILS = (
    "source_id",
    "fx_rate",
    "price_original",
    "reliability",
    "start_at",
    "end_at",
    "buyer",
)
"""Content outside the key of which nearly every row may have a value of its own."""


def _in_schema_order(names: Sequence[str] | set[str]) -> tuple[str, ...]:
    return tuple(name for name in OBSERVATION_SCHEMA.names if name in names)


KEY_COLUMNS = _in_schema_order(DUPLICATE_KEY)
"""DUPLICATE_KEY in the order of the schema."""
WHAT = _in_schema_order(set(DUPLICATE_KEY).difference(WHO, KEY_DETAILS, _NUMBERS))
"""The other key columns, which say what is offered."""
TERMS = _in_schema_order(set(OBSERVATION_SCHEMA.names).difference(DUPLICATE_KEY, DETAILS, NOT_CONTENT))
"""The other columns that say what a record says; one added later belongs to them."""

Coded: TypeAlias = Mapping[str, Column[Any]]
"""Columns of a table whose values are few, by name; their codes are those of its rows."""

_NAMED = {
    name: int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little", signed=True)
    for name in DETAILS
}
_MOSTLY = 0.5
"""Combinations to a row beyond which each row is digested by itself."""


class SharedIdentityError(ValueError):
    """Two different records have one identity, so that one of them would vanish as a duplicate."""


def identities(table: pa.Table) -> tuple[Digests, Digests]:
    """:func:`observation_ids` and :func:`content_checks` of a table, in one pass.

    Raises SharedIdentityError when two different rows of the table share an id.
    """
    ids, checks, _ = identified(table)
    return ids, checks


def identified(
    table: pa.Table, coded: Coded = MappingProxyType({})
) -> tuple[Digests, Digests, npt.NDArray[np.int64]]:
    """:func:`identities`, and the rows at which an id stands for the first time, ascending.

    ``coded`` are those columns whose few values the caller knows; the digests are the same without.
    """
    ids = _ids(table, coded)
    checks = _checks(ids, table, coded)
    return ids, checks, _refuse_collisions(ids, table)


def observation_ids(table: pa.Table) -> Digests:
    """The identity of each row (shape: rows): equal exactly where DUPLICATE_KEY is equal.

    Raises SharedIdentityError when two different rows of the table share 64 bits.
    """
    ids = _ids(table, {})
    _refuse_collisions(ids, table)
    return ids


def content_checks(table: pa.Table) -> Digests:
    """64 bits over all content of each row (shape: rows), whatever payload it came in."""
    return _checks(_ids(table, {}), table, {})


def first_of_each(ids: Digests) -> npt.NDArray[np.int64]:
    """The rows at which an id stands for the first time, ascending."""
    in_order = np.sort(ids)
    if not (in_order[1:] == in_order[:-1]).any():
        return np.arange(len(ids), dtype=np.int64)
    _, first = np.unique(ids, return_index=True)
    return np.sort(first).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Group:
    """The digest of each combination of a group of columns, and the place of each row's among them."""

    digests: Digests
    codes: Codes | None
    """None where each row has a digest of its own."""

    def at(self, start: int, stop: int) -> Digests:
        return self.digests[start:stop] if self.codes is None else self.digests[self.codes[start:stop]]


def _ids(table: pa.Table, coded: Coded) -> Digests:
    who, what = (_group(table, columns, coded) for columns in (WHO, WHAT))
    observed, price = (_integers(table.column(name)) for name in _NUMBERS)
    stated = stated_columns(table, KEY_DETAILS)

    def message(start: int, stop: int) -> pa.Array:
        groups = [who.at(start, stop), what.at(start, stop)]
        numbers = _side_by_side([*groups, observed[start:stop], price[start:stop]])
        if not stated:
            return numbers
        texts = text_of_each(table.slice(start, stop - start), stated)
        return pc.binary_join_element_wise(numbers, texts.cast(pa.binary()), b"")

    return _heads(message, table.num_rows)


def _checks(ids: Digests, table: pa.Table, coded: Coded) -> Digests:
    """The content check of each row, whose id is given."""
    terms = _group(table, TERMS, coded)
    stated = stated_columns(table, DETAILS)

    def checked(place: tuple[int, int]) -> Digests:
        start, stop = place
        checks = mix(ids[start:stop] + terms.at(start, stop))
        for name in stated:
            column = table.column(name).slice(start, stop - start)
            mixed = mix(checks + mix(_number_of_each(column) + _NAMED[name]))
            checks = np.where(column.is_valid().to_numpy(), mixed, checks) if column.null_count else mixed
        return checks

    return _concatenated(each(checked, _places(table.num_rows), table.num_rows))


def _number_of_each(column: pa.ChunkedArray) -> Digests:
    """A number for each value of a column; any for a null."""
    if pa.types.is_string(column.type):
        return text_digests(pa.concat_arrays(column.chunks).fill_null(""))
    if pa.types.is_floating(column.type):
        return np.asarray(column.fill_null(0.0).to_numpy(), np.float64).view(np.int64)
    return _integers(column.fill_null(0))


def _side_by_side(numbers: Sequence[Digests]) -> pa.Array:
    """The numbers of each row as bytes, one behind the other."""
    rows, width = len(numbers[0]), 8 * len(numbers)
    held = pa.py_buffer(np.column_stack(numbers).astype("<i8"))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), rows, [None, held]).cast(pa.binary())


def _integers(column: pa.ChunkedArray) -> Digests:
    return np.asarray(column.cast(pa.int64()).to_numpy(), np.int64)


def _group(table: pa.Table, columns: Sequence[str], coded: Coded) -> _Group:
    """The digests of a group of columns."""
    names = stated_columns(table, columns)
    if not names:
        return _Group(_hashlib_heads(pa.array([""])), np.zeros(table.num_rows, np.int8))
    if table.num_rows >= MANY_ROWS:
        found = [coded[name] if name in coded else _coded(table.column(name)) for name in names]
        telling = list({id(column.codes): column for column in found if len(column.values) > 1}.values())
        if not any(len(column.values) > _MOSTLY * table.num_rows for column in telling):
            rows, codes = group_rows(telling, table.num_rows)
            if len(rows) <= _MOSTLY * table.num_rows:
                first = table.select(names).take(pa.array(rows))
                return _Group(_text_digests(first, names), codes)
        return _Group(_text_digests(table, names), None)
    parts = list(canonical_texts(table, names))
    distinct = pa.concat_arrays(parts).dictionary_encode()
    found_codes = distinct.indices.to_numpy(zero_copy_only=False)
    return _Group(_hashlib_heads(distinct.dictionary), found_codes)


def _text_digests(table: pa.Table, names: Sequence[str]) -> Digests:
    return _heads(lambda start, stop: text_of_each(table.slice(start, stop - start), names), table.num_rows)


def _coded(column: pa.ChunkedArray) -> Column[Any]:
    """A column by its distinct values."""
    encoded = column.dictionary_encode(null_encoding="encode").unify_dictionaries().combine_chunks()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    return Column("", range(len(encoded.dictionary)), codes)


def _heads(message: Callable[[int, int], pa.Array], rows: int) -> Digests:
    """The digest of each row's message; ``message`` gives those of the rows from one place up to another.

    Many are digested by DuckDB in two threads, which needs no Python while it runs.
    """
    places = _places(rows)
    if rows < MANY_ROWS:
        return _concatenated([_hashlib_heads(message(*place)) for place in places])
    import duckdb

    with duckdb.connect(config={"threads": 1}) as database, ThreadPoolExecutor(2) as pool:
        draw_no_bar(database)
        own = threading.local()

        def digest(place: tuple[int, int]) -> Digests:
            if not hasattr(own, "cursor"):
                own.cursor = database.cursor()
            return _duckdb_heads(message(*place), own.cursor)

        return _concatenated(list(pool.map(digest, places)))


def _places(rows: int) -> list[tuple[int, int]]:
    """Where each slice begins and ends."""
    return [(start, min(start + SLICE_ROWS, rows)) for start in range(0, rows, SLICE_ROWS)]


def _duckdb_heads(messages: pa.Array, database: Any) -> Digests:
    """As :func:`_hashlib_heads`, computed by a DuckDB connection."""
    database.register("messages", pa.table({"message": messages}))
    query = "SELECT unhex(left(sha256(message), 16)) AS head FROM messages"
    heads = database.sql(query).to_arrow_table()["head"].cast(pa.binary(8))
    return _concatenated([np.frombuffer(chunk.buffers()[1], "<i8")[: len(chunk)] for chunk in heads.chunks])


def _hashlib_heads(messages: pa.Array) -> Digests:
    """The first eight bytes of each message's SHA-256 as a little-endian signed integer."""
    _, offsets_buffer, data_buffer = messages.buffers()
    bounds = np.frombuffer(offsets_buffer, np.int32)[messages.offset : messages.offset + len(messages) + 1]
    data = memoryview(data_buffer) if data_buffer is not None else memoryview(b"")
    sha256 = hashlib.sha256
    joined = b"".join([sha256(data[a:b]).digest() for a, b in pairwise(bounds.tolist())])
    return np.frombuffer(joined, "<i8")[::4].astype(np.int64)


def _concatenated(parts: Sequence[Digests]) -> Digests:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _refuse_collisions(ids: Digests, table: pa.Table) -> npt.NDArray[np.int64]:
    """The first row of each id. Raises SharedIdentityError where two different rows share one."""
    kept = first_of_each(ids)
    if len(kept) == len(ids):
        return kept
    _, first, group = np.unique(ids, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[group] != np.arange(len(ids)))
    here = canonical_texts(table.take(pa.array(repeated)), KEY_COLUMNS)
    earlier = canonical_texts(table.take(pa.array(first[group][repeated])), KEY_COLUMNS)
    if not all(pc.all(pc.equal(one, other)).as_py() for one, other in zip(here, earlier, strict=True)):
        raise SharedIdentityError("two different records share an observation_id")
    return kept
