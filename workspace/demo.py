"""The demo: 37 months of a simulated market, stepped day by day, then settled and hedged.

Everything here is SIMULATED and says so: the clock, the offers, the trades and what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ..ingest import simulated
from ..records import day_start, month_of
from .building import Reader, build
from .clock import SimulatedClock
from .core import Workspace
from .hedging import hedge_rent, write_report
from .ingesting import ingest_payload
from .publishing import publish
from .settling import settle_month
from .templates import DEMO

ONE_DAY = timedelta(days=1)
COLLECTED_AFTER = timedelta(minutes=5)
"""The simulated collector files a day's payloads five minutes after its end."""
DEMO_BENCHMARKS = ("h100-list", "h100-traded")
DEMO_CONTRACTS = ("cme-gpu1", "ice-hpr")
HEDGED_WITH = ("cme-gpu1", "h100-list")
REPORT_NAME = "report.html"
RENT_NAME = simulated.DEFAULT_RENT_ORIGIN_NAME
ACTOR = "simulated desk"


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo made: where, how much, the last settlements, and the hedge report."""

    root: Path
    days: int
    records: int
    published: int
    settlements: list[dict[str, Any]]
    hedge: dict[str, Any]
    report: Path


def run_demo(
    root: Path,
    *,
    database_url: str | None = None,
    days: int = simulated.DEFAULT_DAYS,
    seed: int = simulated.DEFAULT_SEED,
    progress: Callable[[date, int, int], None] = lambda *_: None,
) -> DemoResult:
    """Make a simulated workspace and walk it through its days. Same seed, same values.

    ``progress`` is told the day, days done and days in all. Raises RentmarkError where a
    workspace stands already.
    """
    market = simulated.SimulatedMarket(seed, simulated.DEFAULT_FIRST_DAY, days)
    first = simulated.DEFAULT_FIRST_DAY
    clock = SimulatedClock(day_start(first))
    workspace = Workspace.create(root, database_url=database_url, text=DEMO, clock=clock)
    records = published = 0
    settlements: dict[tuple[str, str], dict[str, Any]] = {}
    with workspace.engine(threads=1) as engine:  # a day's panel is too small to share out
        reader = Reader(workspace, engine)
        for done in range(days):
            day = first + done * ONE_DAY
            progress(day, done, days)
            clock.advance_to(day_start(day + ONE_DAY) + COLLECTED_AFTER)
            for payload in market.payloads(day):
                ingested = ingest_payload(workspace, payload.feed_id, payload.origin_name, payload.payload)
                records += ingested.entry.records
            for name in DEMO_BENCHMARKS:
                build(workspace, name, only=(day, day), reader=reader)
                published += len(publish(workspace, name, through=day, actor=ACTOR))
            if (day + ONE_DAY).day == 1 or done == days - 1:
                settlements.update(_settle(workspace, month_of(day)))
    rent = simulated.rent_series(seed=seed, first_day=first, days=days)
    (root / RENT_NAME).write_bytes(rent)
    contract, benchmark = HEDGED_WITH
    report = hedge_rent(workspace, RENT_NAME, rent, benchmark, contract_name=contract, role="buyer")
    path = root / REPORT_NAME
    write_report(report, path, command=f"rentmark demo {root.name}")
    return DemoResult(root, days, records, published, list(settlements.values()), report.to_json(), path)


def _settle(workspace: Workspace, month: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Settle every demo contract for a month at the clock's instant."""
    from .listing import settlement_row

    return {
        (contract, month): settlement_row(
            settle_month(workspace, contract, month, HEDGED_WITH[1]), explain=False
        )
        for contract in DEMO_CONTRACTS
    }
