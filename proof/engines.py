"""One canonical tape from every engine: DuckDB on one and two threads, shuffled input, and Spark on two workers.

Run: ``python proof/engines.py [--rows 1000000] [--offers FILE]``. It builds and publishes ten benchmarks from a year of
invented offers, and four benchmarks from a file of real offers (by default the one the tests read, where it is there),
each engine in a copy of the workspace, and compares the SHA-256 of all tape rows without clock columns. Input is shuffled
by rows: of the archive's batches, or of the file before it is read. Writes the measured part of ``docs/engines.md``;
exit 1 where one differs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rentmark.records import canonical_fixing, canonical_json
from rentmark.store.engines import DuckDBEngine, Engine, SparkEngine
from rentmark.workspace import Workspace, ingest_files, publish
from rentmark.workspace.building import Reader, build_several

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))
from full_build import DAYS, FIRST_DAY, RULES, commit, offers  # noqa: E402 - a script beside this one, no package

SHARED = Path(os.environ.get("RENTMARK_SHARED_DATA", ROOT.parent / "shared" / "data"))
OFFERS = SHARED / "offers" / "offers_2022-02_2026-08.csv.gz"
RESULT = ROOT / "docs" / "engines.md"
BEGIN, END = "<!-- written by proof/engines.py -->", "<!-- up to here -->"
MASTER = "local-cluster[2,1,1024]"
REAL = """
[grades.h100]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"
[grades.a100]
chip = "A100"
pricing = "on_demand"
[grades.b200]
chip = "B200"
[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3
[methodologies.at-four]
version = "1.0.0"
inputs = ["executable", "listed"]
seller_statistic = "mean"
vote = ["seller", "region"]
cutoff = "16:00 America/New_York"
lookback_hours = 72
fallback = "carry"
carry_days = 3
[benchmarks.h100-list]
grade = "h100"
methodology = "list-median"
[benchmarks.a100-list]
grade = "a100"
methodology = "list-median"
[benchmarks.b200-list]
grade = "b200"
methodology = "list-median"
[benchmarks.h100-at-four]
grade = "h100"
methodology = "at-four"
"""
"""Three that share a pass over each month, and one with a panel of its own: cut-off, look-back, regions, carry."""


@dataclass(frozen=True, slots=True)
class Case:
    """The same offers as two archives, the second with its rows in another order."""

    name: str
    in_order: Path
    shuffled: Path


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to make the tape, and what it came to."""

    case: str
    how: str
    rows: int
    digest: str
    seconds: float


def invented(folder: Path, rows: int) -> Case:
    """A year of invented offers: a batch a month, or the same rows in any order, each month cut in three."""
    case = Case(f"{rows:,} invented offers", folder / "in-order", folder / "shuffled")
    for root, parts in ((case.in_order, 1), (case.shuffled, 3)):
        workspace = Workspace.create(root, database_url=None, text=RULES)
        chance = np.random.default_rng(5)
        first = FIRST_DAY
        for month in range(12):
            following = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
            days = (following - first).days
            table = offers(first, days, rows * days // DAYS, month)
            order = np.arange(table.num_rows) if parts == 1 else chance.permutation(table.num_rows)
            for number, places in enumerate(np.array_split(order, parts)):
                commit(workspace.store, table.take(places), f"{month}-{number}-{parts}")
            first = following
        workspace.store.close()
    return case


def real(folder: Path, file: Path) -> Case:
    """A file of offers as it is, and with its lines in another order."""
    payload = file.read_bytes()
    text = (gzip.decompress(payload) if file.suffix == ".gz" else payload).decode("utf-8")
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    random.Random(5).shuffle(lines)  # noqa: S311 - an order, no secret
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([header, *lines])
    other = folder / "shuffled.csv"
    other.write_text(written.getvalue(), encoding="utf-8")
    case = Case(f"{len(lines):,} real offers", folder / "in-order", folder / "shuffled")
    for root, source in ((case.in_order, file), (case.shuffled, other)):
        workspace = Workspace.create(root, database_url=None, text=REAL)
        for outcome in ingest_files(workspace, "tabular", [source]):
            assert not outcome.nothing_done, outcome
        workspace.store.close()
    return case


def tape(source: Path, engine: Engine) -> tuple[int, str]:
    """How many rows a copy of a workspace publishes, and the SHA-256 of all of them without clock columns."""
    copy = source.with_name(f"{source.name}-built")
    shutil.copytree(source, copy)
    workspace = Workspace.open(copy, database_url=None)
    names = list(workspace.configuration.benchmarks)
    build_several(workspace, names, reader=Reader(workspace, engine), afresh=True)
    for name in names:
        assert publish(workspace, name, actor="proof"), name
    rows = [canonical_fixing(row) for name in names for row in workspace.store.tape_sequence(name)]
    workspace.store.close()
    shutil.rmtree(copy)
    return len(rows), hashlib.sha256(canonical_json(rows)).hexdigest()


def answers(case: Case, spark: SparkEngine) -> Iterator[Answer]:
    """The tape of a case in every way."""
    engines: dict[str, Callable[[], AbstractContextManager[Engine]]] = {
        "DuckDB, 1 thread": lambda: DuckDBEngine(threads=1),
        "DuckDB, 2 threads": lambda: DuckDBEngine(threads=2),
        f"Spark, `{MASTER}`": lambda: nullcontext(spark),
    }
    for order, root in (("", case.in_order), (", shuffled input", case.shuffled)):
        for how, start in engines.items():
            begun = time.perf_counter()
            with start() as engine:
                rows, digest = tape(root, engine)
            yield Answer(case.name, how + order, rows, digest, time.perf_counter() - begun)


def page(found: list[Answer], command: str) -> str:
    """The measured part of the page."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    agree = all(len({a.digest for a in found if a.case == case}) == 1 for case in {a.case for a in found})
    said = "Every way of a case gave the same tape." if agree else "**Not all ways gave the same tape.**"
    return "\n".join(
        [
            (
                f"Run on {datetime.now(UTC):%Y-%m-%d} with `{command}` on {platform.machine()} with {os.cpu_count()} "
                f"cores and {memory:.0f} GB, Python {platform.python_version()}, DuckDB {version('duckdb')}, Spark "
                f"{version('pyspark')}. {said} The digest is the start of the SHA-256 of all tape rows without clock "
                "columns; seconds are of building and publishing, on a machine that did other work as well."
            ),
            "",
            "| offers | engine | tape rows | digest | seconds |",
            "|---|---|---:|---|---:|",
            *(f"| {a.case} | {a.how} | {a.rows:,} | `{a.digest[:16]}` | {a.seconds:.1f} |" for a in found),
        ]
    )


def main() -> int:
    """Compare, write, and say by the exit code whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    held = OFFERS if OFFERS.is_file() else None
    parser.add_argument("--offers", type=Path, default=held, help="a file that the tabular feed reads")
    asked = parser.parse_args()
    found: list[Answer] = []
    with tempfile.TemporaryDirectory(prefix="rentmark-engines-") as folder, SparkEngine(MASTER) as spark:
        cases = [invented(Path(folder, "invented"), asked.rows)]
        if asked.offers is not None:
            Path(folder, "real").mkdir()
            cases.append(real(Path(folder, "real"), asked.offers))
        for case in cases:
            for answer in answers(case, spark):
                found.append(answer)
                print(answer, flush=True)
    given = "" if asked.offers is None else f" --offers {asked.offers.name}"
    before, _, rest = RESULT.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    measured = page(found, f"python proof/engines.py --rows {asked.rows}{given}")
    RESULT.write_text(f"{before}{BEGIN}\n\n{measured}\n\n{END}{after}", encoding="utf-8")
    return 0 if all(a.digest == b.digest for a in found for b in found if a.case == b.case) else 1


if __name__ == "__main__":
    sys.exit(main())
