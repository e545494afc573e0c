"""The tape: published fixings, append-only, each sealed onto the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeVar

import sqlalchemy as sa

from ..records import Fixing, seal
from .fixings import columns_of, fixing_from, fixing_of, fixing_values
from .instant import Clock, next_stamp
from .problems import ChainProblem
from .readable import readable
from .tables import CANDIDATE, FIXING

Revisions = Literal["latest", "first", "all"]


class OnTape(Protocol):
    """What appending asks of a row that stands on the tape."""

    @property
    def date(self) -> date:
        """The fixing date."""

    @property
    def revision(self) -> int:
        """How many fixings of the date came before it."""

    @property
    def row_digest(self) -> str | None:
        """Its seal."""


Row = TypeVar("Row", bound=OnTape)
MakeFixings = Callable[[list[Fixing], datetime], list[Fixing]]
"""From the tape as it stands (append order) and the instant of publication to the fixings to append."""


def rows_above(connection: sa.Connection, benchmark: str, sequence: int) -> list[tuple[int, Fixing]]:
    """Rows of one benchmark in the order they were appended, above a place on the whole tape, each with its place."""
    rows = connection.execute(_ROWS_ABOVE, {"asked": benchmark, "above": sequence})
    return [(place, fixing_of(values)) for place, *values in rows]


_ROWS_ABOVE = (
    sa.select(FIXING.c.sequence, *columns_of(FIXING))
    .where(FIXING.c.benchmark == sa.bindparam("asked"), FIXING.c.sequence > sa.bindparam("above"))
    .order_by(FIXING.c.sequence)
)
"""Made once: to put a statement together anew takes three times as long as to run it."""
_ADD = sa.insert(FIXING)
_LAST_PLACE = sa.select(sa.func.max(FIXING.c.sequence))


def select_revisions(rows: Iterable[Fixing], *, as_of: datetime | None, revisions: Revisions) -> list[Fixing]:
    """Rows published by ``as_of``, by date and revision: the latest or first of each date, or all."""
    seen = [row for row in rows if as_of is None or _published(row) <= as_of]
    seen.sort(key=lambda row: (row.date, row.revision))
    if revisions == "all":
        return seen
    chosen: dict[date, Fixing] = {}
    for row in seen:
        if revisions == "latest" or row.date not in chosen:
            chosen[row.date] = row
    return list(chosen.values())


def superseded_at(rows: Iterable[Fixing]) -> dict[tuple[date, int], datetime]:
    """When each fixing of one benchmark was replaced: the instant its next revision was published.

    Keys are (date, revision); a fixing that stands has none. It is derived here and never written,
    so that publishing a revision changes no row of the tape.
    """
    ordered = sorted(rows, key=lambda row: (row.date, row.revision))
    return {
        (earlier.date, earlier.revision): _published(later)
        for earlier, later in pairwise(ordered)
        if earlier.date == later.date
    }


def _published(row: Fixing) -> datetime:
    if row.published_at is None:
        raise ValueError(f"the fixing {row.benchmark} {row.date} is a candidate, not on the tape")
    return row.published_at


def append_fixings(
    connection: sa.Connection,
    clock: Clock,
    benchmark: str,
    tape: Sequence[Row],
    make: Callable[[list[Row], datetime], list[Fixing]],
) -> list[Fixing]:
    """Seal and append what ``make`` returns; returns the rows as they now stand on the tape.

    ``tape`` is the benchmark's tape in append order, read under the write lock that ``connection``
    holds. All rows of one call share ``published_at``. Raises ValueError when a fixing does not
    belong here: another benchmark, no origin, or a revision that does not follow on the tape.
    """
    published_at = next_stamp(connection, clock)
    published_at_real = clock.real_now()
    made = make(list(tape), published_at)
    if not made:
        return []
    revisions = {row.date: row.revision for row in tape}
    previous_digest = tape[-1].row_digest if tape else None
    sequence = connection.scalar(_LAST_PLACE) or 0
    appended: list[Fixing] = []
    values: list[dict[str, Any]] = []
    for fixing in made:
        _check_place(fixing, benchmark, revisions.get(fixing.date, -1) + 1)
        revisions[fixing.date] = fixing.revision
        row = replace(
            fixing,
            published_at=published_at,
            published_at_real=published_at_real,
            previous_digest=previous_digest,
            row_digest=None,
        )
        written = fixing_values(row)  # refuses text that would come back changed, before it is sealed
        previous_digest = seal(row)
        sequence += 1
        appended.append(replace(row, row_digest=previous_digest))
        values.append({"sequence": sequence} | written | {"row_digest": previous_digest})
    connection.execute(_ADD, values)
    return appended


def _check_place(fixing: Fixing, benchmark: str, expected: int) -> None:
    where = f"the fixing {fixing.benchmark} {fixing.date} revision {fixing.revision}"
    if fixing.benchmark != benchmark:
        raise ValueError(f"{where} does not belong to {benchmark}")
    if fixing.revision != expected:
        raise ValueError(f"{where} does not follow on the tape, where revision {expected} is next")
    if fixing.origin is None:
        raise ValueError(f"{where} has no origin; it must say live or backcast")


def check_chain(connection: sa.Connection, benchmark: str) -> list[ChainProblem]:
    """Recompute every seal and link of one benchmark's tape; returns what does not hold, located.

    A chain cannot show that its last rows were cut off: compare the last digest with one kept elsewhere.
    """
    read = list(readable(connection, _ROWS_ABOVE.params(asked=benchmark, above=0), FIXING.c.sequence))
    lost = [_unreadable(benchmark, sequence) for sequence, row in read if row is None]
    return lost + chain_problems(benchmark, [(s, fixing_from(row)) for s, row in read if row is not None])


def chain_problems(benchmark: str, rows: Iterable[tuple[int, Fixing]]) -> list[ChainProblem]:
    """The same of rows at hand, in the order in which they were appended, each with its place."""
    problems: list[ChainProblem] = []
    revisions: dict[date, int] = {}
    before: Fixing | None = None
    for sequence, row in rows:
        where = f"{benchmark} {row.date} revision {row.revision} (row {sequence} of the tape)"

        def note(
            code: Literal["row_altered", "link_broken", "revision_gap", "clock_backwards"],
            sentence: str,
            sequence: int = sequence,
            row: Fixing = row,
        ) -> None:
            problems.append(
                ChainProblem(
                    code=code,
                    sequence=sequence,
                    benchmark=benchmark,
                    date=row.date,
                    revision=row.revision,
                    sentence=sentence,
                )
            )

        if seal(row) != row.row_digest:
            note("row_altered", f"{where} was altered: its content does not match its digest.")
        if row.previous_digest != (before.row_digest if before else None):
            note("link_broken", f"{where} does not follow the row before it: a row is missing or altered.")
        if row.revision != revisions.get(row.date, -1) + 1:
            note("revision_gap", f"{where} has no revision {row.revision - 1} before it.")
        if before is not None and _published(row) < _published(before):
            note("clock_backwards", f"{where} is stamped earlier than the row before it.")
        revisions[row.date] = row.revision
        before = row
    return problems


def _unreadable(benchmark: str, sequence: int) -> ChainProblem:
    return ChainProblem(
        code="row_unreadable",
        sequence=sequence,
        benchmark=benchmark,
        date=None,
        revision=None,
        sentence=f"{benchmark} (row {sequence} of the tape) was altered: it can't be read any more.",
    )


def check_places(connection: sa.Connection) -> list[ChainProblem]:
    """Rows of the whole tape before which others are missing: places count from 1 without a gap.

    It shows what no chain of one benchmark can: that its last rows were cut off, or a place was altered.
    """
    as_kept = sa.type_coerce(FIXING.c.date, sa.Text)  # it may be no date any more
    day = as_kept if connection.dialect.name == "sqlite" else FIXING.c.date
    problems = []
    expected = 1
    query = sa.select(FIXING.c.sequence, FIXING.c.benchmark, day.label("day"), FIXING.c.revision)
    for sequence, benchmark, shown, revision in connection.execute(query.order_by(FIXING.c.sequence)):
        if sequence != expected:
            missing = f"row {expected}" if sequence == expected + 1 else f"rows {expected} to {sequence - 1}"
            sentence = (
                f"{benchmark} {shown} revision {revision} (row {sequence} of the tape) does not follow on row "
                f"{expected - 1}: {missing} of the tape is missing or its place was altered."
            )
            problems.append(
                ChainProblem(
                    code="place_altered",
                    sequence=sequence,
                    benchmark=benchmark,
                    date=None,
                    revision=revision,
                    sentence=sentence,
                )
            )
        expected = sequence + 1
    return problems


def benchmarks(connection: sa.Connection) -> list[str]:
    """Names that stand on the tape or among the candidates, sorted."""
    names = sa.union(sa.select(FIXING.c.benchmark), sa.select(CANDIDATE.c.benchmark))
    return sorted(connection.scalars(names))
