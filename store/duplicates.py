"""Which rows of a new batch the archive holds already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..records import to_microseconds
from ..records.schemas import DUPLICATE_KEY, OBSERVATION_SCHEMA
from .observations import ObservationFile, conform, opened

KEY_SCHEMA = pa.schema(
    [
        OBSERVATION_SCHEMA.field("observation_id"),
        *(OBSERVATION_SCHEMA.field(name) for name in DUPLICATE_KEY),
    ]
)
"""What tells whether two rows are the same: the id, and the columns it is a digest of."""

_WORTH_A_POOL = 10_000
"""Rows from which reading on several threads is quicker than handing them out."""


def archived_rows(
    observations: pa.Table, files: Iterable[ObservationFile], locate: Callable[[ObservationFile], Path]
) -> npt.NDArray[np.bool_]:
    """Mark the rows that ``files`` hold already: one flag per row. ``locate`` says where a file lies.

    ``observations`` stand in archive order. Two rows are the same when their ``observation_id`` and then
    every column of the duplicate key agree, null equal to null: an id that collides is not yet a
    duplicate. Raises RentmarkError when a file can't be read.
    """
    marks = np.zeros(observations.num_rows, dtype=np.bool_)
    observed = observations["observed_at"].cast(pa.int64()).to_numpy()
    for file in files:
        # equal rows were observed at the same instant, so only that stretch of the batch can match
        start = int(np.searchsorted(observed, to_microseconds(file.first_observed_at), side="left"))
        stop = int(np.searchsorted(observed, to_microseconds(file.last_observed_at), side="right"))
        if start == stop:
            continue
        stretch = observations.slice(start, stop - start)
        for rows in _same_id(locate(file), stretch):
            marks[start:stop] |= _same_key(stretch, rows)
    return marks


def _same_id(path: Path, observations: pa.Table) -> list[pa.Table]:
    """Key columns of the archived rows that share an id, one table per row group that has any."""
    wanted = observations["observation_id"].combine_chunks()
    first, last = observations["observed_at"][0].as_py(), observations["observed_at"][-1].as_py()
    found = []
    with opened(path) as parquet:
        for group in range(parquet.num_row_groups):
            if not _meets(parquet, group, first, last):
                continue
            threads = parquet.metadata.row_group(group).num_rows >= _WORTH_A_POOL
            ids = parquet.read_row_group(group, ["observation_id"], use_threads=threads)["observation_id"]
            hits = pc.is_in(ids, value_set=wanted)
            if pc.any(hits).as_py():
                rows = parquet.read_row_group(group, KEY_SCHEMA.names, use_threads=threads)
                found.append(conform(rows.filter(hits), KEY_SCHEMA))
    return found


def _meets(parquet: pq.ParquetFile, group: int, first: datetime, last: datetime) -> bool:
    """Whether a row group can hold a row of that span, by its statistics."""
    column = parquet.schema_arrow.get_field_index("observed_at")
    statistics = parquet.metadata.row_group(group).column(column).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    return bool(statistics.max >= first and statistics.min <= last)


def _same_key(observations: pa.Table, archived: pa.Table) -> npt.NDArray[np.bool_]:
    """Mark the rows that equal an archived row in every key column."""
    marks = np.zeros(observations.num_rows, dtype=np.bool_)
    mine = pa.table(
        {"observation_id": observations["observation_id"], "mine": np.arange(observations.num_rows)}
    )
    theirs = pa.table({"observation_id": archived["observation_id"], "theirs": np.arange(archived.num_rows)})
    # ids repeat only where they collide, so this stays as long as the matches
    pairs = mine.join(theirs, keys="observation_id", join_type="inner")
    same = np.ones(pairs.num_rows, dtype=np.bool_)
    for name in DUPLICATE_KEY:
        same &= _equal(observations[name].take(pairs["mine"]), archived[name].take(pairs["theirs"]))
    marks[pairs["mine"].to_numpy()[same]] = True
    return marks


def _equal(left: pa.ChunkedArray, right: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Compare value by value, null equal to null."""
    equal = pc.fill_null(pc.equal(left, right), False)
    both_null = pc.and_(pc.is_null(left), pc.is_null(right))
    return np.asarray(pc.or_(equal, both_null).to_numpy(), dtype=np.bool_)
