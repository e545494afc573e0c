"""Daily settlements as imported: append-only, under the payload they came from, in their vintages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..records import Mark, MarkImport, MarkReject, RentmarkError
from .instant import next_stamp
from .store import Store
from .tables import MARK, MARK_IMPORT
from .texts import storable

_MARK_COLUMNS = [MARK.c[field.name] for field in fields(Mark) if field.name != "recorded_at"]
_IMPORT_COLUMNS = [MARK_IMPORT.c[field.name] for field in fields(MarkImport)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMarks:
    """What a settlements file comes to beside the marks that stand: what to keep and what was refused."""

    marks: Sequence[Mark]
    rejects: Sequence[MarkReject]
    duplicates: int
    notes: Sequence[str]

    @property
    def records(self) -> int:
        """Every record of the file."""
        return len(self.marks) + len(self.rejects) + self.duplicates


PrepareMarks = Callable[[list[Mark], datetime], PreparedMarks]
"""Given all marks that stand, and the instant of this import, says what the file comes to."""


def find_mark_import(store: Store, payload_digest: str) -> MarkImport | None:
    """The import of these very bytes, or None."""
    with store.database.reading() as connection:
        return _find(connection, payload_digest)


def add_marks(
    store: Store, prepare: PrepareMarks, *, payload_digest: str, payload_bytes: int, origin_name: str
) -> MarkImport:
    """Commit a settlements file under the write lock and return its entry.

    ``prepare`` sees the marks as they stand, so that two imports at once can't both keep a day. The
    same bytes again change nothing and return the first entry. Raises RentmarkError in a simulated
    workspace, which takes no prices of a real market.
    """
    if store.simulated:
        raise RentmarkError(
            f"{origin_name} is not simulated, and this workspace takes simulated sources only; "
            "use a workspace made by `rentmark init`."
        )
    with store.database.writing() as connection:
        known = _find(connection, payload_digest)
        if known is not None:
            return known
        now = next_stamp(connection, store.clock)
        prepared = prepare(_marks(connection, None, None), now)
        entry = MarkImport(
            import_id=(connection.scalar(sa.select(sa.func.max(MARK_IMPORT.c.import_id))) or 0) + 1,
            payload_digest=payload_digest,
            origin_name=storable(origin_name),
            payload_bytes=payload_bytes,
            records=prepared.records,
            accepted=len(prepared.marks),
            rejected=len(prepared.rejects),
            duplicates=prepared.duplicates,
            rejects=tuple(prepared.rejects),
            notes=tuple(prepared.notes),
            recorded_at=now,
            recorded_at_real=store.clock.real_now(),
        )
        values: dict[str, Any] = {field.name: getattr(entry, field.name) for field in fields(entry)}
        values["rejects"] = storable(
            json.dumps([asdict(reject) for reject in entry.rejects], ensure_ascii=False)
        )
        values["notes"] = storable(json.dumps(list(entry.notes), ensure_ascii=False))
        connection.execute(sa.insert(MARK_IMPORT), values)
        if prepared.marks:
            first = (connection.scalar(sa.select(sa.func.max(MARK.c.sequence))) or 0) + 1
            connection.execute(
                sa.insert(MARK),
                [
                    {column.name: getattr(mark, column.name) for column in _MARK_COLUMNS}
                    | {"sequence": first + number, "import_id": entry.import_id}
                    for number, mark in enumerate(prepared.marks)
                ],
            )
        return entry


def mark_rows(
    store: Store, contract: str | None = None, *, as_of: datetime | None = None, month: str | None = None
) -> list[Mark]:
    """Every mark recorded by ``as_of`` (None: now) in the order of recording, all vintages."""
    with store.database.reading() as connection:
        return [m for m in _marks(connection, contract, as_of) if month is None or m.month == month]


def mark_imports(store: Store, as_of: datetime | None = None) -> list[MarkImport]:
    """The imported files in the order of recording."""
    query = sa.select(*_IMPORT_COLUMNS).order_by(MARK_IMPORT.c.import_id)
    if as_of is not None:
        query = query.where(MARK_IMPORT.c.recorded_at <= as_of)
    with store.database.reading() as connection:
        return [_entry(row) for row in connection.execute(query).mappings()]


def _find(connection: sa.Connection, payload_digest: str) -> MarkImport | None:
    query = sa.select(*_IMPORT_COLUMNS).where(MARK_IMPORT.c.payload_digest == payload_digest)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _entry(row)


def _entry(row: sa.RowMapping) -> MarkImport:
    rejects = tuple(MarkReject(**reject) for reject in json.loads(row["rejects"]))
    return MarkImport(**{**row, "rejects": rejects, "notes": tuple(json.loads(row["notes"]))})


def _marks(connection: sa.Connection, contract: str | None, as_of: datetime | None) -> list[Mark]:
    query = (
        sa.select(*_MARK_COLUMNS, MARK_IMPORT.c.recorded_at)
        .join(MARK_IMPORT, MARK.c.import_id == MARK_IMPORT.c.import_id)
        .order_by(MARK.c.sequence)
    )
    if contract is not None:
        query = query.where(MARK.c.contract == contract)
    if as_of is not None:
        query = query.where(MARK_IMPORT.c.recorded_at <= as_of)
    return [Mark(**row) for row in connection.execute(query).mappings()]
