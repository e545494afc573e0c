"""Hedge studies on invented rents: five years of days, a programme through the account, many books compared.

Run: ``python bench/hedge.py [--books 200]``. In one run it times a five-year daily hedge report by every
method (10,000 bootstrap draws behind each verdict; dynamic models are estimated anew each month and hold their
parameters fixed inside the bootstrap), the same report's bootstrap alone as a newcomer would write it with
arch (2,000 draws), a programme of five years run day by day through the account, and ``rentmark hedge
compare`` of a folder of rent books on ten contracts. Rows of ``case, size, seconds, baseline,
baseline_seconds, ratio, peak_mb`` are appended to build/bench.json.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rentmark.backtest import METHODS, hedge, read_rent
from rentmark.backtest.programmes import Instrument, read_programme, run_hedge_programme
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import IndexView
from rentmark.records import Fixing, day_start, format_micros

FIRST = date(2021, 9, 1)
DAYS = 1826
LEARNED = 24
BENCHMARK = "invented-list"
SELLERS = 4
BOOK_MONTHS = 42
CONTRACT = """
[contracts.bench-{number}]
name = "invented contract {number}"
exchange = "none, invented"
chip = "H100"
status_line = "invented, not listed"
listed = false
official_underlying = "invented"
unit_rule = "fixed"
fixed_gpu_hours = {unit}
tick_micros = 1000
averaging = "every_day"
averaging_last = {last}
last_trade = "last_fixing_day"
"""


def walk(days: int, seed: int) -> list[int]:
    """An invented price in micro-USD on a grid of a cent."""
    steps = np.random.default_rng(seed).integers(-4, 5, days).cumsum()
    return [max(500_000, 3_000_000 + int(step) * 10_000) for step in steps]


def fixing(day: date, value_micros: int) -> Fixing:
    """A published row of an invented benchmark."""
    ends = day_start(day) + timedelta(days=1)
    return Fixing(
        benchmark=BENCHMARK, date=day, value_micros=value_micros, status="OK", rule=None, tier="listed",
        n_observations=9, n_sellers=5, n_votes=5, n_venues=5, gpu_seconds=0, p25_micros=None, p75_micros=None,
        top_weight=None, carried_from=None, methodology="invented", methodology_version="1.0.0",
        methodology_hash="0" * 64, input_digest="1" * 64, effective_at=ends, simulated=False,
        reconstructed=False, rights="allowed", settlement_grade=True, origin="live", published_at=ends,
    )  # fmt: skip


def rent_file(first: date, market: list[int], seed: int) -> bytes:
    """A rent that follows a market with noise of its own."""
    noise = np.random.default_rng(seed).integers(-10, 11, len(market))
    lines = ["date,rate_usd_per_gpu_hour"]
    for number, value in enumerate(market):
        rate = max(100_000, value + 100_000 + int(noise[number]) * 10_000)
        lines.append(f"{first + timedelta(days=number)},{format_micros(rate)}")
    return "\n".join([*lines, ""]).encode()


def with_arch(rent: np.ndarray, reference: np.ndarray) -> None:
    """Two thousand stationary-bootstrap draws of two methods' effectiveness, one call a draw."""
    from arch.bootstrap import StationaryBootstrap

    def share(unhedged: np.ndarray, hedged: np.ndarray) -> float:
        return float(1 - hedged.var(ddof=1) / unhedged.var(ddof=1))

    for ratio in (1.0, 0.9):
        unseen = rent[LEARNED:]
        StationaryBootstrap(3, unseen, unseen - ratio * reference[LEARNED:], seed=1).apply(share, 2_000)


def timed(run: Callable[[], Any]) -> float:
    """Seconds of one run."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def five_years() -> list[dict[str, Any]]:
    """The report by the defaults and by every method, and the programme."""
    market = walk(DAYS, 1)
    tape = [fixing(FIRST + timedelta(days=number), value) for number, value in enumerate(market)]
    now = datetime(2030, 1, 1, tzinfo=UTC)
    book = read_rent(rent_file(FIRST, market, 2), "rent.csv")
    contract = CONTRACTS["cme-gpu1"]

    def report(method: str) -> None:
        hedge(book, tape, benchmark=BENCHMARK, now=now, contract=contract, gpus=64, ratio_method=method)

    def programme() -> None:
        run_hedge_programme(
            "bench",
            read_programme({"instruments": [{"contract": contract.id}]}, "bench"),
            book,
            [Instrument(view=IndexView(contract, BENCHMARK, tape, known_until=now), stated={})],
            role="buyer",
            now=now,
            gpus=64,
        )

    report("ols")  # the first call loads libraries
    months = np.random.default_rng(3).standard_normal((2, 60))
    bare = timed(lambda: with_arch(*months))
    defaults = timed(lambda: report("ols"))
    everything = timed(lambda: [report(name) for name in METHODS])
    run = timed(programme)
    return [
        row("hedge-five-years", DAYS, defaults, "arch-2000-draws", bare),
        row("hedge-five-years-all-methods", DAYS * len(METHODS), everything, "hedge-five-years", defaults),
        row("programme-five-years", DAYS, run, "hedge-five-years", defaults),
    ]


def many_books(folder: Path, books: int) -> list[dict[str, Any]]:
    """One command over a folder of books on ten contracts, beside one book alone."""
    days = BOOK_MONTHS * 30
    market = walk(days, 5)
    root, rents = folder / "w", folder / "books"
    rents.mkdir()
    rentmark(["init", str(root)])
    with (root / "rentmark.toml").open("a", encoding="utf-8") as rules:
        for number in range(10):
            rules.write(CONTRACT.format(number=number, unit=100 + number, last=28 - 2 * number))
    lines = ["observed_at,seller,source,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing"]
    for number, value in enumerate(market):
        day = FIRST + timedelta(days=number)
        lines += [
            f"{day}T10:00:00Z,seller-{seller},invented,H100,SXM,80,8,{format_micros(value + 10_000 * seller)},on_demand"
            for seller in range(SELLERS)
        ]
    (folder / "offers.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    rentmark(["ingest", "tabular", str(folder / "offers.csv"), "--workspace", str(root)])
    rentmark(["index", "build", "h100-list", "--publish", "--workspace", str(root)])
    for number in range(books):
        (rents / f"book-{number:03}.csv").write_bytes(rent_file(FIRST, market, 100 + number))
    contracts = ",".join(f"bench-{number}" for number in range(10))
    words = ["hedge", "compare", "--contracts", contracts, "--benchmarks", "h100-list", "--json"]
    one = timed(lambda: rentmark([*words, str(rents / "book-000.csv"), "--workspace", str(root)]))
    whole = timed(lambda: rentmark([*words, str(rents), "--workspace", str(root)]))
    return [row("hedge-compare-ten-contracts", books, whole, "one-book", one)]


def rentmark(words: list[str]) -> None:
    """Run the command in a process of its own."""
    code = "from rentmark.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)


def row(case: str, size: int, seconds: float, baseline: str, baseline_seconds: float) -> dict[str, Any]:
    """One line of the table; the peak is of this process and its children."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "case": case, "size": size, "seconds": round(seconds, 3), "baseline": baseline,
        "baseline_seconds": round(baseline_seconds, 3), "ratio": round(seconds / baseline_seconds, 2),
        "peak_mb": round(peak / 1024),
    }  # fmt: skip


def main() -> None:
    """Measure, print the rows and append them to build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--books", type=int, default=200)
    arguments = parser.parse_args()
    rows = five_years()
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
        rows += many_books(Path(folder), arguments.books)
    for line in rows:
        print(json.dumps(line), flush=True)
    target = Path("build/bench.json")
    target.parent.mkdir(exist_ok=True)
    kept = json.loads(target.read_text()) if target.exists() else []
    target.write_text(json.dumps([*kept, *rows], indent=1))


if __name__ == "__main__":
    main()
