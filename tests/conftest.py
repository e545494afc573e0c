"""Fixtures every room's tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; the test skips, naming it, where it is absent."""
    path = Path(os.environ.get("RENTMARK_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"real data absent: {path} (set RENTMARK_SHARED_DATA)")
    return path
