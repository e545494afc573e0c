"""``gpurentalprices``: a daily snapshot of list prices collected by gpurentalprices.com.

``{date, generated_at, providers, offers: [{provider, gpu, vram_gb, usd_hr, kind, min_gpus?,
source_url, fetched_at}]}``. ``usd_hr`` is per GPU. An offer is observed when the collector read
the seller's page (``fetched_at``) and known when the snapshot was made (``generated_at``). A page
read on an earlier day than the snapshot's, or a provider that the snapshot itself calls stale, is
an old price repeated: kept and marked as carried by the source.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ...records import Batch, Refusal, from_microseconds, parse_date, parse_instant, to_microseconds
from ...records.schemas import INSTANT
from ..account import Value, account_for, refused
from ..columns import Bad, Column, join, shown
from ..documents import read_offers, text_beside
from ..feed import FeedContext, FeedTerms
from ..fields import PRICING_WORDS, choice, instant, price_of, required_text, whole
from ..hardware import read_hardware
from ..layout import price_doubts

_FIELDS = ("provider", "gpu", "vram_gb", "usd_hr", "kind", "min_gpus", "source_url", "fetched_at")
_RAW_KEY = ("provider", "gpu", "vram_gb", "usd_hr", "kind", "min_gpus", "fetched_at")


class GpuRentalPrices:
    """Snapshots of gpurentalprices.com, under the source name of its public archive."""

    id = "gpurentalprices"
    version = "2"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license="CC BY 4.0",
        attribution=(
            "GPU rental price data by gpurentalprices.com (https://gpurentalprices.com), "
            "licensed under CC BY 4.0."
        ),
        link="https://gpurentalprices.com",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Daily snapshot of list prices by gpurentalprices.com (JSON)"
    parameters = None
    source = "adriannutiu/gpu-rental-prices"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one snapshot."""
        found = read_offers(payload, _FIELDS, context)
        if isinstance(found, Refusal):
            return refused(found)
        document, raw = found
        stamp = _generated_at(document, context)
        if isinstance(stamp, Refusal):
            return refused(stamp)
        day = _snapshot_day(document, stamp, context)
        if isinstance(day, Refusal):
            return refused(day)
        latest = to_microseconds(context.received_at)
        observed = raw.column("fetched_at").convert(instant(None, latest=latest))
        # A snapshot stamped after it was received refuses each of its records by the same rule.
        made = Column("generated_at", [stamp], np.zeros(raw.rows, np.int64)).convert(
            lambda moment: (
                Bad("future_time", value=text_beside(document, "generated_at"))
                if moment and moment > latest
                else moment
            )
        )
        hardware = read_hardware(
            raw.column(None),
            raw.column(None),
            raw.column("vram_gb").convert(whole("bad_memory")),
            raw.column("gpu"),
        )
        price = raw.column("usd_hr").convert(price_of)
        stale = _stale(document)
        old = observed.convert(lambda moment: day is not None and from_microseconds(moment).date() < day)
        carried = join([old, raw.column("provider")], lambda older, name: older or name in stale)
        seen = observed.to_numpy(missing=0)
        values: dict[str, Value] = {
            "observed_at": observed,
            "known_at": pa.array(np.maximum(seen, stamp or 0), pa.int64()).cast(INSTANT),
            "seller": raw.column("provider").convert(required_text("missing_seller")),
            "chip": hardware.convert(lambda chip: chip.chip),
            "form_factor": hardware.convert(lambda chip: chip.form_factor),
            "memory_gb": hardware.convert(lambda chip: chip.memory_gb),
            "interconnect": hardware.convert(lambda chip: chip.interconnect),
            "name_as_written": raw.column("gpu"),
            "sku": raw.column("gpu"),
            "price_micros": price,
            "price_original": raw.column("usd_hr"),
            "unit_original": "usd_per_gpu_hour",
            "pricing": raw.column("kind").convert(choice(PRICING_WORDS, None)),
            "minimum_gpus": raw.column("min_gpus").convert(whole("bad_number")),
            "carried_by_source": carried,
            "suspect": price_doubts(price, hardware, {"older_than_snapshot": old}),
            "kind": "offer",
            "tier": "listed",
            "source": self.source,
            "aggregator": "gpurentalprices.com",
            "currency": "USD",
            "price_basis": "instance",
            "service": "unstated",
            "license": self.terms.license,
            "rights": self.terms.rights,
            "simulated": context.simulated,
        }
        raw_key: list[Column[Any]] = [raw.column(name) for name in _RAW_KEY]
        return account_for(raw, values, raw_key, context, checks=[observed, made])


def _generated_at(document: dict[str, Any], context: FeedContext) -> int | Refusal | None:
    """When the snapshot was made, in microseconds; None where it does not say."""
    text = text_beside(document, "generated_at")
    if text is None:
        return None
    try:
        return to_microseconds(parse_instant(text))
    except ValueError:
        return _unreadable("generated_at", text, "time with a zone", context)


def _snapshot_day(document: dict[str, Any], stamp: int | None, context: FeedContext) -> date | Refusal | None:
    """The day a snapshot is for: its ``date``, else the UTC day it was made; None where it says neither."""
    text = text_beside(document, "date")
    if text is None:
        return None if stamp is None else from_microseconds(stamp).date()
    try:
        return parse_date(text)
    except ValueError:
        return _unreadable("date", text, "date", context)


def _unreadable(key: str, value: str, what: str, context: FeedContext) -> Refusal:
    return Refusal(
        "not_this_format", f"{context.origin_name} has {key} {shown(value)!r}, which is no {what}."
    )


def _stale(document: dict[str, Any]) -> frozenset[str]:
    """Providers whose prices the snapshot itself calls stale."""
    providers = document.get("providers")
    if not isinstance(providers, dict):
        return frozenset()
    return frozenset(
        name for name, state in providers.items() if isinstance(state, dict) and state.get("stale") is True
    )
