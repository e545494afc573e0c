"""A ``kill -9`` at any moment of a real ingest leaves whole batches, and the same command finishes the rest.

Ten moments here; ``proof/kill_ingest.py`` takes the others, on both databases.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .killing import Reference, kill_once, moments, reference, write_offers

FILES, ROWS = 6, 2_000


@pytest.fixture(scope="module")
def offers(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_offers(tmp_path_factory.mktemp("offers"), FILES, ROWS)


@pytest.fixture(scope="module")
def undisturbed(offers: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return reference(tmp_path_factory.mktemp("reference") / "w", None, offers, ROWS)


def test_a_killed_ingest_loses_doubles_and_halves_nothing(
    offers: list[Path], undisturbed: Reference, tmp_path: Path
):
    left = []
    for number, after in enumerate(moments(10, undisturbed.seconds, seed=3)):
        left.append(kill_once(tmp_path / f"w{number}", None, offers, ROWS, after, undisturbed))
        shutil.rmtree(tmp_path / f"w{number}")
    assert all(0 <= count <= FILES for count in left)
