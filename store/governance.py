"""Governance: what people and rules decided beside the tape, append-only and chained like it.

A ``hold`` is a fixing that was kept off the tape, a ``correction`` one that was not made (too small or too
late), a ``version`` the rules of a methodology as first used, a ``cessation`` the announced end of a benchmark.
What was decided *on* the tape (a release, an override, a restatement) is a row of the tape itself.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa

from ..records import Fixing, canonical_json, digest_of
from .instant import next_stamp
from .problems import ChainProblem
from .readable import readable
from .store import Store
from .tables import GOVERNANCE
from .tape import append_fixings
from .texts import require_storable

Kind = Literal["hold", "correction", "version", "cessation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceEvent:
    """One decision. ``subject`` is a benchmark, of a version a methodology; ``content`` plain JSON values.

    The chain runs over all events of a workspace. Before it is appended an event has no stamps and digests.
    """

    kind: Kind
    subject: str
    date: dt.date | None
    content: Mapping[str, Any]
    actor: str
    approved_by: str | None = None
    reason: str | None = None
    simulated: bool = False
    recorded_at: datetime | None = None
    recorded_at_real: datetime | None = None
    previous_digest: str | None = None
    row_digest: str | None = None


_FIELDS = tuple(field.name for field in fields(GovernanceEvent))
_COLUMNS = [GOVERNANCE.c[name] for name in _FIELDS]

Govern = Callable[[list[Fixing], list[GovernanceEvent], datetime], tuple[list[Fixing], list[GovernanceEvent]]]
"""From a benchmark's tape (append order), its events and the instant, to what to append to either."""


def govern(store: Store, benchmark: str, decide: Govern) -> tuple[list[Fixing], list[GovernanceEvent]]:
    """Append fixings and events together, or neither, under the write lock; returns both as they stand.

    ``decide`` sees tape and events as they are, so that two who decide at once decide once. It must not
    write to this store.
    """
    drafts: list[GovernanceEvent] = []
    with store.database.writing() as connection:
        standing = _events(connection, benchmark, None, None)

        def make(tape: list[Fixing], at: datetime) -> list[Fixing]:
            made, decided = decide(tape, standing, at)
            drafts.extend(decided)
            return made

        tape = store.tape_rows(connection, benchmark)
        appended = append_fixings(connection, store.clock, benchmark, tape, make)
        return appended, _append(connection, store, drafts)


def add_event(store: Store, event: GovernanceEvent) -> GovernanceEvent:
    """Append one event by itself."""
    with store.database.writing() as connection:
        return _append(connection, store, [event])[0]


def governance_events(
    store: Store, subject: str | None = None, kind: Kind | None = None, as_of: datetime | None = None
) -> list[GovernanceEvent]:
    """Events recorded by ``as_of`` (None: now), in the order they were appended; each argument filters."""
    with store.database.reading() as connection:
        return _events(connection, subject, kind, as_of)


def check_governance(store: Store) -> list[ChainProblem]:
    """Recompute every seal and link of the events; returns what does not hold, located."""
    problems: list[ChainProblem] = []
    before: str | None = None
    query = sa.select(GOVERNANCE.c.sequence, *_COLUMNS).order_by(GOVERNANCE.c.sequence)
    with store.database.reading() as connection:
        for number, (sequence, row) in enumerate(readable(connection, query, GOVERNANCE.c.sequence), start=1):
            if row is None:
                problems.append(_unreadable(sequence))
                continue
            where = f"The {row['kind']} of {row['subject']} (row {row['sequence']} of governance)"
            if row["sequence"] != number:
                problems.append(_problem("link_broken", row, f"{where} should be row {number}."))
            if not _is_intact(row):
                problems.append(
                    _problem("row_altered", row, f"{where} was altered: it does not match its digest.")
                )
            if row["previous_digest"] != before:
                problems.append(
                    _problem(
                        "link_broken", row, f"{where} does not follow the one before it: one is missing."
                    )
                )
            before = row["row_digest"]
    return problems


def _unreadable(sequence: int) -> ChainProblem:
    return ChainProblem(
        code="row_unreadable",
        sequence=sequence,
        benchmark="governance",
        date=None,
        revision=None,
        sentence=f"Row {sequence} of governance was altered: it can't be read any more.",
    )


def _append(
    connection: sa.Connection, store: Store, events: Sequence[GovernanceEvent]
) -> list[GovernanceEvent]:
    if not events:
        return []
    last = connection.execute(
        sa.select(GOVERNANCE.c.sequence, GOVERNANCE.c.row_digest)
        .order_by(GOVERNANCE.c.sequence.desc())
        .limit(1)
    ).one_or_none()
    sequence, previous = (last.sequence, last.row_digest) if last else (0, None)
    recorded_at, real = next_stamp(connection, store.clock), store.clock.real_now()
    appended, rows = [], []
    for number, event in enumerate(events, start=1):
        for name in ("actor", "approved_by", "reason"):
            require_storable(f"--{name.replace('_', '-')}", getattr(event, name))
        stamped = replace(
            event,
            simulated=store.simulated,
            recorded_at=recorded_at,
            recorded_at_real=real,
            previous_digest=previous,
            row_digest=None,
        )
        previous = _seal(stamped)
        sealed = replace(stamped, row_digest=previous)
        values = {name: getattr(sealed, name) for name in _FIELDS}
        values["content"] = canonical_json(dict(event.content)).decode()
        require_storable("content", values["content"])
        rows.append({"sequence": sequence + number} | values)
        appended.append(sealed)
    connection.execute(sa.insert(GOVERNANCE), rows)
    return appended


def _seal(event: GovernanceEvent) -> str:
    # absent values stay out, so that a column added later leaves older digests as they are
    content = {name: getattr(event, name) for name in _FIELDS if name not in ("row_digest", "content")}
    content["content"] = dict(event.content)
    return digest_of({name: value for name, value in content.items() if value is not None})


def _is_intact(row: sa.RowMapping) -> bool:
    try:
        event = _event(row)
    except ValueError:  # no JSON any more
        return False
    written = canonical_json(dict(event.content)).decode()
    return bool(_seal(event) == row["row_digest"] and written == row["content"])


def _event(row: sa.RowMapping) -> GovernanceEvent:
    return GovernanceEvent(**{**{n: row[n] for n in _FIELDS}, "content": json.loads(row["content"])})


def _events(
    connection: sa.Connection, subject: str | None, kind: Kind | None, as_of: datetime | None
) -> list[GovernanceEvent]:
    asked = {"subject": subject, "kind": kind, "as_of": as_of}
    given = {name: value for name, value in asked.items() if value is not None}
    return [_event(row) for row in connection.execute(_asking(frozenset(given)), given).mappings()]


@cache
def _asking(given: frozenset[str]) -> sa.Select[Any]:
    """The statement for what is given, put together once: that takes longer than to run it."""
    conditions = {
        "subject": GOVERNANCE.c.subject == sa.bindparam("subject"),
        "kind": GOVERNANCE.c.kind == sa.bindparam("kind"),
        "as_of": GOVERNANCE.c.recorded_at <= sa.bindparam("as_of"),
    }
    found = sa.select(*_COLUMNS).where(*(conditions[name] for name in sorted(given)))
    return found.order_by(GOVERNANCE.c.sequence)


def _problem(code: Literal["row_altered", "link_broken"], row: Any, sentence: str) -> ChainProblem:
    return ChainProblem(
        code=code,
        sequence=row["sequence"],
        benchmark=row["subject"],
        date=row["date"],
        revision=None,
        sentence=sentence,
    )
