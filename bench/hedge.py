"""Hedge studies on invented rents: five years of days, a programme through the account, many books compared.

Run: ``python bench/hedge.py [--books 200]``. In one run it times a five-year daily hedge report by the defaults and
by every method (10,000 bootstrap draws behind each interval; dynamic models are estimated anew each month and hold
their parameters fixed inside the bootstrap), the report's bootstrap alone as a newcomer would write it with arch (as
many draws, one call a draw), a programme of five years run day by day through the account, and ``rentmark hedge
compare`` of a folder of rent books on ten contracts. Each run is a process of its own that has made one report before.
Rows are kept in ``build/bench.json``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measuring import COMMAND, Measured, in_a_process, in_turns, keep, of_python, row, tell
from rentmark.backtest import METHODS, hedge, read_rent
from rentmark.backtest.programmes import Instrument, read_programme, run_hedge_programme
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import IndexView
from rentmark.records import Fixing, day_start, format_micros

FIRST = date(2021, 9, 1)
DAYS = 1826
LEARNED = 24
DRAWS = 10_000
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
    """Stationary-bootstrap draws of two methods' effectiveness, one call a draw."""
    from arch.bootstrap import StationaryBootstrap

    def share(unhedged: np.ndarray, hedged: np.ndarray) -> float:
        return float(1 - hedged.var(ddof=1) / unhedged.var(ddof=1))

    for ratio in (1.0, 0.9):
        unseen = rent[LEARNED:]
        StationaryBootstrap(3, unseen, unseen - ratio * reference[LEARNED:], seed=1).apply(share, DRAWS)


def contender(name: str) -> Callable[[], object]:
    """What a process of its own runs: the report by the defaults or by all methods, the programme, or arch's draws."""
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

    months = np.random.default_rng(3).standard_normal((2, 60))
    if name == "arch":
        import arch.bootstrap  # noqa: F401 - what is imported is not timed

        return partial(with_arch, *months)
    report("ols")  # the first call loads libraries
    if name == "every method":
        return lambda: [report(method) for method in METHODS]
    return programme if name == "programme" else partial(report, "ols")


def five_years(repeat: int) -> list[dict[str, Any]]:
    """The report and the programme beside arch's draws, in turn; the report by every method once, a sum of many."""
    runs: dict[str, Callable[[], Measured]] = {
        name: partial(in_a_process, __file__, "--one", name) for name in ("report", "arch", "programme")
    }
    found = in_turns(runs, repeat)
    every = in_a_process(__file__, "--one", "every method")
    one = "hedge report of five years"
    return [
        row(
            one,
            f"{DAYS:,} days",
            found["report"],
            f"arch, {2 * DRAWS:,} draws, one call a draw",
            found["arch"],
        ),
        row(
            f"{one} by every method",
            f"{len(METHODS)} reports",
            every,
            "the report by naive and OLS",
            found["report"],
        ),
        row(
            "programme of five years, day by day", f"{DAYS:,} days", found["programme"], one, found["report"]
        ),
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
    one = rentmark([*words, str(rents / "book-000.csv"), "--workspace", str(root)])
    whole = rentmark([*words, str(rents), "--workspace", str(root)])
    return [row("hedge compare on ten contracts", f"{books} rent books", whole, "one rent book", one)]


def rentmark(words: list[str]) -> Measured:
    """Run the command in a process of its own."""
    return of_python(COMMAND, words)


def main() -> None:
    """Measure and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--books", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        tell(contender(asked.one))
        return
    keep(five_years(asked.repeat))
    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
        keep(many_books(Path(folder), asked.books))


if __name__ == "__main__":
    main()
