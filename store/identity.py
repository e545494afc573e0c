"""Which database belongs to which folder, and what was fixed when a workspace was created."""

from __future__ import annotations

import uuid
from pathlib import Path

import sqlalchemy as sa

from ..records import RentmarkError, format_instant
from .database import Database
from .files import file_trouble, make_folder, write_durably
from .instant import Clock
from .observations import ARCHIVE
from .tables import META

RAW = "archive/raw"
_IDENTITY = "archive/workspace"
_LAYOUT = "1"


def no_workspace(root: Path) -> RentmarkError:
    """The sentence for a folder that holds no workspace."""
    return RentmarkError(f"No workspace in {root}; run `rentmark init {root}`.")


def create_workspace(database: Database, root: Path, clock: Clock, *, simulated: bool) -> None:
    """Make the folders and tables of a new workspace and fix whether it is simulated.

    Raises RentmarkError when the folder or the database holds a workspace already.
    """
    try:
        for folder in (RAW, ARCHIVE):
            make_folder(root / folder)
    except OSError as error:
        raise file_trouble("Creating a workspace in", root, error) from None
    database.upgrade()
    with database.writing() as connection:
        held = read_meta(connection)
        if held and held["workspace_id"] == _identity(root):
            raise RentmarkError(f"There is a workspace in {root} already; open it, or use another folder.")
        if held:
            raise RentmarkError(
                f"The database {database.shown} holds another workspace; give {root} a database of its own "
                "in RENTMARK_DATABASE_URL."
            )
        if _identity(root) is not None and any((root / RAW).iterdir()):
            raise RentmarkError(
                f"{root} holds the archive of a workspace whose database is another; check "
                "RENTMARK_DATABASE_URL, or use another folder."
            )
        workspace_id = uuid.uuid4().hex
        write_durably(root / _IDENTITY, f"{workspace_id}\n".encode())
        facts = {
            "workspace_id": workspace_id,
            "archive_layout": _LAYOUT,
            "simulated": "true" if simulated else "false",
            "created_at": format_instant(clock.now()),
            "created_at_real": format_instant(clock.real_now()),
        }
        connection.execute(sa.insert(META), [{"name": name, "value": text} for name, text in facts.items()])


def read_meta(connection: sa.Connection) -> dict[str, str]:
    """The facts fixed at creation; empty where none was created."""
    rows = connection.execute(sa.select(META.c.name, META.c.value))
    return {row.name: row.value for row in rows}


def check_workspace(database: Database, root: Path) -> dict[str, str]:
    """Bring the tables forward and return the facts of the workspace.

    Raises RentmarkError when there is none, or when folder and database do not belong together:
    their ledger would name files that are elsewhere.
    """
    if not (root / "archive").is_dir() or database.revision() is None:
        raise no_workspace(root)
    database.upgrade()
    with database.reading() as connection:
        facts = read_meta(connection)
    if not facts:
        raise no_workspace(root)
    if facts["workspace_id"] != _identity(root):
        raise RentmarkError(
            f"The database {database.shown} belongs to another folder than {root}; check "
            "RENTMARK_DATABASE_URL and --workspace."
        )
    return facts


def _identity(root: Path) -> str | None:
    try:
        return (root / _IDENTITY).read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    except OSError as error:
        raise file_trouble("Reading", root / _IDENTITY, error) from None
