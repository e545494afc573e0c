"""``lambda``: the instance types of Lambda's cloud API.

``{data: {<type>: {instance_type: {name, description, gpu_description?, price_cents_per_hour, specs: {gpus, …}},
regions_with_capacity_available: [{name, description}]}}}``. Prices are whole cents an hour of the instance.
There is one record for each region with capacity; a type without any is listed, with 0 GPUs available. The
payload has no stamp: its time is that of the fetch, or stated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import flat, part
from ..columns import constant, join
from ..documents import candidates_of, read_document
from ..feed import FeedContext, FeedTerms
from ..hardware import named_hardware
from ..listing import batch_of, read_price, required_count, snapshot_time
from ..parameters import SnapshotParameters

_FIELDS = (
    "instance_type.name", "instance_type.description", "instance_type.gpu_description",
    "instance_type.price_cents_per_hour", "instance_type.specs.gpus",
)  # fmt: skip
_REGIONS = "regions_with_capacity_available"
_CAPACITY = "capacity"


class Lambda:
    """Lambda's on-demand instances."""

    id = "lambda"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Lambda terms of service",
        attribution="Lambda (https://lambda.ai)",
        link="https://lambda.ai/legal/terms-of-service",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Instance types of Lambda's cloud (JSON); time of the fetch, or as parameter"
    parameters = SnapshotParameters
    source = "lambda"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one answer of the API."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        types = document.get("data") if isinstance(document, dict) else None
        if not isinstance(types, dict):
            return refused(
                Refusal(
                    "not_this_format",
                    f"{context.origin_name} has no object called data; name the feed it came from.",
                )
            )
        if not types:
            return refused(Refusal("empty_payload", f"{context.origin_name} holds no records."))
        raw = candidates_of(types.values(), _candidates, (*_FIELDS, _REGIONS, _CAPACITY))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        described = join(
            [raw.column("instance_type.gpu_description"), raw.column("instance_type.description")],
            lambda gpu, whole_type: gpu if gpu not in {None, "N/A"} else whole_type,
        )
        hardware = named_hardware(described)
        count = raw.column("instance_type.specs.gpus").convert(required_count)
        cents = raw.column("instance_type.price_cents_per_hour")
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [cents, count],
                lambda text, gpus: read_price(
                    text, cents.name, gpus=gpus, per_unit=100, unit="per_instance_hour"
                ),
            ),
            source=self.source,
            seller=constant("seller", "lambda", raw.rows),
            sku=raw.column("instance_type.name"),
            gpu_count=count,
            region=raw.column(_REGIONS),
            gpus_available=raw.column(_CAPACITY).convert(lambda text: 0 if text == "none" else None),
            service="vm",
            checks=[observed, count],
        )


def _candidates(entry: Any) -> Iterable[Any]:
    """One record per region with capacity, or one without a region."""
    if part(entry, "instance_type.specs.gpus") == "0":
        return
    regions = entry.get(_REGIONS) if isinstance(entry, dict) else None
    if not isinstance(regions, list) or not regions:
        told = {_REGIONS: regions or None, _CAPACITY: "none" if regions == [] else None}
        yield flat(entry, _FIELDS, **told)
        return
    for region in regions:
        yield flat(entry, _FIELDS, **{_REGIONS: part(region, "name") if isinstance(region, dict) else region})
