"""The account of a payload: every record is an observation, a reject or a duplicate, and one of them.

A duplicate is an exact repeat of an earlier record of the payload: of an accepted one in
DUPLICATE_KEY, or of a refused one in the texts those columns were read from and in what was wrong
with it. So a record is never lost to an earlier one that was good or bad in another way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..records import Batch, Refusal, reject_sentence
from ..records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA
from .columns import Column, Fault, group_rows, shown
from .feed import FeedContext
from .identity import content_checks, observation_ids
from .raw import RawTable

Value: TypeAlias = "Column[Any] | pa.Array | str | int | bool | None"
"""A column of the observations: a Column, an Arrow array, or one value for every row."""

Flags = npt.NDArray[np.bool_]


def refused(refusal: Refusal, notes: tuple[str, ...] = ()) -> Batch:
    """A payload of which nothing was read."""
    return Batch(
        observations=OBSERVATION_SCHEMA.empty_table(),
        rejects=REJECT_SCHEMA.empty_table(),
        records=0,
        duplicates=0,
        refusal=refusal,
        notes=notes,
    )


def account_for(
    raw: RawTable,
    values: Mapping[str, Value],
    raw_key: Sequence[Column[Any]],
    context: FeedContext,
    checks: Sequence[Column[Any]] = (),
) -> Batch:
    """Settle every record of a payload.

    ``values`` are the observation columns; a row is refused for the first Fault in ``checks``
    and then in ``values``, in their order. ``raw_key`` are the texts that identify a record.
    """
    inspected = [*checks, *(value for value in values.values() if isinstance(value, Column))]
    faulty, fault_of = _first_faults(inspected, raw.rows)
    good = np.flatnonzero(~faulty)
    table = _observations(raw, values, context).take(pa.array(good))
    ids = observation_ids(table)
    _, first = np.unique(ids, return_index=True)
    kept = np.sort(first)
    table, ids = table.take(pa.array(kept)), ids[kept]
    columns = {name: table.column(name) for name in table.column_names}
    columns["observation_id"] = pa.array(ids, pa.int64())
    columns["content_check"] = pa.array(content_checks(table), pa.int64())
    observations = pa.table(columns, schema=OBSERVATION_SCHEMA)

    repeated = _repeated_faults(raw_key, fault_of, faulty)
    listed = [(int(raw.positions[row]), fault_of[row]) for row in np.flatnonzero(faulty & ~repeated).tolist()]
    seen: set[tuple[str, str]] = set()
    for damaged in raw.damaged:
        mark = (damaged.reason, damaged.text)
        if mark not in seen:
            seen.add(mark)
            listed.append((damaged.position, Fault(damaged.reason, damaged.field, shown(damaged.text))))
    rejects = _rejects(sorted(listed, key=lambda item: item[0]), context)
    return Batch(
        observations=observations,
        rejects=rejects,
        records=raw.records,
        duplicates=raw.records - observations.num_rows - rejects.num_rows,
        refusal=raw.refusal,
        notes=raw.notes,
    )


def _first_faults(columns: Sequence[Column[Any]], rows: int) -> tuple[Flags, dict[int, Fault]]:
    """Which rows are refused, and the first fault of each, in the order of the columns."""
    faulty = np.zeros(rows, np.bool_)
    fault_of: dict[int, Fault] = {}
    for column in columns:
        faults = column.faults
        if not faults.any():
            continue
        new = faults[column.codes] & ~faulty
        for row in np.flatnonzero(new).tolist():
            fault = column.values[column.codes[row]]
            assert isinstance(fault, Fault)
            fault_of[row] = fault
        faulty |= new
    return faulty, fault_of


def _observations(raw: RawTable, values: Mapping[str, Value], context: FeedContext) -> pa.Table:
    """All rows in the observation schema; what a refused row lacks is null for the moment."""
    rows = raw.rows
    known: dict[str, Value] = {
        **values,
        "payload_digest": context.payload_digest,
        "position": pa.array(raw.positions, pa.int64()),
    }
    arrays = []
    for field in OBSERVATION_SCHEMA:
        value = known.get(field.name)
        if isinstance(value, Column):
            arrays.append(value.to_arrow(field.type))
        elif isinstance(value, (pa.Array, pa.ChunkedArray)):
            arrays.append(value)
        elif value is None:
            arrays.append(pa.nulls(rows, field.type))
        else:
            arrays.append(pa.repeat(pa.scalar(value, field.type), rows))
    return pa.table(arrays, names=OBSERVATION_SCHEMA.names)


def _repeated_faults(raw_key: Sequence[Column[Any]], fault_of: Mapping[int, Fault], faulty: Flags) -> Flags:
    """Refused rows whose identifying texts, and whose fault, all stood in an earlier row."""
    if not faulty.any():
        return faulty
    kinds = {fault: place for place, fault in enumerate(dict.fromkeys(fault_of.values()), start=1)}
    codes = np.zeros(len(faulty), np.int64)
    codes[list(fault_of)] = [kinds[fault] for fault in fault_of.values()]
    fault_column = Column("", [None, *kinds], codes)
    first, group = group_rows([*raw_key, fault_column], len(faulty))
    earlier = first[group] < np.arange(len(faulty))
    return np.asarray(faulty & earlier, np.bool_)


def _rejects(listed: Sequence[tuple[int, Fault]], context: FeedContext) -> pa.Table:
    origin = context.origin_name
    return pa.table(
        {
            "payload_digest": pa.array([context.payload_digest] * len(listed), pa.string()),
            "position": pa.array([position for position, _ in listed], pa.int64()),
            "reason": pa.array([fault.reason for _, fault in listed], pa.string()),
            "field": pa.array([shown(fault.column) for _, fault in listed], pa.string()),
            "value": pa.array([fault.value for _, fault in listed], pa.string()),
            "sentence": pa.array(
                [
                    reject_sentence(
                        fault.reason, shown(fault.column), fault.value, f"{origin}, record {position}"
                    )
                    for position, fault in listed
                ],
                pa.string(),
            ),
        },
        schema=REJECT_SCHEMA,
    )
