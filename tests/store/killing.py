"""An ingest that is killed without warning, and what must hold after it. All offers are invented.

Stands alone, because ``proof/kill_ingest.py`` uses it too.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rentmark.workspace import Workspace, build_and_publish, ingest_files, verify

BENCHMARK = "h100-list"
BAD, REPEATED = 7, 5
"""Rows of each file that are refused, and that repeat an earlier one."""


@dataclass(frozen=True)
class Reference:
    """What an ingest that nobody stopped comes to."""

    seconds: float
    fixings: tuple[str, ...]
    observations: int


def write_offers(folder: Path, files: int, rows: int) -> list[Path]:
    """Files of offers over two months each; no row stands in two files."""
    draws = random.Random(20260814)
    paths = []
    for number in range(files):
        lines = ["observed_at,seller,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour"]
        for row in range(rows):
            moment = datetime(2026, 7, 1, tzinfo=UTC) + timedelta(seconds=row * 5_184_000 // rows + number)
            price = f"{2.5 + draws.randrange(8) / 4:.2f}"
            lines.append(
                f"{moment:%Y-%m-%dT%H:%M:%SZ},seller-{row % 9},sku-{row}-{number},H100,SXM5,80,8,{price}"
            )
        bad = [line.rsplit(",", 1)[0] + "," for line in lines[1 : 1 + BAD]]
        text = "\n".join([*lines, *bad, *lines[20 : 20 + REPEATED]]) + "\n"
        path = folder / f"offers-{number}.csv"
        path.write_text(text)
        paths.append(path)
    return paths


def command(root: Path, paths: Sequence[Path]) -> list[str]:
    """The real command line."""
    program = "from rentmark.cli import main; main()"
    words = ["ingest", "tabular", *map(str, paths), "--workspace", str(root)]
    return [sys.executable, "-c", program, *words]


def environment(url: str | None) -> dict[str, str]:
    """The environment of the command; ``url`` None means SQLite in the workspace."""
    kept = {name: value for name, value in os.environ.items() if name != "RENTMARK_DATABASE_URL"}
    return kept if url is None else kept | {"RENTMARK_DATABASE_URL": url}


def reference(root: Path, url: str | None, paths: Sequence[Path], rows: int) -> Reference:
    """Ingest, build and publish with nobody in the way."""
    Workspace.create(root, database_url=url).store.close()
    started = time.monotonic()
    subprocess.run(command(root, paths), env=environment(url), check=True, capture_output=True)
    seconds = time.monotonic() - started
    opened = Workspace.open(root, database_url=url)
    build_and_publish(opened, [BENCHMARK], actor="proof")
    fixings = _fixings(opened)
    found = check_whole(opened, rows)
    assert found == len(paths)
    opened.store.close()
    return Reference(seconds, fixings, found * rows)


def kill_once(
    root: Path, url: str | None, paths: Sequence[Path], rows: int, after_seconds: float, expected: Reference
) -> int:
    """Start an ingest, kill it, look, repeat it and look again; how many batches the kill had left.

    Raises AssertionError where a batch is lost, doubled or half there, a file is left over, or the
    benchmark differs from the one that nobody stopped.
    """
    Workspace.create(root, database_url=url).store.close()
    with subprocess.Popen(
        command(root, paths), env=environment(url), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        time.sleep(after_seconds)
        process.kill()
        process.communicate(timeout=60)
    opened = Workspace.open(root, database_url=url)
    left = check_whole(opened, rows)
    opened.store.close()
    opened = Workspace.open(root, database_url=url)
    again = ingest_files(opened, "tabular", paths)
    assert [result.already for result in again] == [True] * left + [False] * (len(paths) - left)
    assert check_whole(opened, rows) == len(paths)
    build_and_publish(opened, [BENCHMARK], actor="proof")
    assert _fixings(opened) == expected.fixings
    found = verify(opened, level=2)
    assert found.passed, found.problems or found.differences
    assert {check.result for check in found.batches} == {"identical"}
    opened.store.close()
    return left


def check_whole(workspace: Workspace, rows: int) -> int:
    """Every batch is whole and once there, every file belongs to one; returns how many batches there are."""
    store = workspace.store
    entries = store.ledger()
    assert len({entry.origin_name for entry in entries}) == len(entries)
    named = store.observation_files()
    on_disk = {
        path.relative_to(store.root).as_posix()
        for path in (store.root / "archive/observations").rglob("*.parquet")
    }
    assert on_disk == {file.path for file in named}
    assert not list(store.root.rglob(".*.tmp"))
    for entry in entries:
        counts = (entry.records, entry.accepted, entry.rejected, entry.duplicates)
        assert counts == (rows + BAD + REPEATED, rows, BAD, REPEATED)
        assert sum(file.rows for file in named if file.batch_id == entry.batch_id) == rows
        assert sum(store.reject_counts(entry.batch_id).values()) == BAD
    assert store.check_files() == []
    return len(entries)


def _fixings(workspace: Workspace) -> tuple[str, ...]:
    """Value and inputs of every published fixing; clocks left out."""
    rows = workspace.store.tape(BENCHMARK)
    return tuple(f"{row.date} {row.status} {row.value_micros} {row.input_digest}" for row in rows)


def moments(count: int, seconds: float, seed: int) -> list[float]:
    """Random moments from the start of the work to a little before its usual end."""
    draws = random.Random(seed)
    return [draws.uniform(0.3, 0.98) * seconds for _ in range(count)]
