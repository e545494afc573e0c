"""Verifying a tape, beside building it, and beside reading the same files once: their SHA-256 by hashlib, and DuckDB on
the same Parquet or the same CSV.

Run: ``python bench/verify.py [--rows 1000000] [--archives FOLDER]``. Level 1 holds every file against its SHA-256, every
link of the chain, and every field of some 1,680 rows of five benchmarks against what the archive gives again. Level 2 also
parses each raw payload again and compares identities. The offers are invented. Rows are kept in ``build/bench.json``.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from full_build import BARE
from measuring import Measured, in_a_process, in_turns, keep, row, tell
from panel import files_of

from ingest import CHIPS, FIRST_DAY, NARROW, write_csv

PAYLOADS = 12
RULES = "\n".join(
    [
        '[methodologies.list-median]\nversion = "1.0.0"\ninputs = ["listed"]\nmin_sellers = 3',
        *(
            f'[grades.g{n}]\nchip = "{chip[0]}"\npricing = "on_demand"\n'
            f'[benchmarks.b{n}]\ngrade = "g{n}"\nmethodology = "list-median"'
            for n, chip in enumerate(CHIPS)
        ),
    ]
)


def ingested(folder: Path, rows: int) -> tuple[Path, list[Path]]:
    """A workspace that read invented CSV payloads, four weeks each, with five benchmarks on the tape; and the payloads.

    It is made where it does not stand.
    """
    from rentmark.workspace import Workspace, build_and_publish, ingest_files

    root = folder / f"ingested-{rows}"
    payloads = [folder / f"payload-{rows}-{number}.csv" for number in range(PAYLOADS)]
    if not root.exists():
        for number, path in enumerate(payloads):
            first = FIRST_DAY + timedelta(days=28 * number)
            write_csv(path, rows // PAYLOADS, columns=NARROW, first=first, days=28, seed=number)
        workspace = Workspace.create(root, database_url=None, text=RULES)
        ingest_files(workspace, "tabular", payloads)
        build_and_publish(workspace, list(workspace.configuration.benchmarks), actor="bench")
        workspace.store.close()
    return root, payloads


def verifying(root: Path, level: int) -> Callable[[], None]:
    """What ``rentmark index verify --level`` does; it must pass."""
    import duckdb  # noqa: F401 - what is imported is not timed, nor is it of the baselines
    import ibis
    from rentmark.workspace import Workspace, verify

    ibis.duckdb.connect().disconnect()
    workspace = Workspace.open(root, database_url=None)

    def run() -> None:
        found = verify(workspace, level=level)
        assert found.passed, found
        assert found.rows_checked > 0

    return run


def building(root: Path) -> Callable[[], None]:
    """What ``rentmark index build --all --afresh`` does: the same fixings, kept as candidates and held against nothing."""
    import duckdb  # noqa: F401 - as above
    import ibis
    from rentmark.workspace import Workspace
    from rentmark.workspace.building import Reader, build_several

    ibis.duckdb.connect().disconnect()
    workspace = Workspace.open(root, database_url=None)

    def run() -> None:
        with workspace.engine() as engine:
            names = list(workspace.configuration.benchmarks)
            made = build_several(workspace, names, reader=Reader(workspace, engine), afresh=True)
        assert all(each.made for each in made.values())

    return run


def summing(files: list[Path]) -> Callable[[], None]:
    """Python's own SHA-256 of each file, as ``sha256sum`` gives it."""

    def run() -> None:
        for path in files:
            with path.open("rb") as file:
                hashlib.file_digest(file, "sha256").hexdigest()

    return run


def reading(files: list[Path], sql: str) -> Callable[[], None]:
    """One DuckDB query over the files with its defaults."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    listed = "[" + ", ".join(f"'{file}'" for file in files) + "]"

    def run() -> None:
        connection.execute(sql.format(files=listed)).fetchall()

    return run


def contender(name: str, root: Path, files: list[Path], scratch: str) -> Callable[[], None]:
    """What a process of its own runs."""
    if name in {"1", "2"}:
        return verifying(root, int(name))
    if name == "build":
        return building(root)
    if name == "sums":
        return summing(files)
    csv = f"copy (from read_csv({{files}})) to '{scratch}/again.parquet' (format parquet)"
    return reading(files, BARE if name == "medians" else csv)


def compare(
    case: str, rows: int, root: Path, files: list[Path], ours: str, baselines: dict[str, str], repeat: int
) -> list[dict[str, Any]]:
    """Ours in turn with each baseline."""
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as scratch:
        words = [str(root), scratch, *map(str, files)]
        runs: dict[str, Callable[[], Measured]] = {
            name: partial(in_a_process, __file__, "--one", name, *words) for name in (ours, *baselines)
        }
        found = in_turns(runs, repeat)
    return [row(case, rows, found[ours], said, found[name]) for name, said in baselines.items()]


def main() -> None:
    """Measure and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--archives", type=Path, help="folder of archives to use and keep")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        name, root, scratch, *named = asked.one
        tell(contender(name, Path(root), [Path(file) for file in named], scratch))
        return
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as scratch:
        folder = asked.archives or Path(scratch)
        for rows in asked.rows:
            root, payloads = ingested(folder, rows)
            stored = files_of(root)
            sums = "SHA-256 of the same files by hashlib"
            build = "full build of the same benchmarks"
            level_1 = {
                "build": build,
                "sums": sums,
                "medians": "DuckDB, two-level median of the same Parquet",
            }
            keep(compare("verify, level 1", rows, root, stored, "1", level_1, asked.repeat))
            level_2 = {
                "build": build,
                "sums": sums,
                "csv": "DuckDB, read_csv of the same payloads to Parquet",
            }
            keep(compare("verify, level 2", rows, root, payloads, "2", level_2, asked.repeat))


if __name__ == "__main__":
    main()
