"""The identity of an observation: 64 bits of SHA-256 over a canonical text of its columns.

The text is that of :mod:`.canonical_texts`. A null column is absent from it, so that a column added
later leaves the digests of older records as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..records.progress_bar import draw_no_bar
from ..records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA
from .canonical_texts import Written, canonical_texts, join_pieces, pieces_of, written_slices
from .text_runs import Coded, plan_of
from .two_at_once import MANY_ROWS, both, short_turns

_KEY = frozenset(DUPLICATE_KEY)
KEY_COLUMNS = tuple(name for name in OBSERVATION_SCHEMA.names if name in _KEY)
"""DUPLICATE_KEY in the order of the schema."""
CONTENT_COLUMNS = tuple(name for name in OBSERVATION_SCHEMA.names if name not in NOT_CONTENT)
"""Columns that say what a record says, in the order of the schema."""

Digests = npt.NDArray[np.int64]

_AHEAD = 2


def identities(table: pa.Table) -> tuple[Digests, Digests]:
    """:func:`observation_ids` and :func:`content_checks` of a table, in one pass.

    Raises ValueError when two different rows of the table share an id.
    """
    ids, checks, _ = identified(table)
    return ids, checks


def identified(
    table: pa.Table, coded: Coded = MappingProxyType({})
) -> tuple[Digests, Digests, npt.NDArray[np.int64]]:
    """:func:`identities`, and the rows at which an id stands for the first time, ascending.

    ``coded`` are those columns whose few values the caller knows; the digests are the same without.
    """
    if table.num_rows < MANY_ROWS:
        keys: list[Digests] = []
        contents: list[Digests] = []
        for part, written in written_slices(table, (*KEY_COLUMNS, *CONTENT_COLUMNS)):
            for found, columns in ((keys, KEY_COLUMNS), (contents, CONTENT_COLUMNS)):
                found.append(_digests(join_pieces(pieces_of(written, columns), part.num_rows)))
        ids = _concatenated(keys)
        return ids, _concatenated(contents), _refuse_collisions(ids, table)
    ids, checks = _side_by_side(table, coded)
    return ids, checks, _refuse_collisions(ids, table)


def observation_ids(table: pa.Table) -> Digests:
    """The identity of each row (shape: rows): equal exactly where DUPLICATE_KEY is equal.

    Raises ValueError when two different rows of the table share 64 bits, which would make one
    of them vanish as a duplicate.
    """
    ids = _concatenated([_digests(texts) for texts in canonical_texts(table, KEY_COLUMNS)])
    _refuse_collisions(ids, table)
    return ids


def content_checks(table: pa.Table) -> Digests:
    """64 bits over all content of each row (shape: rows), whatever payload it came in."""
    return _concatenated([_digests(texts) for texts in canonical_texts(table, CONTENT_COLUMNS)])


def first_of_each(ids: Digests) -> npt.NDArray[np.int64]:
    """The rows at which an id stands for the first time, ascending."""
    in_order = np.sort(ids)
    if not (in_order[1:] == in_order[:-1]).any():
        return np.arange(len(ids), dtype=np.int64)
    _, first = np.unique(ids, return_index=True)
    return np.sort(first).astype(np.int64)


def _side_by_side(table: pa.Table, coded: Coded) -> tuple[Digests, Digests]:
    """Ids by DuckDB's SHA-256, which needs no Python while it runs, and content by hashlib's meanwhile."""
    import duckdb

    key, content = both(
        lambda: _pieces(table, KEY_COLUMNS, coded),
        lambda: _pieces(table, CONTENT_COLUMNS, coded),
        table.num_rows,
    )
    ids: list[Future[Digests] | Digests] = []
    checks: list[Digests] = []
    ahead: Future[pa.Array] | None = None
    start = 0
    with (
        short_turns(),
        duckdb.connect(config={"threads": 1}) as database,
        ThreadPoolExecutor(1) as joiner,
        ThreadPoolExecutor(1) as digester,
    ):
        draw_no_bar(database)

        def digest_key(written: Mapping[str, Written], start: int, rows: int) -> Digests:
            return _duckdb_digests(join_pieces(key.of(written, start, rows), rows), database)

        def join_content(written: Mapping[str, Written], start: int, rows: int) -> pa.Array:
            return join_pieces(content.of(written, start, rows), rows)

        for part, written in written_slices(table, (*key.by_row, *content.by_row)):
            place = (written, start, part.num_rows)
            joined = joiner.submit(join_content, *place)
            behind = sum(isinstance(one, Future) and not one.done() for one in ids[-_AHEAD:])
            if behind < _AHEAD:
                ids.append(digester.submit(digest_key, *place))
            else:  # whichever of the two is behind is helped by the other
                ids.append(_digests(join_pieces(key.of(*place), part.num_rows)))
            if ahead is not None:
                checks.append(_digests(ahead.result()))
            ahead = joined
            start += part.num_rows
        if ahead is not None:
            checks.append(_digests(ahead.result()))
        done = [one.result() if isinstance(one, Future) else one for one in ids]
        return _concatenated(done), _concatenated(checks)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What the text over some columns is joined from, and which of them must be written for every row."""

    by_row: Sequence[str]
    of: Callable[[Mapping[str, Written], int, int], list[Any]]


def _pieces(table: pa.Table, columns: Sequence[str], coded: Coded) -> _Pieces:
    plan = plan_of(table, columns, coded)
    if plan is None:
        return _Pieces(columns, lambda written, _start, _rows: pieces_of(written, columns))
    return _Pieces(plan.by_row, plan.pieces)


def _duckdb_digests(texts: pa.Array, database: Any) -> Digests:
    """As :func:`_digests`, computed by a DuckDB connection."""
    database.register("texts", pa.table({"text": texts}))
    found = database.sql("SELECT unhex(left(sha256(text), 16)) AS digest FROM texts").to_arrow_table()
    digests = found["digest"].cast(pa.binary(8))
    return _concatenated([np.frombuffer(chunk.buffers()[1], "<i8") for chunk in digests.chunks])


def _digests(texts: pa.Array) -> Digests:
    """The first eight bytes of each text's SHA-256 as a little-endian signed integer."""
    _, offsets_buffer, data_buffer = texts.buffers()
    bounds = np.frombuffer(offsets_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1].tolist()
    data = memoryview(data_buffer) if data_buffer is not None else memoryview(b"")
    sha256 = hashlib.sha256
    joined = b"".join([sha256(data[a:b]).digest() for a, b in pairwise(bounds)])
    return np.frombuffer(joined, "<i8")[::4].astype(np.int64)


def _concatenated(parts: Sequence[Digests]) -> Digests:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _refuse_collisions(ids: Digests, table: pa.Table) -> npt.NDArray[np.int64]:
    """The first row of each id. Raises ValueError where two different rows share one."""
    kept = first_of_each(ids)
    if len(kept) == len(ids):
        return kept
    _, first, group = np.unique(ids, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[group] != np.arange(len(ids)))
    here = canonical_texts(table.take(pa.array(repeated)), KEY_COLUMNS)
    earlier = canonical_texts(table.take(pa.array(first[group][repeated])), KEY_COLUMNS)
    if not all(pc.all(pc.equal(one, other)).as_py() for one, other in zip(here, earlier, strict=True)):
        raise ValueError("two different records share an observation_id; 64 bits did not tell them apart")
    return kept
