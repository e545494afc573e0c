"""``fsdl``: the cloud GPU table of Full Stack Deep Learning.

``Cloud, GPU Type, GPU Arch, GPUs, GPU RAM, vCPUs, RAM, On-demand, Per-GPU, Spot, Name``. ``On-demand`` and
``Spot`` are dollars an hour of the whole instance, ``GPU RAM`` is that of one GPU or of all, and the table has no
time: the time of the commit is stated as a parameter.

``On-demand / GPUs`` is the price, because it is what the seller charges for; ``Per-GPU`` was typed in beside
it. Where the two differ by more than half a cent the record is kept and marked ``prices_disagree``; where
there is no ``On-demand``, ``Per-GPU`` is all there is, and is used.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import PRICE, PRICED_BY, spread
from ..columns import Bad, join
from ..feed import FeedContext, FeedTerms
from ..fields import money_of, number
from ..hardware import named_hardware, size_if_silent
from ..listing import Priced, batch_of, read_price, required_count, snapshot_time
from ..parameters import SnapshotParameters
from ..tables import read_named_columns

_FIELDS = ("Cloud", "GPU Type", "GPUs", "GPU RAM", "On-demand", "Per-GPU", "Spot", "Name")
_NEEDED = ("Cloud", "GPU Type", "GPUs", "On-demand", "Per-GPU")
_LISTED = "On-demand or Per-GPU"
_TOLERANCE_USD = Fraction(1, 200)
"""Half a cent: ``Per-GPU`` is written in whole cents."""


class Fsdl:
    """The table of cloud GPUs that Full Stack Deep Learning kept until 2025."""

    id = "fsdl"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license="MIT",
        attribution="The Full Stack cloud GPU table, MIT, (c) 2023 Full Stack Deep Learning, LLC",
        link="https://fullstackdeeplearning.com/cloud-gpus/",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Cloud GPU table of Full Stack Deep Learning (CSV); time as parameter"
    parameters = SnapshotParameters
    source = "the-full-stack/website:cloud-gpus.csv"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one version of the table."""
        found = read_named_columns(payload, _FIELDS, _NEEDED, context)
        if isinstance(found, Refusal):
            return refused(found)
        listed = join([found.column("On-demand"), found.column("Per-GPU")], lambda one, each: one or each)
        raw = spread(replace(found, columns={**found.columns, _LISTED: listed}), (_LISTED, "Spot"))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        count = raw.column("GPUs").convert(required_count)
        name = raw.column("GPU Type")
        memory = join([raw.column("GPU RAM").convert(number), count, name], _memory_of_one)
        hardware = named_hardware(name, memory_gb=memory)
        priced = [raw.column(name) for name in (PRICE, PRICED_BY, "On-demand", "Per-GPU")] + [count]
        spot = raw.column(PRICED_BY).convert(lambda column: column == "Spot")
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(priced, _price),
            source=self.source,
            aggregator="fullstackdeeplearning.com",
            seller=raw.column("Cloud").convert(_seller),
            sku=raw.column("Name"),
            gpu_count=count,
            pricing=spot.convert(lambda is_spot: "spot" if is_spot else "on_demand"),
            checks=[observed, count],
            doubts={"prices_disagree": join(priced, _disagree)},
        )


def _price(
    text: str | None, column: str, on_demand: str | None, per_gpu: str | None, gpus: int
) -> Priced | Bad:
    if column == "Spot":
        return read_price(text, "Spot", gpus=gpus, unit="per_instance_hour")
    if on_demand is None and per_gpu is not None:
        return read_price(per_gpu, "Per-GPU")
    return read_price(on_demand, "On-demand", gpus=gpus, unit="per_instance_hour")


def _disagree(_: str | None, column: str, on_demand: str | None, per_gpu: str | None, gpus: int) -> bool:
    if column == "Spot" or on_demand is None or per_gpu is None:
        return False
    whole_price, each = money_of(on_demand), money_of(per_gpu)
    if isinstance(whole_price, Bad) or isinstance(each, Bad):
        return not isinstance(whole_price, Bad)
    return abs(whole_price / gpus - each) > _TOLERANCE_USD


def _memory_of_one(written: float | None, gpus: int, name: str | None) -> float | None:
    """GB of one GPU where the name is silent: the column holds that of one GPU or of all, as it comes."""
    return None if written is None else size_if_silent(name, written / gpus) or size_if_silent(name, written)


def _seller(text: str | None) -> str | Bad:
    """The cloud in lower case, as other sources write it: one seller must not count as two."""
    return Bad("missing_seller") if text is None else text.lower()
