"""Recent fixings: what a board shows of each benchmark, without reading years of its tape.

The same questions answered from whole tapes are `Store.tape` and `Store.candidates`; a test holds both together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import sqlalchemy as sa

from ..records import STATUSES_OBSERVED, Fixing
from .database import Database
from .fixings import columns_of, fixing_of
from .tables import CANDIDATE, FIXING

Key = tuple[str, date, int]
"""Benchmark, date and revision."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a sparkline needs of a fixing; ``value_micros`` in micro-USD per GPU-hour, null for a GAP."""

    date: date
    revision: int
    value_micros: int | None
    status: str
    rule: str | None


@dataclass(frozen=True, slots=True)
class Recent:
    """The end of a benchmark's fixings, each date in its latest revision.

    ``points`` are the dates of the last so many days, ``last`` the last one of all, ``before`` the last before it
    that has a value of its own (OK or THIN), however old.
    """

    last: Fixing
    before: Fixing | None
    points: tuple[Point, ...]


def recent_fixings(
    database: Database, names: Iterable[str], *, days: int, as_of: datetime | None = None
) -> dict[str, Recent]:
    """The end of the tapes of these benchmarks, of what was published by ``as_of`` if given.

    ``days`` are calendar days up to the last date of each. A benchmark without a row is absent.
    """
    published = [] if as_of is None else [FIXING.c.published_at <= as_of]
    with database.reading() as connection:
        return _Ends(connection, FIXING, published).read(list(names), days)


def recent_candidates(database: Database, names: Iterable[str], view: str, *, days: int) -> dict[str, Recent]:
    """The same of the candidates of a view."""
    with database.reading() as connection:
        return _Ends(connection, CANDIDATE, [CANDIDATE.c.view == view]).read(list(names), days)


def recent_of(rows: Sequence[Fixing], *, days: int) -> Recent:
    """The same of fixings at hand, one a date, in order of date; there is at least one."""
    last = rows[-1]
    observed = (row for row in reversed(rows) if row.date < last.date and row.status in STATUSES_OBSERVED)
    first = last.date - timedelta(days=days)
    points = tuple(
        Point(row.date, row.revision, row.value_micros, row.status, row.rule)
        for row in rows
        if row.date > first
    )
    return Recent(last, next(observed, None), points)


def dates_published(database: Database, names: Iterable[str]) -> dict[str, int]:
    """How many dates the tape of each benchmark holds, whatever their revisions."""
    columns = FIXING.c
    query = (
        sa.select(columns.benchmark, sa.func.count(sa.distinct(columns.date)))
        .where(columns.benchmark.in_(list(names)))
        .group_by(columns.benchmark)
    )
    with database.reading() as connection:
        return {str(name): int(number) for name, number in connection.execute(query)}


def tape_since(
    database: Database, benchmark: str, first: date, *, as_of: datetime | None = None
) -> list[Fixing]:
    """Published fixings of the dates from ``first`` on, each in its latest revision by ``as_of`` if given."""
    query = (
        sa.select(*columns_of(FIXING))
        .where(FIXING.c.benchmark == benchmark, FIXING.c.date >= first)
        .order_by(FIXING.c.date, FIXING.c.revision)
    )
    if as_of is not None:
        query = query.where(FIXING.c.published_at <= as_of)
    with database.reading() as connection:
        rows = [fixing_of(values) for values in connection.execute(query)]
    return list({row.date: row for row in rows}.values())


@dataclass(frozen=True, slots=True)
class _Ends:
    """Reads one table within one transaction."""

    connection: sa.Connection
    table: sa.Table
    only: Sequence[sa.ColumnElement[bool]]

    def read(self, names: Sequence[str], days: int) -> dict[str, Recent]:
        columns = self.table.c
        lasts = sa.select(columns.benchmark, sa.func.max(columns.date))
        lasts = lasts.where(columns.benchmark.in_(names), *self.only).group_by(columns.benchmark)
        together: dict[date, list[str]] = defaultdict(list)
        for name, last in self.connection.execute(lasts):
            together[last].append(name)
        points: dict[str, list[Point]] = {}
        for last, ended in together.items():
            points |= self._points(ended, columns.date > last - timedelta(days=days))
        before = {name: self._before(name, held) for name, held in points.items()}
        ends = {name: (held[-1], before[name]) for name, held in points.items()}
        whole = self._whole([_key(name, p) for name, pair in ends.items() for p in pair if p is not None])
        return {
            name: Recent(
                last=whole[_key(name, last)],
                before=None if earlier is None else whole[_key(name, earlier)],
                points=tuple(points[name]),
            )
            for name, (last, earlier) in ends.items()
        }

    def _points(self, names: Sequence[str], within: sa.ColumnElement[bool]) -> dict[str, list[Point]]:
        """The points of some dates by benchmark and date, each date in its latest revision."""
        columns = self.table.c
        query = (
            sa.select(
                columns.benchmark, columns.date, columns.revision, columns.value_micros, columns.status, columns.rule
            )
            .where(columns.benchmark.in_(names), within, *self.only)
            .order_by(columns.benchmark, columns.date, columns.revision)
        )  # fmt: skip
        found: dict[str, dict[date, Point]] = defaultdict(dict)
        for name, *values in self.connection.execute(query):
            found[name][values[0]] = Point(*values)
        return {name: list(held.values()) for name, held in found.items()}

    def _before(self, name: str, held: Sequence[Point]) -> Point | None:
        """The last point with a value of its own before the last one: among those held, or those before them."""
        found = _observed(held[:-1])
        if found is not None:
            return found
        return _observed(self._points([name], self.table.c.date < held[0].date).get(name, []))

    def _whole(self, wanted: Sequence[Key]) -> dict[Key, Fixing]:
        columns = self.table.c
        query = sa.select(*columns_of(self.table)).where(
            columns.benchmark.in_({name for name, _, _ in wanted}),
            columns.date.in_({day for _, day, _ in wanted}),
            *self.only,
        )
        rows = [fixing_of(values) for values in self.connection.execute(query)]
        return {(row.benchmark, row.date, row.revision): row for row in rows}


def _key(name: str, point: Point) -> Key:
    return name, point.date, point.revision


def _observed(points: Sequence[Point]) -> Point | None:
    """The last of these points that has a value of its own."""
    return next((point for point in reversed(points) if point.status in STATUSES_OBSERVED), None)
