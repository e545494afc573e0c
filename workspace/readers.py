"""Readers: a workspace opened to be looked at. Nothing is written; views of the past are made in memory."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import NoReturn

import sqlalchemy as sa

from ..records import Fixing, RentmarkError
from ..store import Clock, Database, DatabaseBusyError, Store
from ..store.tables import CANDIDATE
from .building import make_several
from .clock import SimulatedClock, SystemClock
from .config import FILE_NAME, read_configuration
from .core import Workspace
from .reader import Reader
from .reader_pool import Lasting, ReaderPool
from .views import AsOf

MOST_VIEWS = 600
"""Views held at most, the oldest going first: more than a cache over them should keep."""
READ_ONLY = "This view only reads; nothing is published or stored from it. Use the command line."


class ReadersDatabase(Database):
    """A database that is read and never written."""

    def writing(self, wait_seconds: float = 0, *, durable: bool = True) -> NoReturn:
        """Refuse. Raises RentmarkError."""
        del wait_seconds, durable
        raise RentmarkError(READ_ONLY)

    def is_locked(self) -> bool:
        """Whether another command holds the write lock now."""
        try:
            with super().writing(0, durable=False):
                return False
        except DatabaseBusyError:
            return True


class ReadersStore(Store):
    """A store that refuses every write, and keeps the candidates of views of the past in memory.

    What is held is found by `show`, `explain` and the rest under that view, as if it had been stored, for as
    long as this store is open.
    """

    def __init__(self, root: Path, database: Database, clock: Clock, *, simulated: bool) -> None:
        super().__init__(root, ReadersDatabase(database.url), clock, simulated=simulated)
        self._held: dict[tuple[str, str], list[Fixing]] = {}
        self.readers = ReaderPool()
        self.lasting = Lasting()
        database.close()

    def close(self) -> None:
        """Close the database connections and the engines."""
        self.readers.close()
        super().close()

    def clean(self) -> list[str]:
        """Nothing: what stopped commands left is for commands to clear away."""
        return []

    def hold_view(self, benchmark: str, view: str, fixings: list[Fixing]) -> None:
        """Keep the candidates of a view of the past."""
        self._held[benchmark, view] = list(fixings)
        while len(self._held) > MOST_VIEWS:
            del self._held[next(iter(self._held))]

    def forget_views(self) -> None:
        """Drop the views that are held: the archive they were made from has grown."""
        self._held.clear()

    def candidates(self, benchmark: str, view: str, first: date | None = None) -> list[Fixing]:
        """The candidates of a benchmark and view by date, from ``first`` on: those held, else the stored ones."""
        held = self._held.get((benchmark, view))
        if held is None:
            return super().candidates(benchmark, view, first)
        return [fixing for fixing in held if first is None or fixing.date >= first]


def open_for_reading(root: Path, *, database_url: str | None) -> Workspace:
    """Open a workspace to be looked at; it may be shared by threads. Raises RentmarkError with the remedy."""
    configuration = read_configuration(root / FILE_NAME)
    store = ReadersStore.open(root, database_url=database_url, clock=SystemClock())
    clock: SystemClock | SimulatedClock = SystemClock()
    if store.simulated:
        clock = SimulatedClock(store.latest_instant())
        store.clock = clock
    return Workspace(root, configuration, store, clock)


def view_made(workspace: Workspace, name: str, as_of: AsOf | None) -> None:
    """Make the view of a benchmark that nobody built, so that `show`, `explain` and the rest find it.

    The latest view is never made here; nor is a strict one that the tape answers, nor any in a workspace that
    was not opened for reading. Raises RentmarkError where nothing was known by then.
    """
    store = workspace.store
    if as_of is None or not isinstance(store, ReadersStore):
        return
    if not as_of.reconstructed and store.tape(name, as_of=as_of.instant):
        return
    if not store.candidates(name, as_of.view):
        with workspace.engine() as engine:
            made = make_several(workspace, [name], as_of=as_of, reader=Reader(workspace, engine))
        store.hold_view(name, as_of.view, made[name].made)


def forget_views(workspace: Workspace) -> None:
    """Drop the views of the past that a reader holds."""
    if isinstance(workspace.store, ReadersStore):
        workspace.store.forget_views()


def data_heads(workspace: Workspace) -> str:
    """A short text that changes whenever something was committed: what a cache may be keyed by."""
    database = workspace.store.database
    latest = sa.select(sa.func.max(CANDIDATE.c.built_at, type_=CANDIDATE.c.built_at.type))
    if database.is_sqlite:
        # the row inserted last, which SQLite finds at once: the column has no index, and this is asked every second
        latest = sa.select(CANDIDATE.c.built_at).order_by(sa.literal_column("rowid").desc()).limit(1)
    with database.reading() as connection:
        built = connection.scalar(latest)
    return f"{workspace.store.latest_instant().isoformat()}/{built}"


def is_being_written(workspace: Workspace) -> bool:
    """Whether another command writes now; readers see the last committed values. False where not asked by a reader."""
    database = workspace.store.database
    return isinstance(database, ReadersDatabase) and database.is_locked()
