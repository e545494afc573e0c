"""Rejects as a file for a spreadsheet: every refused record with its reason and remedy."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..records import RentmarkError, UsageError, neutral
from .core import Workspace

COLUMNS = ("batch_id", "origin_name", "payload_digest", "position", "reason", "field", "value", "sentence")


def export_rejects(
    workspace: Workspace, path: Path, *, batch_id: int | None = None, reason: str | None = None
) -> int:
    """Write all rejects that are asked for to ``.csv`` or ``.parquet``; returns how many.

    In CSV a text that a spreadsheet would run is led by an apostrophe. Raises UsageError for another kind of
    file, RentmarkError where it can't be written.
    """
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise UsageError(f"--export {path.name}: write a name that ends in .csv or .parquet.")
    rows = workspace.store.rejects(batch_id=batch_id, reason=reason)
    payload = _csv(rows) if kind == ".csv" else _parquet(rows)
    try:
        path.write_bytes(payload)
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None
    return len(rows)


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [row[name] for name in COLUMNS]  # refused values come from outside
        writer.writerow([neutral(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue().encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    whole = {"batch_id", "position"}
    schema = pa.schema([(name, pa.int64() if name in whole else pa.string()) for name in COLUMNS])
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema), sink)
    return bytes(sink.getvalue())


def reject_sample(workspace: Workspace, limit: int) -> dict[str, Any]:
    """The documented JSON of `rejects`: counts by reason of all, and the first ``limit`` of them."""
    store = workspace.store
    return {"counts": store.reject_counts(), "rejects": store.rejects(limit=limit)}
