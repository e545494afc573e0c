"""Committing a batch: Parquet first, the ledger row last, so that it is there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ..records import Batch, LedgerEntry, RentmarkError, digest_of
from ..records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA
from .database import Database
from .duplicates import KEY_SCHEMA, archived_rows
from .file_facts import facts_by_month, may_hold_any
from .instant import Clock, next_stamp
from .ledger import entry_from, find_batch
from .manifest import Manifest
from .observations import (
    ArchiveFiles,
    Places,
    archive_order,
    different_chunks,
    file_path,
    rows_at,
    shared_columns,
    split_by_month,
    stamped_parts,
    write_month,
)
from .tables import BATCH, OBSERVATION_FILE, REJECT
from .texts import storable

_REJECTS_AT_ONCE = 20_000
# statements are made once: to put one together anew takes longer than to run it
_ADD_BATCH, _ADD_FILES, _ADD_REJECTS = (sa.insert(table) for table in (BATCH, OBSERVATION_FILE, REJECT))
_LAST_BATCH = sa.select(sa.func.max(BATCH.c.batch_id))
_WRITERS = 2
"""Months of a batch that are written at once."""
_MANY_ROWS = 100_000
"""From so many rows on facts are found beside the writing of even one month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What the ledger keeps of a payload besides its counts: who read it, how, and where it came from."""

    feed: str
    feed_version: str
    mapping_hash: str
    payload_digest: str
    origin_name: str
    payload_bytes: int
    received_at: datetime
    rights: str
    simulated: bool
    fetched_from: str | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The idempotency key: the same bytes read the same way are the same batch."""
        return (self.payload_digest, self.feed, self.feed_version, self.mapping_hash)


def check_batch(batch: Batch, arrival: Arrival, *, simulated_store: bool) -> None:
    """Hold a feed to its promises before anything is written.

    Raises RentmarkError when a simulated workspace is handed data that are not, and ValueError when
    the feed broke a promise: counts that do not add up, a wrong schema, an id given twice.
    """
    if simulated_store and not (arrival.simulated and _all_simulated(batch.observations)):
        raise RentmarkError(
            f"{arrival.origin_name} is not simulated, and this workspace takes simulated sources only; "
            "use a workspace made by `rentmark init`."
        )
    where = f"feed {arrival.feed} {arrival.feed_version}"
    if batch.records != batch.accepted + batch.rejected + batch.duplicates:
        raise ValueError(
            f"{where}: {batch.records} records are not {batch.accepted} accepted + {batch.rejected} "
            f"rejected + {batch.duplicates} duplicates"
        )
    for table, schema in ((batch.observations, OBSERVATION_SCHEMA), (batch.rejects, REJECT_SCHEMA)):
        if not table.schema.equals(schema):
            raise ValueError(f"{where}: the columns are not those of the schema: {table.schema}")
        blank = [field.name for field in schema if not field.nullable and table[field.name].null_count]
        if blank:
            raise ValueError(f"{where}: {', '.join(blank)} may not be null")
    digests = {
        digest
        for chunk in different_chunks(batch.observations["payload_digest"])
        for digest in pc.unique(chunk).to_pylist()
    }
    strange = digests - {arrival.payload_digest}
    if strange:
        raise ValueError(f"{where}: observations name another payload: {min(strange)}")
    ids = np.sort(batch.observations["observation_id"].to_numpy())
    if (ids[1:] == ids[:-1]).any():
        raise ValueError(f"{where}: an observation_id stands twice in one payload")


def _all_simulated(observations: pa.Table) -> bool:
    return bool(pc.all(observations["simulated"], min_count=0).as_py())


def _any_simulated(observations: pa.Table) -> bool:
    return bool(pc.any(observations["simulated"], min_count=0).as_py())


@dataclass(frozen=True, slots=True, kw_only=True)
class Committer:
    """Writes batches of one workspace."""

    database: Database
    root: Path
    clock: Clock
    manifest: Manifest
    files: ArchiveFiles

    def commit(self, batch: Batch, arrival: Arrival) -> LedgerEntry:
        """Archive a batch that ``check_batch`` passed, and return its ledger entry.

        A batch of the same key that is there already changes nothing and its entry is returned. Raises
        RentmarkError when the disk or the database refuses; then nothing of the batch counts, and the
        same call may be repeated.
        """
        order = archive_order(batch.observations)
        with self.database.writing() as connection:
            known = find_batch(connection, *arrival.key)
            if known is not None:
                return known
            written: list[Path] = []
            try:
                return self._write(connection, batch, arrival, order, written)
            except DBAPIError:
                # the database may be gone and the lock with it: the next open sets the files aside
                raise
            except BaseException:
                # still under the lock, and before the ledger could have named them
                for path in written:
                    with suppress(OSError):
                        path.unlink(missing_ok=True)
                raise

    def _write(
        self,
        connection: sa.Connection,
        batch: Batch,
        arrival: Arrival,
        order: Places,
        written: list[Path],
    ) -> LedgerEntry:
        """Write files, then rows. ``written`` names each file before it is there."""
        observations = batch.observations
        supersedes = None
        if batch.accepted:
            supersedes = self.manifest.current_reading(
                connection, arrival.payload_digest, arrival.feed, arrival.mapping_hash
            )
        shared = shared_columns(observations)
        fresh = self._without_archived(connection, observations, order, supersedes, shared)
        archived = observations.num_rows - len(fresh)
        recorded_at = next_stamp(connection, self.clock)
        batch_id = (connection.scalar(_LAST_BATCH) or 0) + 1
        months = list(split_by_month(observations, fresh))
        paths = [file_path(digest_of(list(arrival.key)), recorded_at, month) for month, _ in months]
        written += [self.root / path for path in paths]

        parts = stamped_parts(observations, recorded_at, shared)

        def write(number: int) -> dict[str, Any]:
            month, places = months[number]
            place = {"batch_id": batch_id, "month": month}
            return place | write_month(self.root, paths[number], parts(places))

        # Leaving the pool waits for its writers, so that nothing is still being written afterwards.
        if len(months) < _WRITERS and observations.num_rows < _MANY_ROWS:
            facts = facts_by_month(observations, shared)
            files = [write(number) for number in range(len(months))]
        else:
            with ThreadPoolExecutor(_WRITERS) as pool:
                noted = pool.submit(facts_by_month, observations, shared)
                files = list(pool.map(write, range(len(months))))
                facts = noted.result()
        files = [file | {"facts": facts(file["month"]).to_text()} for file in files]
        row = {each.name: getattr(arrival, each.name) for each in fields(arrival)} | {
            "batch_id": batch_id,
            "origin_name": storable(arrival.origin_name),
            "recorded_at": recorded_at,
            "recorded_at_real": self.clock.real_now(),
            "records": batch.records,
            "accepted": len(fresh),
            "rejected": batch.rejected,
            "duplicates": batch.duplicates + archived,
            "duplicates_archived": archived,
            "simulated": arrival.simulated or _any_simulated(observations),
            "refusal_code": batch.refusal.code if batch.refusal else None,
            "refusal_sentence": storable(batch.refusal.sentence) if batch.refusal else None,
            "supersedes": supersedes,
            "notes": json.dumps([storable(note) for note in batch.notes], ensure_ascii=False),
        }
        connection.execute(_ADD_BATCH, row)
        if files:
            connection.execute(_ADD_FILES, files)
        for rejects in _reject_rows(batch.rejects, batch_id):
            connection.execute(_ADD_REJECTS, rejects)
        return entry_from(row)

    def _without_archived(
        self,
        connection: sa.Connection,
        observations: pa.Table,
        order: Places,
        supersedes: int | None,
        shared: Collection[str],
    ) -> Places:
        """Leave out rows that a current file holds; the reading that is replaced does not count."""
        if not len(order):
            return order
        observed = observations["observed_at"]
        span = (observed[int(order[0])].as_py(), observed[int(order[-1])].as_py())
        sources = pc.unique(observations["source"]).to_pylist()
        files = [
            file
            for file in self.manifest.files(connection, overlapping=span)
            if file.batch_id != supersedes and may_hold_any(file.facts, sources)
        ]
        if not files:
            return order
        keys = rows_at(observations.select(KEY_SCHEMA.names), order, shared)
        known = archived_rows(keys, files, self.files.path)
        return order[~known]


def _reject_rows(rejects: pa.Table, batch_id: int) -> Iterator[Sequence[dict[str, Any]]]:
    """Rows for the reject table, a bounded number at a time."""
    ordinal = 0
    for part in rejects.to_batches(max_chunksize=_REJECTS_AT_ONCE):
        rows = []
        for reject in part.to_pylist():
            rows.append(
                {
                    "batch_id": batch_id,
                    "ordinal": ordinal,
                    "position": reject["position"],
                    "reason": reject["reason"],
                    "field": storable(reject["field"]),
                    "value": storable(reject["value"]),
                    "sentence": storable(reject["sentence"]),
                }
            )
            ordinal += 1
        if rows:
            yield rows
