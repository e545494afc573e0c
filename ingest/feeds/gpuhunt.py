"""``gpuhunt``: a catalogue CSV of the gpuhunt project, one file per provider.

``instance_name, location, price, cpu, memory, gpu_count, gpu_name, gpu_memory, spot, disk_size, gpu_vendor,
flags, cpu_arch, provider_data``. ``price`` is dollars an hour of the whole instance, ``gpu_memory`` GB of one
GPU. The provider is the file's name and the time that of the catalogue: both are stated as parameters.
Rows with a ``gpu_count`` of 0 are machines without a GPU, and no records.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import only
from ..columns import Bad, join
from ..feed import FeedContext, FeedTerms
from ..fields import flag
from ..hardware import named_hardware
from ..listing import batch_of, gigabytes, read_price, required_count, snapshot_time
from ..parameters import ProviderParameters, missing
from ..tables import read_named_columns

_FIELDS = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot", "gpu_vendor")
_NO_GPU = frozenset({None, "0", "0.0"})


class GpuHunt:
    """The catalogue gpuhunt collects of one provider."""

    id = "gpuhunt"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="not stated for the data (the code of gpuhunt is MPL-2.0)",
        attribution="gpuhunt (https://github.com/dstackai/gpuhunt)",
        link="https://github.com/dstackai/gpuhunt",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "gpuhunt catalogue of one provider (CSV); provider and time as parameters"
    parameters = ProviderParameters
    source = "dstackai/gpuhunt"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one provider's catalogue."""
        found = read_named_columns(payload, _FIELDS, ("price", "gpu_count", "gpu_name"), context)
        if isinstance(found, Refusal):
            return refused(found)
        stated = context.parameters
        if not isinstance(stated, ProviderParameters):
            return refused(missing(context.origin_name, "whose prices it holds", "provider", self.id))
        counts = found.column("gpu_count")
        with_gpu = np.fromiter(
            (
                value not in _NO_GPU if not value or isinstance(value, str) else True
                for value in counts.values
            ),
            np.bool_,
            len(counts.values),
        )
        raw = only(found, with_gpu[counts.codes], "have no GPU")
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        memory = raw.column("gpu_memory").convert(gigabytes)
        hardware = named_hardware(raw.column("gpu_name"), memory_gb=memory)
        count = raw.column("gpu_count").convert(required_count)
        price = join(
            [raw.column("price"), count],
            lambda text, gpus: read_price(text, "price", gpus=gpus, unit="per_instance_hour"),
        )
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=price,
            source=self.source,
            aggregator="gpuhunt",
            seller=stated.provider,
            sku=raw.column("instance_name"),
            gpu_count=count,
            pricing=raw.column("spot").convert(_pricing),
            region=raw.column("location"),
            checks=[observed, count],
        )


def _pricing(text: str | None) -> str | Bad:
    spot = flag(text)
    return spot if isinstance(spot, Bad) else "spot" if spot else "on_demand"
