"""One database, SQLite or PostgreSQL: one writer at a time, readers with a steady view."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError

from ..records import RentmarkError, UsageError
from .database_errors import database_trouble, is_busy
from .files import file_trouble, flushes, sync_folder

HEAD_REVISION = "0009"
"""The schema this code reads and writes: the newest file of ``migrations/versions``."""

WAIT_SECONDS = 60.0
_WRITER_LOCK = 8_243_116_139_301_925_483  # the bytes "rentmark" as a number: an advisory lock
_WRITES = "rentmark_writes"


class DatabaseBusyError(RentmarkError):
    """Another command holds the write lock longer than this one wanted to wait."""


class Database:
    """A database by its URL: ``sqlite:///path`` or ``postgresql+psycopg://user:password@host/name``.

    Nothing is opened before the first transaction. Passwords never show in an error.
    """

    def __init__(self, url: str | sa.URL) -> None:
        self.url = _read_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.shown = self.url.render_as_string(hide_password=True)
        self._engine = self._create_engine()
        self._writing = threading.local()
        self._reading = threading.local()

    @classmethod
    def at_path(cls, path: Path) -> Database:
        """The SQLite database in a file, whatever characters its path holds."""
        return cls(sa.URL.create("sqlite", database=str(path)))

    def _create_engine(self) -> sa.Engine:
        try:
            if not self.is_sqlite:
                return sa.create_engine(self.url, pool_pre_ping=True)
            engine = sa.create_engine(self.url, connect_args={"timeout": WAIT_SECONDS})
        except ModuleNotFoundError as error:
            raise RentmarkError(
                f'{self.shown} needs the driver {error.name}; run `pip install "rentmark[postgres]"`.'
            ) from None
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that reads one committed state, however many statements it runs.

        Raises RentmarkError with one sentence when the database can't be reached or read.
        """
        shared: sa.Connection | None = getattr(self._reading, "shared", None)
        try:
            if shared is not None:
                yield shared
                return
            with self._engine.connect() as connection:
                if self.is_sqlite:
                    _prepare_transaction(connection, WAIT_SECONDS, durable=True)
                else:
                    connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                with connection.begin():
                    yield connection
        except DBAPIError as error:
            raise self._explain(error, WAIT_SECONDS) from None

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Let everything that this thread reads in the block see one committed state, in one transaction.

        That ends with the first write in the block: what is read after it sees what was written. For questions
        that belong together and take a moment, no longer. Raises RentmarkError as ``reading`` does.
        """
        with self.reading() as connection:
            before: sa.Connection | None = getattr(self._reading, "shared", None)
            self._reading.shared = connection
            try:
                yield
            finally:
                if self._reading.shared is connection:  # nothing was written meanwhile
                    self._reading.shared = before

    @contextmanager
    def writing(self, wait_seconds: float = WAIT_SECONDS, *, durable: bool = True) -> Iterator[sa.Connection]:
        """A transaction that alone may write; it commits at the end, or leaves nothing on an exception.

        The lock is taken before the first read, so that what is read still holds when it is written.
        Not ``durable``: a power cut may undo it, whole, which is right for what can be built again.
        Raises DatabaseBusyError when another writer holds the lock for ``wait_seconds``, RentmarkError
        when the database refuses, and RuntimeError inside another ``writing`` of the same thread, which
        would wait for itself.
        """
        if getattr(self._writing, "here", False):
            raise RuntimeError("a write transaction is open in this thread; use its connection")
        self._writing.here = True
        self._reading.shared = None
        try:
            with self._engine.connect() as connection:
                if self.is_sqlite:
                    flushed = durable and flushes() and not getattr(self._writing, "together", False)
                    _prepare_transaction(connection, wait_seconds, durable=flushed)
                    connection.execution_options(**{_WRITES: True})
                with connection.begin():
                    if not self.is_sqlite:
                        _lock_postgresql(connection, wait_seconds, durable=durable)
                    yield connection
        except DBAPIError as error:
            raise self._explain(error, wait_seconds) from None
        finally:
            self._writing.here = False

    @contextmanager
    def flushed_together(self) -> Iterator[None]:
        """Flush what this thread commits in the block once, at its end, and not commit by commit.

        For a command that says that it is done after the block: a power cut before may undo its last
        transactions, each whole. PostgreSQL flushes every commit as ever. Raises RentmarkError when the disk
        refuses.
        """
        if not self.is_sqlite or getattr(self._writing, "together", False):
            yield
            return
        self._writing.together = True
        try:
            yield
        finally:
            self._writing.together = False
            if flushes():
                _flush_log(Path(f"{self.url.database}-wal"))

    def _explain(self, error: DBAPIError, waited_seconds: float) -> Exception:
        if isinstance(error, IntegrityError | DataError):
            return error  # a row that breaks a rule of the tables is a mistake of this code
        if is_busy(error):
            return DatabaseBusyError(
                f"Another command is writing to {self.shown} and did not end within "
                f"{waited_seconds:g} seconds; repeat this one when it has."
            )
        return database_trouble(self.shown, self.url.password, error)

    def revision(self) -> str | None:
        """The schema the database holds; None where it holds no tables of Rentmark."""
        with self.reading() as connection:
            if not sa.inspect(connection).has_table("alembic_version"):
                return None
            found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
            return found

    def upgrade(self) -> None:
        """Create the tables, or bring older ones forward; nothing to do costs one query.

        Processes that do this at once wait for the first one. Raises RentmarkError when the tables
        were written by a newer Rentmark.
        """
        if self.revision() == HEAD_REVISION:
            return
        from alembic import command  # a fifth of a second, once per workspace
        from alembic.config import Config
        from alembic.util import CommandError

        config = Config()
        config.set_main_option("script_location", "rentmark.store:migrations")
        with self.writing() as connection:
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, "head")
            except CommandError:
                raise RentmarkError(
                    f"{self.shown} was written by a newer Rentmark (its schema is unknown to this one, "
                    f"which knows up to {HEAD_REVISION}); install the newer version."
                ) from None

    def close(self) -> None:
        """Close the connections; the database can be used again afterwards."""
        self._engine.dispose()


def _read_url(url: str | sa.URL) -> sa.URL:
    try:
        read = sa.make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError(
            "The database URL can't be read; write postgresql+psycopg://USER:PASSWORD@HOST/NAME "
            "or sqlite:///PATH."
        ) from None
    if read.drivername in ("postgres", "postgresql"):
        read = read.set(drivername="postgresql+psycopg")
    try:
        read.get_dialect()
    except (NoSuchModuleError, ArgumentError):
        pass
    else:
        if read.drivername in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
            return read
    raise UsageError(
        f"The database URL starts with {read.drivername}; Rentmark keeps its tables in "
        "sqlite or postgresql+psycopg."
    )


def _flush_log(log: Path) -> None:
    """What is committed and not yet in the database file stands in the log beside it."""
    try:
        with log.open("rb") as held:
            os.fsync(held.fileno())
    except FileNotFoundError:
        return  # all of it went into the database file, which SQLite flushes when it does that
    except OSError as error:
        raise file_trouble("Flushing", log, error) from None
    sync_folder(log.parent)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Take transactions into our own hands: the driver's defaults lose updates of parallel writers."""
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA foreign_keys = ON")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _switch_to_wal(cursor)
    finally:
        cursor.close()


def _switch_to_wal(cursor: Any) -> None:
    """Readers go on while one writes. SQLite does not wait for this lock by itself: so wait here."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except Exception as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_transaction(connection: sa.Connection, wait_seconds: float, *, durable: bool) -> None:
    """Set what SQLite takes only outside a transaction: how long to wait, and to flush or not."""
    driver = connection.connection.cursor()
    try:
        driver.execute(f"PRAGMA busy_timeout = {int(wait_seconds * 1000)}")
        driver.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    finally:
        driver.close()


def _lock_postgresql(connection: sa.Connection, wait_seconds: float, *, durable: bool) -> None:
    if not durable:
        connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
    # lock_timeout 0 means to wait for ever, so the shortest wait is a millisecond
    milliseconds = max(1, int(wait_seconds * 1000))
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}")
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER_LOCK)))
