"""The archive and the books: the only room that touches disk or a database.

Owns the raw archive (payload bytes under their SHA-256), the observation archive (Parquet by month),
the SQL tables behind the ledger, rejects, candidates, tape and certificates, their migrations, and
the engines that run a panel expression (``store.engines``). Imports records only.

What holds here, and is tested:

- A batch commits whole or not at all: payload, then Parquet, then the ledger row, which commits last.
- The ledger is the manifest. Files are chosen from committed ledger rows, never by listing a folder.
- Nothing committed is rewritten: ledger, tape, rejects and certificates refuse UPDATE and DELETE in
  the database itself.
- Stamps of one workspace strictly increase, whatever the wall clock does.

Names are loaded when first used, because SQLAlchemy takes a sixth of a second to import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .certificates import Certificate
    from .database import Database, DatabaseBusyError
    from .instant import Clock
    from .observations import ObservationFile
    from .problems import ChainProblem, FileProblem
    from .raw import RawArchive
    from .store import Store
    from .tape import Revisions, superseded_at

_HOMES = {
    "Certificate": "certificates",
    "ChainProblem": "problems",
    "Clock": "instant",
    "Database": "database",
    "DatabaseBusyError": "database",
    "FileProblem": "problems",
    "ObservationFile": "observations",
    "RawArchive": "raw",
    "Revisions": "tape",
    "Store": "store",
    "superseded_at": "tape",
}

__all__ = [
    "Certificate",
    "ChainProblem",
    "Clock",
    "Database",
    "DatabaseBusyError",
    "FileProblem",
    "ObservationFile",
    "RawArchive",
    "Revisions",
    "Store",
    "superseded_at",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home at first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
