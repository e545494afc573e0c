"""Holding the archive against the ledger, and clearing away what a stopped command left."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from .database import Database, DatabaseBusyError
from .files import file_digest, make_folder, path_inside, sync_folder
from .observations import ARCHIVE
from .problems import FileProblem
from .raw import RawArchive
from .tables import BATCH, OBSERVATION_FILE

STRAYS = "archive/stray"


def check_files(connection: sa.Connection, root: Path, raw: RawArchive) -> list[FileProblem]:
    """Recompute the SHA-256 of every file the ledger names, superseded ones too.

    Returns payloads first, then observation files, each located by its path and batch.
    """
    problems: list[FileProblem] = []
    payloads = sa.select(BATCH.c.batch_id, BATCH.c.payload_digest).order_by(BATCH.c.batch_id)
    for batch_id, digest in connection.execute(payloads):
        path = raw.path(digest)
        problems += _check(path, path.relative_to(root).as_posix(), digest, batch_id)
    files = sa.select(
        OBSERVATION_FILE.c.batch_id, OBSERVATION_FILE.c.path, OBSERVATION_FILE.c.sha256
    ).order_by(OBSERVATION_FILE.c.batch_id, OBSERVATION_FILE.c.month)
    for batch_id, relative, digest in connection.execute(files):
        problems += _check(path_inside(root, relative), relative, digest, batch_id)
    return problems


def _check(path: Path, relative: str, expected: str, batch_id: int) -> list[FileProblem]:
    where = f"{relative} of batch {batch_id}"
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
