"""An open workspace: its rules, its store and its clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..records import RentmarkError, UsageError
from ..store import Clock, Store
from .clock import SimulatedClock, SystemClock
from .config import FILE_NAME, Configuration, read_configuration
from .samples import sample_files
from .templates import STARTER

if TYPE_CHECKING:
    from ..store.engines import DuckDBEngine

DATABASE_URL_VARIABLE = "RENTMARK_DATABASE_URL"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with rules, archive and tape, opened."""

    root: Path
    configuration: Configuration
    store: Store
    clock: Clock

    @classmethod
    def create(
        cls, root: Path, *, database_url: str | None, text: str = STARTER, clock: Clock | None = None
    ) -> Workspace:
        """Make a new workspace. Raises RentmarkError where one stands already."""
        file = root / FILE_NAME
        if file.exists():
            raise RentmarkError(f"{root} is a workspace already; choose another folder or delete {file}.")
        try:
            root.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise RentmarkError(
                f"{root} can't be written: {error.strerror}; choose another folder."
            ) from None
        try:
            configuration = read_configuration(file)
            used = clock or SystemClock()
            store = Store.create(
                root, database_url=database_url, simulated=configuration.simulated, clock=used
            )
        except BaseException:
            file.unlink()
            raise
        return cls(root, configuration, store, used)

    @classmethod
    def open(cls, root: Path, *, database_url: str | None) -> Workspace:
        """Open a workspace. Raises RentmarkError or UsageError with the remedy."""
        configuration = read_configuration(root / FILE_NAME)
        store = Store.open(root, database_url=database_url, clock=SystemClock())
        if store.simulated != configuration.simulated:
            was = "simulated" if store.simulated else "real"
            raise UsageError(f'{FILE_NAME} changed its clock; this workspace was made with clock = "{was}".')
        clock: Clock = store.clock
        if store.simulated:
            clock = SimulatedClock(store.latest_instant())
            store = Store.open(root, database_url=database_url, clock=clock)
        return cls(root, configuration, store, clock)

    @contextmanager
    def engine(self, *, threads: int | None = None) -> Iterator[DuckDBEngine]:
        """A DuckDB engine that is closed afterwards."""
        with open_engine(threads) as engine:
            yield engine


@contextmanager
def open_engine(threads: int | None = None, prepared: dict[str, str] | None = None) -> Iterator[DuckDBEngine]:
    """A DuckDB engine that is closed afterwards, for those who have no workspace.

    ``prepared`` holds the SQL of queries for those who open several one after the other.
    """
    from ..store.engines import DuckDBEngine

    engine = DuckDBEngine(threads=threads, prepared=prepared)
    try:
        yield engine
    finally:
        engine.close()


def add_samples(root: Path) -> list[str]:
    """Write the invented sample files into a workspace and return their names."""
    names = []
    for name, payload in sample_files().items():
        (root / name).write_bytes(payload)
        names.append(name)
    return names
