"""Commit invented batches until stopped: ``commit_many.py ROOT DATABASE_URL|- FIRST COUNT SELLERS``.

Waits for a line on standard input before the first commit, so that several start together. Batch
number n is the same whoever commits it. Prints the ledger id and the accepted rows of each.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from rentmark.records import Batch
from rentmark.records.schemas import INSTANT, OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.store import Store

DAY = timedelta(days=1)
FIXED = {
    "kind": "offer",
    "tier": "listed",
    "source": "invented",
    "chip": "H100",
    "currency": "USD",
    "price_basis": "instance",
    "pricing": "on_demand",
    "service": "unstated",
    "rights": "allowed",
    "carried_by_source": False,
    "simulated": False,
    "price_micros": 3_250_000,
}


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def real_now(self) -> datetime:
        return datetime.now(UTC)


def table(number: int, rows: int, digest: str) -> pa.Table:
    """Rows of two months, so that a batch has two files."""
    columns = {name: pa.repeat(pa.scalar(value), rows) for name, value in FIXED.items()}
    instants = [datetime(2026, 7, 31, tzinfo=UTC) + (n % 2) * DAY for n in range(rows)]
    columns |= {
        "observation_id": pa.array([number * 1_000_000 + n for n in range(rows)], pa.int64()),
        "content_check": pa.array(range(rows), pa.int64()),
        "seller": pa.array([f"seller-{number}-{n}" for n in range(rows)]),
        "observed_at": pa.array(instants, INSTANT),
        "known_at": pa.array(instants, INSTANT),
        "payload_digest": pa.repeat(pa.scalar(digest), rows),
        "position": pa.array(range(rows), pa.int64()),
    }
    missing = {f.name: pa.nulls(rows, f.type) for f in OBSERVATION_SCHEMA if f.name not in columns}
    columns |= missing
    return pa.table([columns[f.name].cast(f.type) for f in OBSERVATION_SCHEMA], schema=OBSERVATION_SCHEMA)


def main() -> None:
    root, url, first, count, sellers = sys.argv[1:6]
    with Store.open(Path(root), database_url=None if url == "-" else url, clock=SystemClock()) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(first), int(first) + int(count)):
            payload = f"payload {number}".encode()
            digest = store.put_payload(payload)
            batch = Batch(
                observations=table(number, int(sellers), digest),
                rejects=REJECT_SCHEMA.empty_table(),
                records=int(sellers),
                duplicates=0,
            )
            entry = store.commit_batch(
                batch,
                feed="invented",
                feed_version="1",
                mapping_hash="none",
                payload_digest=digest,
                origin_name=f"{number}.csv",
                payload_bytes=len(payload),
                received_at=datetime.now(UTC),
                rights="allowed",
                simulated=False,
            )
            print(entry.batch_id, entry.accepted, flush=True)


if __name__ == "__main__":
    main()
