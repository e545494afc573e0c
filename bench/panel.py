"""The panel alone: votes and medians of a year of invented offers, beside DuckDB, polars and pandas on the same files.

Run: ``python bench/panel.py [--rows 1000000 10000000] [--archives FOLDER]``. Ours is what a build does before anything is
stored: each file's rows that were known, latest states, the grade's rules, one vote a seller, medians, quartiles, gates,
counts and input digests. Baselines read the same Parquet files and give the median of the sellers' medians, no more. The
values of all must be equal, or the bench stops. Ten benchmarks share one pass; one alone goes through the general
expression, which trades, look-backs, `explain` and `verify` need. Rows are kept in ``build/bench.json``.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from full_build import BARE, CHIPS, make_archive
from measuring import Measured, in_a_process, in_turns, keep, row, tell

Values = dict[tuple[str, date], float]
"""The median of the sellers' medians, in micro-USD, by chip and UTC day."""
ONE = CHIPS[0]
MOST_OF_ONE = 1_000_000
BASELINES = {
    "duckdb": "DuckDB, two-level median in SQL",
    "polars": "polars, scan_parquet and two group_by",
    "pandas": "pandas, two groupby().median()",
}


def archive(folder: Path, rows: int) -> Path:
    """A workspace with a year of invented offers, made where it does not stand."""
    root = folder / f"offers-{rows}"
    if not (root / "rentmark.toml").exists():
        make_archive(root, rows).store.close()
    return root


def files_of(root: Path) -> list[Path]:
    """Its Parquet files."""
    return sorted((root / "archive" / "observations").rglob("*.parquet"))


def ours_all(root: Path) -> Callable[[], Values]:
    """Candidates of all ten benchmarks, nothing stored."""
    from rentmark.store.engines import DuckDBEngine
    from rentmark.workspace import Workspace
    from rentmark.workspace.building import Reader, make_several

    workspace = Workspace.open(root, database_url=None)
    reader = Reader(workspace, DuckDBEngine())
    names = list(workspace.configuration.benchmarks)
    chips = dict(zip(names, CHIPS, strict=True))

    def run() -> Values:
        made = make_several(workspace, names, reader=reader, afresh=True)
        return {
            (chips[name], fixing.date): fixing.value_micros
            for name, built in made.items()
            for fixing in built.made
            if fixing.value_micros is not None
        }

    return run


def ours_one(root: Path) -> Callable[[], Values]:
    """Votes of one benchmark by the general panel, which asks every rule of every row."""
    from statistics import median

    from rentmark.index import windows_between
    from rentmark.store.engines import DuckDBEngine
    from rentmark.workspace import Workspace
    from rentmark.workspace.building import Reader, coverage

    workspace = Workspace.open(root, database_url=None)
    reader = Reader(workspace, DuckDBEngine())
    benchmark = workspace.configuration.benchmark(next(iter(workspace.configuration.benchmarks)))

    def run() -> Values:
        now = workspace.store.now()
        files = reader.files(seen_until=now, reconstructed=False)
        span = coverage(reader, benchmark, files, now, reconstructed=False)
        assert span is not None
        windows = windows_between(benchmark.methodology, *span, now)
        ballots = reader.ballots(benchmark, windows, files, reconstructed=False)
        return {
            (ONE, day): float(median(ballot.value_micros for ballot in votes))
            for day, votes in ballots.items()
        }

    return run


def in_duckdb(files: list[Path], chip: str | None) -> Callable[[], Values]:
    """The bare query of ``full_build``, of all chips or of one."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    listed = "[" + ", ".join(f"'{file}'" for file in files) + "]"
    source = f"read_parquet({listed})" + ("" if chip is None else f" where chip = '{chip}'")
    sql = BARE.replace("read_parquet({files})", source)
    return lambda: {(c, day): value for c, day, value in connection.execute(sql).fetchall()}


def in_polars(files: list[Path], chip: str | None) -> Callable[[], Values]:
    """The same, lazily, with polars' defaults."""
    import polars as pl

    def run() -> Values:
        scanned = pl.scan_parquet(files)
        if chip is not None:
            scanned = scanned.filter(pl.col("chip") == chip)
        found = (
            scanned.select("chip", "seller", pl.col("observed_at").dt.date().alias("day"), "price_micros")
            .group_by("chip", "day", "seller")
            .agg(pl.col("price_micros").median())
            .group_by("chip", "day")
            .agg(pl.col("price_micros").median())
            .collect()
        )
        return {(c, day): value for c, day, value in found.iter_rows()}

    return run


def in_pandas(files: list[Path], chip: str | None) -> Callable[[], Values]:
    """The same by pandas' own grouped medians, without a loop."""
    import pandas as pd

    def run() -> Values:
        columns = ["chip", "seller", "observed_at", "price_micros"]
        filters = None if chip is None else [("chip", "==", chip)]
        frame = pd.concat([pd.read_parquet(file, columns=columns, filters=filters) for file in files])
        frame["day"] = frame["observed_at"].dt.floor("D")
        sellers = frame.groupby(["chip", "day", "seller"])["price_micros"].median()
        found = sellers.groupby(["chip", "day"]).median()
        return {(c, day.date()): value for (c, day), value in found.items()}

    return run


def contender(name: str, root: Path, chip: str | None) -> Callable[[], Values]:
    """What a process of its own runs, with all it needs imported."""
    if name == "ours":
        return ours_all(root) if chip is None else ours_one(root)
    makes: dict[str, Callable[[list[Path], str | None], Callable[[], Values]]] = {
        "duckdb": in_duckdb, "polars": in_polars, "pandas": in_pandas,
    }  # fmt: skip
    return makes[name](files_of(root), chip)


def check_equal(root: Path, chip: str | None, baselines: list[str]) -> None:
    """Stop where a contender gives another value than ours, which rounds half a micro-dollar to even."""
    ours = contender("ours", root, chip)()
    for name in baselines:
        theirs = contender(name, root, chip)()
        if theirs.keys() != ours.keys() or any(abs(theirs[key] - ours[key]) > 1 for key in ours):
            raise SystemExit(
                f"{BASELINES[name]} and Rentmark differ on {root}; a bench of unlike work says nothing."
            )


def measure(root: Path, rows: int, repeat: int, baselines: list[str]) -> list[dict[str, Any]]:
    """Rows of both cases at one size; the general expression, which windows over all rows, at a small one only."""
    made = []
    cases: list[tuple[str, str | None]] = [("panel and fixings of ten benchmarks", None)]
    if rows <= MOST_OF_ONE:
        cases.append(("panel of one benchmark, general expression", ONE))
    for case, chip in cases:
        check_equal(root, chip, baselines)
        words = [str(root), chip or ""]
        runs: dict[str, Callable[[], Measured]] = {
            name: partial(in_a_process, __file__, "--one", name, *words) for name in ("ours", *baselines)
        }
        found = in_turns(runs, repeat)
        made += [row(case, rows, found["ours"], BASELINES[name], found[name]) for name in baselines]
    return made


def main() -> None:
    """Measure and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--archives", type=Path, help="folder of archives to use and keep")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        name, root, chip = asked.one
        run = contender(name, Path(root), chip or None)
        tell(run)
        return
    baselines = list(BASELINES)
    if importlib.util.find_spec("polars") is None:
        print("polars is not installed and left out; `pip install -e '.[bench]'`.", file=sys.stderr)
        baselines.remove("polars")
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as scratch:
        for rows in asked.rows:
            keep(measure(archive(asked.archives or Path(scratch), rows), rows, asked.repeat, baselines))


if __name__ == "__main__":
    main()
