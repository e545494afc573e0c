"""A mark: what an exchange or broker said a contract month settled at on one day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One daily settlement of one contract month; prices in micro-USD per GPU-hour, absent ones unknown.

    ``vintage`` is when this price was made public: a later vintage of the same day is a correction.
    ``recorded_at`` is when it was committed here, None before that.
    """

    contract: str
    month: str
    trade_date: date
    settle_micros: int
    bid_micros: int | None
    ask_micros: int | None
    volume: int | None
    open_interest: int | None
    vintage: datetime
    recorded_at: datetime | None = None

    @property
    def key(self) -> tuple[str, str, date, datetime]:
        """What makes two marks the same: contract, month, trade date and vintage."""
        return self.contract, self.month, self.trade_date, self.vintage

    @property
    def prices(self) -> tuple[int | None, ...]:
        """What a mark says: settle, bid, ask, volume and open interest."""
        return self.settle_micros, self.bid_micros, self.ask_micros, self.volume, self.open_interest

    @property
    def label(self) -> str:
        """The mark in words: ``cme-gpu1 2026-09 on 2026-08-14``."""
        return f"{self.contract} {self.month} on {self.trade_date}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkReject:
    """A row of a settlements file that was refused; ``position`` counts records from 0."""

    position: int
    reason: str
    field: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkImport:
    """One imported settlements file. ``records = accepted + rejected + duplicates``, always."""

    import_id: int
    payload_digest: str
    origin_name: str
    payload_bytes: int
    records: int
    accepted: int
    rejected: int
    duplicates: int
    rejects: tuple[MarkReject, ...]
    notes: tuple[str, ...]
    recorded_at: datetime
    recorded_at_real: datetime
