"""Invented daily settlements for the tests of the store."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from rentmark.records import Mark, MarkImport, digest_of
from rentmark.store import Store
from rentmark.store.marks import PreparedMarks, add_marks

TRADED = date(2026, 7, 14)


def mark(month: str = "2026-09", settle_micros: int = 3_120_000, **changes: Any) -> Mark:
    """An invented settlement."""
    values: dict[str, Any] = {
        "contract": "cme-gpu1",
        "month": month,
        "trade_date": TRADED,
        "settle_micros": settle_micros,
        "bid_micros": 3_100_000,
        "ask_micros": None,
        "volume": 12,
        "open_interest": None,
        "vintage": datetime(2026, 7, 14, 21, tzinfo=UTC),
    }
    return Mark(**(values | changes))


def keep_marks(store: Store, *marks: Mark, name: str = "settlements.csv", **prepared: Any) -> MarkImport:
    """Import marks as they are under the digest of what they say."""
    content = [name, *([m.label, m.vintage, m.settle_micros] for m in marks)]
    made = PreparedMarks(**({"marks": marks, "rejects": (), "duplicates": 0, "notes": ()} | prepared))
    return add_marks(
        store,
        lambda _standing, _now: made,
        payload_digest=digest_of(content),
        payload_bytes=100,
        origin_name=name,
    )
