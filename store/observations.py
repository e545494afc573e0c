"""The observation archive: one Parquet file per batch and month of ``observed_at``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..records import RentmarkError, month_of, sha256_hex, to_microseconds
from ..records.schemas import INSTANT, OBSERVATION_SCHEMA
from .files import file_digest, file_trouble, path_inside, write_durably

ARCHIVE = "archive/observations"
_CORRECTING = pa.array(["corrected", "cancelled"])
ROW_GROUP_ROWS = 131_072
"""Rows that a reader must hold at once; a month of any length streams in such pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationFile:
    """One Parquet file that the ledger names.

    ``path`` is relative to the workspace; ``corrections`` counts the trade events in it that correct
    or cancel an earlier one, possibly in another month.
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


def in_archive_order(observations: pa.Table) -> pa.Table:
    """Rows by (observed_at, observation_id): the same rows give the same file in whatever order they came."""
    order = pc.sort_indices(
        observations,
        sort_keys=[(name, "ascending") for name in ("observed_at", "observation_id", "content_check")],
    )
    in_order = np.array_equal(order.to_numpy(), np.arange(observations.num_rows, dtype=np.uint64))
    return observations if in_order else observations.take(order)


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Give a table exactly these columns; one that an older file lacks reads as null."""
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def split_by_month(observations: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Cut rows that stand in archive order into ``("2026-08", rows)`` by UTC month."""
    months = pc.floor_temporal(observations["observed_at"], unit="month")
    counts = pc.value_counts(months.combine_chunks() if months.num_chunks else pa.array([], INSTANT))
    start = 0
    for entry in counts:
        rows = entry["counts"].as_py()
        yield month_of(entry["values"].as_py().date()), observations.slice(start, rows)
        start += rows


def stamp_recorded(observations: pa.Table, recorded_at: datetime) -> pa.Table:
    """Fill ``recorded_at``, one instant for the whole batch."""
    place = OBSERVATION_SCHEMA.get_field_index("recorded_at")
    stamps = pa.repeat(pa.scalar(recorded_at, INSTANT), observations.num_rows)
    return observations.set_column(place, OBSERVATION_SCHEMA.field(place), stamps)


def parquet_bytes(observations: pa.Table) -> pa.Buffer:
    """The file of these rows: the same rows and the same pyarrow give the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        observations.cast(OBSERVATION_SCHEMA),
        sink,
        compression="zstd",
        row_group_size=ROW_GROUP_ROWS,
        version="2.6",
        write_statistics=True,
    )
    return sink.getvalue()


def file_path(batch_key: str, recorded_at: datetime, month: str) -> str:
    """Where the file of a batch and a month lies, relative to the workspace.

    The stamp keeps two attempts at one batch apart: a writer that lost its lock with its connection
    never touches the file of the one that came after.
    """
    return f"{ARCHIVE}/month={month}/{batch_key[:24]}-{to_microseconds(recorded_at)}.parquet"


def write_month(root: Path, path: str, rows: pa.Table) -> dict[str, Any]:
    """Write one month's file and return its manifest columns, all but batch and month.

    ``rows`` are not empty, in archive order, and stamped.
    """
    payload = parquet_bytes(rows)
    write_durably(root / path, memoryview(payload))
    return {
        "path": path,
        "rows": rows.num_rows,
        "bytes": payload.size,
        "sha256": sha256_hex(payload),
        "first_observed_at": rows["observed_at"][0].as_py(),
        "last_observed_at": rows["observed_at"][-1].as_py(),
        "corrections": pc.sum(pc.is_in(rows["trade_status"], value_set=_CORRECTING), min_count=0).as_py(),
    }


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
        with pq.ParquetFile(path) as parquet:
            yield parquet
    except pa.ArrowInvalid as error:
        said = str(error).splitlines()[0]
        raise RentmarkError(
            f"{path} is damaged ({said}); run `rentmark index verify` and restore it from a copy."
        ) from None
    except OSError as error:
        raise file_trouble("Reading", path, error) from None
