"""``runpod``: the GPU types of RunPod's GraphQL API.

``{data: {gpuTypes: [{id, displayName, memoryInGb, secureCloud, communityCloud, securePrice, communityPrice,
secureSpotPrice?, communitySpotPrice?, lowestPrice: {minimumBidPrice, uninterruptablePrice, stockStatus}}]}}``.
Prices are dollars an hour of one GPU. The payload has no stamp: its time is that of the fetch, or stated.

* A price of 0, or one of a cloud that is marked as not offered, means not offered, and is no record.
* ``minimumBidPrice`` is the floor of an auction, and ``uninterruptablePrice`` repeats the lower of the two
  prices: neither is a record.
* Where ``lowestPrice`` was asked for and tells no ``stockStatus``, nothing is on offer now: 0 GPUs available.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import flat, part
from ..columns import Bad, constant, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..hardware import named_hardware, naming
from ..listing import batch_of, gigabytes, read_price, snapshot_time
from ..parameters import SnapshotParameters

_FIELDS = ("id", "displayName", "memoryInGb", "lowestPrice.stockStatus")
_PRICES = {
    "securePrice": ("on_demand", "secureCloud"),
    "communityPrice": ("community", "communityCloud"),
    "secureSpotPrice": ("spot", "secureCloud"),
    "communitySpotPrice": ("spot", "communityCloud"),
}
_ZERO = re.compile(r"[+-]?(?:0+\.?0*|\.0+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
_NONE_IN_STOCK = "none in stock"


class RunPod:
    """RunPod's secure and community cloud."""

    id = "runpod"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="RunPod terms of service",
        attribution="RunPod (https://www.runpod.io)",
        link="https://www.runpod.io/legal/terms-of-service",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "GPU types of RunPod (JSON of the GraphQL API); time of the fetch, or as parameter"
    parameters = SnapshotParameters
    source = "runpod"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one answer of the API."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        inner = document.get("data", document) if isinstance(document, dict) else document
        types = list_in(inner, "gpuTypes", context)
        if isinstance(types, Refusal):
            return refused(types)
        raw = candidates_of(types, _candidates, (*_FIELDS, "cell", "column"), "offer nothing")
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        memory = raw.column("memoryInGb").convert(gigabytes)
        product = raw.column("displayName").convert(naming)
        hardware = named_hardware(raw.column("id"), memory_gb=memory, chip=product)
        column = raw.column("column")
        stock = raw.column("lowestPrice.stockStatus")
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join([raw.column("cell"), column], read_price),
            source=self.source,
            source_id=raw.column("id"),
            seller=constant("seller", "runpod", raw.rows),
            sku=raw.column("id"),
            pricing=column.convert(lambda name: _PRICES[name][0] if name in _PRICES else Bad("bad_choice")),
            gpus_available=stock.convert(lambda text: 0 if text == _NONE_IN_STOCK else None),
            service="container",
            checks=[observed],
        )


def _candidates(gpu: Any) -> Iterable[Any]:
    """One record per price that is offered."""
    if not isinstance(gpu, dict):
        yield gpu
        return
    asked = isinstance(gpu.get("lowestPrice"), dict) and "stockStatus" in gpu["lowestPrice"]
    for column, (_, cloud) in _PRICES.items():
        price, offered = gpu.get(column), gpu.get(cloud)
        if price is None or offered is False or (isinstance(price, str) and _ZERO.fullmatch(price)):
            continue
        row = flat(gpu, _FIELDS, cell=price, column=column)
        if asked and part(gpu, "lowestPrice.stockStatus") is None:
            row["lowestPrice.stockStatus"] = _NONE_IN_STOCK
        yield row
