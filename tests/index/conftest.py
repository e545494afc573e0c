"""An engine for the index tests, and the cases of each estimator's answers file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from rentmark.store.engines.duckdb import DuckDBEngine

from .making import World

ANSWERS = Path(__file__).parent / "answers"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test of an estimator suite one case of ``answers/<estimator>.toml`` at a time."""
    if "answer" in metafunc.fixturenames:
        path = ANSWERS / f"{metafunc.cls.estimator}.toml"
        cases = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
        metafunc.parametrize("answer", cases, ids=[case["name"] for case in cases])


@pytest.fixture(scope="session")
def engine() -> Iterator[DuckDBEngine]:
    """DuckDB on one thread, shared: each test replaces its tables."""
    with DuckDBEngine(threads=1) as opened:
        yield opened


@pytest.fixture
def world(engine: DuckDBEngine) -> Callable[..., World]:
    """Makes a World of rows, with trade events from other months where given."""

    def make(rows: Sequence[dict[str, Any]], corrections: Sequence[dict[str, Any]] = ()) -> World:
        return World(engine, rows, corrections)

    return make
