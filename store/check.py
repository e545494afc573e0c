"""Holding the archive against the ledger, and clearing away what a stopped command left."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from .database import Database, DatabaseBusyError
from .files import file_digest, make_folder, path_inside, sync_folder
from .methodologies import check_methodologies
from .observations import ARCHIVE, count_corrections, opened
from .problems import ChainProblem, FileProblem
from .raw import RawArchive
from .tables import BATCH, BLOTTER_IMPORT, MARK_IMPORT, OBSERVATION_FILE, RATING_IMPORT
from .tape import check_places

STRAYS = "archive/stray"
IMPORTS = ((MARK_IMPORT, "settlements"), (RATING_IMPORT, "ratings"), (BLOTTER_IMPORT, "blotter"))


def check_files(connection: sa.Connection, root: Path, raw: RawArchive) -> list[FileProblem]:
    """Recompute the SHA-256 of every file the books name, superseded ones too.

    Returns payloads first (of batches, then of imported marks, ratings and blotters), then observation
    files, each located by its path and batch, and each held against what its entry says of it.
    """
    problems: list[FileProblem] = []
    payloads = sa.select(BATCH.c.batch_id, BATCH.c.payload_digest).order_by(BATCH.c.batch_id)
    for batch_id, digest in connection.execute(payloads):
        path = raw.path(digest)
        problems += _check(path, path.relative_to(root).as_posix(), digest, batch_id)
    for table, what in IMPORTS:
        imports = sa.select(table.c.import_id, table.c.payload_digest).order_by(table.c.import_id)
        for import_id, digest in connection.execute(imports):
            path = raw.path(digest)
            where = path.relative_to(root).as_posix()
            problems += _check(path, where, digest, None, f"{where} of {what} import {import_id}")
    files = (
        sa.select(OBSERVATION_FILE, BATCH.c.recorded_at)
        .join(BATCH, OBSERVATION_FILE.c.batch_id == BATCH.c.batch_id)
        .order_by(OBSERVATION_FILE.c.batch_id, OBSERVATION_FILE.c.month)
    )
    for row in connection.execute(files).mappings():
        path, batch_id = path_inside(root, row["path"]), row["batch_id"]
        found = _check(path, row["path"], row["sha256"], batch_id)
        problems += found or _check_entry(path, row)
    return problems


def _check_entry(path: Path, row: sa.RowMapping) -> list[FileProblem]:
    """Hold what the manifest says of a file against the file, whose bytes are those recorded."""
    with opened(path) as parquet:
        facts = parquet.metadata
        rows, spans = facts.num_rows, _spans(facts)
        held = "trade_status" in parquet.schema_arrow.names
        corrections = count_corrections(parquet.read(columns=["trade_status"])["trade_status"]) if held else 0
    wanted = {
        "rows": rows,
        "corrections": corrections,
        "bytes": path.stat().st_size,
        "month": path.parent.name.removeprefix("month="),
        "first_observed_at": spans["observed_at"][0],
        "last_observed_at": spans["observed_at"][1],
    }
    if spans["recorded_at"] != (row["recorded_at"], row["recorded_at"]):
        wanted["recorded_at"] = spans["recorded_at"][0]
    return [
        FileProblem(
            code="entry_altered",
            path=row["path"],
            batch_id=row["batch_id"],
            sentence=(
                f"{row['path']} of batch {row['batch_id']}: the ledger was altered, its {name} is {row[name]} and the "
                f"file's is {value}; restore the database from a copy."
            ),
        )
        for name, value in wanted.items()
        if row[name] != value
    ]


def _spans(facts: Any) -> dict[str, tuple[datetime, datetime]]:
    """The least and greatest instant of the two clocks that files are chosen by."""
    found: dict[str, tuple[datetime, datetime]] = {}
    for place in range(facts.num_columns):
        name = facts.schema.column(place).name
        if name in ("observed_at", "recorded_at"):
            parts = [facts.row_group(n).column(place).statistics for n in range(facts.num_row_groups)]
            found[name] = (min(part.min for part in parts), max(part.max for part in parts))
    return found


def _check(
    path: Path, relative: str, expected: str, batch_id: int | None, named: str | None = None
) -> list[FileProblem]:
    where = named or f"{relative} of batch {batch_id}"
    try:
        found = file_digest(path)
    except FileNotFoundError:
        sentence = f"{where} is missing; restore it from a copy."
        return [FileProblem(code="file_missing", path=relative, batch_id=batch_id, sentence=sentence)]
    except OSError as error:
        sentence = f"{where} can't be read ({error.strerror}); check the disk."
        return [FileProblem(code="file_unreadable", path=relative, batch_id=batch_id, sentence=sentence)]
    if found == expected:
        return []
    sentence = (
        f"{where} was altered: its SHA-256 is {found}, recorded was {expected}; restore it from a copy."
    )
    return [FileProblem(code="file_altered", path=relative, batch_id=batch_id, sentence=sentence)]


def check_tape_places(database: Database) -> list[ChainProblem]:
    """Every row of the whole tape before which others are missing."""
    with database.reading() as connection:
        return check_places(connection)


def check_rules(database: Database) -> list[ChainProblem]:
    """Every recorded set of rules that its hash does not fit, and every one that tape rows name and is gone."""
    with database.reading() as connection:
        return check_methodologies(connection)


def set_aside_strays(database: Database, root: Path) -> list[str]:
    """Move observation files that no ledger row names out of the archive; returns their paths.

    They come from a command that was stopped before its ledger row committed. They are moved and not
    deleted: where an older copy of the database was put back, they may be all that is left of a batch.
    While another command writes, nothing is done: what looks stray may be its own.
    """
    if not _strays(database, root):
        return []
    moved = []
    try:
        with database.writing(wait_seconds=0) as connection:
            named = set(connection.scalars(sa.select(OBSERVATION_FILE.c.path)))
            for relative in _listed(root):
                if relative not in named:
                    _set_aside(root, relative)
                    moved.append(relative)
    except DatabaseBusyError:
        return []
    return moved


def _strays(database: Database, root: Path) -> set[str]:
    listed = set(_listed(root))  # before the ledger is read: a batch may commit in between
    with database.reading() as connection:
        return listed - set(connection.scalars(sa.select(OBSERVATION_FILE.c.path)))


def _listed(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / ARCHIVE).glob("month=*/*.parquet"))


def _set_aside(root: Path, relative: str) -> None:
    path = root / relative
    place = root / STRAYS / f"{path.parent.name}_{path.name}.stray"
    make_folder(place.parent)
    path.replace(place)
    sync_folder(place.parent)
    sync_folder(path.parent)
