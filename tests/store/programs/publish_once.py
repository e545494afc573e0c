"""Publish what the tape lacks of ten days: ``publish_once.py ROOT DATABASE_URL|-``; prints how many rows.

Waits for a line on standard input first, so that several start together.
"""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from rentmark.records import Fixing, day_start
from rentmark.store import Store


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def real_now(self) -> datetime:
        return datetime.now(UTC)


def invented(day: date) -> Fixing:
    return Fixing(
        benchmark="invented-list",
        date=day,
        value_micros=3_250_000,
        status="OK",
        rule=None,
        tier="listed",
        n_observations=4,
        n_sellers=4,
        n_votes=4,
        n_venues=4,
        gpu_seconds=0,
        p25_micros=3_250_000,
        p75_micros=3_250_000,
        top_weight="0.250000",
        carried_from=None,
        methodology="list-median",
        methodology_version="1.0.0",
        methodology_hash="invented",
        input_digest="invented",
        effective_at=day_start(day) + timedelta(days=1),
        simulated=False,
        reconstructed=False,
        rights="allowed",
        settlement_grade=False,
        origin="backcast",
    )


def main() -> None:
    root, url = sys.argv[1:3]

    def make(tape: list[Fixing], _published_at: datetime) -> list[Fixing]:
        standing = {row.date for row in tape}
        days = [date(2026, 7, 1) + timedelta(days=n) for n in range(10)]
        return [invented(day) for day in days if day not in standing]

    with Store.open(Path(root), database_url=None if url == "-" else url, clock=SystemClock()) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        print(len(store.append_fixings(make, "invented-list")), flush=True)


if __name__ == "__main__":
    main()
