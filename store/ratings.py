"""Operator ratings as imported: append-only, under the payload they came from, seen as of any instant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from ..records import RentmarkError
from .instant import next_stamp
from .store import Store
from .tables import RATING, RATING_IMPORT
from .texts import require_storable


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingImport:
    """One imported ratings file. ``records = accepted + duplicates``; a bad file is not imported at all.

    ``correction_reason`` says why it was allowed to put other tiers in place of imported ones.
    """

    import_id: int
    scheme: str
    payload_digest: str
    origin_name: str
    payload_bytes: int
    reader_version: str
    records: int
    accepted: int
    duplicates: int
    correction_reason: str | None
    simulated: bool
    recorded_at: datetime
    recorded_at_real: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One rating as kept; ``operator_key`` is what the importer compares operators by."""

    scheme: str
    version: str
    published_on: date
    operator: str
    operator_key: str
    tier: str
    completeness: str | None
    source_url: str | None
    sellers: tuple[str, ...]
    simulated: bool
    recorded_at: datetime | None = None
    import_id: int | None = None


_IMPORT_COLUMNS = [RATING_IMPORT.c[field.name] for field in fields(RatingImport)]
_ROW_COLUMNS = [
    RATING.c[field.name] for field in fields(RatingRow) if field.name not in ("recorded_at", "simulated")
]


def find_rating_import(store: Store, payload_digest: str, scheme: str) -> RatingImport | None:
    """The import of these very bytes, or None."""
    with store.database.reading() as connection:
        return _find(connection, payload_digest, scheme)


def _find(connection: sa.Connection, payload_digest: str, scheme: str) -> RatingImport | None:
    query = (
        sa.select(*_IMPORT_COLUMNS)
        .where(RATING_IMPORT.c.payload_digest == payload_digest, RATING_IMPORT.c.scheme == scheme)
        .order_by(RATING_IMPORT.c.import_id.desc())
        .limit(1)
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else RatingImport(**row)


def add_ratings(
    store: Store,
    rows: Sequence[RatingRow],
    *,
    scheme: str,
    payload_digest: str,
    payload_bytes: int,
    origin_name: str,
    reader_version: str,
    correction_reason: str | None = None,
) -> RatingImport:
    """Commit a ratings file, whole or not at all, and return its entry.

    A rating that stands already is a duplicate and left out. Another tier for an operator and date that
    stand already is refused unless ``correction_reason`` is given; then the later row counts from now on
    and both stay. The same bytes again change nothing and return the first entry. Raises RentmarkError.
    """
    simulated = bool(rows) and all(row.simulated for row in rows)
    if store.simulated and not simulated:
        raise RentmarkError(
            f"{origin_name} is not simulated, and this workspace takes simulated sources only; "
            "use a workspace made by `rentmark init`."
        )
    if not store.simulated and any(row.simulated for row in rows):
        raise RentmarkError(f"{origin_name} holds simulated ratings; keep them in a simulated workspace.")
    require_storable("--correct", correction_reason)
    with store.database.writing() as connection:
        known = _find(connection, payload_digest, scheme)
        if known is not None:
            return known
        standing = {(row.published_on, row.operator_key): row for row in _rows(connection, scheme, None)}
        fresh = [row for row in rows if _differs(row, standing.get((row.published_on, row.operator_key)))]
        if correction_reason is None:
            _refuse_conflicts(fresh, standing, origin_name)
        entry = RatingImport(
            import_id=(connection.scalar(sa.select(sa.func.max(RATING_IMPORT.c.import_id))) or 0) + 1,
            scheme=scheme,
            payload_digest=payload_digest,
            origin_name=origin_name,
            payload_bytes=payload_bytes,
            reader_version=reader_version,
            records=len(rows),
            accepted=len(fresh),
            duplicates=len(rows) - len(fresh),
            correction_reason=correction_reason,
            simulated=simulated,
            recorded_at=next_stamp(connection, store.clock),
            recorded_at_real=store.clock.real_now(),
        )
        for row in fresh:
            for field in ("version", "operator", "completeness", "source_url"):
                require_storable(field, getattr(row, field))
        connection.execute(
            sa.insert(RATING_IMPORT), {field.name: getattr(entry, field.name) for field in fields(entry)}
        )
        if fresh:
            connection.execute(
                sa.insert(RATING), [_values(row, entry.import_id, n) for n, row in enumerate(fresh)]
            )
        return entry


def _differs(row: RatingRow, standing: RatingRow | None) -> bool:
    return standing is None or (standing.version, standing.tier) != (row.version, row.tier)


def _refuse_conflicts(
    fresh: Iterable[RatingRow], standing: Mapping[tuple[date, str], RatingRow], origin_name: str
) -> None:
    for row in fresh:
        other = standing.get((row.published_on, row.operator_key))
        if other is not None:
            raise RentmarkError(
                f"{origin_name}: {row.operator} is {row.tier} ({row.version}) on {row.published_on}, and was "
                f"imported as {other.tier} ({other.version}); add --correct REASON if the earlier import was wrong."
            )


def _values(row: RatingRow, import_id: int, ordinal: int) -> dict[str, Any]:
    values = {column.name: getattr(row, column.name) for column in _ROW_COLUMNS}
    sellers = json.dumps(list(row.sellers), ensure_ascii=False)
    require_storable("sellers", sellers)
    return values | {"import_id": import_id, "ordinal": ordinal, "sellers": sellers}


def rating_rows(store: Store, scheme: str | None = None, as_of: datetime | None = None) -> list[RatingRow]:
    """Every rating recorded by ``as_of`` (None: now), in the order of recording, corrected ones too."""
    with store.database.reading() as connection:
        return _rows(connection, scheme, as_of)


def _rows(connection: sa.Connection, scheme: str | None, as_of: datetime | None) -> list[RatingRow]:
    query = (
        sa.select(*_ROW_COLUMNS, RATING_IMPORT.c.recorded_at, RATING_IMPORT.c.simulated)
        .join(RATING_IMPORT, RATING.c.import_id == RATING_IMPORT.c.import_id)
        .order_by(RATING.c.import_id, RATING.c.ordinal)
    )
    if scheme is not None:
        query = query.where(RATING.c.scheme == scheme)
    if as_of is not None:
        query = query.where(RATING_IMPORT.c.recorded_at <= as_of)
    return [
        RatingRow(**{**row, "sellers": tuple(json.loads(row["sellers"]))})
        for row in connection.execute(query).mappings()
    ]


def rating_imports(store: Store, as_of: datetime | None = None) -> list[RatingImport]:
    """The imported files in the order of recording."""
    query = sa.select(*_IMPORT_COLUMNS).order_by(RATING_IMPORT.c.import_id)
    if as_of is not None:
        query = query.where(RATING_IMPORT.c.recorded_at <= as_of)
    with store.database.reading() as connection:
        return [RatingImport(**row) for row in connection.execute(query).mappings()]
