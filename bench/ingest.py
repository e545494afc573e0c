"""Ingest beside DuckDB's own reading of the same files to Parquet, its memory, and what 1e7 rows cost.

Run: ``python bench/ingest.py``. All offers are invented. In turn, in one run and on the same files: the whole ingest
(raw archive, parse, identities, observation archive, ledger) by ``ingest_files``, and ``COPY (FROM read_csv)`` or
``read_json`` ``TO … (FORMAT parquet)`` by DuckDB with its defaults. Every measurement is a process of its own that has
ingested one small file before. Writes ``docs/bench-ingest.md`` and appends its rows to ``build/bench.json``.
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
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

RESULT = Path(__file__).resolve().parents[1] / "docs" / "bench-ingest.md"
LIMIT, PEAK_LIMIT_MB = 4.0, 1_000
CHIPS = (
    ("H100", "SXM5", "80", "NVIDIA H100 80GB HBM3", 3.0),
    ("A100", "SXM4", "80", "A100 SXM4 80GB", 1.6),
    ("B200", "SXM", "192", "NVIDIA B200", 5.0),
    ("L40S", "PCIe", "48", "L40S", 0.9),
    ("RTX 4090", "", "24", "RTX 4090", 0.4),
)
WIDE = (
    "observed_at,seller,source,source_commit,sku,gpu_model,form_factor,vram_gb,gpu_model_raw,gpu_count,"
    "price_usd_per_hour_total,price_per_gpu_hour,region,pricing,quantity_gpus,minimum_gpus,machine,verification,"
    "reliability,carried_by_source,license"
)
"""The columns of the merged file of real offers, all filled in."""
NARROW = (
    "observed_at,seller,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,region,pricing,machine"
)
FIRST_DAY = date(2025, 1, 1)


def write_csv(path: Path, rows: int, *, columns: str, first: date, days: int, seed: int) -> None:
    """Offers whose rows all differ: a time each, prices of six decimals, 300 sellers, 50,000 machines."""
    draws = np.random.default_rng(seed)
    start = int(datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp())
    seconds = np.sort(draws.integers(0, days * 86_400, rows)) + start
    times = np.datetime_as_string(seconds.astype("datetime64[s]")).tolist()
    chips = draws.integers(0, len(CHIPS), rows).tolist()
    factor = np.exp(draws.normal(0, 0.2, rows)).tolist()
    sellers, regions = draws.integers(0, 300, rows).tolist(), draws.integers(0, 60, rows).tolist()
    counts, machines = draws.choice([1, 2, 4, 8], rows).tolist(), draws.integers(0, 50_000, rows).tolist()
    reliable = draws.uniform(0.9, 1, rows).tolist()
    wanted = columns.split(",")
    with path.open("w", encoding="utf-8") as file:
        file.write(columns + "\n")
        for row in range(rows):
            chip, form, memory, name, base = CHIPS[chips[row]]
            price = base * factor[row]
            cells = {
                "observed_at": times[row] + "Z", "seller": f"seller-{sellers[row]:03d}", "source": "invented",
                "source_commit": "0123456789", "sku": f"sku-{chips[row]}-{counts[row]}x", "gpu_model": chip,
                "form_factor": form, "vram_gb": memory, "gpu_model_raw": name, "gpu_count": str(counts[row]),
                "price_usd_per_hour_total": f"{price * counts[row]:.6f}", "price_per_gpu_hour": f"{price:.6f}",
                "region": f"region-{regions[row]:02d}", "pricing": "on_demand", "quantity_gpus": str(counts[row]),
                "minimum_gpus": "1", "machine": f"m{machines[row]}", "verification": "verified",
                "reliability": f"{reliable[row]:.7f}", "carried_by_source": "false", "license": "MIT",
            }  # fmt: skip
            file.write(",".join([cells[column] for column in wanted]) + "\n")


def write_books(folder: Path, payloads: int, offers: int) -> list[Path]:
    """Order books with the fields of a Vast.ai search."""
    paths = []
    for number in range(payloads):
        draws = np.random.default_rng(number)
        made = []
        for place in range(offers):
            chip, _, memory, name, base = CHIPS[int(draws.integers(0, len(CHIPS)))]
            gpus, machine = int(draws.choice([1, 2, 4, 8])), int(draws.integers(1_000, 60_000))
            total = round(base * gpus * float(np.exp(draws.normal(0, 0.25))), 6)
            offer_id = 10_000_000 * (number + 1) + place
            made.append({
                "id": offer_id, "ask_contract_id": offer_id, "machine_id": machine, "host_id": machine // 7,
                "hosting_type": int(draws.integers(0, 2)), "verification": "verified",
                "reliability2": round(float(draws.uniform(0.9, 1)), 7), "gpu_name": name if chip != "A100" else "A100 SXM4",
                "gpu_ram": int(memory) * 1_024, "num_gpus": gpus, "gpu_frac": gpus / 8, "dph_base": round(total * 0.98, 6),
                "dph_total": total, "min_bid": round(total / 2, 6), "storage_cost": 0.15, "is_bid": False,
                "rentable": True, "rented": False,
                "geolocation": ("Texas, US", "Quebec, CA", "Sweden, SE", ", US")[int(draws.integers(0, 4))],
                "start_date": 1_785_500_000.25 + place, "end_date": 1_790_000_000.0 + place,
                "bw_nvlink": round(float(draws.uniform(0, 500)), 2), "static_ip": bool(draws.integers(0, 2)),
            })  # fmt: skip
        path = folder / f"book-{number}.json"
        path.write_text(json.dumps({"collected_utc": f"2026-08-{10 + number}T10:00:00Z", "offers": made}))
        paths.append(path)
    return paths


def processor_seconds() -> float:
    """What this process has used of all cores, in itself and in the system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure_ours(feed: str, paths: list[str]) -> dict[str, Any]:
    """Seconds of each file and the peak of this process, in a workspace of its own."""
    from rentmark.workspace import Workspace, ingest_files

    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
        workspace = Workspace.create(Path(folder) / "w", database_url=None)
        small = Path(folder) / "small.csv"
        write_csv(small, 50, columns=WIDE, first=date(2020, 1, 1), days=9, seed=0)
        ingest_files(workspace, "tabular", [small])
        seconds = []
        used = processor_seconds()
        for path in paths:
            started = time.perf_counter()
            (result,) = ingest_files(workspace, feed, [Path(path)])
            seconds.append(time.perf_counter() - started)
            assert result.entry.accepted == result.entry.records, result.entry
        used = processor_seconds() - used
        workspace.store.close()
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return {"seconds": seconds, "processor": used, "peak_mb": peak * 1_024 / 1e6}


def measure_duckdb(kind: str, paths: list[str]) -> dict[str, Any]:
    """Seconds of DuckDB for the same files, with its defaults."""
    import duckdb

    reads = {
        "csv": "SELECT * FROM read_csv('{path}')",
        "json": "SELECT collected_utc, unnest(offers, recursive := true) "
        "FROM read_json('{path}', maximum_object_size = 100000000)",
    }
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder, duckdb.connect() as database:
        started, used = time.perf_counter(), processor_seconds()
        for number, path in enumerate(paths):
            query = reads[kind].format(path=path)
            database.execute(f"COPY ({query}) TO '{folder}/{number}.parquet' (FORMAT parquet)")
        return {"seconds": [time.perf_counter() - started], "processor": processor_seconds() - used}


def in_a_process(*words: str) -> dict[str, Any]:
    """One measurement in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout))


def compare(case: str, size: int, feed: str, kind: str, paths: list[Path], repeat: int) -> dict[str, Any]:
    """One row: medians of ours and DuckDB's, taken in turn."""
    names = [str(path) for path in paths]
    ours, theirs, peaks, used, used_there = [], [], [], [], []
    for _ in range(repeat):
        mine = in_a_process("--ours", feed, *names)
        ours.append(sum(mine["seconds"]))
        peaks.append(mine["peak_mb"])
        used.append(mine["processor"])
        other = in_a_process("--duckdb", kind, *names)
        theirs.append(sum(other["seconds"]))
        used_there.append(other["processor"])
    seconds, baseline = statistics.median(ours), statistics.median(theirs)
    row = {
        "case": case, "size": size, "seconds": round(seconds, 2), "baseline": f"duckdb read_{kind}",
        "baseline_seconds": round(baseline, 2), "ratio": round(seconds / baseline, 2), "peak_mb": round(max(peaks)),
        "processor_seconds": round(statistics.median(used), 2),
        "processor_ratio": round(statistics.median(used) / statistics.median(used_there), 2),
    }  # fmt: skip
    print(json.dumps(row), flush=True)
    return row


def page(
    rows: list[dict[str, Any]], pieces: list[float], peak_mb: float, repeat: int, million: int, load: float
) -> str:
    """The result as a page."""
    cores = os.cpu_count() or 1
    busy = (
        f" **On a busy machine** (load {load:.1f} on {cores} cores when it began): seconds and their ratio are "
        "unsure, processor seconds less so."
        if load > cores / 2
        else ""
    )
    lines = [
        "# Ingest beside DuckDB",
        "",
        "<!-- written by bench/ingest.py -->",
        "",
        (
            f"Measured {datetime.now(UTC):%Y-%m-%d} with `python bench/ingest.py` on {platform.machine()}, "
            f"{os.cpu_count()} cores, Python {platform.python_version()}. Invented offers. Ours is the whole ingest: raw "
            "archive flushed to disk, parse, two digests per record, screens, observation archive, ledger; DuckDB reads the "
            f"same file to Parquet with its defaults, on all cores. Medians of {repeat} runs in turn, each in a process of its "
            f"own. Wanted: at most {LIMIT:g} times DuckDB's time, under {PEAK_LIMIT_MB:,} MB. "
            f"Processor seconds are those of all cores, and their ratio to DuckDB's.{busy}"
        ),
        "",
        "| case | records | seconds | DuckDB | ratio | processor seconds | ratio | peak MB | time | memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        met = [
            "met" if ok else "**not met**" for ok in (row["ratio"] <= LIMIT, row["peak_mb"] < PEAK_LIMIT_MB)
        ]
        lines.append(
            f"| {row['case']} | {row['size']:,} | {row['seconds']:.2f} | {row['baseline_seconds']:.2f} | "
            f"{row['ratio']:.2f} | {row['processor_seconds']:.2f} | {row['processor_ratio']:.2f} | {row['peak_mb']:,} | "
            f"{met[0]} | {met[1]} |"
        )
    first, last = statistics.mean(pieces[:3]), statistics.mean(pieces[-3:])
    lines += [
        "",
        (
            f"**Linear.** {len(pieces)} payloads of {million:,} rows each into one workspace, one after another, a stretch "
            f"of time each: {sum(pieces):.1f} s for {len(pieces) * million:,} rows, peak {peak_mb:,.0f} MB. Seconds of each: "
            f"{', '.join(f'{seconds:.2f}' for seconds in pieces)}; the last three cost {last / first:.2f} times the first three."
        ),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, write the page and append the rows to build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--duckdb", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args()
    if asked.ours:
        print(json.dumps(measure_ours(asked.ours[0], asked.ours[1:])))
        return
    if asked.duckdb:
        print(json.dumps(measure_duckdb(asked.duckdb[0], asked.duckdb[1:])))
        return
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-files-") as folder:
        base = Path(folder)
        wide, narrow = base / "wide.csv", base / "narrow.csv"
        write_csv(wide, asked.rows, columns=WIDE, first=FIRST_DAY, days=120, seed=1)
        write_csv(narrow, asked.rows, columns=NARROW, first=FIRST_DAY, days=120, seed=1)
        books = write_books(base, 10, asked.rows // 100)
        rows = [
            compare("JSON, ten order books", asked.rows // 10, "vast", "json", books, asked.repeat),
            compare("CSV, 21 columns", asked.rows, "tabular", "csv", [wide], asked.repeat),
            compare("CSV, 11 columns", asked.rows, "tabular", "csv", [narrow], asked.repeat),
        ]
        parts = []
        for number in range(10):
            parts.append(base / f"part-{number}.csv")
            first = FIRST_DAY + timedelta(days=36 * number)
            write_csv(parts[-1], asked.rows, columns=WIDE, first=first, days=36, seed=100 + number)
        whole = in_a_process("--ours", "tabular", *map(str, parts))
    RESULT.write_text(page(rows, whole["seconds"], whole["peak_mb"], asked.repeat, asked.rows, load))
    print(RESULT.read_text())
    target = Path("build/bench.json")
    target.parent.mkdir(exist_ok=True)
    kept = json.loads(target.read_text()) if target.exists() else []
    target.write_text(json.dumps([*kept, *rows], indent=1))


if __name__ == "__main__":
    main()
