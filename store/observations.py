"""The observation archive: one Parquet file per batch and month of ``observed_at``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..records import (
    RentmarkError,
    day_start,
    from_microseconds,
    month_bounds,
    month_of,
    sha256_hex,
    to_microseconds,
)
from ..records.schemas import INSTANT, OBSERVATION_SCHEMA
from .files import file_digest, file_trouble, path_inside, write_durably

Places = npt.NDArray[np.int64]

ARCHIVE = "archive/observations"
_CORRECTING = pa.array(["corrected", "cancelled"])
_REPEATING = [
    field.name
    for field in OBSERVATION_SCHEMA
    if pa.types.is_string(field.type) and field.name != "price_original"
]
"""Columns worth a dictionary; of numbers and instants, which hardly repeat, the writer would give it up."""
_MEASURED = [field.name for field in OBSERVATION_SCHEMA if not pa.types.is_string(field.type)]
"""Columns whose least and greatest value stand in the file: a span of time leaves whole row groups unread."""
_RANDOM = ("observation_id", "content_check")
"""Columns of digests, which nothing makes smaller."""
_SMALL_ROWS = 500
"""Rows below which a coder takes longer to set up than a file gets smaller by it."""
ROW_GROUP_ROWS = 131_072
"""Rows that a reader must hold at once; a month of any length streams in such pieces."""
READ_AT_ONCE_BYTES = 256 * 1024
"""Size up to which a file is read whole: its columns one by one take longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationFile:
    """One Parquet file that the ledger names.

    ``path`` is relative to the workspace; ``corrections`` counts the trade events in it that correct
    or cancel an earlier one, possibly in another month. ``facts`` is the text of its FileFacts, None where
    none were noted.
    """

    batch_id: int
    month: str
    path: str
    rows: int
    bytes: int
    sha256: str
    first_observed_at: datetime
    last_observed_at: datetime
    corrections: int
    recorded_at: datetime
    facts: str | None = None


class ArchiveFiles:
    """Where the files of a workspace lie, each held against its digest before it is first read.

    An engine reads a flipped bit in a price as another price, without a word; so bytes are checked
    here, once per file and process. That costs a fraction of the query that follows.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._checked: set[str] = set()

    def path(self, file: ObservationFile) -> Path:
        """The place of a file whose bytes are those the ledger recorded; RentmarkError when not."""
        path = path_inside(self._root, file.path)
        if file.path not in self._checked:
            try:
                found = file_digest(path)
            except OSError as error:
                raise file_trouble("Reading", path, error) from None
            if found != file.sha256:
                raise RentmarkError(
                    f"{path} of batch {file.batch_id} was altered: its SHA-256 is {found}, recorded was "
                    f"{file.sha256}; run `rentmark index verify` and restore it from a copy."
                )
            self._checked.add(file.path)
        return path


def archive_order(observations: pa.Table) -> Places:
    """The places of the rows by (observed_at, observation_id).

    The same rows give the same file in whatever order they came.
    """
    keys = [(name, "ascending") for name in ("observed_at", "observation_id", "content_check")]
    return np.asarray(pc.sort_indices(observations, sort_keys=keys).to_numpy(), np.int64)


def rows_at(observations: pa.Table, places: Places, shared: Collection[str] | None = None) -> pa.Table:
    """The rows at these places. What all rows share, as a source or a licence, is not moved about.

    ``shared`` are the :func:`shared_columns`, where they are known already.
    """
    index = pa.array(places)
    alike = shared_columns(observations) if shared is None else shared
    columns = [
        pa.repeat(column[0], len(index)) if name in alike else _gathered(column, index)
        for name, column in zip(observations.column_names, observations.columns, strict=True)
    ]
    return pa.table(columns, schema=observations.schema)


def shared_columns(observations: pa.Table) -> frozenset[str]:
    """The columns in which all rows state the same."""
    return frozenset(
        name
        for name, column in zip(observations.column_names, observations.columns, strict=True)
        if len(column)
        and not column.null_count
        and column[0].equals(column[-1])
        and all(pc.all(pc.equal(chunk, column[0])).as_py() for chunk in different_chunks(column))
    )


def different_chunks(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    """The chunks of a column, but for those that are the beginning of an earlier one in the same memory."""
    longest: dict[tuple[int, ...], int] = {}
    for chunk in column.chunks:
        place = (chunk.offset, *(buffer.address for buffer in chunk.buffers() if buffer is not None))
        if longest.get(place, -1) < len(chunk):
            longest[place] = len(chunk)
            yield chunk


def _gathered(column: pa.ChunkedArray, index: pa.Array) -> pa.Array | pa.ChunkedArray:
    if column.null_count == len(column):
        return pa.nulls(len(index), column.type)
    return column.take(index)


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Give a table exactly these columns; one that an older file lacks reads as null."""
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def split_by_month(observations: pa.Table, order: Places) -> Iterator[tuple[str, Places]]:
    """Cut places that are in archive order into ``("2026-08", places)`` by UTC month."""
    observed = observations["observed_at"].cast(pa.int64()).to_numpy()[order]
    start = 0
    while start < len(order):
        first = from_microseconds(int(observed[start])).date()
        _, last = month_bounds(month_of(first))
        end = to_microseconds(day_start(last + timedelta(days=1)))
        stop = int(np.searchsorted(observed, end, side="left"))
        yield month_of(first), order[start:stop]
        start = stop


def stamped_parts(
    observations: pa.Table, recorded_at: datetime, shared: Collection[str] | None = None
) -> Callable[[Places], Iterator[pa.Table]]:
    """The rows at some places in their order, stamped with ``recorded_at``, a row group at a time.

    What all rows share is written once and for all: a text as a dictionary of one value, which is how the file
    keeps it. ``shared`` as for :func:`rows_at`.
    """
    alike = shared_columns(observations) if shared is None else shared
    rows = min(ROW_GROUP_ROWS, observations.num_rows)
    places = pa.array(np.zeros(rows, np.int32))
    constant: dict[str, pa.Array] = {}
    for field in OBSERVATION_SCHEMA:
        column = observations[field.name]
        if field.name == "recorded_at":
            constant[field.name] = pa.repeat(pa.scalar(recorded_at, INSTANT), rows)
        elif column.null_count == len(column):
            constant[field.name] = pa.nulls(rows, field.type)
        elif field.name in alike:
            constant[field.name] = _repeated(column[0], places)

    def parts(places: Places) -> Iterator[pa.Table]:
        for start in range(0, len(places), rows):
            index = pa.array(places[start : start + rows])
            columns = [
                constant[name].slice(0, len(index)) if name in constant else observations[name].take(index)
                for name in OBSERVATION_SCHEMA.names
            ]
            yield pa.table(columns, schema=_schema_of(columns))

    return parts


def _repeated(value: pa.Scalar, first: pa.Array) -> pa.Array:
    """A value as often as there are places in ``first``, all of them 0."""
    if not pa.types.is_string(value.type):
        return pa.repeat(value, len(first))
    return pa.DictionaryArray.from_arrays(first, pa.repeat(value, 1))


def _schema_of(columns: Iterable[pa.Array | pa.ChunkedArray]) -> pa.Schema:
    """The columns of an observation, those of one text as dictionaries of it."""
    return pa.schema(
        field.with_type(column.type) if pa.types.is_dictionary(column.type) else field
        for field, column in zip(OBSERVATION_SCHEMA, columns, strict=True)
    )


def parquet_bytes(parts: Iterable[pa.Table]) -> pa.Buffer:
    """The file of these rows: the same rows and the same pyarrow give the same bytes.

    All parts have the columns of the first, which are those of an observation, texts or dictionaries of them.
    The file says nothing of dictionaries: it is read back as texts. A small one is coded by what is set up at once.
    """
    waiting = iter(parts)
    first = next(waiting)
    sink = pa.BufferOutputStream()
    coder = "snappy" if first.num_rows < _SMALL_ROWS else "zstd"
    with pq.ParquetWriter(
        sink,
        first.schema,
        compression={name: "none" if name in _RANDOM else coder for name in OBSERVATION_SCHEMA.names},
        use_dictionary=_REPEATING,
        version="2.6",
        write_statistics=_MEASURED,
        store_schema=False,
    ) as writer:
        for part in chain([first], waiting):
            writer.write_table(part, row_group_size=ROW_GROUP_ROWS)
    return sink.getvalue()


def file_path(batch_key: str, recorded_at: datetime, month: str) -> str:
    """Where the file of a batch and a month lies, relative to the workspace.

    The stamp keeps two attempts at one batch apart: a writer that lost its lock with its connection
    never touches the file of the one that came after.
    """
    return f"{ARCHIVE}/month={month}/{batch_key[:24]}-{to_microseconds(recorded_at)}.parquet"


def write_month(root: Path, path: str, parts: Iterable[pa.Table]) -> dict[str, Any]:
    """Write one month's file and return its manifest columns, all but batch and month.

    ``parts`` hold at least a row, are in archive order, and stamped; one is in memory at a time.
    """
    seen: dict[str, Any] = {"rows": 0, "corrections": 0}

    def counted() -> Iterator[pa.Table]:
        for part in parts:
            seen.setdefault("first_observed_at", part["observed_at"][0].as_py())
            seen["last_observed_at"] = part["observed_at"][-1].as_py()
            seen["rows"] += part.num_rows
            seen["corrections"] += count_corrections(part["trade_status"])
            yield part

    payload = parquet_bytes(counted())
    write_durably(root / path, memoryview(payload))
    return {"path": path, "bytes": payload.size, "sha256": sha256_hex(payload)} | seen


def count_corrections(trade_status: pa.ChunkedArray) -> int:
    """How many of these rows correct or cancel an earlier trade."""
    return int(pc.sum(pc.is_in(trade_status, value_set=_CORRECTING), min_count=0).as_py())


def read_columns(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of one file, as the schema has them; one that an older file lacks reads as null.

    Raises RentmarkError naming a file that is missing or damaged.
    """
    with opened(path) as parquet:
        held = set(parquet.schema_arrow.names)
        rows = parquet.read(columns=[name for name in columns if name in held])
    return conform(rows, pa.schema([OBSERVATION_SCHEMA.field(name) for name in columns]))


def read_identities(paths: Iterable[Path]) -> set[tuple[int, int]]:
    """(observation_id, content_check) of every row of these files.

    Raises RentmarkError naming a file that is missing or damaged.
    """
    found: set[tuple[int, int]] = set()
    for path in paths:
        with opened(path) as parquet:
            rows = parquet.read(columns=["observation_id", "content_check"])
        found.update(zip(rows["observation_id"].to_pylist(), rows["content_check"].to_pylist(), strict=True))
    return found


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file of the archive; what is wrong with it becomes a RentmarkError naming it."""
    try:
        small = path.stat().st_size <= READ_AT_ONCE_BYTES
        with pq.ParquetFile(pa.BufferReader(path.read_bytes()) if small else path) as parquet:
            yield parquet
    except pa.ArrowInvalid as error:
        said = str(error).splitlines()[0]
        raise RentmarkError(
            f"{path} is damaged ({said}); run `rentmark index verify` and restore it from a copy."
        ) from None
    except OSError as error:
        raise file_trouble("Reading", path, error) from None
