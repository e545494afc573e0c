"""``shadeform``: the instance types of the Shadeform marketplace.

``{instance_types: [{cloud, shade_instance_type, cloud_instance_type, hourly_price, deployment_type?,
configuration: {gpu_type, num_gpus, vram_per_gpu_in_gb, interconnect, …}, availability: [{region, available,
display_name}]}]}``. ``hourly_price`` is whole cents of the instance. The cloud is the seller, Shadeform the venue.
There is one record for each region; where it is not available, 0 GPUs are. The payload has no stamp: its time is
that of the fetch, or stated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import flat, part
from ..columns import join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import choice, flag, required_text
from ..hardware import named_hardware
from ..listing import batch_of, gigabytes, read_price, required_count, snapshot_time
from ..parameters import SnapshotParameters

_FIELDS = (
    "cloud", "shade_instance_type", "cloud_instance_type", "hourly_price", "deployment_type",
    "configuration.gpu_type", "configuration.num_gpus", "configuration.vram_per_gpu_in_gb",
    "configuration.interconnect",
)  # fmt: skip
_REGION, _AVAILABLE = "availability.region", "availability.available"
_SERVICES = {"vm": "vm", "container": "container", "baremetal": "bare_metal", "bare_metal": "bare_metal"}


class Shadeform:
    """Offers of many clouds, as Shadeform resells them."""

    id = "shadeform"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Shadeform terms of service",
        attribution="Shadeform (https://www.shadeform.ai)",
        link="https://www.shadeform.ai/legal/terms-of-service",
    )
    lag_hours = 0
    complete_snapshot = False  # the request may filter by cloud, GPU or region
    summary = "Instance types of Shadeform (JSON); time of the fetch, or as parameter"
    parameters = SnapshotParameters
    source = "shadeform"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one answer of the API."""
        document = read_document(payload, context)
        types = document if isinstance(document, Refusal) else list_in(document, "instance_types", context)
        if isinstance(types, Refusal):
            return refused(types)
        raw = candidates_of(types, _candidates, (*_FIELDS, _REGION, _AVAILABLE))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        link = raw.column("configuration.interconnect")
        hardware = named_hardware(
            raw.column("configuration.gpu_type"),
            memory_gb=raw.column("configuration.vram_per_gpu_in_gb").convert(gigabytes),
            form_factor=link.convert(_board),
        )
        count = raw.column("configuration.num_gpus").convert(required_count)
        available = raw.column(_AVAILABLE).convert(lambda text: None if text is None else flag(text))
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [raw.column("hourly_price"), count],
                lambda text, gpus: read_price(
                    text, "hourly_price", gpus=gpus, per_unit=100, unit="per_instance_hour"
                ),
            ),
            source=self.source,
            seller=raw.column("cloud").convert(required_text("missing_seller")),
            venue="shadeform",
            sku=join(
                [raw.column("cloud_instance_type"), raw.column("shade_instance_type")],
                lambda own, shared: own or shared,
            ),
            gpu_count=count,
            region=raw.column(_REGION),
            gpus_available=available.convert(lambda there: 0 if there is False else None),
            interconnect=join(
                [link, hardware],
                lambda text, found: "NVLink" if (text or "").lower() == "nvlink" else found.interconnect,
            ),
            service=raw.column("deployment_type").convert(choice(_SERVICES, "unstated")),
            checks=[observed, count],
        )


def _candidates(entry: Any) -> Iterable[Any]:
    """One record per region, or one without where none is told."""
    if part(entry, "configuration.num_gpus") == "0":
        return
    regions = entry.get("availability") if isinstance(entry, dict) else None
    if not isinstance(regions, list) or not regions:
        yield flat(entry, _FIELDS, **{_REGION: regions or None})
        return
    for region in regions:
        yield flat(entry, _FIELDS, **{_REGION: part(region, "region"), _AVAILABLE: part(region, "available")})


def _board(text: str | None) -> str | None:
    """The board where the text names one; a link or a word of the marketplace's own is none."""
    word = (text or "").lower()
    return "SXM" if word.startswith("sxm") else "PCIe" if word == "pcie" else None
