"""``ccir-book``: daily snapshots of the Vast.ai order book by CCIR, many days in one CSV.

Two layouts are read. The book: ``collected_utc, offer_id, machine_id, host_id, hosting_type, verification,
reliability2, gpu_name, gpu_ram_mb, num_gpus, gpu_frac, dph_base, dph_total, min_bid, is_bid, rentable, rented,
geolocation, …``. The older extract of one chip: ``listing_id, gpu_name, num_gpus, dph_total, dph_per_gpu,
reliability, geolocation, datacenter, gpu_ram_gb, collected_utc``, whose ``gpu_ram_gb`` is in MiB and which names
no hosts, so that the marketplace stands in as the seller. How a row is read stands in
:mod:`rentmark.ingest.order_book`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import only
from ..feed import FeedContext, FeedTerms
from ..fields import FLAGS, instant
from ..order_book import book_batch, capped_lists
from ..tables import read_named_columns

_FIELDS = (
    "collected_utc", "offer_id", "listing_id", "machine_id", "host_id", "hosting_type", "datacenter",
    "verification", "reliability2", "reliability", "gpu_name", "gpu_ram_mb", "gpu_ram_gb", "num_gpus",
    "gpu_frac", "dph_total", "is_bid", "rentable", "rented", "geolocation",
)  # fmt: skip
_NEEDED = ("collected_utc", "gpu_name", "num_gpus", "dph_total", "geolocation")


class CcirBook:
    """The order book of Vast.ai as CCIR kept it, under the source name of its archive."""

    id = "ccir-book"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed", license="CC BY 4.0", attribution="CCIR, ccir.io", link="https://ccir.io"
    )
    lag_hours = 0
    complete_snapshot = False  # searches stop at 64 rows
    summary = "Daily snapshots of the Vast.ai order book by CCIR (CSV)"
    parameters = None
    source = "ccir-index/cri-h100"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one file of snapshots."""
        found = read_named_columns(payload, _FIELDS, _NEEDED, context)
        if isinstance(found, Refusal):
            return refused(found)
        bids = found.column("is_bid")
        offers = np.fromiter(
            (not (isinstance(value, str) and FLAGS.get(value.lower(), False)) for value in bids.values),
            np.bool_,
            len(bids.values),
        )
        raw = only(found, offers[bids.codes], "are bids")
        raw = replace(raw, notes=(*raw.notes, *capped_lists(raw, "collected_utc")))
        latest = to_microseconds(context.received_at)
        return book_batch(
            self,
            raw,
            context,
            raw.column("collected_utc").convert(instant(None, latest=latest)),
            source=self.source,
            memory="gpu_ram_mb" if "gpu_ram_mb" in raw.names else "gpu_ram_gb",
            offer_ids=("offer_id", "listing_id"),
            aggregator="ccir.io",
        )
