"""``verda``: the instance types of Verda (until 2025 DataCrunch).

``[{instance_type, gpu: {description, number_of_gpus}, gpu_memory: {size_in_gigabytes}, price_per_hour,
spot_price, currency}]``, the memory that of all GPUs, the prices texts. A price in euros is converted by the
dated rates that are stated; a payload without a currency is refused row by row unless one is stated. Types without
a GPU are no records. The payload has no stamp: its time is that of the fetch, or stated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import PRICE, PRICED_BY, flat, part, spread
from ..columns import Bad, constant, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import number
from ..hardware import named_hardware
from ..listing import batch_of, read_price, required_count, snapshot_time
from ..parameters import CurrencyParameters
from ..rates import books_of

_FIELDS = (
    "id", "instance_type", "gpu.description", "gpu.number_of_gpus", "gpu_memory.size_in_gigabytes",
    "price_per_hour", "spot_price", "currency",
)  # fmt: skip


class Verda:
    """Verda's on-demand and spot instances."""

    id = "verda"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Verda terms of service",
        attribution="Verda (https://verda.com)",
        link="https://verda.com/legal",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Instance types of Verda (JSON); time of the fetch, or as parameter; FX as parameter"
    parameters = CurrencyParameters
    source = "verda"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one answer of the API."""
        document = read_document(payload, context)
        types = document if isinstance(document, Refusal) else list_in(document, "", context)
        if isinstance(types, Refusal):
            return refused(types)
        raw = spread(candidates_of(types, _candidate, _FIELDS), ("price_per_hour", "spot_price"))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        stated = context.parameters if isinstance(context.parameters, CurrencyParameters) else None
        silent = None if stated is None else stated.currency
        books = {} if stated is None else books_of(stated.fx)
        count = raw.column("gpu.number_of_gpus").convert(required_count)
        memory = join([raw.column("gpu_memory.size_in_gigabytes"), count], _memory_of_one)
        hardware = named_hardware(raw.column("gpu.description"), memory_gb=memory)
        spot = raw.column(PRICED_BY).convert(lambda column: column == "spot_price")
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [raw.column(PRICE), raw.column(PRICED_BY), count, raw.column("currency"), observed],
                lambda text, column, gpus, currency, moment: read_price(
                    text,
                    column,
                    gpus=gpus,
                    unit="per_instance_hour",
                    currency=currency or silent,
                    books=books,
                    moment=moment,
                ),
            ),
            source=self.source,
            source_id=raw.column("id"),
            seller=constant("seller", "verda", raw.rows),
            sku=raw.column("instance_type"),
            gpu_count=count,
            pricing=spot.convert(lambda is_spot: "spot" if is_spot else "on_demand"),
            service="vm",
            checks=[observed, count],
        )


def _candidate(entry: Any) -> Iterable[Any]:
    if part(entry, "gpu.number_of_gpus") != "0":
        yield flat(entry, _FIELDS)


def _memory_of_one(text: str | None, gpus: int) -> float | Bad | None:
    total = number(text)
    if total is None:
        return None
    return Bad("bad_memory") if isinstance(total, Bad) or total <= 0 else total / gpus
