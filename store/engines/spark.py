"""The Spark engine: the same panel on a cluster."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ...records import RentmarkError, to_microseconds

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_MASTER = "local[*]"
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.shuffle.partitions": "8",  # a month of votes is small; two hundred tasks take longer than it
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class SparkEngine:
    """Runs Ibis expressions on Spark; the workers must see the archive under the same path.

    ``master`` is a Spark master, such as ``spark://host:7077`` or ``local-cluster[2,1,1024]``. A ``session``
    that is given stays open when the engine closes. Raises RentmarkError where Java or pyspark is missing.
    """

    name = "spark"

    def __init__(self, master: str | None = None, session: Any = None) -> None:
        self._own = session is None
        self.session = new_session(master or DEFAULT_MASTER) if session is None else session
        import ibis  # half a second, only where a panel is run

        with _quiet():
            self._backend = ibis.pyspark.connect(self.session)
        self._compiled: dict[str, str] = {}

    def observations(self, paths: Sequence[Path]) -> Any:
        """See ``Engine.observations``."""
        import ibis

        from ...records.schemas import OBSERVATION_SCHEMA

        kinds = ibis.schema(OBSERVATION_SCHEMA).items()
        nullable = ibis.schema({name: kind.copy(nullable=True) for name, kind in kinds})
        if not paths:
            return ibis.memtable(OBSERVATION_SCHEMA.empty_table(), schema=nullable)
        name = f"observations_{len(self._compiled)}_{id(paths)}"
        self.bind_files(name, paths)
        table = self._backend.table(name)
        return table.select(**{column: table[column].cast(kind) for column, kind in nullable.items()})

    def memory(self, table: pa.Table, name: str) -> Any:
        """See ``Engine.memory``."""
        self.bind_table(name, table)
        return self._backend.table(name)

    def bind_files(
        self,
        name: str,
        paths: Sequence[Path],
        *,
        constants: Mapping[str, Any] | None = None,
        span: tuple[datetime, datetime] | None = None,
    ) -> None:
        """See ``Engine.bind_files``."""
        from pyspark.sql import functions
        from pyspark.sql.pandas.types import from_arrow_schema

        from ...records.schemas import OBSERVATION_SCHEMA

        missing = next((path for path in paths if not path.is_file()), None)
        if missing is not None:
            raise RentmarkError(f"The archive lacks {missing}; run `rentmark index verify`.")
        if not paths:
            self.bind_table(name, OBSERVATION_SCHEMA.empty_table())
            return
        schema = _all_nullable(from_arrow_schema(OBSERVATION_SCHEMA))
        rows = self.session.read.schema(schema).parquet(*[_uri(path) for path in paths])
        if span is not None:
            start, end = (functions.timestamp_micros(functions.lit(to_microseconds(i))) for i in span)
            rows = rows.where((rows.observed_at >= start) & (rows.observed_at < end))
        known = constants or {}
        columns = [
            functions.lit(known[field.name]).cast(field.dataType).alias(field.name)
            if field.name in known
            else rows[field.name]
            for field in schema.fields
        ]
        rows.select(*columns).createOrReplaceTempView(name)

    def bind_table(self, name: str, table: pa.Table) -> None:
        """See ``Engine.bind_table``."""
        with _quiet():
            self.session.createDataFrame(table).createOrReplaceTempView(name)

    def query(self, key: str, make: Callable[[], Any]) -> pa.Table:
        """See ``Engine.query``. Raises RentmarkError when a file is damaged or a worker is lost."""
        if key not in self._compiled:
            self._compiled[key] = str(self._backend.compile(make()))
        return self._rows_of(self._compiled[key])

    def to_arrow(self, expression: Any) -> pa.Table:
        """See ``Engine.to_arrow``. Raises RentmarkError when a file is damaged or a worker is lost."""
        with _quiet():
            self._backend._run_pre_execute_hooks(expression)  # noqa: SLF001 - binds tables that Ibis holds in memory
        return self._rows_of(str(self._backend.compile(expression)))

    def _rows_of(self, sql: str) -> pa.Table:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            with _quiet():
                return self.session.sql(sql).toArrow()
        except (Py4JJavaError, PySparkException) as error:
            said = str(error)
            if "FAILED_READ_FILE" in said or "parquet" in said.lower():
                first = said.splitlines()[0][:200]
                raise RentmarkError(
                    f"The archive can't be read ({first}); run `rentmark index verify`."
                ) from None
            raise

    def close(self) -> None:
        """Stop the session, unless it was given."""
        if self._own:
            self.session.stop()

    def __enter__(self) -> Self:
        """Use as ``with SparkEngine() as engine:``."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        self.close()


def missing_part() -> str | None:
    """What Spark needs and this machine lacks, in words; None where nothing is missing."""
    if find_spec("pyspark") is None:
        return 'pyspark is missing: run `pip install "rentmark[spark]"`'
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and Path(home, "bin", "java").is_file()):
        return "Java 17 is missing: run `apt-get install openjdk-17-jre-headless` or set JAVA_HOME"
    return None


def new_session(master: str) -> Any:
    """A Spark session that counts time in UTC and keeps to this machine's loopback where it is local.

    Raises RentmarkError naming what is missing, or a master that does not answer.
    """
    missing = missing_part()
    if missing is not None:
        raise RentmarkError(f"The Spark engine can't start: {missing}.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    with _quiet():
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(master).appName("rentmark")
        for key, value in (SETTINGS | {"spark.driver.extraJavaOptions": _errors_alone()}).items():
            builder = builder.config(key, value)
        try:
            session = builder.getOrCreate()
        except (PySparkException, OSError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise RentmarkError(
                f"Spark did not start on --master {master} ({first}); check the master."
            ) from None
        session.sparkContext.setLogLevel("ERROR")
        return session


def _errors_alone() -> str:
    """An option of Java under which Spark says nothing on stderr but errors."""
    folder = tempfile.mkdtemp(prefix="rentmark-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "log4j2.properties")
    path.write_text(
        "rootLogger.level = error\nrootLogger.appenderRef.stderr.ref = stderr\nappender.stderr.type = Console\n"
        "appender.stderr.name = stderr\nappender.stderr.target = SYSTEM_ERR\n"
        "logger.shell.name = org.apache.spark.api.python.PythonGatewayServer\nlogger.shell.level = error\n"
        "appender.stderr.layout.type = PatternLayout\nappender.stderr.layout.pattern = Spark: %m%n\n",
        encoding="utf-8",
    )
    return f"-Dlog4j2.configurationFile={path.as_uri()}"


def _all_nullable(schema: Any) -> Any:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(field.name, field.dataType, nullable=True) for field in schema.fields])


def _uri(path: Path) -> str:
    """A path in which nothing is a pattern: Spark expands ``*``, ``?``, ``[``, ``{`` and a backslash."""
    return "".join(f"\\{sign}" if sign in "*?[]{}\\" else sign for sign in str(path.absolute()))


class _quiet(warnings.catch_warnings):  # noqa: N801 - used as a function would be
    """PySpark warns of the pandas and pyarrow that it was not tested with; answers are held by tests."""

    def __enter__(self) -> Any:
        """Turn warnings off."""
        entered = super().__enter__()
        warnings.simplefilter("ignore")
        return entered
