"""Which files of the observation archive count, and at what time."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import sqlalchemy as sa

from ..records import month_of
from .database import Database
from .grown import Grown
from .observations import ObservationFile
from .tables import BATCH, METHODOLOGY, OBSERVATION_FILE

_FILE_FIELDS = tuple(field.name for field in fields(ObservationFile) if field.name != "recorded_at")
# statements are made once: to put one together anew takes three times as long as to run it
_READINGS_ABOVE = (
    sa.select(
        BATCH.c.batch_id,
        BATCH.c.payload_digest,
        BATCH.c.feed,
        BATCH.c.mapping_hash,
        (BATCH.c.accepted + BATCH.c.duplicates_archived > 0).label("found_observations"),
        BATCH.c.supersedes,
        BATCH.c.recorded_at,
    )
    .where(BATCH.c.batch_id > sa.bindparam("above"))
    .order_by(BATCH.c.batch_id)
)
_FILES_ABOVE = (
    sa.select(*(OBSERVATION_FILE.c[name] for name in _FILE_FIELDS), BATCH.c.recorded_at)
    .join(BATCH, BATCH.c.batch_id == OBSERVATION_FILE.c.batch_id)
    .where(OBSERVATION_FILE.c.batch_id > sa.bindparam("above"))
    .order_by(OBSERVATION_FILE.c.batch_id, OBSERVATION_FILE.c.month)
)
_KEPT_TEXT = sa.select(METHODOLOGY.c.resolved).where(METHODOLOGY.c.methodology_hash == sa.bindparam("asked"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the manifest needs of a ledger row: one reading of one payload by one feed."""

    batch_id: int
    payload_digest: str
    feed: str
    mapping_hash: str
    found_observations: bool
    supersedes: int | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLife:
    """When a file came and when its batch was superseded, None where it stands; and the time it reaches over."""

    came_at: datetime
    superseded_at: datetime | None
    first_observed_at: datetime
    last_observed_at: datetime
    corrections: int

    @property
    def changed_at(self) -> datetime:
        """When it came or, later, went; a reader of that very instant may not have seen it."""
        return self.came_at if self.superseded_at is None else max(self.came_at, self.superseded_at)

    def reaches(self, start: datetime, end: datetime) -> bool:
        """Whether it may hold an observation of ``start ≤ observed_at < end``."""
        return self.last_observed_at >= start and self.first_observed_at < end


class Manifest:
    """The files that committed ledger rows name. Never a listing of a folder.

    What was read stands in order, so that years of files cost a question about one day nothing.
    """

    def __init__(self) -> None:
        self._readings = Grown(_readings_above)
        self._files = Grown(_files_above)
        self._lock = threading.Lock()
        self._of_payload: dict[tuple[str, str], list[Reading]] = {}
        self._replaced_at: dict[int, datetime] = {}
        self._of_month: dict[str, list[ObservationFile]] = {}
        self._ordered = [0, 0]
        """How many readings and files stand in order."""

    def files(
        self,
        connection: sa.Connection,
        *,
        as_of: datetime | None = None,
        months: Sequence[str] | None = None,
        overlapping: tuple[datetime, datetime] | None = None,
    ) -> list[ObservationFile]:
        """The files that count at ``as_of`` (None: now), by month and then batch.

        A file counts when a batch recorded by then names it and no batch recorded by then supersedes
        that one. ``overlapping`` keeps those whose observations meet a span of ``observed_at``.
        """
        with self._lock:
            self._order(connection)
            replaced = {b for b, at in self._replaced_at.items() if as_of is None or at <= as_of}
            ends = None if overlapping is None else [month_of(instant.date()) for instant in overlapping]
            wanted = self._of_month.keys() if months is None else self._of_month.keys() & set(months)
            chosen: list[ObservationFile] = []
            for month in sorted(wanted):
                if ends is not None and not ends[0] <= month <= ends[1]:
                    continue
                held = self._of_month[month]
                # stamps rise with the batches, so that the last file of a month was recorded last
                if (
                    replaced
                    or overlapping is not None
                    or (as_of is not None and held[-1].recorded_at > as_of)
                ):
                    held = [
                        file
                        for file in held
                        if (as_of is None or file.recorded_at <= as_of)
                        and (overlapping is None or _meets(file, overlapping))
                        and file.batch_id not in replaced
                    ]
                chosen += held
            return chosen

    def files_of(self, connection: sa.Connection, batch_id: int) -> list[ObservationFile]:
        """The files of one batch, superseded or not, by month."""
        return [file for file in self._files.rows(connection) if file.batch_id == batch_id]

    def lives(self, connection: sa.Connection) -> list[FileLife]:
        """Every file that ever counted, and when it did."""
        with self._lock:
            self._order(connection)
            superseded = self._replaced_at.copy()
        return [
            FileLife(
                came_at=file.recorded_at,
                superseded_at=superseded.get(file.batch_id),
                first_observed_at=file.first_observed_at,
                last_observed_at=file.last_observed_at,
                corrections=file.corrections,
            )
            for file in self._files.rows(connection)
        ]

    def current_reading(
        self, connection: sa.Connection, payload_digest: str, feed: str, mapping_hash: str
    ) -> int | None:
        """The batch that holds the current reading of a payload by a feed, if there is one.

        A price list that did not change is the same payload on every day: where the time it was taken is
        stated beside it, another time is another snapshot, and no reading of that one again.
        A reading that found no observation does not count: a wrong mapping that refuses a whole file
        must not take the good reading out of sight.
        """
        with self._lock:
            self._order(connection)
            held = [
                (reading.batch_id, reading.mapping_hash)
                for reading in self._of_payload.get((payload_digest, feed), ())
                if reading.found_observations and reading.batch_id not in self._replaced_at
            ]
        if held:
            taken = _taken_at(connection, mapping_hash)
            held = [(batch, mapping) for batch, mapping in held if _taken_at(connection, mapping) == taken]
        return held[-1][0] if held else None

    def _order(self, connection: sa.Connection) -> None:
        """Put what came since in order. The lock is held."""
        readings = self._readings.rows(connection, self._ordered[0])
        files = self._files.rows(connection, self._ordered[1])
        for reading in readings:
            self._of_payload.setdefault((reading.payload_digest, reading.feed), []).append(reading)
            if reading.supersedes is not None:
                self._replaced_at.setdefault(reading.supersedes, reading.recorded_at)
        for file in files:
            self._of_month.setdefault(file.month, []).append(file)
        self._ordered = [self._ordered[0] + len(readings), self._ordered[1] + len(files)]


def every_file(database: Database) -> list[ObservationFile]:
    """The files of all committed batches, superseded ones too, by batch and month."""
    with database.reading() as connection:
        return [file for _, file in _files_above(connection, 0)]


def _taken_at(connection: sa.Connection, mapping_hash: str) -> str | None:
    """The time of a snapshot that is stated in a mapping; None where none is, or no mapping is kept."""
    text = connection.scalar(_KEPT_TEXT, {"asked": mapping_hash})
    stated = None if text is None else json.loads(text).get("observed_at")
    return stated if isinstance(stated, str) else None


def _meets(file: ObservationFile, span: tuple[datetime, datetime]) -> bool:
    return file.last_observed_at >= span[0] and file.first_observed_at <= span[1]


def _readings_above(connection: sa.Connection, batch_id: int) -> list[tuple[int, Reading]]:
    rows = connection.execute(_READINGS_ABOVE, {"above": batch_id}).mappings()
    return [(row["batch_id"], Reading(**row)) for row in rows]


def _files_above(connection: sa.Connection, batch_id: int) -> list[tuple[int, ObservationFile]]:
    rows = connection.execute(_FILES_ABOVE, {"above": batch_id}).mappings()
    return [(row["batch_id"], ObservationFile(**row)) for row in rows]
