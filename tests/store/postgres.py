"""A PostgreSQL server of our own on loopback. Stands alone, because scripts under ``proof/`` use it too."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa


def found() -> list[Path]:
    """The installed versions of the Debian package, oldest first."""
    return sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@contextmanager
def serving() -> Iterator[sa.URL]:
    """Start the newest version in a folder of its own, and stop it and remove the folder at the end."""
    with restartable() as (url, _):
        yield url


@contextmanager
def restartable() -> Iterator[tuple[sa.URL, Callable[[], None]]]:
    """As ``serving``, with what stops the server at once, whatever it is doing, and starts it again."""
    binaries = found()[-1].parent
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
        url = sa.URL.create(
            "postgresql+psycopg", user, "secret-word", host="127.0.0.1", port=port, database="postgres"
        )

        def restart() -> None:
            _run([*control, "-m", "immediate", "stop"])
            _run([*control, "-l", str(folder / "log"), "-o", options, "start"])

        try:
            yield url, restart
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_schema(server: sa.URL, name: str) -> str:
    """An empty schema, which takes a tenth of the time of a database; returns its URL."""
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    url = server.update_query_dict({"options": f"-c search_path={name}"})
    return url.render_as_string(hide_password=False)


def _run(command: list[str]) -> None:
    """PostgreSQL refuses to run as root: hand over to its own user then."""
    handed = ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command
    done = subprocess.run(handed, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
