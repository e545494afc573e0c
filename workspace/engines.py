"""Which engine runs a panel: DuckDB here, or Spark on a cluster. The values are the same to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..records import UsageError

if TYPE_CHECKING:
    from ..store.engines import Engine

ENGINES = ("duckdb", "spark")


@contextmanager
def chosen_engine(
    name: str = "duckdb", *, threads: int | None = None, master: str | None = None
) -> Iterator[Engine]:
    """An engine by its name, closed afterwards. ``master`` is where Spark runs, by default on this machine.

    Raises UsageError for an unknown engine or an option of the other one, RentmarkError where Java or
    pyspark is missing.
    """
    if name not in ENGINES:
        raise UsageError(f"--engine {name} is unknown; choose duckdb or spark.")
    if name == "duckdb" and master is not None:
        raise UsageError(f"--master {master} goes with --engine spark; add it or leave --master out.")
    if name == "spark" and threads is not None:
        raise UsageError(
            f"--threads {threads} is for DuckDB; say how many cores Spark takes in --master, as in local[{threads}]."
        )
    from ..store.engines import DuckDBEngine, SparkEngine

    engine: Engine = SparkEngine(master) if name == "spark" else DuckDBEngine(threads=threads)
    try:
        yield engine
    finally:
        engine.close()
