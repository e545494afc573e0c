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
from .columns import Codes, Column, Fault, Places, constant, repeated, shown
from .feed import FeedContext
from .held import Held
from .identity import SharedIdentityError, identified
from .raw import RawTable
from .screens import screened
from .two_at_once import each

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
    good = np.flatnonzero(~faulty) if faulty.any() else None
    table = screened(_observations(raw, values, context, good))
    try:
        ids, contents, kept = identified(table, _coded(values, good, table.num_rows))
    except SharedIdentityError:  # which chance brings once in 370,000 payloads of 10⁷ rows
        sentence = (
            f"{context.origin_name} holds two different records of one identity, as someone may have sought to make "
            "them; find out who wrote it, and leave one of the two out."
        )
        return refused(Refusal("shared_identity", sentence), raw.notes)
    if len(kept) < len(ids):
        table, ids, contents = table.take(pa.array(kept)), ids[kept], contents[kept]
    columns = {name: table.column(name) for name in table.column_names}
    columns["observation_id"] = pa.array(ids, pa.int64())
    columns["content_check"] = pa.array(contents, pa.int64())
    observations = pa.table(columns, schema=OBSERVATION_SCHEMA)
    pa.default_memory_pool().release_unused()

    again = _repeated_faults(raw_key, fault_of, faulty)
    listed = [(int(raw.positions[row]), fault_of[row]) for row in np.flatnonzero(faulty & ~again).tolist()]
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


def _observations(
    raw: RawTable, values: Mapping[str, Value], context: FeedContext, good: Places | None
) -> pa.Table:
    """The good rows, or all of them, in the observation schema."""
    rows = raw.rows if good is None else len(good)
    known: dict[str, Value] = {
        **values,
        "payload_digest": context.payload_digest,
        "position": pa.array(raw.positions, pa.int64()),
    }

    def array_of(field: pa.Field) -> pa.Array | pa.ChunkedArray:
        value = known.get(field.name)
        if isinstance(value, Column):
            return value.to_arrow(field.type, good)
        if isinstance(value, (pa.Array, pa.ChunkedArray)):
            return value if good is None else value.take(pa.array(good))
        return repeated(value, field.type, rows)

    return pa.table(each(array_of, OBSERVATION_SCHEMA, rows), names=OBSERVATION_SCHEMA.names)


def _coded(values: Mapping[str, Value], good: Places | None, rows: int) -> dict[str, Column[Any]]:
    """The columns of which each distinct value stands once, and those of one value, over the good rows."""
    coded = {}
    kept: dict[int, Codes] = {}  # columns read together share their codes, and are to go on sharing them
    for name, value in values.items():
        if not isinstance(value, Column | pa.Array | pa.ChunkedArray):
            coded[name] = constant(name, value, rows)
        elif isinstance(value, Column) and not isinstance(value.values, Held):
            codes = kept.setdefault(id(value.codes), value.codes if good is None else value.codes[good])
            coded[name] = Column(name, value.values, codes)
    return coded


def _repeated_faults(raw_key: Sequence[Column[Any]], fault_of: Mapping[int, Fault], faulty: Flags) -> Flags:
    """Refused rows whose identifying texts, and whose fault, all stood in an earlier row."""
    rows = np.flatnonzero(faulty)
    seen: set[tuple[Any, ...]] = set()
    again = np.zeros(len(faulty), np.bool_)
    texts = [column.at(rows) for column in raw_key]
    for row, *key in zip(rows.tolist(), *texts, strict=True):
        mark = (fault_of[row], *key)
        again[row] = mark in seen
        seen.add(mark)
    return again


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
