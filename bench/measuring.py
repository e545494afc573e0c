"""What the benches share: processes of their own, turns, medians, and rows of ``build/bench.json``.

A row holds ``case, size, seconds, baseline, baseline_seconds, ratio, peak_mb`` and, where it was measured,
``baseline_peak_mb``. Contenders take turns, so that a busy machine slows them alike; each run is a process of its own
that has imported what it needs before the clock starts, and its peak is the high-water mark of that process.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROWS = Path("build/bench.json")
"""Where rows are kept, in the folder a bench is started from."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians of one contender over its turns."""

    seconds: float
    peak_mb: float


def seconds_of(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def peak_mb() -> float:
    """Most memory this process ever held, in MB of 2^20 bytes.

    The kernel's high-water mark: that of getrusage would start from the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def tell(run: Callable[[], object]) -> None:
    """Run once and print seconds and peak as JSON: the end of a process started by ``in_a_process``."""
    seconds = seconds_of(run)
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb()}))


def in_a_process(script: str, *words: str) -> Measured:
    """One run of a script's contender in a process of its own, which ends with ``tell``.

    Raises SystemExit with what it said where it fails.
    """
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


_SAY_PEAK = """
import atexit, sys
def say():
    lines = open('/proc/self/status').read().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith('VmHWM')), file=sys.__stderr__)
atexit.register(say)
"""
COMMAND = "import sys; sys.argv[0] = 'rentmark'; from rentmark.cli import main; main()"
"""What the installed script does, in a Python whose high-water mark can be read at the end."""


def of_python(code: str, words: Sequence[str] = ()) -> Measured:
    """A Python process from outside: seconds of all of it, its start included, and its own high-water mark.

    Raises SystemExit with what it said where it fails.
    """
    said = []

    def run() -> None:
        command = [sys.executable, "-c", f"{_SAY_PEAK}\n{code}", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr or done.stdout)
        said.append(int(done.stderr.split()[-1]) / 1024)

    return Measured(seconds_of(run), said[0])


def in_turns(contenders: Mapping[str, Callable[[], Measured]], repeat: int) -> dict[str, Measured]:
    """Each contender ``repeat`` times, in turn; medians of each."""
    taken: dict[str, list[Measured]] = {name: [] for name in contenders}
    for _ in range(repeat):
        for name, run in contenders.items():
            taken[name].append(run())
    return {
        name: Measured(
            statistics.median(each.seconds for each in runs), statistics.median(each.peak_mb for each in runs)
        )
        for name, runs in taken.items()
    }


def row(case: str, size: int | str, ours: Measured, baseline: str, theirs: Measured) -> dict[str, Any]:
    """One line of the table: ours beside one baseline of the same run."""
    return {
        "case": case,
        "size": size,
        "seconds": round(ours.seconds, 4),
        "baseline": baseline,
        "baseline_seconds": round(theirs.seconds, 4),
        "ratio": round(ours.seconds / theirs.seconds, 6),
        "peak_mb": round(ours.peak_mb),
        "baseline_peak_mb": round(theirs.peak_mb),
    }


def rows_kept(path: Path = ROWS) -> list[dict[str, Any]]:
    """The rows that stand."""
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def keep(rows: Sequence[dict[str, Any]], path: Path = ROWS) -> None:
    """Print rows and keep them dated, in place of those of the same case, size and baseline."""
    made = {(row["case"], row["size"], row["baseline"]) for row in rows}
    others = [row for row in rows_kept(path) if (row["case"], row["size"], row["baseline"]) not in made]
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    for each in rows:
        print(json.dumps(each), flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([*others, *({**each, "measured": today} for each in rows)], indent=1) + "\n")
