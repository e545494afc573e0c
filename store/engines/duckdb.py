"""The DuckDB engine: a panel on one machine."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ...records import RentmarkError, to_microseconds
from ...records.progress_bar import draw_no_bar

if TYPE_CHECKING:
    import pyarrow as pa


class DuckDBEngine:
    """Runs Ibis expressions on DuckDB, in memory, spilling to a temporary folder when it runs short.

    ``threads`` and ``memory_limit_mb`` None leave DuckDB its defaults: all cores, four fifths of the
    memory. The number of threads changes the time an answer takes and nothing else. ``prepared`` holds the SQL of
    queries by their key, to be shared by several engines of one process.
    """

    name = "duckdb"

    def __init__(
        self,
        threads: int | None = None,
        memory_limit_mb: int | None = None,
        prepared: dict[str, str] | None = None,
    ) -> None:
        self._threads = threads
        self._memory_limit_mb = memory_limit_mb
        self._compiled: dict[str, str] = {} if prepared is None else prepared
        self._registered: set[str] = set()
        self._views: set[str] = set()
        self._spill: tempfile.TemporaryDirectory[str] | None = None

    @cached_property
    def _backend(self) -> Any:
        """DuckDB, started by the first who asks: a step over a few rows never does."""
        import ibis  # half a second, only where a panel is run

        # removed by close(), and by the interpreter should nobody call it
        self._spill = tempfile.TemporaryDirectory(prefix="rentmark-duckdb-")
        settings: dict[str, Any] = {
            "temp_directory": self._spill.name,
            "preserve_insertion_order": False,  # an expression that needs an order states it
            # what is not built in is not fetched from the network either
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if self._threads is not None:
            settings["threads"] = self._threads
        if self._memory_limit_mb is not None:
            settings["memory_limit"] = f"{self._memory_limit_mb}MB"
        backend = ibis.duckdb.connect(":memory:", **settings)
        draw_no_bar(backend.con)
        return backend

    def observations(self, paths: Sequence[Path]) -> Any:
        """See ``Engine.observations``."""
        import ibis  # half a second, only where a panel is run

        from ...records.schemas import OBSERVATION_SCHEMA

        nullable = ibis.schema(
            {name: kind.copy(nullable=True) for name, kind in ibis.schema(OBSERVATION_SCHEMA).items()}
        )
        if not paths:
            return ibis.memtable(OBSERVATION_SCHEMA.empty_table(), schema=nullable)
        _refuse_missing(paths)
        # hive_partitioning would add the folder's month as a column
        names = [_literal(path) for path in paths]
        with _ibis_reading_schemas():
            table = self._answer(
                lambda: self._backend.read_parquet(names, union_by_name=True, hive_partitioning=False)
            )
        return table.select(
            **{
                name: table[name].cast(kind) if name in table.columns else ibis.null(kind)
                for name, kind in nullable.items()
            }
        )

    def memory(self, table: pa.Table, name: str) -> Any:
        """See ``Engine.memory``."""
        with _ibis_reading_schemas():
            return self._backend.create_table(name, table, temp=True, overwrite=True)

    def bind_files(
        self,
        name: str,
        paths: Sequence[Path],
        *,
        constants: Mapping[str, Any] | None = None,
        span: tuple[datetime, datetime] | None = None,
    ) -> None:
        """See ``Engine.bind_files``."""
        import duckdb

        from ...records.schemas import OBSERVATION_SCHEMA

        connection = self._backend.con
        if not paths:
            self.bind_table(name, OBSERVATION_SCHEMA.empty_table())
            return
        _refuse_missing(paths)
        quoted = ", ".join("'" + _literal(path).replace("'", "''") + "'" for path in paths)
        # hive_partitioning would add the folder's month as a column
        source = f"read_parquet([{quoted}], union_by_name = true, hive_partitioning = false)"
        known = constants or {}
        within = "" if span is None else _within(span)
        self._free(name)
        self._views.add(name)
        try:
            view = _view_of(name, source, OBSERVATION_SCHEMA.names, known)
            self._answer(lambda: connection.execute(view + within))
        except duckdb.BinderException:  # files of an older version lack a column
            held = connection.sql(f"SELECT * FROM {source} LIMIT 0").columns
            connection.execute(_view_of(name, source, held, known) + within)

    def bind_table(self, name: str, table: pa.Table) -> None:
        """See ``Engine.bind_table``."""
        self._free(name)
        if name in self._views:
            self._backend.con.execute(f"DROP VIEW IF EXISTS {name}")
            self._views.discard(name)
        self._backend.con.register(name, table)
        self._registered.add(name)

    def _free(self, name: str) -> None:
        """Let a name go that stands for rows in memory; a view is replaced as it is."""
        if name in self._registered:
            self._backend.con.unregister(name)
            self._registered.discard(name)

    def query(self, key: str, make: Callable[[], Any]) -> pa.Table:
        """See ``Engine.query``. Raises RentmarkError when a file is damaged or memory runs out."""
        if key not in self._compiled:
            self._compiled[key] = str(self._backend.compile(make()))
        sql = self._compiled[key]
        return self._answer(lambda: self._rows_of(sql))

    def _rows_of(self, sql: str) -> pa.Table:
        """Run SQL as a statement: a relation would be bound twice, which is most of a small query's time.

        DuckDB warns that this copies the rows once more; answers are small beside what they come from.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
            return self._backend.con.execute(sql).to_arrow_table()

    def to_arrow(self, expression: Any) -> pa.Table:
        """See ``Engine.to_arrow``. Raises RentmarkError when a file is damaged or memory runs out."""
        return self._answer(lambda: self._backend.to_pyarrow(expression))

    @staticmethod
    def _answer(run: Callable[[], Any]) -> Any:
        """Run, turning what an archive or a small memory can do wrong into one sentence."""
        import duckdb

        try:
            return run()
        except duckdb.OutOfMemoryException:
            raise RentmarkError(
                "DuckDB ran out of memory; give it more, free space for temporary files, or build fewer months."
            ) from None
        except duckdb.Error as error:
            # a page that can't be decoded raises the bare class, a footer one of the two that name the file
            bare = type(error) is duckdb.Error
            named = isinstance(error, duckdb.IOException | duckdb.InvalidInputException)
            if not bare and not (named and "parquet" in str(error).lower()):
                raise
            said = str(error).splitlines()[0]
            raise RentmarkError(f"The archive can't be read ({said}); run `rentmark index verify`.") from None

    def close(self) -> None:
        """Close the connection and remove what was spilled."""
        if "_backend" in self.__dict__:
            self._backend.disconnect()
        if self._spill is not None:
            self._spill.cleanup()

    def __enter__(self) -> Self:
        """Use as ``with DuckDBEngine() as engine:``."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self.close()


def _refuse_missing(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.is_file():
            raise RentmarkError(f"The archive lacks {path}; run `rentmark index verify`.")


def _view_of(name: str, source: str, held: Sequence[str], constants: Mapping[str, Any]) -> str:
    """SQL that lets a name stand for a source, with the columns of the observation schema in its order."""
    from ...records.schemas import OBSERVATION_SCHEMA

    present = set(held)
    columns = ", ".join(
        f"{_constant(constants[f.name])}::{_duckdb_type(f)} AS {f.name}"
        if f.name in constants
        else f.name
        if f.name in present
        else f"NULL::{_duckdb_type(f)} AS {f.name}"
        for f in OBSERVATION_SCHEMA
    )
    return f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {columns} FROM {source}"


def _constant(value: str | int | bool | None) -> str:
    """A value as SQL; a view can't bind one."""
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).upper()


def _within(span: tuple[datetime, datetime]) -> str:
    """The part of a view that leaves whole row groups outside a span of time unread."""
    start, end = (f"make_timestamptz({to_microseconds(instant)})" for instant in span)
    return f" WHERE observed_at >= {start} AND observed_at < {end}"


def _duckdb_type(field: pa.Field) -> str:
    """How DuckDB names the type of a column of the observation schema."""
    names = {
        "string": "VARCHAR",
        "int32": "INTEGER",
        "int64": "BIGINT",
        "double": "DOUBLE",
        "bool": "BOOLEAN",
    }
    return names.get(str(field.type), "TIMESTAMPTZ")


@contextmanager
def _ibis_reading_schemas() -> Iterator[None]:
    """Ibis 12 reads a table's schema by a call that DuckDB 2 deprecates; it works, so it need not warn."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="fetch_arrow_table", category=DeprecationWarning)
        yield


def _literal(path: Path) -> str:
    """A path in which nothing is a pattern: DuckDB expands ``*``, ``?`` and ``[`` in what it is given."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
