"""``ccir-rates``: the reference rates CCIR collects of cloud price lists, one CSV per day.

``source_id, source, gpu_model, price_per_gpu_hr, vm_price_hr, gpus_per_vm, region, sku, price_type, rate_type,
effective_date, reproducible, auth_required, collected_utc``.

* A rate was observed when it was collected: then it was in force. ``effective_date`` is when the seller set
  it, often years before; it is kept as ``start_at``, and marks the record ``effective_long_ago`` after a year.
* A rate without a machine (neither ``vm_price_hr`` nor ``gpus_per_vm``) is that of the GPU alone: ``gpu_only``.
* Where the price of the machine stands beside it, it is the price, divided by its GPUs; a
  ``price_per_gpu_hr`` more than half a cent away marks the record.
* ``sku`` is the name as written where it names a chip: it may disagree with ``gpu_model``, which wins.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..columns import Bad, Column, join
from ..feed import FeedContext, FeedTerms
from ..fields import choice, instant, money_of, optional_instant, required_text, whole
from ..hardware import named_hardware, naming
from ..listing import Priced, batch_of, read_price
from ..tables import read_named_columns

_FIELDS = (
    "source_id", "source", "gpu_model", "price_per_gpu_hr", "vm_price_hr", "gpus_per_vm", "region", "sku",
    "price_type", "effective_date", "collected_utc",
)  # fmt: skip
_NEEDED = ("source", "gpu_model", "price_per_gpu_hr", "price_type", "collected_utc")
_PRICINGS = {
    "on_demand": "on_demand", "secure": "on_demand", "community": "community", "spot": "spot",
    "spot_posted": "spot", "secure_spot": "spot", "community_spot": "spot",
}  # fmt: skip
_TOLERANCE_USD = Fraction(1, 200)
_YEAR_MICROSECONDS = 366 * 24 * 3_600_000_000


class CcirRates:
    """Cloud price lists as CCIR read them."""

    id = "ccir-rates"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed", license="CC BY 4.0", attribution="CCIR, ccir.io", link="https://ccir.io"
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Reference rates of cloud price lists by CCIR (CSV)"
    parameters = None
    source = "ccir-index/cri-h100:reference-rates"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one day's rates."""
        raw = read_named_columns(payload, _FIELDS, _NEEDED, context)
        if isinstance(raw, Refusal):
            return refused(raw)
        latest = to_microseconds(context.received_at)
        observed = raw.column("collected_utc").convert(instant(None, latest=latest))
        effective = raw.column("effective_date").convert(optional_instant("UTC", latest=latest))
        hardware = named_hardware(raw.column("sku").convert(naming), chip=raw.column("gpu_model"))
        count = raw.column("gpus_per_vm").convert(whole("bad_gpu_count"))
        priced: list[Column[Any]] = [raw.column("price_per_gpu_hr"), raw.column("vm_price_hr"), count]
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(priced, _price),
            source=self.source,
            aggregator="ccir.io",
            source_id=raw.column("source_id"),
            seller=raw.column("source").convert(required_text("missing_seller")),
            sku=raw.column("sku"),
            gpu_count=count,
            pricing=raw.column("price_type").convert(choice(_PRICINGS, None)),
            region=raw.column("region"),
            price_basis=join(
                [count, raw.column("vm_price_hr")],
                lambda gpus, machine: "instance" if gpus or machine else "gpu_only",
            ),
            start_at=effective,
            checks=[observed, effective],
            doubts={
                "prices_disagree": join(priced, _disagree),
                "effective_long_ago": join(
                    [effective, observed],
                    lambda since, seen: since is not None and seen - since > _YEAR_MICROSECONDS,
                ),
            },
        )


def _price(each: str | None, machine: str | None, gpus: int | None) -> Priced | Bad:
    if machine is not None and gpus is not None:
        return read_price(machine, "vm_price_hr", gpus=gpus, unit="per_instance_hour")
    return read_price(each, "price_per_gpu_hr")


def _disagree(each: str | None, machine: str | None, gpus: int | None) -> bool:
    if each is None or machine is None or gpus is None:
        return False
    whole_price, one = money_of(machine), money_of(each)
    if isinstance(whole_price, Bad) or isinstance(one, Bad):
        return not isinstance(whole_price, Bad)
    return abs(whole_price / gpus - one) > _TOLERANCE_USD
