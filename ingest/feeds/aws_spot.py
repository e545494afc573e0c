"""``aws-spot``: history of AWS spot prices, tab-separated without a header.

``az-id, instance, product, price, ISO time``: a price in dollars an hour of the whole instance and the moment
from which it held in that zone. Instances without a GPU are no records. A product other than Linux/UNIX
holds a software licence beside the machine and is refused. AWS shows the history of the last 90 days to
everybody, at once, so it was known when it was observed.
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from ...grades.names import NameReading, read_name
from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import only
from ..columns import Bad, Fault, join
from ..feed import FeedContext, FeedTerms
from ..fields import instant
from ..hardware import named_hardware
from ..listing import batch_of, read_price
from ..tables import read_named_columns

_FIELDS = ("az-id", "instance", "product", "price", "time")
_GPU_FAMILY = re.compile(r"(?:p|g|gr)\d\w*[.-].*", re.ASCII | re.IGNORECASE)
_PLAIN = frozenset({"linux/unix", "linux/unix (amazon vpc)"})


class AwsSpot:
    """The spot prices of EC2 instances with GPUs."""

    id = "aws-spot"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="AWS Customer Agreement; no terms for the data are stated",
        attribution="Amazon Web Services, EC2 spot price history",
        link="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSpotPriceHistory.html",
    )
    lag_hours = 0
    complete_snapshot = False  # a row stands only where a price changed
    summary = "AWS spot price history (TSV: az-id, instance, product, price, time)"
    parameters = None
    source = "aws-spot-price-history"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one stretch of the history."""
        found = read_named_columns(
            payload, _FIELDS, _FIELDS, context, delimiter="\t", header="\t".join(_FIELDS)
        )
        if isinstance(found, Refusal):
            return refused(found)
        types = found.column("instance")
        kept = np.fromiter((_may_have_gpu(value) for value in types.values), np.bool_, len(types.values))
        raw = only(found, kept[types.codes], "have no GPU")
        observed = raw.column("time").convert(instant(None, latest=to_microseconds(context.received_at)))
        hardware = named_hardware(raw.column("instance"))
        plain = raw.column("product").convert(_plain)
        count = hardware.convert(lambda found: found.gpu_count or Bad("bad_gpu_count"))
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
            seller="aws",
            sku=raw.column("instance"),
            gpu_count=count,
            pricing="spot",
            service="vm",
            region=raw.column("az-id"),
            checks=[observed, plain],
        )


def _may_have_gpu(instance_type: str | Fault | None) -> bool:
    """Whether a type is one with GPUs, as far as its name tells; what cannot be read is looked at."""
    if not isinstance(instance_type, str):
        return True
    return bool(_GPU_FAMILY.fullmatch(instance_type)) or isinstance(read_name(instance_type), NameReading)


def _plain(product: str | None) -> str | Bad:
    if product is None:
        return Bad("bad_choice")
    return product if product.lower() in _PLAIN else Bad("software_included")
