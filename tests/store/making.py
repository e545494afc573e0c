"""Invented observations, fixings and clocks for the tests of the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
from rentmark.records import Batch, Fixing, LedgerEntry, Refusal, day_start, digest_of
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.store import Store

START = datetime(2026, 8, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)


class SteppedClock:
    """A clock that moves only when told; its real time stands a thousand days later."""

    def __init__(self, start: datetime = START) -> None:
        self.instant = start

    def now(self) -> datetime:
        return self.instant

    def real_now(self) -> datetime:
        return self.instant + timedelta(days=1000)

    def step(self, by: timedelta = HOUR) -> datetime:
        self.instant += by
        return self.instant


def _eight_bytes(row: Mapping[str, Any], names: Iterable[str]) -> int:
    text = "\x1f".join(f"{name}={row[name]}" for name in names if row[name] is not None)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


def observation(**changes: Any) -> dict[str, Any]:
    """An invented offer; ids follow from its content unless given."""
    observed_at = changes.get("observed_at", START - DAY)
    row: dict[str, Any] = dict.fromkeys(OBSERVATION_SCHEMA.names)
    row |= {
        "kind": "offer",
        "tier": "listed",
        "source": "invented",
        "seller": "seller-1",
        "observed_at": observed_at,
        "known_at": observed_at,
        "chip": "H100",
        "memory_gb": 80,
        "gpu_count": 8,
        "price_micros": 3_250_000,
        "currency": "USD",
        "price_basis": "instance",
        "pricing": "on_demand",
        "service": "unstated",
        "carried_by_source": False,
        "rights": "allowed",
        "simulated": False,
        "position": 0,
    }
    row |= changes
    if row["observation_id"] is None:
        row["observation_id"] = _eight_bytes(row, DUPLICATE_KEY)
    if row["content_check"] is None:
        row["content_check"] = _eight_bytes(
            row, (name for name in OBSERVATION_SCHEMA.names if name not in NOT_CONTENT)
        )
    return row


def offers(
    sellers: int, *, day: int = 0, price_micros: int = 3_250_000, **changes: Any
) -> list[dict[str, Any]]:
    """One offer of each seller on a day counted from 31 July 2026."""
    return [
        observation(
            seller=f"seller-{number}",
            observed_at=START + (day - 1) * DAY,
            price_micros=price_micros,
            **changes,
        )
        for number in range(sellers)
    ]


def reject(position: int, reason: str = "missing_price", value: str = "") -> dict[str, Any]:
    return {
        "position": position,
        "reason": reason,
        "field": "price",
        "value": value,
        "sentence": f"record {position}: price is {value!r}.",
    }


def make_batch(
    rows: list[dict[str, Any]],
    payload_digest: str,
    *,
    rejects: list[dict[str, Any]] | None = None,
    duplicates: int = 0,
    refusal: Refusal | None = None,
    notes: tuple[str, ...] = (),
) -> Batch:
    refused = [{"payload_digest": payload_digest} | row for row in rejects or []]
    placed = [row | {"payload_digest": payload_digest, "position": n} for n, row in enumerate(rows)]
    return Batch(
        observations=pa.Table.from_pylist(placed, OBSERVATION_SCHEMA),
        rejects=pa.Table.from_pylist(refused, REJECT_SCHEMA),
        records=len(placed) + len(refused) + duplicates,
        duplicates=duplicates,
        refusal=refusal,
        notes=notes,
    )


def commit(
    store: Store,
    rows: list[dict[str, Any]],
    *,
    payload: bytes | None = None,
    feed: str = "invented",
    feed_version: str = "1",
    mapping_hash: str = "none",
    simulated: bool = False,
    origin_name: str = "offers.csv",
    **parts: Any,
) -> LedgerEntry:
    """Put a payload (by default one that stands for these rows) and commit what it holds."""
    if payload is None:
        payload = repr([(row["observation_id"], row["content_check"]) for row in rows]).encode()
    digest = store.put_payload(payload)
    return store.commit_batch(
        make_batch(rows, digest, **parts),
        feed=feed,
        feed_version=feed_version,
        mapping_hash=mapping_hash,
        payload_digest=digest,
        origin_name=origin_name,
        payload_bytes=len(payload),
        received_at=START,
        rights="allowed",
        simulated=simulated,
    )


def archived(store: Store, as_of: datetime | None = None) -> list[dict[str, Any]]:
    """Every observation of the files that count."""
    import pyarrow.parquet as pq

    files = store.observation_files(as_of=as_of)
    return [row for path in store.file_paths(files) for row in pq.ParquetFile(path).read().to_pylist()]


def make_fixing(day: date, value_micros: int | None = 3_250_000, **changes: Any) -> Fixing:
    """An invented candidate of ``invented-list``."""
    values: dict[str, Any] = {
        "benchmark": "invented-list",
        "date": day,
        "value_micros": value_micros,
        "status": "GAP" if value_micros is None else "OK",
        "rule": "min_sellers" if value_micros is None else None,
        "tier": None if value_micros is None else "listed",
        "n_observations": 12,
        "n_sellers": 4,
        "n_votes": 4,
        "n_venues": 4,
        "gpu_seconds": 0,
        "p25_micros": value_micros,
        "p75_micros": value_micros,
        "top_weight": None if value_micros is None else "0.250000",
        "carried_from": None,
        "methodology": "list-median",
        "methodology_version": "1.0.0",
        "methodology_hash": digest_of("invented methodology"),
        "input_digest": digest_of(["invented inputs", day]),
        "effective_at": day_start(day) + DAY,
        "simulated": False,
        "reconstructed": False,
        "rights": "allowed",
        "settlement_grade": False,
    }
    return Fixing(**(values | changes))


def publish(store: Store, *fixings: Fixing) -> list[Fixing]:
    """Append fixings of one benchmark as live."""
    from dataclasses import replace

    ready = [replace(fixing, origin=fixing.origin or "live") for fixing in fixings]
    return store.append_fixings(lambda _tape, _published_at: ready, ready[0].benchmark)
