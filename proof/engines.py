"""One canonical tape from every engine: DuckDB on one and two threads, shuffled input, and Spark on two workers.

Run: ``python proof/engines.py [--rows 1000000] [--offers FILE]``. It builds ten benchmarks from a year of invented
offers, and the H100 list benchmark from a file of real offers where one is given, and compares the SHA-256 of all
fixings without clock columns. Prints a row each; exit 1 where one differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rentmark.records import canonical_fixing, canonical_json
from rentmark.store.engines import DuckDBEngine, SparkEngine
from rentmark.workspace import Workspace, ingest_files
from rentmark.workspace.building import Reader, build_several

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from full_build import DAYS, FIRST_DAY, RULES, commit, offers

MASTER = "local-cluster[2,1,1024]"
REAL = """
[grades.h100]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"
[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3
[benchmarks.h100-list]
grade = "h100"
methodology = "list-median"
"""


def archive(root: Path, rows: int, *, shuffled: bool) -> Workspace:
    """A year of invented offers: a batch a month, or the same rows in any order, cut in three."""
    workspace = Workspace.create(root, database_url=None, text=RULES)
    chance = np.random.default_rng(5)
    first = FIRST_DAY
    for month in range(12):
        following = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
        days = (following - first).days
        table = offers(first, days, rows * days // DAYS, month)
        parts = [np.arange(table.num_rows)]
        if shuffled:
            parts = np.array_split(chance.permutation(table.num_rows), 3)
        for number, places in enumerate(parts):
            commit(workspace.store, table.take(places), f"{month}-{number}-{len(parts)}")
        first = following
    return workspace


def digest(workspace: Workspace, engine: Any) -> str:
    """SHA-256 of everything the benchmarks come to, without clocks."""
    names = list(workspace.configuration.benchmarks)
    found = build_several(workspace, names, reader=Reader(workspace, engine), afresh=True)
    made = [[canonical_fixing(f) for f in each.made] for each in found.values()]
    return hashlib.sha256(canonical_json(made)).hexdigest()


def answers(
    workspace: Workspace, shuffled: Workspace | None, spark: SparkEngine
) -> Iterator[tuple[str, str, float]]:
    """How, what and in how many seconds."""
    for threads in (1, 2):
        with DuckDBEngine(threads=threads) as engine:
            start = time.perf_counter()
            yield f"DuckDB, {threads} threads", digest(workspace, engine), time.perf_counter() - start
    if shuffled is not None:
        with DuckDBEngine(threads=2) as engine:
            start = time.perf_counter()
            yield "DuckDB, shuffled input", digest(shuffled, engine), time.perf_counter() - start
    start = time.perf_counter()
    yield f"Spark, {MASTER}", digest(workspace, spark), time.perf_counter() - start


def main() -> int:
    """Compare, print, and say by the exit code whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--offers", type=Path, help="a file that the tabular feed reads")
    asked = parser.parse_args()
    agree = True
    with tempfile.TemporaryDirectory(prefix="rentmark-engines-") as folder, SparkEngine(MASTER) as spark:
        root = Path(folder)
        cases: list[tuple[str, Workspace, Workspace | None]] = [
            (
                f"{asked.rows:,} invented offers",
                archive(root / "one", asked.rows, shuffled=False),
                archive(root / "two", asked.rows, shuffled=True),
            )
        ]
        if asked.offers is not None:
            real = Workspace.create(root / "real", database_url=None, text=REAL)
            ingest_files(real, "tabular", [asked.offers])
            cases.append((asked.offers.name, real, None))
        for case, workspace, shuffled in cases:
            found = set()
            for how, said, seconds in answers(workspace, shuffled, spark):
                found.add(said)
                print(f"| {case} | {how} | {said[:16]} | {seconds:.1f} |", flush=True)
            agree &= len(found) == 1
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
