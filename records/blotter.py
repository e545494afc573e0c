"""A blotter: what brokers reported was traded, amended and cancelled, event by event."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Literal

from .canonical import digest_of

Action = Literal["new", "amend", "cancel"]
ACTIONS: tuple[Action, ...] = ("new", "amend", "cancel")
TradeKey = tuple[str, str]
"""Broker and trade id: what names one trade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlotterEvent:
    """One row of a broker's file.

    ``lots`` are signed (positive bought), ``price_micros`` is micro-USD per GPU-hour, ``fees_micros``
    the fees of the whole trade as billed. A field of an amendment that is None stays as it was.
    ``event_id`` tells apart two events that say the same. ``position`` (the row in its file, from 0)
    and ``recorded_at`` (when it was committed here) are no part of what the event says.
    """

    action: Action
    broker: str
    trade_id: str
    account: str | None = None
    traded_on: date | None = None
    contract: str | None = None
    month: str | None = None
    lots: int | None = None
    price_micros: int | None = None
    fees_micros: int | None = None
    strategy: str | None = None
    event_id: str | None = None
    position: int = 0
    recorded_at: datetime | None = None

    @property
    def key(self) -> TradeKey:
        """Broker and trade id."""
        return self.broker, self.trade_id

    @property
    def content_digest(self) -> str:
        """The SHA-256 of everything the event says, absent fields left out."""
        said = {name: getattr(self, name) for name in _SAID}
        return digest_of({name: value for name, value in said.items() if value is not None})


_SAID = tuple(field.name for field in fields(BlotterEvent) if field.name not in {"position", "recorded_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BlotterReject:
    """A row that was refused: where, which field with which value, and why in one sentence."""

    position: int
    reason: str
    field: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlotterImport:
    """One imported blotter file. ``records = accepted + rejected + duplicates``, always.

    ``rules_hash`` covers the reader and the contracts rows were held against: the same bytes under
    other contracts are another import. ``refusal_sentence`` is given where the file could not be read.
    """

    import_id: int
    payload_digest: str
    rules_hash: str
    origin_name: str
    payload_bytes: int
    records: int
    accepted: int
    rejected: int
    duplicates: int
    rejects: tuple[BlotterReject, ...]
    notes: tuple[str, ...]
    refusal_code: str | None
    refusal_sentence: str | None
    simulated: bool
    recorded_at: datetime
    recorded_at_real: datetime
