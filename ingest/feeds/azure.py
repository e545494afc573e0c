"""``azure``: the Azure Retail Prices API.

``{Items: [{armSkuName, armRegionName, retailPrice, unitOfMeasure, meterName, productName, currencyCode, type,
reservationTerm?, effectiveStartDate}], NextPageLink?}``. Prices are of the whole machine; how many GPUs it has is
read from its size. The payload has no stamp: its time is that of the fetch, or stated; ``effectiveStartDate``, often
years before, is kept as ``start_at``.

* Spot and Low Priority stand only in ``meterName``; Windows only in ``productName``, and holds a licence:
  ``software_included``.
* A ``Reservation`` is priced for its whole term, whatever ``unitOfMeasure`` says: 8,760 hours a year.
* Dev/Test prices are for subscribers of a programme and no records; nor are sizes without a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat
from ..columns import Bad, constant, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import optional_instant
from ..hardware import named_hardware
from ..listing import batch_of, read_price, snapshot_time
from ..parameters import CurrencyParameters
from ..rates import books_of

_FIELDS = (
    "armSkuName", "armRegionName", "retailPrice", "unitOfMeasure", "meterName", "productName", "currencyCode",
    "type", "reservationTerm", "effectiveStartDate",
)  # fmt: skip
_GPU_SIZE = re.compile(r"(?:Standard_)?N[A-Z]*\d\w*", re.ASCII)
_SPOT = re.compile(r"\b(?:spot|low priority)\b", re.IGNORECASE)
_YEARS = {"1 Year": 1, "3 Years": 3, "5 Years": 5}
_HOURS_PER_YEAR = 8_760


@dataclass(frozen=True, slots=True)
class _Sale:
    """How a price is sold: its pricing, its months of commitment, and the hours it is for."""

    pricing: str
    term_months: int | None
    hours: int


class Azure:
    """Azure's list prices of machines with GPUs."""

    id = "azure"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Microsoft APIs terms of use",
        attribution="Microsoft Azure Retail Prices",
        link="https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices",
    )
    lag_hours = 0
    complete_snapshot = False  # an answer is one page of many
    summary = "Azure Retail Prices (JSON); time of the fetch, or as parameter; FX as parameter"
    parameters = CurrencyParameters
    source = "azure-retail-prices"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one page of prices."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        items = list_in(document, "Items", context)
        if isinstance(items, Refusal):
            return refused(items)
        raw = candidates_of(items, _candidate, _FIELDS, "have no GPU or are for Dev/Test")
        if isinstance(document.get("NextPageLink"), str):
            raw = replace(raw, notes=(*raw.notes, "there are further pages (NextPageLink)"))
        observed = snapshot_time(self, raw, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        stated = context.parameters if isinstance(context.parameters, CurrencyParameters) else None
        books = {} if stated is None else books_of(stated.fx)
        silent = None if stated is None else stated.currency
        latest = to_microseconds(context.received_at)
        effective = raw.column("effectiveStartDate").convert(optional_instant("UTC", latest=latest))
        plain = raw.column("productName").convert(
            lambda text: Bad("software_included") if "windows" in (text or "").lower() else text
        )
        sale = join(
            [raw.column(name) for name in ("type", "meterName", "reservationTerm", "unitOfMeasure")], _sale
        )
        hardware = named_hardware(raw.column("armSkuName"))
        count = hardware.convert(lambda found: found.gpu_count or Bad("bad_gpu_count"))
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [raw.column("retailPrice"), count, sale, raw.column("currencyCode"), observed],
                lambda text, gpus, sold, currency, moment: read_price(
                    text,
                    "retailPrice",
                    gpus=gpus,
                    hours=sold.hours,
                    unit="per_instance_hour" if sold.hours == 1 else "per_instance_term",
                    currency=currency or silent,
                    books=books,
                    moment=moment,
                ),
            ),
            source=self.source,
            seller=constant("seller", "azure", raw.rows),
            sku=raw.column("armSkuName"),
            gpu_count=count,
            pricing=sale.convert(lambda sold: sold.pricing),
            term_months=sale.convert(lambda sold: sold.term_months),
            region=raw.column("armRegionName"),
            start_at=effective,
            service="vm",
            checks=[observed, plain, sale, effective],
        )


def _candidate(item: Any) -> Iterable[Any]:
    if isinstance(item, dict):
        size = item.get("armSkuName")
        if isinstance(size, str) and not _GPU_SIZE.fullmatch(size):
            return
        if item.get("type") == "DevTestConsumption":
            return
    yield flat(item, _FIELDS)


def _sale(kind: str | None, meter: str | None, term: str | None, unit: str | None) -> _Sale | Bad:
    if kind == "Reservation":
        years = _YEARS.get(term or "")
        if years is None:
            return Bad("bad_choice", "reservationTerm", term or "")
        return _Sale("reserved", 12 * years, _HOURS_PER_YEAR * years)
    if kind != "Consumption":
        return Bad("bad_choice", "type", kind or "")
    if unit != "1 Hour":
        return Bad("bad_unit", "unitOfMeasure", unit or "")
    return _Sale("spot" if meter is not None and _SPOT.search(meter) else "on_demand", None, 1)
