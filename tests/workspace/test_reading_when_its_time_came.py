"""Records refused because the clock ran behind are read once their time has come, and counted once.

All offers are invented; every count is worked by hand.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rentmark.ingest.feeds.tabular import Tabular
from rentmark.workspace import Workspace, ingest_files, read_again, verify
from rentmark.workspace.ingesting import version_of

NOON = datetime(2026, 8, 14, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
OFFERS = """observed_at,seller,gpu_model,vram_gb,gpu_count,price_per_gpu_hour
2026-08-14T11:00:00Z,amber,H100,80,8,3.00
2026-08-14T13:00:00Z,basalt,H100,80,8,3.20
2026-08-14T15:00:00Z,citrine,H100,80,8,3.40
2026-08-14T11:00:00Z,dolerite,H100,80,8,many
"""
"""One is good at noon, one from 13:00 on, one from 15:00 on, one never."""


class SetClock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def real_now(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def workspace(tmp_path: Path, clock: SetClock) -> Workspace:
    made = Workspace.create(tmp_path / "w", database_url=None, clock=clock)
    file = tmp_path / "offers.csv"
    file.write_text(OFFERS)
    (first,) = ingest_files(made, "tabular", [file])
    assert (first.entry.accepted, first.entry.rejected) == (1, 3)
    return made


def sellers(workspace: Workspace, as_of: datetime | None = None) -> list[str]:
    files = workspace.store.observation_files(as_of)
    paths = workspace.store.file_paths(files)
    return sorted(seller for path in paths for seller in pq.read_table(path)["seller"].to_pylist())


def test_each_record_comes_in_once_when_its_time_has_come(
    workspace: Workspace, clock: SetClock, tmp_path: Path
):
    assert read_again(workspace, "tabular") == []
    clock.at = NOON + 2 * HOUR
    (second,) = read_again(workspace, "tabular")
    assert (second.entry.records, second.entry.accepted, second.entry.rejected) == (4, 2, 2)
    assert second.entry.supersedes == 1
    assert version_of(second.entry) + "+1" == second.entry.feed_version
    assert "read again at 2026-08-14T14:00:00" in second.entry.notes[-1]
    assert read_again(workspace, "tabular") == []
    clock.at = NOON + 5 * HOUR
    (third,) = read_again(workspace, "tabular")
    assert (third.entry.accepted, third.entry.rejected) == (3, 1)
    assert third.entry.feed_version.endswith("+2")
    assert read_again(workspace, "tabular") == []
    assert sellers(workspace) == ["amber", "basalt", "citrine"]
    assert sellers(workspace, NOON + HOUR) == ["amber"]
    assert sellers(workspace, NOON + 3 * HOUR) == ["amber", "basalt"]
    (given,) = ingest_files(workspace, "tabular", [tmp_path / "offers.csv"])
    assert given.already
    assert sellers(workspace) == ["amber", "basalt", "citrine"]


def test_every_reading_is_verified_against_its_bytes(workspace: Workspace, clock: SetClock):
    clock.at = NOON + 5 * HOUR
    assert len(read_again(workspace, "tabular")) == 1
    found = verify(workspace, level=2)
    assert [batch.result for batch in found.batches] == ["identical", "identical"]
    assert found.passed


def test_a_mended_feed_reads_the_latest_reading_again_as_it_was_received(
    workspace: Workspace, clock: SetClock, monkeypatch: pytest.MonkeyPatch
):
    clock.at = NOON + 2 * HOUR
    read_again(workspace, "tabular")
    monkeypatch.setattr(Tabular, "version", "mended")
    clock.at = NOON + 5 * HOUR
    (third,) = read_again(workspace, "tabular")
    assert (third.entry.feed_version, third.entry.accepted) == ("mended", 2)
    (fourth,) = read_again(workspace, "tabular")
    assert (fourth.entry.feed_version, fourth.entry.accepted) == ("mended+1", 3)
    assert sellers(workspace) == ["amber", "basalt", "citrine"]
