"""Reading small files of the archive: a day's rows, on the thread that asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from ..records.schemas import OBSERVATION_SCHEMA
from .observations import opened


def read_small(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of one file, of the schema's types; one that an older file lacks reads as null.

    Handing a hundred rows to a pool of threads takes longer than reading them. Raises RentmarkError where the
    file is missing or damaged.
    """
    with opened(path) as parquet:
        held = set(parquet.schema_arrow.names)
        rows = parquet.read(columns=[name for name in columns if name in held], use_threads=False)
    types = dict(zip(rows.schema.names, rows.schema.types, strict=True))
    for name in columns:
        field = OBSERVATION_SCHEMA.field(name)
        if name not in types:
            rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
        elif types[name] != field.type:  # a dictionary, which this reader has no use for
            place = rows.schema.get_field_index(name)
            rows = rows.set_column(place, field, rows[name].cast(field.type))
    return rows
