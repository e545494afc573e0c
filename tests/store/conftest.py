"""Databases for the tests of the store: SQLite in a file, and a PostgreSQL server started here."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from rentmark.store import Store

from .making import SteppedClock


def _as_postgres(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: hand over to its own user then."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _run(command: list[str]) -> None:
    done = subprocess.run(_as_postgres(command), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[sa.URL]:
    """A PostgreSQL server of our own on loopback, for this session."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        assert not os.environ.get("CI"), "PostgreSQL is missing: run `apt-get install postgresql`"
        pytest.skip("PostgreSQL is missing: run `apt-get install postgresql`")
    binaries = programs[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="rentmark-postgres-"))
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    control = [str(binaries / "pg_ctl"), "-D", str(data), "-w"]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    try:
        _run(
            [str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", user, "-E", "UTF8", "--locale=C"]
        )
        _run([*control, "-l", str(folder / "log"), "-o", options, "start"])
        try:
            yield sa.URL.create(
                "postgresql+psycopg", user, "secret-word", host="127.0.0.1", port=port, database="postgres"
            )
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_postgres(postgres_url: sa.URL) -> Callable[[], str]:
    """Makes an empty schema on the server, which takes a tenth of the time of a database; returns its URL."""
    count = iter(range(10_000))
    engine = sa.create_engine(postgres_url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def make() -> str:
        name = f"store_{next(count)}"
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {name}")
        url = postgres_url.update_query_dict({"options": f"-c search_path={name}"})
        return url.render_as_string(hide_password=False)

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Where a store keeps its tables: None is SQLite in the workspace."""
    if request.param == "sqlite":
        return None
    make: Callable[[], str] = request.getfixturevalue("new_postgres")
    return make()


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def store(tmp_path: Path, database_url: str | None, clock: SteppedClock) -> Iterator[Store]:
    """A new workspace, once on each database."""
    with Store.create(tmp_path / "w", database_url=database_url, simulated=False, clock=clock) as made:
        yield made


@pytest.fixture
def sqlite_store(tmp_path: Path, clock: SteppedClock) -> Iterator[Store]:
    """A new workspace on SQLite, for what does not depend on the database."""
    with Store.create(tmp_path / "w", database_url=None, simulated=False, clock=clock) as made:
        yield made
