"""An observation: one advertised price or one completed trade, as the market said it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal["offer", "trade"]
Tier = Literal["trade", "executable", "listed"]
PriceBasis = Literal["instance", "gpu_only"]
Pricing = Literal["on_demand", "spot", "reserved", "community", "serverless"]
Service = Literal["managed_cluster", "vm", "bare_metal", "container", "serverless", "unstated"]
Rights = Literal["allowed", "forbidden", "unknown"]
TradeStatus = Literal["new", "corrected", "cancelled"]
Tenancy = Literal["single", "shared"]

TIERS: tuple[Tier, ...] = ("trade", "executable", "listed")
PRICINGS: tuple[Pricing, ...] = ("on_demand", "spot", "reserved", "community", "serverless")
SERVICES: tuple[Service, ...] = (
    "managed_cluster",
    "vm",
    "bare_metal",
    "container",
    "serverless",
    "unstated",
)
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One candidate price (an offer) or one trade event. Unknown is None, never a guess.

    Prices are integer micro-USD per GPU-hour; hours are integer GPU-seconds; times are UTC.
    The columns of :data:`rentmark.records.schemas.OBSERVATION_SCHEMA` are these fields.
    """

    observation_id: int
    """64 bits of the SHA-256 of the fields that make two records the same (see definitions)."""
    content_check: int
    """64 bits over all content, no seal: no payload digest, position or recorded time (how: ingest.identity)."""
    kind: Kind
    tier: Tier
    source: str
    source_id: str | None
    source_commit: str | None
    sku: str | None
    name_as_written: str | None
    seller: str
    venue: str | None
    aggregator: str | None
    observed_at: datetime
    known_at: datetime
    recorded_at: datetime | None
    chip: str
    form_factor: str | None
    memory_gb: int | None
    gpu_count: int | None
    price_micros: int
    currency: str
    fx_rate: str | None
    price_original: str | None
    unit_original: str | None
    price_basis: PriceBasis
    region: str | None
    country: str | None
    pricing: Pricing
    term_months: int | None
    service: Service
    interconnect: str | None
    gpus_available: int | None
    minimum_gpus: int | None
    machine: str | None
    verification: str | None
    reliability: float | None
    carried_by_source: bool
    license: str | None
    rights: Rights
    simulated: bool
    suspect: str | None
    """Reason code of a doubt that did not reject it; a methodology decides what to do."""
    trade_id: str | None
    trade_status: TradeStatus | None
    gpu_seconds: int | None
    start_at: datetime | None
    end_at: datetime | None
    buyer: str | None
    reported_at: datetime | None
    """When a trade event says it was reported: tells a correction that comes back to an old price from a repeat."""
    payload_digest: str
    position: int
    """Place of the record in its payload, counted from 0."""
    tenancy: Tenancy | None = None
    """``single``: the machine is the renter's alone; ``shared``: others rent parts of it."""

    @property
    def gpu_hours(self) -> float | None:
        """GPU-hours of a trade, for display; sums use ``gpu_seconds``."""
        return None if self.gpu_seconds is None else self.gpu_seconds / SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """A record that was refused: kept, with its place, the reason, and a sentence."""

    payload_digest: str
    position: int
    reason: str
    field: str
    value: str
    sentence: str
