"""Engines that run a panel expression over the archive.

An engine reads exactly the files it is given, turns them into one Ibis table with the columns of the
observation schema, and runs an Ibis expression on it. The expression is written once, in the index
room; the answer is the same to the last bit whatever engine, thread count or row order, as long as it
keeps to integers, exact decimals, counts and plain medians, and ends every ordering with
``observation_id``. Engines run in UTC.

A new engine is one file beside ``duckdb.py`` with a class that has these methods, and inherits the
tests of ``tests/store/engine_suite.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from .duckdb import DuckDBEngine
    from .spark import SparkEngine

__all__ = ["DuckDBEngine", "Engine", "SparkEngine"]


class Engine(Protocol):
    """What the index room asks of an engine. Tables and expressions are those of Ibis."""

    @property
    def name(self) -> str:
        """How the engine is named in a command or a report, such as ``duckdb``."""

    def observations(self, paths: Sequence[Path]) -> Any:
        """One Ibis table over these Parquet files, with the columns of OBSERVATION_SCHEMA in its order.

        A column that an older file lacks reads as null. No paths give an empty table of that schema.
        Raises RentmarkError naming a file that is missing.
        """

    def memory(self, table: pa.Table, name: str) -> Any:
        """An Ibis table of this engine over rows in memory, replacing an earlier one of that name."""

    def bind_files(
        self,
        name: str,
        paths: Sequence[Path],
        *,
        constants: Mapping[str, Any] | None = None,
        span: tuple[datetime, datetime] | None = None,
    ) -> None:
        """Let ``name`` stand for these Parquet files in prepared queries, as ``observations`` would read them.

        ``name`` is an identifier of this code, never of a person. ``constants`` are columns that hold one
        value in all of these files: they are not read. ``span`` keeps ``start ≤ observed_at < end``.
        """

    def bind_table(self, name: str, table: pa.Table) -> None:
        """Let ``name`` stand for these rows in prepared queries."""

    def query(self, key: str, make: Callable[[], Any]) -> pa.Table:
        """Run a prepared query: ``make`` gives an Ibis expression over unbound tables with bound names.

        It is compiled once per ``key``, which must name everything the expression depends on.
        """

    def to_arrow(self, expression: Any) -> pa.Table:
        """Run an Ibis expression and return its rows; their order is that of the expression, if any."""

    def close(self) -> None:
        """Give memory and files back; tables of this engine can't be used afterwards."""


def __getattr__(name: str) -> Any:
    """Load an engine at first use."""
    if name == "DuckDBEngine":
        from .duckdb import DuckDBEngine

        return DuckDBEngine
    if name == "SparkEngine":
        from .spark import SparkEngine

        return SparkEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
