"""Invented series, marks and settlements files for the tests of curves and paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rentmark.contracts.curve import FixingSeries, Stepping
from rentmark.records import Mark

FIRST = date(2026, 1, 1)
RECEIVED = datetime(2026, 8, 20, 6, tzinfo=UTC)
HEADER = "trade_date,contract,month,settle,bid,ask,volume,open_interest,vintage"


def make_series(
    prices: Iterable[float],
    *,
    first: date = FIRST,
    skip: Sequence[int] = (),
    stepping: Stepping | None = None,
) -> FixingSeries:
    """Prices in USD a day each, the days at the places of ``skip`` without a fixing."""
    pairs = [(first + timedelta(days=n), round(p * 1_000_000)) for n, p in enumerate(prices) if n not in skip]
    return FixingSeries(
        "invented-list",
        tuple(day for day, _ in pairs),
        tuple(micros for _, micros in pairs),
        stepping or Stepping(),
    )


def settlements(*rows: str, header: str = HEADER) -> bytes:
    """A settlements file; a row shorter than the header is filled up with blanks."""
    width = header.count(",")
    return ("\n".join([header, *(row + "," * (width - row.count(",")) for row in rows)]) + "\n").encode()


def make_mark(
    trade_date: date, month: str = "2026-09", settle_micros: int = 3_120_000, **changes: Any
) -> Mark:
    """An invented settlement of cme-gpu1, public at nine in the evening of its trade date."""
    vintage = datetime(trade_date.year, trade_date.month, trade_date.day, 21, tzinfo=UTC)
    values: dict[str, Any] = {
        "contract": "cme-gpu1",
        "month": month,
        "trade_date": trade_date,
        "settle_micros": settle_micros,
        "bid_micros": None,
        "ask_micros": None,
        "volume": None,
        "open_interest": None,
        "vintage": vintage,
        "recorded_at": vintage + timedelta(hours=9),
    }
    return Mark(**(values | changes))
