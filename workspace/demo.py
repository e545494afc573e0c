"""The demo: 37 months of a simulated market, stepped day by day, then settled and hedged.

Everything here is SIMULATED and says so: the clock, the offers, the trades and what follows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from ..ingest import FeedContext, simulated
from ..records import day_start, month_of, sha256_hex
from ..store.files import flushed_once
from .building import Reader, build_several
from .clock import SimulatedClock
from .core import Workspace
from .hedging import hedge_rent, write_report
from .ingesting import DEFAULT_MAPPINGS, ingest_payload
from .parsing_ahead import Arrival, Coming, parsing_ahead
from .publishing import publish
from .settling import settle_month
from .templates import DEMO

ONE_DAY = timedelta(days=1)
COLLECTED_AFTER = timedelta(minutes=5)
"""The simulated collector files a day's payloads five minutes after its end."""
WORTH_A_SECOND_PROCESS = 90
"""Days from which a process that parses payloads meanwhile saves more time than it takes to start."""
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
    second = days >= WORTH_A_SECOND_PROCESS and (os.cpu_count() or 1) > 1
    with (
        flushed_once(),
        workspace.engine(threads=1) as engine,  # a day's panel is too small to share out
        parsing_ahead((_payloads(market, day) for day in market.days), second_process=second) as ahead,
    ):
        reader = Reader(workspace, engine)
        for done, (day, arrivals) in enumerate(zip(market.days, ahead, strict=True)):
            progress(day, done, days)
            clock.advance_to(_collected_at(day))
            for arrival in arrivals:
                records += _ingest(workspace, arrival)
            build_several(workspace, DEMO_BENCHMARKS, only=(day, day), reader=reader)
            for name in DEMO_BENCHMARKS:
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


def _collected_at(day: date) -> datetime:
    return day_start(day + ONE_DAY) + COLLECTED_AFTER


def _payloads(market: simulated.SimulatedMarket, day: date) -> list[Coming]:
    """The payloads of a day, each with what its feed will be told of it."""
    return [
        Coming(
            each.feed_id,
            each.payload,
            FeedContext(
                payload_digest=sha256_hex(each.payload),
                received_at=_collected_at(day),
                origin_name=each.origin_name,
                mapping=DEFAULT_MAPPINGS[each.feed_id],
            ),
        )
        for each in market.payloads(day)
    ]


def _ingest(workspace: Workspace, arrival: Arrival) -> int:
    """Ingest a payload; returns how many records it holds."""
    coming = arrival.coming
    ingested = ingest_payload(
        workspace, coming.feed_id, coming.context.origin_name, coming.payload, parse=arrival.parse
    )
    return ingested.entry.records


def _settle(workspace: Workspace, month: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Settle every demo contract for a month at the clock's instant."""
    from .listing import settlement_row

    return {
        (contract, month): settlement_row(
            settle_month(workspace, contract, month, HEDGED_WITH[1]), explain=False
        )
        for contract in DEMO_CONTRACTS
    }
