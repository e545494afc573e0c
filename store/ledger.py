"""Reading the ledger: batches and rejects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..records import LedgerEntry
from .tables import BATCH, REJECT

_ENTRY_FIELDS = tuple(field.name for field in fields(LedgerEntry))
_ENTRY_COLUMNS = [BATCH.c[name] for name in _ENTRY_FIELDS]
_KEY = ("payload_digest", "feed", "feed_version", "mapping_hash")
_OF_KEY = sa.select(*_ENTRY_COLUMNS).where(*(BATCH.c[name] == sa.bindparam(f"asked_{name}") for name in _KEY))


def entry_from(row: Mapping[str, Any] | sa.RowMapping) -> LedgerEntry:
    """A ledger entry from its row, whose notes are JSON."""
    values = {name: row[name] for name in _ENTRY_FIELDS}
    return LedgerEntry(**(values | {"notes": tuple(json.loads(values["notes"]))}))


def find_batch(
    connection: sa.Connection, payload_digest: str, feed: str, feed_version: str, mapping_hash: str
) -> LedgerEntry | None:
    """The batch of an idempotency key, or None."""
    row = (
        connection.execute(
            _OF_KEY,
            {
                "asked_payload_digest": payload_digest,
                "asked_feed": feed,
                "asked_feed_version": feed_version,
                "asked_mapping_hash": mapping_hash,
            },
        )
        .mappings()
        .one_or_none()
    )
    return None if row is None else entry_from(row)


def ledger(connection: sa.Connection, as_of: datetime | None) -> list[LedgerEntry]:
    """All batches in the order they were committed, those recorded by ``as_of`` if given."""
    query = sa.select(*_ENTRY_COLUMNS).order_by(BATCH.c.batch_id)
    if as_of is not None:
        query = query.where(BATCH.c.recorded_at <= as_of)
    return [entry_from(row) for row in connection.execute(query).mappings()]


def last_batches(connection: sa.Connection, feed: str, limit: int) -> list[LedgerEntry]:
    """The newest batches of a feed that brought or repeated something, newest first."""
    query = (
        sa.select(*_ENTRY_COLUMNS)
        .where(BATCH.c.feed == feed, BATCH.c.records > 0)
        .order_by(BATCH.c.batch_id.desc())
        .limit(limit)
    )
    return [entry_from(row) for row in connection.execute(query).mappings()]


def rejects(
    connection: sa.Connection, *, batch_id: int | None, reason: str | None, limit: int | None
) -> list[dict[str, Any]]:
    """Rejected records with the payload they came in, by batch and then by their order in it.

    Keys: ``batch_id, origin_name, payload_digest, position, reason, field, value, sentence``.
    """
    query = (
        sa.select(
            REJECT.c.batch_id,
            BATCH.c.origin_name,
            BATCH.c.payload_digest,
            REJECT.c.position,
            REJECT.c.reason,
            REJECT.c.field,
            REJECT.c.value,
            REJECT.c.sentence,
        )
        .join(BATCH, BATCH.c.batch_id == REJECT.c.batch_id)
        .order_by(REJECT.c.batch_id, REJECT.c.ordinal)
        .limit(limit)
    )
    if batch_id is not None:
        query = query.where(REJECT.c.batch_id == batch_id)
    if reason is not None:
        query = query.where(REJECT.c.reason == reason)
    return [dict(row) for row in connection.execute(query).mappings()]


def reject_counts(connection: sa.Connection, batch_id: int | None) -> dict[str, int]:
    """How many records were rejected for each reason, by reason."""
    query = sa.select(REJECT.c.reason, sa.func.count()).group_by(REJECT.c.reason)
    if batch_id is not None:
        query = query.where(REJECT.c.batch_id == batch_id)
    return dict(sorted((reason, count) for reason, count in connection.execute(query)))


def archived_duplicates(connection: sa.Connection, batch_id: int) -> int:
    """How many duplicates of a batch repeat what the archive held; the rest repeat their own payload."""
    return int(
        connection.scalar(sa.select(BATCH.c.duplicates_archived).where(BATCH.c.batch_id == batch_id)) or 0
    )
