"""Sixty ingests killed without warning, on SQLite and on PostgreSQL, and what was there afterwards.

Run: ``python proof/kill_ingest.py``. Writes ``docs/kill-ingest.md``.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "store"))

from killing import BAD, REPEATED, kill_once, moments, reference, write_offers  # noqa: E402
from postgres import found, new_schema, serving  # noqa: E402

RESULT = ROOT / "docs" / "kill-ingest.md"
FILES, ROWS = 8, 20_000


@contextmanager
def databases(kinds: list[str]) -> Iterator[dict[str, Iterator[str | None]]]:
    """For each kind of database, one after another that is empty."""
    if "PostgreSQL" not in kinds:
        yield {"SQLite": iter(lambda: None, 0)}
        return
    with serving() as server:

        def schemas() -> Iterator[str]:
            for number in range(10_000):
                yield new_schema(server, f"killed_{number}")

        yield {"SQLite": iter(lambda: None, 0), "PostgreSQL": schemas()}


def main() -> int:
    """Kill, look, repeat, look again; exits 1 where anything did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="over both databases together")
    parser.add_argument("--seed", type=int, default=20261130)
    asked = parser.parse_args()
    kinds = ["SQLite", "PostgreSQL"] if found() else ["SQLite"]
    if len(kinds) == 1:
        print("PostgreSQL is missing: run `apt-get install postgresql`; SQLite alone is tried.")
    started = time.monotonic()
    left: dict[str, Counter[int]] = {}
    lasted: dict[str, float] = {}
    violations: dict[str, list[str]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory(prefix="rentmark-kill-") as folder, databases(kinds) as empty:
        base = Path(folder)
        paths = write_offers(base, FILES, ROWS)
        for kind in kinds:
            expected = reference(base / f"reference-{kind}", next(empty[kind]), paths, ROWS)
            lasted[kind], left[kind] = expected.seconds, Counter()
            chosen = moments(asked.kills // len(kinds), expected.seconds, asked.seed)
            for number, after in enumerate(chosen):
                root = base / f"{kind}-{number}"
                try:
                    left[kind][kill_once(root, next(empty[kind]), paths, ROWS, after, expected)] += 1
                except AssertionError as found_wrong:
                    violations[kind].append(f"{kind}, kill {number + 1} after {after:.3f} s: {found_wrong}")
                print(f"{kind} kill {number + 1} after {after:.2f} s", flush=True)
    RESULT.write_text(_page(left, lasted, violations, asked.seed, time.monotonic() - started))
    print(RESULT.read_text())
    return int(any(violations.values()))


def _page(
    left: dict[str, Counter[int]],
    lasted: dict[str, float],
    violations: dict[str, list[str]],
    seed: int,
    seconds: float,
) -> str:
    kills = sum(sum(counts.values()) for counts in left.values()) + sum(map(len, violations.values()))
    made = f"{datetime.now(UTC):%Y-%m-%d} on {platform.machine()}, Python {platform.python_version()}, seed {seed}"
    lines = [
        "# Ingests killed without warning",
        "",
        "<!-- written by proof/kill_ingest.py -->",
        "",
        (
            f"Run on {made}, in {seconds:.0f} s: {kills} processes of `rentmark ingest tabular` with {FILES} files of "
            f"{ROWS:,} invented offers each ({BAD} rows refused and {REPEATED} repeated in every file) got `kill -9` "
            "at random moments between a third of the usual time and its end. After each kill the workspace was "
            "opened and looked at, the same command was given again, the benchmark built and published, and "
            "everything verified at level 2."
        ),
        "",
        "| database | usual seconds | batches there after the kill (times) | kills after which all held | did not |",
        "|---|---|---|---|---|",
    ]
    for kind, counts in left.items():
        spread = ", ".join(f"{batches} ({times})" for batches, times in sorted(counts.items()))
        lines.append(
            f"| {kind} | {lasted[kind]:.1f} | {spread} | {sum(counts.values())} | {len(violations[kind])} |"
        )
    lines += [
        "",
        (
            "*All* is: after the kill each batch in the ledger has all of its observations, rejects and files; no "
            "file is left that no batch names, and no temporary file; the SHA-256 of every file is the recorded one. "
            "After the repetition each file is in exactly once, what was there before is reported as already "
            "ingested, the fixings and their input digests are those of an ingest that nobody stopped, and "
            "`index verify --level 2` finds every payload identical."
        ),
        "",
        *(f"- {sentence}" for kind in violations for sentence in violations[kind]),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
