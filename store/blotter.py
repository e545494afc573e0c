"""Blotters as imported: append-only events under the payload they came from, sealed one onto the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from ..records import digest_of
from ..records.blotter import BlotterEvent, BlotterImport, BlotterReject
from .instant import next_stamp
from .problems import ChainProblem
from .readable import readable
from .store import Store
from .tables import BLOTTER_EVENT, BLOTTER_IMPORT
from .texts import storable

_EVENT_FIELDS = tuple(field.name for field in fields(BlotterEvent) if field.name != "recorded_at")
_EVENT_COLUMNS = [BLOTTER_EVENT.c[name] for name in _EVENT_FIELDS]
_IMPORT_COLUMNS = [BLOTTER_IMPORT.c[field.name] for field in fields(BlotterImport)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBlotter:
    """What a blotter file comes to beside the events on record: what to keep and what was refused."""

    records: int
    duplicates: int
    events: Sequence[BlotterEvent]
    rejects: Sequence[BlotterReject]
    notes: Sequence[str] = ()
    refusal_code: str | None = None
    refusal_sentence: str | None = None


PrepareBlotter = Callable[[list[BlotterEvent]], PreparedBlotter]
"""Given all events on record, in the order they were accepted, says what the file comes to."""


def find_blotter_import(store: Store, payload_digest: str, rules_hash: str) -> BlotterImport | None:
    """The import of these very bytes under these very rules, or None."""
    with store.database.reading() as connection:
        return _find(connection, payload_digest, rules_hash)


def add_blotter(
    store: Store,
    prepare: PrepareBlotter,
    *,
    payload_digest: str,
    rules_hash: str,
    payload_bytes: int,
    origin_name: str,
) -> BlotterImport:
    """Commit a blotter file under the write lock and return its entry.

    ``prepare`` sees the events as they stand, so that two imports at once can't both take a trade. The
    same bytes under the same rules again change nothing and return the first entry.
    """
    with store.database.writing() as connection:
        known = _find(connection, payload_digest, rules_hash)
        if known is not None:
            return known
        prepared = prepare(_events(connection, None))
        entry = BlotterImport(
            import_id=(connection.scalar(sa.select(sa.func.max(BLOTTER_IMPORT.c.import_id))) or 0) + 1,
            payload_digest=payload_digest,
            rules_hash=rules_hash,
            origin_name=storable(origin_name),
            payload_bytes=payload_bytes,
            records=prepared.records,
            accepted=len(prepared.events),
            rejected=len(prepared.rejects),
            duplicates=prepared.duplicates,
            rejects=tuple(prepared.rejects),
            notes=tuple(prepared.notes),
            refusal_code=prepared.refusal_code,
            refusal_sentence=prepared.refusal_sentence,
            simulated=store.simulated,
            recorded_at=next_stamp(connection, store.clock),
            recorded_at_real=store.clock.real_now(),
        )
        values: dict[str, Any] = {field.name: getattr(entry, field.name) for field in fields(entry)}
        values["rejects"] = storable(json.dumps([asdict(each) for each in entry.rejects], ensure_ascii=True))
        values["notes"] = storable(json.dumps(list(entry.notes), ensure_ascii=True))
        connection.execute(sa.insert(BLOTTER_IMPORT), values)
        if prepared.events:
            _append(connection, entry.import_id, prepared.events)
        return entry


def _append(connection: sa.Connection, import_id: int, events: Sequence[BlotterEvent]) -> None:
    last = connection.execute(
        sa.select(BLOTTER_EVENT.c.sequence, BLOTTER_EVENT.c.row_digest)
        .order_by(BLOTTER_EVENT.c.sequence.desc())
        .limit(1)
    ).one_or_none()
    sequence, previous = (last.sequence, last.row_digest) if last else (0, None)
    rows: list[dict[str, Any]] = []
    for number, event in enumerate(events, start=1):
        sealed = _seal(event, import_id, previous)
        rows.append(
            {name: getattr(event, name) for name in _EVENT_FIELDS}
            | {
                "sequence": sequence + number,
                "import_id": import_id,
                "previous_digest": previous,
                "row_digest": sealed,
            }
        )
        previous = sealed
    connection.execute(sa.insert(BLOTTER_EVENT), rows)


def _seal(event: BlotterEvent, import_id: int, previous_digest: str | None) -> str:
    # absent values stay out, so that a column added later leaves older digests as they are
    content: dict[str, Any] = {name: getattr(event, name) for name in _EVENT_FIELDS}
    content |= {"import_id": import_id, "previous_digest": previous_digest}
    return digest_of({name: value for name, value in content.items() if value is not None})


def blotter_events(store: Store, as_of: datetime | None = None) -> list[BlotterEvent]:
    """Every accepted event recorded by ``as_of`` (None: now), in the order they were accepted."""
    with store.database.reading() as connection:
        return _events(connection, as_of)


def blotter_imports(store: Store, as_of: datetime | None = None) -> list[BlotterImport]:
    """The imported files in the order of recording."""
    query = sa.select(*_IMPORT_COLUMNS).order_by(BLOTTER_IMPORT.c.import_id)
    if as_of is not None:
        query = query.where(BLOTTER_IMPORT.c.recorded_at <= as_of)
    with store.database.reading() as connection:
        return [_entry(row) for row in connection.execute(query).mappings()]


def check_blotter(store: Store) -> list[ChainProblem]:
    """Recompute every seal and link of the blotter; returns what does not hold, located."""
    problems: list[ChainProblem] = []
    before: str | None = None
    columns = [BLOTTER_EVENT.c[name] for name in ("sequence", "import_id", "previous_digest", "row_digest")]
    query = sa.select(*columns, *_EVENT_COLUMNS).order_by(BLOTTER_EVENT.c.sequence)
    with store.database.reading() as connection:
        for sequence, row in readable(connection, query, BLOTTER_EVENT.c.sequence):
            if row is None:
                lost = {"sequence": sequence}
                sentence = f"Row {sequence} of the blotter was altered: it can't be read any more."
                problems.append(_problem("row_unreadable", lost, sentence))
                continue
            event = BlotterEvent(**{name: row[name] for name in _EVENT_FIELDS})
            where = f"The {event.action} of trade {event.trade_id} of {event.broker} (row {row['sequence']})"
            if _seal(event, row["import_id"], row["previous_digest"]) != row["row_digest"]:
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


def _problem(
    code: Literal["row_altered", "link_broken", "row_unreadable"], row: Any, sentence: str
) -> ChainProblem:
    return ChainProblem(
        code=code,
        sequence=row["sequence"],
        benchmark="blotter",
        date=None,
        revision=None,
        sentence=sentence,
    )


def _find(connection: sa.Connection, payload_digest: str, rules_hash: str) -> BlotterImport | None:
    query = sa.select(*_IMPORT_COLUMNS).where(
        BLOTTER_IMPORT.c.payload_digest == payload_digest, BLOTTER_IMPORT.c.rules_hash == rules_hash
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _entry(row)


def _entry(row: sa.RowMapping) -> BlotterImport:
    rejects = tuple(BlotterReject(**reject) for reject in json.loads(row["rejects"]))
    return BlotterImport(**{**row, "rejects": rejects, "notes": tuple(json.loads(row["notes"]))})


def _events(connection: sa.Connection, as_of: datetime | None) -> list[BlotterEvent]:
    query = (
        sa.select(*_EVENT_COLUMNS, BLOTTER_IMPORT.c.recorded_at)
        .join(BLOTTER_IMPORT, BLOTTER_EVENT.c.import_id == BLOTTER_IMPORT.c.import_id)
        .order_by(BLOTTER_EVENT.c.sequence)
    )
    if as_of is not None:
        query = query.where(BLOTTER_IMPORT.c.recorded_at <= as_of)
    return [BlotterEvent(**row) for row in connection.execute(query).mappings()]
