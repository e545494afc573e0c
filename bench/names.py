"""Reading a million raw names: seconds, and that each distinct name is read once.

Issue target: 1e6 raw names in under 2 s. Three shapes: a market's (about a hundred names over and over), a
market with a long tail (a thousand), and one in which a tenth of all names are new. The last has no target:
it says what a distinct name costs. Run it with ``python bench/names.py [RESULT.md]``.
"""

from __future__ import annotations

import csv
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

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


def main() -> int:
    """Print, and keep where a file is named; 1 where a target is missed."""
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
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
