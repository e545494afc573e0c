"""Databases for the tests of the store: SQLite in a file, and a PostgreSQL server started here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from rentmark.store import Store

from .making import SteppedClock
from .postgres import found, new_schema, serving


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[sa.URL]:
    """A PostgreSQL server of our own on loopback, for this session."""
    if not found():
        assert not os.environ.get("CI"), "PostgreSQL is missing: run `apt-get install postgresql`"
        pytest.skip("PostgreSQL is missing: run `apt-get install postgresql`")
    with serving() as url:
        yield url


@pytest.fixture(scope="session")
def new_postgres(postgres_url: sa.URL) -> Callable[[], str]:
    """Makes an empty schema on the server, which takes a tenth of the time of a database; returns its URL."""
    count = iter(range(10_000))

    def make() -> str:
        return new_schema(postgres_url, f"store_{next(count)}")

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
