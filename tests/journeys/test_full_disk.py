"""An ingest on a disk that is full or read-only ends in one sentence, with everything before intact."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from rentmark.workspace import Workspace, verify

from tests.journeys.typed import Said, ask, type_words
from tests.store.test_disk import run, small_disk

__all__ = ["small_disk"]

HEADER = "observed_at,seller,gpu_model,price_per_gpu_hour\n"
FEW = HEADER + "".join(f"2026-08-14T06:00:00Z,seller-{n},H100,{3 + n / 4}\n" for n in range(5))


def many(rows: int, seed: int) -> str:
    """Invented offers that do not compress well."""
    draws = random.Random(seed)
    return HEADER + "".join(
        f"2026-08-{1 + n % 14:02d}T06:00:00Z,{draws.randbytes(12).hex()},H100,{draws.uniform(1, 9):.6f}\n"
        for n in range(rows)
    )


def refused(said: Said, *words: str) -> None:
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert any(word in said.err for word in words), said.err


def intact(folder: Path, batches: int) -> None:
    opened = Workspace.open(folder, database_url=None)
    assert len(opened.store.ledger()) == batches
    assert opened.store.check_files() == []
    assert not list(folder.rglob(".*.tmp"))
    assert verify(opened, level=2).passed
    opened.store.close()


def test_a_full_disk_is_a_sentence_wherever_it_fills(small_disk: Path, tmp_path: Path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    folder = small_disk / "w"
    assert type_words("init", folder).code == 0
    (tmp_path / "few.csv").write_text(FEW)
    ask("ingest", "tabular", tmp_path / "few.csv", "--workspace", folder)
    batches = 1
    for seed, rows in enumerate((40_000, 20_000, 14_000, 12_000, 10_000)):
        # the payload does not fit, then the observations beside it do not
        (tmp_path / "many.csv").write_text(many(rows, seed))
        said = type_words("ingest", "tabular", tmp_path / "many.csv", "--workspace", folder)
        if said.code == 0:
            batches += 1
        else:
            refused(said, "disk is full")
        intact(folder, batches)
    assert batches < 6


def elsewhere(*words: str | Path) -> Said:
    """A command in a process of its own, which keeps no file open afterwards."""
    program = "import sys; from rentmark.cli import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return Said(done.returncode, done.stdout, done.stderr)


def test_a_read_only_disk_is_a_sentence(small_disk: Path, tmp_path: Path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    folder = small_disk / "w"
    (tmp_path / "few.csv").write_text(FEW)
    (tmp_path / "more.csv").write_text(FEW.replace("08-14", "08-15"))
    more = ("ingest", "tabular", tmp_path / "more.csv", "--workspace", folder)
    assert elsewhere("init", folder).code == 0
    assert elsewhere("ingest", "tabular", tmp_path / "few.csv", "--workspace", folder).code == 0
    assert run("mount", "-o", "remount,ro", str(small_disk)) == ""
    refused(elsewhere(*more), "read-only", "can't be opened")
    assert run("mount", "-o", "remount,rw", str(small_disk)) == ""
    intact(folder, 1)
    assert ask(*more)["accepted"] == 5
