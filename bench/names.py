"""Reading a million raw names: seconds, and that each distinct name is read once.

Issue target: 1e6 raw names in under 2 s. Three shapes: a market's (about a hundred names over and over), a
market with a long tail (a thousand), and one in which a tenth of all names are new. The last has no target:
it says what a distinct name costs. The baseline is what a newcomer writes with pandas: three patterns over every
name, for chip, form factor and memory, which read less and refuse nothing. Run it with ``python bench/names.py
[RESULT.md]``; rows are kept in ``build/bench.json``.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from measuring import Measured, in_a_process, in_turns, keep, row, tell
from rentmark.grades import read_names
from rentmark.grades.names import NameReading
from rentmark.records import Refusal

COUNT = 1_000_000
TARGET_SECONDS = 2.0
ANSWERS = Path(__file__).resolve().parents[1] / "tests" / "grades" / "names_answers.csv"


def shapes() -> list[tuple[str, int, bool]]:
    """(what it is, distinct names, whether the target holds for it)."""
    return [
        ("a market's names, over and over", 110, True),
        ("with a long tail", 1_000, True),
        ("a tenth of all names are new", COUNT // 10, False),
    ]


def names_of(distinct: int) -> list[str]:
    """COUNT names of which ``distinct`` differ: those of the answers table, then the same with a count."""
    with ANSWERS.open(encoding="utf-8", newline="") as handle:
        known = [row["name"] for row in csv.DictReader(handle)]
    counted = (f"{1 + at // len(known)}x {known[at % len(known)]}" for at in range(distinct))
    pool = [*known, *counted][:distinct]
    return [pool[at % distinct] for at in range(COUNT)]


def measure(distinct: int) -> tuple[float, int, int]:
    """Seconds, names read and names refused, each name counted."""
    names = names_of(distinct)
    begin = time.perf_counter()
    readings = read_names(names)
    seconds = time.perf_counter() - begin
    read = sum(isinstance(reading, NameReading) for reading in readings)
    refused = sum(isinstance(reading, Refusal) for reading in readings)
    assert read + refused == COUNT
    return seconds, read, refused


PATTERNS = (
    r"(?i)\b(H100|H200|GH200|B200|B300|GB200|A100|A10|L40S|L40|L4|MI300X|V100|T4|RTX ?\d{4})\b",
    r"(?i)(SXM|PCIe|NVL|OAM)",
    r"(?i)(\d+) ?(?:GB|GiB)",
)
"""Chip, form factor and memory as a newcomer looks for them."""


def in_pandas(names: list[str]) -> Callable[[], object]:
    """Three extractions over a column of a million names."""
    import pandas as pd

    column = pd.Series(names, dtype="str")
    return lambda: [column.str.extract(pattern) for pattern in PATTERNS]


def rows() -> list[dict[str, Any]]:
    """Ours beside pandas, five turns, each in a process of its own."""
    made = []
    for what, distinct, _ in (shapes()[0], shapes()[-1]):
        runs: dict[str, Callable[[], Measured]] = {
            name: partial(in_a_process, __file__, "--one", name, str(distinct)) for name in ("ours", "pandas")
        }
        found = in_turns(runs, 5)
        size = f"{COUNT:,} ({distinct:,} distinct)"
        case = f"names, {what}"
        made.append(row(case, size, found["ours"], "pandas, three str.extract", found["pandas"]))
    return made


def main() -> int:
    """Print, and keep where a file is named; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", help="page to write")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        names = names_of(int(asked.one[1]))
        tell((lambda: read_names(names)) if asked.one[0] == "ours" else in_pandas(names))
        return 0
    how = f"Measured {datetime.now(UTC):%Y-%m-%d} with `python bench/names.py docs/names.md` on {platform.machine()}, Python "
    how += f"{platform.python_version()}, one core. Target: {COUNT:,} names in under {TARGET_SECONDS:g} s."
    lines = [
        "# Reading a million raw names",
        "",
        "<!-- written by bench/names.py -->",
        "",
        how,
        "",
        "| names | distinct | read | refused | seconds | target |",
        "|---|---|---|---|---|---|",
    ]
    missed = False
    for what, distinct, targeted in shapes():
        seconds, read, refused = measure(distinct)
        met = seconds < TARGET_SECONDS
        missed |= targeted and not met
        verdict = ("met" if met else "MISSED") if targeted else "none"
        lines.append(f"| {what} | {distinct:,} | {read:,} | {refused:,} | {seconds:.2f} | {verdict} |")
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if asked.result:
        asked.result.write_text(text, encoding="utf-8")
    keep(rows())
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
