"""Spans of time read from the archive: some days of a month, without turning the rest of it into texts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..records import to_microseconds
from ..records.schemas import OBSERVATION_SCHEMA
from .observations import conform, opened

INSTANT = "observed_at"
TEXTS = [field.name for field in OBSERVATION_SCHEMA if pa.types.is_string(field.type)]
"""Columns that are read by their dictionaries."""
MOST_ROWS = 250_000
"""Rows of a file up to which it is kept whole; of a longer one the row groups of the span are read."""


class Spans:
    """Reads spans of files; files read lately are kept, their texts as dictionaries, ``most_bytes`` of them at most."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[Path, pa.Table] = OrderedDict()

    def read(self, paths: Iterable[Path], start: datetime, end: datetime) -> pa.Table:
        """The observations with ``start ≤ observed_at < end`` of these files, with all columns.

        Rows lie in order of ``observed_at`` within a file, so that a span is one piece of it. Raises RentmarkError
        naming a file that is missing or damaged.
        """
        low, high = to_microseconds(start), to_microseconds(end)
        parts = [OBSERVATION_SCHEMA.empty_table()]
        for path in paths:
            for rows in self._tables(path, low, high):
                observed = rows[INSTANT].cast(pa.int64()).to_numpy()
                first, last = np.searchsorted(observed, [low, high], side="left")
                if first < last:
                    parts.append(conform(rows.slice(first, last - first), OBSERVATION_SCHEMA))
        return pa.concat_tables(parts).combine_chunks()

    def _tables(self, path: Path, low: int, high: int) -> list[pa.Table]:
        """The file, or those of its row groups that reach into a span."""
        with self._lock:
            found = self._kept.get(path)
            if found is not None:
                self._kept.move_to_end(path)
                return [found]
        with opened(path), pq.ParquetFile(path, read_dictionary=TEXTS) as parquet:
            if parquet.metadata.num_rows > MOST_ROWS:
                return [
                    parquet.read_row_group(group, use_threads=False)
                    for group in range(parquet.num_row_groups)
                    if _reaches(parquet, group, low, high)
                ]
            table = parquet.read(use_threads=False)
        self._keep(path, table)
        return [table]

    def _keep(self, path: Path, table: pa.Table) -> None:
        with self._lock:
            self._kept[path] = table
            while self._kept and sum(held.nbytes for held in self._kept.values()) > self._most_bytes:
                self._kept.popitem(last=False)


def _reaches(parquet: pq.ParquetFile, group: int, low: int, high: int) -> bool:
    """Whether a row group holds an instant of a span; one column tells."""
    column = parquet.read_row_group(group, columns=[INSTANT], use_threads=False)[INSTANT]
    observed = column.cast(pa.int64()).to_numpy()
    return bool(len(observed) and observed[0] < high and observed[-1] >= low)
