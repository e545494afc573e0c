"""Every bench, one table and one JSON: ``docs/benchmarks.md`` and ``build/bench.json``.

Run: ``python bench/all.py`` (hours at 1e8 rows; ``--rows 1000000`` for less). Each script is started by itself and
appends its rows of ``case, size, seconds, baseline, baseline_seconds, ratio, peak_mb``; the starts of two commands are
measured here. ``--table`` only writes the page from the rows that stand. Exits 1 where a script failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "build" / "bench.json"
RESULT = ROOT / "docs" / "benchmarks.md"
SCRIPTS: tuple[tuple[str, ...], ...] = (
    ("names.py", "docs/names.md"),
    ("paths.py", "docs/bench-paths.md"),
    ("rolling.py", "docs/bench-rolling.md"),
    ("ingest.py",),
    ("hedge.py",),
    ("dashboard.py",),
)
STARTS = (("--help",), ("grade", "H100 SXM5 80GB"))
START_BOUND = 0.4
"""Seconds a command may take to start."""
PACKAGES = ("duckdb", "polars", "pandas", "numpy", "statsmodels", "arch")


def starts(repeat: int = 9) -> list[dict[str, Any]]:
    """How long two commands take, each beside an empty Python with the same flags."""
    rows = []
    program = str(Path(sys.executable).parent / "rentmark")
    for words in STARTS:
        ours, empty = [], []
        for _ in range(repeat):
            ours.append(_seconds([program, *words]))
            empty.append(_seconds([sys.executable, "-c", "pass"]))
        taken, bare = statistics.median(ours), statistics.median(empty)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        rows.append(
            {
                "case": f"start of `rentmark {words[0]}`, at most {START_BOUND} s", "size": 1, "seconds": round(taken, 3),
                "baseline": "an empty Python", "baseline_seconds": round(bare, 3),
                "ratio": round(taken / bare, 2), "peak_mb": round(peak),
            }
        )  # fmt: skip
    return rows


def _seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def page(rows: list[dict[str, Any]], failed: list[str]) -> str:
    """The table, the machine and how to repeat."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in PACKAGES if _installed(name))
    lines = [
        "# Benchmarks",
        "",
        "<!-- written by bench/all.py -->",
        "",
        (
            f"Run on {datetime.now(UTC):%Y-%m-%d} on {platform.machine()} with {os.cpu_count()} cores and {memory:.0f} GB, "
            f"Python {platform.python_version()}, {libraries}. Repeat: `make bench`. A ratio under 1 is faster than the "
            "baseline, which does the same work in the same run on the same machine; seconds alone say little. What is "
            "slower is in bold."
        ),
        "",
        "| case | size | seconds | baseline | its seconds | ratio | peak MB |",
        "|---|---|---:|---|---:|---:|---:|",
    ]
    for row in rows:
        size = f"{row['size']:,}" if isinstance(row["size"], int) else row["size"]
        ratio = f"{row['ratio']:.3g}"
        lines.append(
            f"| {row['case']} | {size} | {row['seconds']:.3g} | {row['baseline']} | {row['baseline_seconds']:.3g} | "
            f"{f'**{ratio}**' if row['ratio'] > 1 else ratio} | {row['peak_mb']:,.0f} |"
        )
    lines += ["", *(f"- {name} failed and has no rows." for name in failed)]
    return "\n".join(lines).rstrip() + "\n"


def _installed(name: str) -> bool:
    try:
        version(name)
    except ImportError:
        return False
    return True


def main() -> int:
    """Run every script and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--only", nargs="+", help="names of scripts, as hedge.py")
    parser.add_argument("--table", action="store_true", help="write the page from the rows that stand")
    asked = parser.parse_args()
    failed = []
    if not asked.table:
        ROWS.unlink(missing_ok=True)
        builds = ("full_build.py", "--rows", *map(str, asked.rows))
        for script, *words in (builds, *SCRIPTS):
            if asked.only and script not in asked.only:
                continue
            print(f"{script} …", file=sys.stderr, flush=True)
            command = [sys.executable, str(ROOT / "bench" / script), *words]
            if subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode:
                failed.append(script)
    kept = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else []
    if not asked.table:
        kept += starts()
        ROWS.parent.mkdir(exist_ok=True)
        ROWS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    RESULT.write_text(page(kept, failed), encoding="utf-8")
    print(RESULT.read_text(encoding="utf-8"))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
