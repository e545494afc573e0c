"""A large payload comes to what a small one comes to, and is kept whatever happens meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from rentmark.ingest import parse_payload
from rentmark.ingest.feeds import tabular
from rentmark.records import RentmarkError
from rentmark.workspace import Workspace, ingest_files, ingesting, memory
from rentmark.workspace.ingesting import Arrived, ingest_payload

PAYLOAD = (
    b"observed_at,seller,gpu_model,vram_gb,gpu_count,price_per_gpu_hour\n"
    b"2026-07-01T00:00:00Z,amber,H100,80,8,3.10\n2026-07-01T00:00:00Z,basalt,H100,80,8,many\n"
)
"""Invented."""


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace to which these few bytes are large."""
    for module in (ingesting, memory):
        monkeypatch.setattr(module, "LARGE_PAYLOAD_BYTES", 1)
    return Workspace.create(tmp_path / "w", database_url=None)


def kept(workspace: Workspace) -> list[Path]:
    return [path for path in (workspace.root / "archive" / "raw").rglob("*") if path.is_file()]


def test_a_large_file_is_kept_and_committed(large: Workspace, tmp_path: Path):
    path = tmp_path / "offers.csv"
    path.write_bytes(PAYLOAD)
    before = pa.default_memory_pool().backend_name
    (first,) = ingest_files(large, "tabular", [path])
    assert (first.entry.accepted, first.entry.rejected) == (1, 1)
    assert [path.read_bytes() for path in kept(large)] == [PAYLOAD]
    (again,) = ingest_files(large, "tabular", [path])
    assert again.already
    assert pa.default_memory_pool().backend_name == before


def test_nothing_is_committed_of_a_large_file_that_could_not_be_kept(
    large: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "offers.csv"
    path.write_bytes(PAYLOAD)
    before = pa.default_memory_pool().backend_name

    def full(*_: object) -> str:
        raise RentmarkError("Writing failed: the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(large.store, "put_payload", full)
        with pytest.raises(RentmarkError, match="the disk is full"):
            ingest_files(large, "tabular", [path])
    assert large.store.ledger() == []
    assert pa.default_memory_pool().backend_name == before
    (later,) = ingest_files(large, "tabular", [path])
    assert not later.already


def test_what_was_fetched_is_kept_before_anything_reads_it(large: Workspace):
    seen = []

    def parse(feed_id, payload, context):
        seen.extend(kept(large))
        return parse_payload(feed_id, payload, context)

    arrived = Arrived(
        received_at=datetime(2026, 7, 2, tzinfo=UTC), fetched_from="https://prices.invalid/offers"
    )
    ingest_payload(large, "tabular", "offers", PAYLOAD, arrived=arrived, parse=parse)
    assert seen == kept(large)
    assert len(seen) == 1


class Watched(bytes):
    """Bytes that say when nobody holds them any more."""

    gone = False

    def __del__(self) -> None:
        Watched.gone = True


def test_a_large_payload_is_let_go_of_once_it_is_read(large: Workspace, monkeypatch: pytest.MonkeyPatch):
    settle, gone = tabular.account_for, []

    def account_for(*words, **more):
        end = time.monotonic() + 5  # its copy in the archive may still be being written
        while not Watched.gone and time.monotonic() < end:
            time.sleep(0.01)
        gone.append(Watched.gone)
        return settle(*words, **more)

    monkeypatch.setattr(tabular, "account_for", account_for)
    monkeypatch.setattr(Watched, "gone", False)
    ingested = ingest_payload(large, "tabular", "offers.csv", Watched(PAYLOAD))
    assert gone == [True]
    assert ingested.entry.records == 2


THREADS = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import pyarrow as pa
from rentmark.workspace.memory import LARGE_PAYLOAD_BYTES, memory_for

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

def fill(_):
    kept = [pa.allocate_buffer(300_000) for _ in range(100)]
    for one in kept:
        np.frombuffer(one, np.uint8)[:] = 1
    return kept

with memory_for(LARGE_PAYLOAD_BYTES + 1), ThreadPoolExecutor(4) as pool:
    start = resident()
    taken = list(pool.map(fill, range(4)))
    full = resident()
    del taken
print(full - start, resident() - start)
"""


@pytest.mark.skipif(memory._malloc_trim() is None, reason="another C library than that of GNU")
def test_what_threads_took_for_a_large_payload_is_given_back_at_once():
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=True)
    taken, left = map(float, done.stdout.split())
    assert taken > 100
    assert left < 20
