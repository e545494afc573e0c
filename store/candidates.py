"""Candidates: fixings that were built and not published, one set per benchmark and view."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

import sqlalchemy as sa

from ..records import Fixing
from .fixings import columns_of, fixing_of, fixing_values
from .tables import CANDIDATE

_OF_VIEW = (CANDIDATE.c.benchmark == sa.bindparam("asked"), CANDIDATE.c.view == sa.bindparam("asked_view"))
_ADD = sa.insert(CANDIDATE)
_DELETE = sa.delete(CANDIDATE).where(*_OF_VIEW)
_FROM = (
    sa.select(*columns_of(CANDIDATE))
    .where(*_OF_VIEW, CANDIDATE.c.date >= sa.bindparam("first"))
    .order_by(CANDIDATE.c.date)
)


def replace_candidates(
    connection: sa.Connection, benchmark: str, view: str, fixings: Iterable[Fixing], built_at: datetime
) -> None:
    """Put these in place of all candidates of a benchmark and view.

    Raises ValueError for a fixing of another benchmark or one that is published.
    """
    connection.execute(_DELETE, {"asked": benchmark, "asked_view": view})
    insert_candidates(connection, benchmark, view, fixings, built_at)


def insert_candidates(
    connection: sa.Connection, benchmark: str, view: str, fixings: Iterable[Fixing], built_at: datetime
) -> None:
    """Add candidates of dates that have none. Raises ValueError as ``replace_candidates`` does."""
    rows = []
    for fixing in fixings:
        if fixing.benchmark != benchmark or fixing.published_at is not None:
            raise ValueError(f"{fixing.benchmark} {fixing.date} is no candidate of {benchmark}")
        rows.append({"view": view, "built_at": built_at} | fixing_values(fixing))
    if rows:
        connection.execute(_ADD, rows)


def candidates(
    connection: sa.Connection, benchmark: str, view: str, first: date | None = None
) -> list[Fixing]:
    """The candidates of a benchmark and view by date, from ``first`` on if given."""
    asked = {"asked": benchmark, "asked_view": view, "first": first or date.min}
    return [fixing_of(row) for row in connection.execute(_FROM, asked)]


def views(connection: sa.Connection, benchmark: str) -> dict[str, datetime]:
    """The views of a benchmark that hold candidates, each with when it was built."""
    query = (
        sa.select(CANDIDATE.c.view, sa.func.max(CANDIDATE.c.built_at, type_=CANDIDATE.c.built_at.type))
        .where(CANDIDATE.c.benchmark == benchmark)
        .group_by(CANDIDATE.c.view)
    )
    return dict(sorted((view, built_at) for view, built_at in connection.execute(query)))
