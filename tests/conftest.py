"""Fixtures every room's tests may use."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of what is tested, nor of how its examples are drawn.
settings.register_profile(
    "any machine",
    settings.get_profile("ci" if os.environ.get("CI") else "default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

REPOSITORY = Path(__file__).resolve().parents[1]
LONGEST = (
    "tests/journeys/test_soak.py",
    "tests/journeys/test_documented_keys.py",
    "tests/dashboard",
    "tests/docs",
    "tests/store/test_spark",
    "tests/index/test_by_hand.py",
    "tests/workspace/test_watching.py",
)
"""Files and folders that take longest: run first, so that the last worker does not end with one of them alone."""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; the test skips, naming it, where it is absent."""
    path = Path(os.environ.get("RENTMARK_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"real data absent: {path} (set RENTMARK_SHARED_DATA)")
    return path


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage in cycles seldom, and never in what was imported: 8 to 12 % less work on four files of tests."""
    del session
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; the order of all others stays (`--no-loadscope-reorder` keeps it among workers)."""
    items.sort(
        key=lambda item: next((n for n, s in enumerate(LONGEST) if item.nodeid.startswith(s)), len(LONGEST))
    )
