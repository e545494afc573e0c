"""A full build of ten grades to a committed tape, beside what it stands on and what a newcomer writes.

Run: ``python bench/full_build.py --rows 1000000 10000000``. It makes an archive of invented offers (50 sellers,
10 grades, 365 days, each offer seen once a day), then times, in one run on the same Parquet files: the bare
two-level median in DuckDB SQL, the same steps hand-written in SQL, the product's build and publish with
digests, one day added to the year, and the pandas groupby-apply a newcomer would write. Rows of
``case, size, seconds, baseline, baseline_seconds, ratio, processor_seconds, processor_ratio, peak_mb`` are appended to
build/bench.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rentmark.records import Batch, sha256_hex
from rentmark.records.schemas import INSTANT, OBSERVATION_SCHEMA, REJECT_SCHEMA

CHIPS = ("H100", "H200", "B200", "B300", "A100", "L40S", "L4", "MI300X", "RTX 4090", "GH200")
SELLERS = 50
DAYS = 365
FIRST_DAY = date(2025, 1, 1)
RULES = "\n".join(
    [
        '[methodologies.list-median]\nversion = "1.0.0"\ninputs = ["listed"]\nmin_sellers = 3',
        *(
            f'[grades.g{n}]\nchip = "{chip}"\npricing = "on_demand"\n'
            f'[benchmarks.b{n}]\ngrade = "g{n}"\nmethodology = "list-median"'
            for n, chip in enumerate(CHIPS)
        ),
    ]
)


def offers(first: date, days: int, rows: int, seed: int) -> pa.Table:
    """Invented offers of some days: each offer seen once a day, prices on a grid of a cent."""
    random = np.random.default_rng(seed)
    day = np.sort(random.integers(0, days, rows))
    micros = (np.datetime64(first, "us").astype(np.int64)) + (
        day * 86_400 + random.integers(0, 86_400, rows)
    ) * 1_000_000
    chip = random.integers(0, len(CHIPS), rows)
    seller = random.integers(0, SELLERS, rows)
    price = ((1 + chip) * 500_000 + random.integers(0, 100, rows) * 10_000).astype(np.int64)
    starts = np.searchsorted(day, np.arange(days))
    # a seller's offers have names of their own, the same on every day
    sku = pa.array(np.arange(rows) - starts[day]).cast(pa.string())

    def words(codes: np.ndarray, values: list[str]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values)).cast(pa.string())

    same = {
        "kind": "offer", "tier": "listed", "source": "invented", "currency": "USD", "price_basis": "instance",
        "pricing": "on_demand", "service": "unstated", "carried_by_source": False, "rights": "allowed",
        "simulated": False, "form_factor": "SXM", "payload_digest": "0" * 64,
    }  # fmt: skip
    columns: dict[str, Any] = {
        "observation_id": random.permutation(rows).astype(np.int64) * 1_000 + seed,
        "content_check": random.integers(-(2**62), 2**62, rows),
        "sku": pc.binary_join_element_wise("sku-", sku, ""),
        "seller": words(seller, [f"seller-{n:02d}" for n in range(SELLERS)]),
        "observed_at": pa.array(micros).cast(INSTANT),
        "known_at": pa.array(micros).cast(INSTANT),
        "chip": words(chip, list(CHIPS)),
        "gpu_count": pa.array(np.full(rows, 8, np.int32)),
        "price_micros": price,
        "position": np.arange(rows),
    }
    arrays = []
    for field in OBSERVATION_SCHEMA:
        if field.name in columns:
            arrays.append(
                pa.array(columns[field.name], field.type)
                if not isinstance(columns[field.name], pa.Array)
                else columns[field.name]
            )
        elif field.name in same:
            arrays.append(pa.repeat(pa.scalar(same[field.name], field.type), rows))
        else:
            arrays.append(pa.nulls(rows, field.type))
    return pa.Table.from_arrays(arrays, schema=OBSERVATION_SCHEMA)


def commit(store: Any, table: pa.Table, name: str) -> None:
    """Put a table into the archive as one batch."""
    digest = sha256_hex(name.encode())
    column = OBSERVATION_SCHEMA.get_field_index("payload_digest")
    table = table.set_column(
        column, OBSERVATION_SCHEMA.field(column), pa.repeat(pa.scalar(digest), table.num_rows)
    )
    batch = Batch(
        observations=table, rejects=REJECT_SCHEMA.empty_table(), records=table.num_rows, duplicates=0
    )
    store.commit_batch(
        batch, feed="tabular", feed_version="bench", mapping_hash="bench", payload_digest=digest, origin_name=name,
        payload_bytes=0, received_at=datetime(2026, 6, 1, tzinfo=UTC), rights="allowed", simulated=False,
    )  # fmt: skip


def make_archive(root: Path, rows: int) -> Any:
    """A workspace with a year of offers, one batch a month."""
    from rentmark.workspace import Workspace

    workspace = Workspace.create(root, database_url=None, text=RULES)
    first = FIRST_DAY
    month = 0
    while first < FIRST_DAY + timedelta(days=DAYS):
        following = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
        days = (min(following, FIRST_DAY + timedelta(days=DAYS)) - first).days
        commit(workspace.store, offers(first, days, rows * days // DAYS, month), f"month-{month}")
        first, month = following, month + 1
    return workspace


BARE = """
select chip, day, median(m) from (
  select chip, seller, observed_at::date as day, median(price_micros) as m from read_parquet({files}) group by all
) group by all
"""
DAY = "epoch_us(observed_at) // 86400000000"
KEY = """tier, source, coalesce(venue, seller), seller, coalesce(sku, coalesce(name_as_written, '') || '|'
  || coalesce(form_factor, '') || '|' || coalesce(memory_gb::varchar, '')), region, pricing, term_months, gpu_count,
  machine"""
SAME_STEPS = f"""
with seen as (select *, {DAY} as day, hash({DAY}, {KEY}) as h
              from read_parquet({{files}}, hive_partitioning = false) where recorded_at <= now()),
twice as (select h from seen group by h having count(*) > 1),
latest as (
  select chip, day, seller, price_micros, observation_id, content_check, tier, pricing, rights, carried_by_source
  from seen where h not in (from twice)
  union all
  select chip, day, seller, price_micros, observation_id, content_check, tier, pricing, rights, carried_by_source
  from (select *, max(observed_at) over (partition by day, {KEY}) as last from seen where h in (from twice))
  where observed_at >= last),
votes as (
  select chip, day, seller, median(price_micros) as m, count(*) as n, bit_xor(observation_id) as x,
         bit_xor(content_check) as y
  from latest where pricing = 'on_demand' and tier = 'listed' and rights <> 'forbidden' and not carried_by_source
  group by all)
select chip, day, median(m), quantile_cont(m, 0.25), quantile_cont(m, 0.75), count(*), sum(n),
       sha256(string_agg(seller || '|' || m || '|' || n || '|' || x || '|' || y, ',' order by seller))
from votes group by all
"""
"""The steps of a build by hand, as fast as its author could write them: the latest state of an offer is sought
among the few whose key has a double, told by a hash, and not by a window over all rows."""


class Cost(NamedTuple):
    """What a step took: seconds of the clock, seconds of all processors, and its peak of memory."""

    seconds: float
    processor_seconds: float
    peak_mb: float = 0.0


def median_of(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def in_duckdb(files: list[Path], sql: str) -> Cost:
    """A query in DuckDB with its default settings."""
    import duckdb

    listed = "[" + ", ".join(f"'{f}'" for f in files) + "]"
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    start, worked = time.perf_counter(), time.process_time()
    connection.execute(sql.format(files=listed)).fetchall()
    return Cost(time.perf_counter() - start, time.process_time() - worked)


def in_pandas(files: list[Path]) -> Cost:
    """What a newcomer writes."""
    import pandas as pd

    start, worked = time.perf_counter(), time.process_time()
    frame = pd.read_parquet(files, columns=["chip", "seller", "observed_at", "price_micros"])
    frame["day"] = frame["observed_at"].dt.date
    per_seller = frame.groupby(["chip", "day", "seller"])["price_micros"].apply(
        lambda prices: prices.median()
    )
    per_seller.groupby(["chip", "day"]).apply(lambda votes: votes.median())
    return Cost(time.perf_counter() - start, time.process_time() - worked)


BUILD = """
import sys, time
from pathlib import Path
import duckdb, ibis, sqlalchemy  # what a build imports is not timed, nor is it of the baselines
ibis.duckdb.connect().disconnect()
from rentmark.store.engines import DuckDBEngine
from rentmark.workspace import Workspace, build_and_publish
from rentmark.workspace.building import Reader, build_several
from rentmark.workspace.publishing import publish
workspace = Workspace.open(Path(sys.argv[1]), database_url=None)
names = list(workspace.configuration.benchmarks)
start, worked = time.perf_counter(), time.process_time()
if sys.argv[2] == "once":
    build_and_publish(workspace, names, actor="bench")
else:  # a process that stays open: built before, one more day is committed by another one meanwhile
    engine = DuckDBEngine()
    reader = Reader(workspace, engine)
    for step in range(2):
        start, worked = time.perf_counter(), time.process_time()
        build_several(workspace, names, reader=reader)
        with workspace.store.database.flushed_together():  # as build_and_publish does
            for name in names:
                publish(workspace, name, actor="bench")
        if step == 0:
            print("built", flush=True)
            sys.stdin.readline()
seconds, worked = time.perf_counter() - start, time.process_time() - worked
# the process's own high-water mark: getrusage would start from that of the one that started it
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, worked, int(peak.split()[1]) / 1024)
"""


def full_build(root: Path) -> Cost:
    """A build of all ten benchmarks to the tape, in a process of its own."""
    command = [sys.executable, "-c", BUILD, str(root), "once"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Cost(*map(float, said.split()[-3:]))


def one_more_day(root: Path, day: date, rows: int, seed: int) -> Cost:
    """The same of a day that is added to a built year, in a process that built the year and stayed open."""
    command = [sys.executable, "-c", BUILD, str(root), "stay"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        add_day(root, day, rows, seed)
        said, _ = process.communicate("go on\n")
    return Cost(*map(float, said.split()[-3:]))


def add_day(root: Path, day: date, rows: int, seed: int) -> None:
    """Commit the offers of one more day."""
    from rentmark.workspace import Workspace

    later = Workspace.open(root, database_url=None)
    commit(later.store, offers(day, 1, rows, seed), f"day {day}")
    later.store.close()


def copied(source: str, target: str) -> str:
    """Copy a file of a workspace, or give a file of the archive, which nothing changes, another name."""
    if source.endswith(".parquet"):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def measure(folder: Path, size: int, repeat: int, *, pandas: bool) -> list[dict[str, Any]]:
    """The rows of one size. Baselines and builds take turns, so that a busy machine slows them alike."""
    root = folder / "w"
    workspace = make_archive(root, size)
    files = workspace.store.file_paths(workspace.store.observation_files())
    workspace.store.close()
    print(f"{size:,} rows in {len(files)} files", flush=True)
    taken: dict[str, list[Cost]] = {}
    copy = folder / "built"
    for _ in range(repeat):
        taken.setdefault("duckdb-sql", []).append(in_duckdb(files, BARE))
        taken.setdefault("same-steps-sql", []).append(in_duckdb(files, SAME_STEPS))
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(root, copy, copy_function=copied)
        taken.setdefault("full-build", []).append(full_build(copy))
        if pandas:
            taken.setdefault("pandas-newcomer", []).append(in_pandas(files))
        print({name: round(costs[-1].seconds, 2) for name, costs in taken.items()}, flush=True)
    medians = {name: median_of(costs) for name, costs in taken.items()}
    built = medians.pop("full-build")
    rows = [row("full-build", size, built, name, cost) for name, cost in medians.items()]
    day = FIRST_DAY + timedelta(days=DAYS)
    cold = []
    for number in range(repeat):  # on the archive that the last round built
        add_day(copy, day + timedelta(days=number), size // DAYS, 100 + number)
        cold.append(full_build(copy))
    rows.append(row("incremental-day-new-process", size, median_of(cold), "full-build", built))
    warm = [
        one_more_day(copy, day + timedelta(days=repeat + number), size // DAYS, 200 + number)
        for number in range(repeat)
    ]
    rows.append(row("incremental-day", size, median_of(warm), "full-build", built))
    return rows


def main() -> None:
    """Measure, print the rows and append them to build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--skip-pandas", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for size in arguments.rows:
        with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
            measured = measure(Path(folder), size, arguments.repeat, pandas=not arguments.skip_pandas)
        for line in measured:
            print(json.dumps(line), flush=True)
        rows += measured
    target = Path("build/bench.json")
    target.parent.mkdir(exist_ok=True)
    kept = json.loads(target.read_text()) if target.exists() else []
    target.write_text(json.dumps([*kept, *rows], indent=1))


def row(case: str, size: int, cost: Cost, baseline: str, beside: Cost) -> dict[str, Any]:
    """One line of the table."""
    return {
        "case": case,
        "size": size,
        "seconds": round(cost.seconds, 3),
        "baseline": baseline,
        "baseline_seconds": round(beside.seconds, 3),
        "ratio": round(cost.seconds / beside.seconds, 3),
        "processor_seconds": round(cost.processor_seconds, 3),
        "processor_ratio": round(cost.processor_seconds / beside.processor_seconds, 3),
        "peak_mb": round(cost.peak_mb),
    }


if __name__ == "__main__":
    main()
