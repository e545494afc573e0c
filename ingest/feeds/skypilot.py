"""``skypilot``: a ``vms.csv`` of the SkyPilot catalogue, one file per cloud.

``InstanceType, AcceleratorName, AcceleratorCount, vCPUs, MemoryGiB, GpuInfo, Price, SpotPrice, Region[,
AvailabilityZone]``, in any order. Prices are dollars an hour of the whole instance. The cloud is the name
of the file's folder and the time is that of the commit: both are stated as parameters.

* Rows without an accelerator are machines without a GPU, and no records.
* A row without an instance type is the price of GPUs alone, to which a machine comes on top: ``gpu_only``.
* A spot price holds in its zone, the on-demand price in the region.
* ``GpuInfo`` is a Python literal or plain text. It tells the memory where the name does not, if the size
  is one the chip is sold with; it is never evaluated.
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import PRICE, PRICED_BY, only, spread
from ..columns import Bad, join
from ..feed import FeedContext, FeedTerms
from ..hardware import named_hardware, size_if_silent
from ..listing import batch_of, read_price, snapshot_time
from ..parameters import ProviderParameters, missing
from ..tables import read_named_columns

_FIELDS = (
    "InstanceType", "AcceleratorName", "AcceleratorCount", "GpuInfo", "Price", "SpotPrice", "Region",
    "AvailabilityZone",
)  # fmt: skip
_NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
_MEMORY = re.compile(r"'SizeInMiB': (\d{1,7})\b")
_COUNT = re.compile(r"(\d{1,6})(?:\.(\d*))?", re.ASCII)
_MIB_PER_GB = 1024


class SkyPilot:
    """The catalogue SkyPilot publishes for one cloud."""

    id = "skypilot"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license="Apache-2.0",
        attribution="SkyPilot catalog (https://github.com/skypilot-org/skypilot-catalog), Apache-2.0",
        link="https://github.com/skypilot-org/skypilot-catalog",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "SkyPilot catalogue of one cloud (vms.csv); provider and time as parameters"
    parameters = ProviderParameters
    source = "skypilot-org/skypilot-catalog"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one cloud's table."""
        found = read_named_columns(payload, _FIELDS, _NEEDED, context)
        if isinstance(found, Refusal):
            return refused(found)
        stated = context.parameters
        if not isinstance(stated, ProviderParameters):
            return refused(missing(context.origin_name, "whose prices it holds", "provider", self.id))
        names = found.column("AcceleratorName")
        with_gpu = np.fromiter((name is not None for name in names.values), np.bool_, len(names.values))
        raw = spread(only(found, with_gpu[names.codes], "have no GPU"), ("Price", "SpotPrice"))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        name = raw.column("AcceleratorName")
        hardware = named_hardware(name, memory_gb=join([raw.column("GpuInfo"), name], _memory))
        count = raw.column("AcceleratorCount").convert(_gpus)
        price = join(
            [raw.column(PRICE), raw.column(PRICED_BY), count],
            lambda text, column, gpus: read_price(text, column, gpus=gpus, unit="per_instance_hour"),
        )
        spot = raw.column(PRICED_BY).convert(lambda column: column == "SpotPrice")
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=price,
            source=self.source,
            aggregator="SkyPilot",
            seller=stated.provider,
            sku=raw.column("InstanceType"),
            gpu_count=count,
            pricing=spot.convert(lambda is_spot: "spot" if is_spot else "on_demand"),
            region=join(
                [spot, raw.column("Region"), raw.column("AvailabilityZone")],
                lambda is_spot, region, zone: (zone or region) if is_spot else region,
            ),
            price_basis=raw.column("InstanceType").convert(lambda text: "instance" if text else "gpu_only"),
            checks=[observed, count],
        )


def _gpus(text: str | None) -> int | Bad:
    """A whole number of GPUs, written ``8`` or ``8.0``; a part of one is a partition."""
    match = None if text is None else _COUNT.fullmatch(text)
    if match is None:
        return Bad("bad_gpu_count")
    if (match[2] or "").strip("0"):
        return Bad("partition_of_chip" if match[1] == "0" else "bad_gpu_count")
    return int(match[1]) or Bad("bad_gpu_count")


def _memory(info: str | None, name: str | None) -> float | None:
    """Memory in GB from the row's text, where the name is silent and the chip comes in that size."""
    size = None if info is None else _MEMORY.search(info)
    return None if size is None else size_if_silent(name, int(size[1]) / _MIB_PER_GB)
