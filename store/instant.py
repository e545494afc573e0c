"""Stamps that strictly increase: the workspace clock, held forward under the write lock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

import sqlalchemy as sa

from .tables import (
    BATCH,
    BLOTTER_IMPORT,
    CERTIFICATE,
    FIXING,
    GOVERNANCE,
    MARK_IMPORT,
    METHODOLOGY,
    RATING_IMPORT,
)

_STEP = timedelta(microseconds=1)
_STAMPS = (
    BATCH.c.recorded_at,
    FIXING.c.published_at,
    CERTIFICATE.c.certified_at,
    METHODOLOGY.c.saved_at,
    RATING_IMPORT.c.recorded_at,
    MARK_IMPORT.c.recorded_at,
    BLOTTER_IMPORT.c.recorded_at,
    GOVERNANCE.c.recorded_at,
)
_LAST_STAMPS = sa.union_all(*(sa.select(sa.func.max(column)) for column in _STAMPS))
"""One statement for all tables, because every command asks it several times."""


class Clock(Protocol):
    """Where a workspace takes its time from. Both instants are aware and in UTC."""

    def now(self) -> datetime:
        """The time of the workspace, which may be simulated."""

    def real_now(self) -> datetime:
        """The time of the machine, also where the workspace is simulated."""


def last_stamp(connection: sa.Connection) -> datetime | None:
    """The latest stamp on anything committed, or None in a new workspace."""
    stamps = connection.scalars(_LAST_STAMPS)
    return max((stamp for stamp in stamps if stamp is not None), default=None)


def next_stamp(connection: sa.Connection, clock: Clock) -> datetime:
    """The instant of this write: the clock's, or one microsecond after the last stamp if that is later.

    One order over all tables means that a fixing is never stamped before the data it rests on, and
    that "as of T" splits any two writes. The caller holds the write lock.
    Raises ValueError when the clock gives a time without a zone.
    """
    now = clock.now()
    if now.tzinfo is None:
        raise ValueError(f"the clock gives {now.isoformat()} without a time zone")
    last = last_stamp(connection)
    return now if last is None else max(now, last + _STEP)
