"""Places on the tape: what publishing asks of rows that stand already, without reading the whole of each.

A tape only grows, so a process reads each place once. Rules that read earlier fixings need the rows themselves:
``Store.append_fixings`` hands those over.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import NamedTuple

import sqlalchemy as sa

from ..records import Fixing
from .grown import Grown
from .store import Store
from .tables import CANDIDATE, FIXING
from .tape import append_fixings


class Place(NamedTuple):
    """Where a published fixing stands, the rules it was made under, and its seal."""

    date: date
    revision: int
    methodology: str
    methodology_version: str
    methodology_hash: str
    row_digest: str


_ABOVE = (
    sa.select(FIXING.c.sequence, *(FIXING.c[name] for name in Place._fields))
    .where(FIXING.c.benchmark == sa.bindparam("asked"), FIXING.c.sequence > sa.bindparam("above"))
    .order_by(FIXING.c.sequence)
)
_OF_VIEW = (CANDIDATE.c.benchmark == sa.bindparam("asked"), CANDIDATE.c.view == sa.bindparam("asked_view"))
_HASHES = sa.select(CANDIDATE.c.methodology_hash).where(*_OF_VIEW).distinct()
_FIRST_NEW = sa.select(sa.func.min(CANDIDATE.c.date, type_=CANDIDATE.c.date.type)).where(
    *_OF_VIEW,
    ~sa.exists().where(FIXING.c.benchmark == CANDIDATE.c.benchmark, FIXING.c.date == CANDIDATE.c.date),
)


def tape_places(store: Store, benchmark: str) -> list[Place]:
    """The places of a benchmark's tape in the order in which they were appended."""
    with store.database.reading() as connection:
        return _grown(store, benchmark).rows(connection)


def append_in_place(
    store: Store, benchmark: str, make: Callable[[list[Place], datetime], list[Fixing]]
) -> list[Fixing]:
    """As ``Store.append_fixings`` for rules that read no earlier fixing: ``make`` is given the places alone."""
    with store.database.writing() as connection:
        standing = _grown(store, benchmark).rows(connection)
        return append_fixings(connection, store.clock, benchmark, standing, make)


def candidate_hashes(store: Store, benchmark: str, view: str) -> set[str]:
    """The hashes of the rules that the candidates of a benchmark and view were made under; none without any."""
    with store.database.reading() as connection:
        return set(connection.scalars(_HASHES, {"asked": benchmark, "asked_view": view}))


def first_unpublished(store: Store, benchmark: str, view: str) -> date | None:
    """The first date that has a candidate and no row on the tape."""
    with store.database.reading() as connection:
        found: date | None = connection.scalar(_FIRST_NEW, {"asked": benchmark, "asked_view": view})
        return found


def _grown(store: Store, benchmark: str) -> Grown[Place]:
    def above(connection: sa.Connection, sequence: int) -> list[tuple[int, Place]]:
        rows = connection.execute(_ABOVE, {"asked": benchmark, "above": sequence})
        return [(key, Place(*values)) for key, *values in rows]

    return store.places.setdefault(benchmark, Grown(above))
