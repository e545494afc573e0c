"""Invented blotter events for the tests of the store."""

from __future__ import annotations

from datetime import date
from typing import Any

from rentmark.records import sha256_hex
from rentmark.records.blotter import BlotterEvent, BlotterImport, BlotterReject
from rentmark.store import Store
from rentmark.store.blotter import PreparedBlotter, add_blotter


def event(**changes: Any) -> BlotterEvent:
    """A new trade of an invented broker; a change takes the place of a field."""
    values: dict[str, Any] = {
        "action": "new",
        "broker": "invented-broker",
        "trade_id": "T1",
        "account": "desk",
        "traded_on": date(2026, 7, 8),
        "contract": "cme-gpu1",
        "month": "2026-09",
        "lots": 5,
        "price_micros": 3_120_000,
    }
    return BlotterEvent(**(values | changes))


def keep_events(
    store: Store,
    *events: BlotterEvent,
    rejects: tuple[BlotterReject, ...] = (),
    payload: bytes = b"invented blotter",
    rules_hash: str = "rules",
) -> BlotterImport:
    """Commit events as one file."""
    return add_blotter(
        store,
        lambda _standing: PreparedBlotter(
            records=len(events) + len(rejects), duplicates=0, events=events, rejects=rejects
        ),
        payload_digest=sha256_hex(payload),
        rules_hash=rules_hash,
        payload_bytes=len(payload),
        origin_name="blotter.csv",
    )
