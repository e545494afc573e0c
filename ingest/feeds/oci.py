"""``oci``: Oracle's public price list.

``{lastUpdated?, items: [{partNumber, displayName, metricName, currencyCodeLocalizations: [{currencyCode, prices:
[{model, value}]}]}]}``. Only what is priced ``GPU Per Hour`` is a record, and only pay-as-you-go: a price in dollars
where there is one, else another currency converted by the dated rates that are stated. The price is per GPU of a
whole shape. Software priced by the GPU-hour and appliances on the customer's ground are no rent of a GPU:
``not_an_offer``. The time is that of the fetch, or stated, else the list's own ``lastUpdated``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal
from ..account import refused
from ..candidates import flat, part
from ..columns import Bad, constant, join, shown
from ..documents import candidates_of, list_in, read_document, text_beside
from ..feed import FeedContext, FeedTerms
from ..fields import instant
from ..hardware import named_hardware
from ..listing import batch_of, read_price, snapshot_time
from ..parameters import CurrencyParameters
from ..rates import books_of

_FIELDS = ("partNumber", "displayName", "metricName")
_VALUE, _CURRENCY = "prices.value", "currencyCode"
_METRIC = "GPU Per Hour"
_MODEL = "PAY_AS_YOU_GO"
_NO_RENT = re.compile(r"enterprise|license|licence|software|cloud@customer|vmware", re.IGNORECASE)
_OWN_WORDS = re.compile(
    r"\b(?:OCI|Oracle Cloud Infrastructure|Oracle|Compute|Bare Metal|Virtual Machine|Standard|GPU|v[0-9])\b|[-–]",
    re.IGNORECASE,
)
_SHAPE = re.compile(r"\b(?:BM|VM)\.GPU\S*")


class Oci:
    """Oracle Cloud's GPU prices."""

    id = "oci"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Oracle website terms of use",
        attribution="Oracle Cloud price list (https://www.oracle.com/cloud/price-list/)",
        link="https://www.oracle.com/cloud/price-list/",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Oracle Cloud price list (JSON); time of the fetch, or as parameter; FX as parameter"
    parameters = CurrencyParameters
    source = "oci"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one price list."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        items = list_in(document, "items", context)
        if isinstance(items, Refusal):
            return refused(items)
        stated = context.parameters if isinstance(context.parameters, CurrencyParameters) else None
        raw = candidates_of(items, _candidate, (*_FIELDS, _VALUE, _CURRENCY), "are not priced per GPU-hour")
        stamp = None
        if (stated is None or stated.observed_at is None) and context.collected_at is None:
            text = text_beside(document, "lastUpdated")
            read = None if text is None else instant(None, latest=None)(text)
            if isinstance(read, Bad):
                return refused(
                    Refusal(
                        "not_this_format",
                        f"{context.origin_name} has lastUpdated {shown(text or '')!r}, which is no time with a zone.",
                    )
                )
            stamp = read
        observed = snapshot_time(self, raw, context, stamp, "lastUpdated")
        if isinstance(observed, Refusal):
            return refused(observed)
        books = {} if stated is None else books_of(stated.fx)
        silent = None if stated is None else stated.currency
        rent = raw.column("displayName").convert(_rent)
        hardware = named_hardware(rent.convert(_chip))
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=join(
                [raw.column(_VALUE), raw.column(_CURRENCY), observed],
                lambda text, currency, moment: read_price(
                    text, _VALUE, currency=currency or silent, books=books, moment=moment
                ),
            ),
            source=self.source,
            seller=constant("seller", "oci", raw.rows),
            sku=raw.column("partNumber"),
            name_as_written=raw.column("displayName"),
            gpu_count=None,  # the price is of one GPU, whatever the shape
            service=raw.column("displayName").convert(
                lambda text: (
                    "bare_metal" if re.search(r"bare metal|\bBM\.", text or "", re.IGNORECASE) else "unstated"
                )
            ),
            checks=[observed, rent],
        )


def _candidate(item: Any) -> Iterable[Any]:
    """The pay-as-you-go price of an item, in dollars where it has one."""
    if isinstance(item, dict) and item.get("metricName") != _METRIC:
        return
    found = list(_prices(item))
    dollars = [price for price in found if isinstance(price[1], str) and price[1].upper() == "USD"]
    value, currency = (dollars or found or [(None, None)])[0]
    yield flat(item, _FIELDS, **{_VALUE: value, _CURRENCY: currency})


def _prices(item: Any) -> Iterable[tuple[Any, Any]]:
    localizations = part(item, "currencyCodeLocalizations") if isinstance(item, dict) else None
    if localizations is not None and not isinstance(localizations, list):
        yield [localizations], None
        return
    for localization in localizations or []:
        prices = part(localization, "prices")
        if not isinstance(prices, list):
            yield [prices], None
            continue
        for price in prices:
            if part(price, "model") == _MODEL:
                yield part(price, "value"), part(localization, "currencyCode")


def _rent(name: str | None) -> str | Bad | None:
    return Bad("not_an_offer") if name is not None and _NO_RENT.search(name) else name


def _chip(name: str | None) -> str | None:
    """What of a product's name tells the chip: the shape it names, else what is left without Oracle's words."""
    if name is None:
        return None
    shape = _SHAPE.search(name)
    return shape[0] if shape else " ".join(_OWN_WORDS.sub(" ", name).split()) or name
