"""What a build asks to leave standing what has not changed: marks of candidates, and the lives of files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

import sqlalchemy as sa

from ..records import Fixing
from .candidates import insert_candidates, replace_candidates
from .database import Database
from .manifest import FileLife, Manifest
from .store import Store
from .tables import CANDIDATE

Renewal = tuple[Sequence[Fixing], Collection[date]]
"""The candidates that were made, and the dates whose candidates stay as they are."""


class CandidateMark(NamedTuple):
    """What tells whether a candidate still stands, without the rest of it."""

    date: date
    methodology_hash: str
    built_as_of: datetime | None
    n_votes: int


_MARKS = (
    sa.select(*(CANDIDATE.c[name] for name in CandidateMark._fields))
    .where(CANDIDATE.c.benchmark == sa.bindparam("asked"), CANDIDATE.c.view == sa.bindparam("asked_view"))
    .order_by(CANDIDATE.c.date)
)


def candidate_marks(database: Database, benchmark: str, view: str) -> list[CandidateMark]:
    """The marks of the candidates of a benchmark and view by date."""
    with database.reading() as connection:
        rows = connection.execute(_MARKS, {"asked": benchmark, "asked_view": view})
        return [CandidateMark(*row) for row in rows]


def file_lives(database: Database) -> list[FileLife]:
    """Every observation file that ever counted: when it came, when it was superseded, what it reaches over."""
    with database.reading() as connection:
        return Manifest().lives(connection)


def renew_candidates(store: Store, view: str, made: Mapping[str, Renewal]) -> None:
    """For each benchmark put fixings in place of its candidates of a view but those of the dates that stay.

    All in one transaction. Raises ValueError for a fixing of another benchmark or one that is published.
    """
    with store.database.writing(durable=False) as connection:
        built_at = store.now_in(connection)
        for benchmark, (fixings, kept) in made.items():
            if not kept:
                replace_candidates(connection, benchmark, view, fixings, built_at)
                continue
            of_view = (CANDIDATE.c.benchmark == benchmark, CANDIDATE.c.view == view)
            dates = connection.scalars(sa.select(CANDIDATE.c.date).where(*of_view))
            gone = [{"gone": day} for day in dates if day not in kept]
            if gone:
                one = sa.delete(CANDIDATE).where(*of_view, CANDIDATE.c.date == sa.bindparam("gone"))
                connection.execute(one, gone)
            insert_candidates(connection, benchmark, view, fixings, built_at)
