"""``vast``: the order book of the Vast.ai marketplace, as its ``bundles`` search returns it.

``{collected_utc?, offers: [{id, machine_id, host_id, hosting_type, verification, reliability2,
gpu_name, gpu_ram, num_gpus, gpu_frac, dph_total, is_bid, rentable, rented, geolocation, …}]}``. How a row
is read stands in :mod:`rentmark.ingest.order_book`. A payload without ``collected_utc`` is dated by the
stated ``observed_at`` or by our own fetch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..columns import Bad, constant, shown
from ..documents import read_offers, text_beside
from ..feed import FeedContext, FeedTerms
from ..fields import instant
from ..layout import VAST_VENUE
from ..order_book import book_batch, capped_lists
from ..parameters import SnapshotParameters, missing, snapshot_moment

_FIELDS = (
    "id", "ask_contract_id", "machine_id", "host_id", "hosting_type", "verification", "reliability2",
    "gpu_name", "gpu_ram", "num_gpus", "gpu_frac", "dph_total", "rentable", "rented", "geolocation",
)  # fmt: skip
_RAW_KEY = (
    "host_id", "gpu_name", "gpu_ram", "num_gpus", "machine_id", "geolocation", "hosting_type", "dph_total",
)  # fmt: skip


class Vast:
    """Offers of Vast.ai hosts, each of which can be taken at its price."""

    id = "vast"
    version = "2"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Vast.ai terms of service",
        attribution="Vast.ai order book",
        link="https://vast.ai/terms",
    )
    lag_hours = 0
    complete_snapshot = False  # a search returns at most its limit, often 64 rows
    summary = "Order book of the Vast.ai marketplace (JSON of a bundles search)"
    parameters = SnapshotParameters

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one search result."""
        found = read_offers(payload, _FIELDS, context, passed_over=_is_bid)
        if isinstance(found, Refusal):
            return refused(found)
        document, raw = found
        raw = replace(raw, notes=(*raw.notes, *capped_lists(raw, None)))
        latest = to_microseconds(context.received_at)
        observed = _collected(document, context, self.id)
        if isinstance(observed, Refusal):
            return refused(observed)
        times = constant("collected_utc", observed, raw.rows).convert(
            lambda moment: (
                Bad("future_time", value=text_beside(document, "collected_utc"))
                if moment > latest
                else moment
            )
        )
        return book_batch(self, raw, context, times, source=VAST_VENUE, raw_key=_RAW_KEY)


def _is_bid(offer: object) -> bool:
    return isinstance(offer, dict) and offer.get("is_bid") in (True, "1", "true")


def _collected(document: dict[str, Any], context: FeedContext, feed_id: str) -> int | Refusal:
    """When the book was looked at: the payload's stamp, the stated time, or the moment we fetched it."""
    text = text_beside(document, "collected_utc")
    if text is None:
        stated = context.parameters if isinstance(context.parameters, SnapshotParameters) else None
        moment = snapshot_moment(None, stated, context.collected_at)
        return (
            missing(context.origin_name, "when it was collected (collected_utc)", "observed_at", feed_id)
            if moment is None
            else moment
        )
    moment_or_bad = instant(None, latest=None)(text)
    if isinstance(moment_or_bad, Bad):
        return Refusal(
            "not_this_format",
            f"{context.origin_name} has collected_utc {shown(text)!r}, which is no time with a zone.",
        )
    return moment_or_bad
