"""Every bench, one table and one JSON: ``docs/benchmarks.md`` and ``build/bench.json``.

Run: ``python bench/all.py`` (``make bench``): 1e6 and 1e7 rows, some 25 minutes on two quiet cores. ``--rows 1000000``
takes less, ``--rows 100000000`` another half hour and 40 GB of disk. ``--only panel verify`` runs some steps and
``--skip dashboard`` all but some; ``--resume`` leaves out what has rows. Rows that stand are kept until their step is
measured anew, so a run may be broken off and taken up. ``--dashboard-workspace FOLDER`` (or
RENTMARK_BENCH_WORKSPACE) gives the dashboard's bench a workspace kept by ``bench/dashboard.py --keep FOLDER``.
``--table`` only writes the page. Exits 1 where a step gave no rows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measuring import ROWS, rows_kept
from table import STEPS, machine, page, step_of

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ROWS
RESULT = ROOT / "docs" / "benchmarks.md"
DEFAULT_ROWS = (1_000_000, 10_000_000)
LARGE = 100_000_000
"""Rows from which a build is measured once, and pandas, which would need 20 GB, is left out."""


@dataclass(frozen=True, slots=True)
class Run:
    """One start of a script: the step its rows belong to, and the size they are of where the step is sized."""

    step: str
    words: tuple[str, ...]
    size: int | None = None

    @property
    def name(self) -> str:
        """How it is told to whoever waits."""
        return self.step if self.size is None else f"{self.step} {self.size:,}"


def runs(rows: Sequence[int], dashboard: str | None, archives: Path) -> list[Run]:
    """All starts, short ones first, so that a run that is broken off leaves most of the table."""
    docs = ROOT / "docs"
    made = [
        Run("commands", ("commands.py",)),
        Run("rolling", ("rolling.py", str(docs / "bench-rolling.md"))),
        Run("paths", ("paths.py", str(docs / "bench-paths.md"))),
        Run("names", ("names.py", str(docs / "names.md"))),
        Run("hedge", ("hedge.py", "--books", "100")),
        Run("ingest", ("ingest.py",)),
    ]
    shared = ("--archives", str(archives))
    few = ("--repeat", "3")  # of what takes a quarter of a minute or more each time
    made += [Run("verify", ("verify.py", "--rows", str(n), *few, *shared), n) for n in rows if n == min(rows)]
    made += [Run("panel", ("panel.py", "--rows", str(n), *shared), n) for n in rows if n < LARGE]
    for n in rows:
        once = ("--repeat", "1", "--skip-pandas")
        turns = once if n >= LARGE else few if n >= DEFAULT_ROWS[-1] else ()
        made.append(Run("full_build", ("full_build.py", "--rows", str(n), *turns), n))
    kept = () if dashboard is None else ("--keep", str(Path(dashboard).resolve()))
    return [*made, Run("dashboard", ("dashboard.py", *kept))]


def measure(run: Run) -> list[dict[str, Any]]:
    """Start a script in a folder of its own and return the rows it kept there; none where it failed before.

    A script that ends with 1 since a target is missed has kept its rows: the table says so.
    """
    script, *words = run.words
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
        command = [sys.executable, str(ROOT / "bench" / script), *words]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        rows = rows_kept(Path(folder) / ROWS)
    if not rows:
        print(
            f"{run.name} gave no rows:\n{(done.stderr or done.stdout)[-2000:]}", file=sys.stderr, flush=True
        )
    now = {"measured": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine()}
    return [{**row, **now} for row in rows]


def stands(run: Run, rows: Sequence[dict[str, Any]]) -> bool:
    """Whether rows of this start are there."""
    return any(belongs(row, run) for row in rows)


def belongs(row: dict[str, Any], run: Run) -> bool:
    """Whether a row is of this start."""
    return step_of(row) == run.step and run.size in {None, row["size"]}


def main() -> int:
    """Run what is asked and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=list(DEFAULT_ROWS))
    parser.add_argument("--only", nargs="+", choices=list(STEPS), help="steps to run")
    parser.add_argument("--skip", nargs="+", choices=list(STEPS), default=[], help="steps to leave out")
    parser.add_argument("--resume", action="store_true", help="leave out what has rows")
    parser.add_argument("--table", action="store_true", help="write the page from the rows that stand")
    parser.add_argument("--dashboard-workspace", default=os.environ.get("RENTMARK_BENCH_WORKSPACE") or None)
    asked = parser.parse_args()
    failed = []
    kept = rows_kept(KEPT)
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-archives-") as archives:
        for run in [] if asked.table else runs(asked.rows, asked.dashboard_workspace, Path(archives)):
            wanted = run.step in (asked.only or STEPS) and run.step not in asked.skip
            if not wanted or (asked.resume and stands(run, kept)):
                continue
            print(f"{datetime.now(UTC):%H:%M:%S} {run.name} …", file=sys.stderr, flush=True)
            made = measure(run)
            if not made:
                failed.append(run.name)
                continue
            kept = [row for row in rows_kept(KEPT) if not belongs(row, run)] + made
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
            RESULT.write_text(page(kept), encoding="utf-8")
    RESULT.write_text(page(kept, failed), encoding="utf-8")
    print(RESULT.read_text(encoding="utf-8"))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
