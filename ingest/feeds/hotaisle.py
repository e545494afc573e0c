"""``hotaisle``: the machines Hot Aisle has on offer now.

``[{OnDemandPrice, MinimumReservationMinutes, Quantity, Specs: {cpu_cores, gpus: [{count, model}], …}}]``.
``OnDemandPrice`` is whole cents an hour of the machine, ``Quantity`` how many of it are free. The minimum
reservation is a matter of minutes and no term. The payload has no stamp: its time is that of the fetch, or stated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import flat, part
from ..columns import constant, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import whole
from ..hardware import named_hardware
from ..listing import batch_of, read_price, required_count, snapshot_time
from ..parameters import SnapshotParameters

_FIELDS = ("OnDemandPrice", "MinimumReservationMinutes", "Quantity", "Specs.cpu_cores")
_COUNT, _MODEL = "Specs.gpus.count", "Specs.gpus.model"


class HotAisle:
    """Hot Aisle's machines with AMD GPUs."""

    id = "hotaisle"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Hot Aisle terms of service",
        attribution="Hot Aisle (https://hotaisle.xyz)",
        link="https://hotaisle.xyz",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Machines on offer at Hot Aisle (JSON); time of the fetch, or as parameter"
    parameters = SnapshotParameters
    source = "hotaisle"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one answer of the API."""
        document = read_document(payload, context)
        machines = document if isinstance(document, Refusal) else list_in(document, "", context)
        if isinstance(machines, Refusal):
            return refused(machines)
        raw = candidates_of(machines, _candidate, (*_FIELDS, _COUNT, _MODEL))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        hardware = named_hardware(raw.column(_MODEL))
        count = raw.column(_COUNT).convert(required_count)
        free = raw.column("Quantity").convert(whole("bad_number", zero=True))
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [raw.column("OnDemandPrice"), count],
                lambda text, gpus: read_price(
                    text, "OnDemandPrice", gpus=gpus, per_unit=100, unit="per_instance_hour"
                ),
            ),
            source=self.source,
            seller=constant("seller", "hotaisle", raw.rows),
            sku=join(
                [raw.column(_MODEL), count, raw.column("Specs.cpu_cores")],
                lambda model, gpus, cores: f"{gpus}x {model}" + (f" {cores} cores" if cores else ""),
            ),
            gpu_count=count,
            gpus_available=join(
                [free, count], lambda machines, gpus: None if machines is None else machines * gpus
            ),
            service="vm",
            checks=[observed, count],
        )


def _candidate(entry: Any) -> Iterable[Any]:
    """One record per machine; GPUs of two models in one machine have no price of their own."""
    gpus = part(entry, "Specs.gpus")
    if gpus == []:
        return
    if not isinstance(entry, dict) or not isinstance(gpus, list) or len(gpus) != 1:
        yield flat(entry, _FIELDS, **{_COUNT: gpus, _MODEL: gpus})
        return
    yield flat(entry, _FIELDS, **{_COUNT: part(gpus[0], "count"), _MODEL: part(gpus[0], "model")})
