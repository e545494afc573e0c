"""``tardellirs``: a daily list of cloud GPU offers collected by tardellirs/gpu-pricing.

``[{id, provider_id, gpu_model, vram_gb, interconnect, tier, is_spot, price_usd_hour, collected_at, caveats?, …}]``.
Prices are per GPU; the size of the instance is not stated.

* ``is_spot`` makes an offer spot; else its ``tier`` says what it is.
* ``interconnect`` mixes boards and links: PCIe, SXM and NVL are form factors, NVLink is a link.
* ``caveats`` is text, and tells three things that matter: that CPU and memory cost extra (``gpu_only``), that the
  collector estimated the price, and that the page it was read from is old. The latter two mark the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat, part
from ..columns import Bad, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import choice, flag, instant, required_text
from ..hardware import named_hardware
from ..listing import batch_of, gigabytes, read_price

_FIELDS = (
    "id", "provider_id", "gpu_model", "vram_gb", "interconnect", "tier", "is_spot", "price_usd_hour",
    "collected_at",
)  # fmt: skip
_TIERS = {
    "on_demand": "on_demand", "secure": "on_demand", "production": "on_demand", "community": "community",
    "marketplace": "community", "prototyping": "on_demand", "spot": "spot",
}  # fmt: skip
_BOARDS = {"pcie": "PCIe", "sxm": "SXM", "nvl": "NVL"}
_CAVEATS = "caveats"
_EXTRA, _ESTIMATED, _STALE = "billed separately", "estimated", "may be stale"


class Tardellirs:
    """Offers of tardellirs/gpu-pricing."""

    id = "tardellirs"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license="MIT",
        attribution="tardellirs/gpu-pricing (https://github.com/tardellirs/gpu-pricing), MIT",
        link="https://github.com/tardellirs/gpu-pricing",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Daily list of cloud GPU offers by tardellirs/gpu-pricing (JSON)"
    parameters = None
    source = "tardellirs/gpu-pricing"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one day's list."""
        document = read_document(payload, context)
        offers = document if isinstance(document, Refusal) else list_in(document, "", context)
        if isinstance(offers, Refusal):
            return refused(offers)
        raw = candidates_of(offers, _candidate, (*_FIELDS, _CAVEATS))
        # A date without a time is the midnight that begins it; the list is read in the hours after.
        observed = raw.column("collected_at").convert(
            instant("UTC", latest=to_microseconds(context.received_at))
        )
        link = raw.column("interconnect")
        hardware = named_hardware(
            raw.column("gpu_model"),
            memory_gb=raw.column("vram_gb").convert(gigabytes),
            form_factor=link.convert(lambda text: None if text is None else _BOARDS.get(text.lower())),
        )
        caveats = raw.column(_CAVEATS)
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=raw.column("price_usd_hour").convert(lambda text: read_price(text, "price_usd_hour")),
            source=self.source,
            aggregator=self.source,
            source_id=raw.column("id"),
            seller=raw.column("provider_id").convert(required_text("missing_seller")),
            sku=raw.column("id"),
            pricing=join([raw.column("tier"), raw.column("is_spot")], _pricing),
            interconnect=join(
                [link, hardware], lambda text, found: "NVLink" if text == "NVLink" else found.interconnect
            ),
            price_basis=caveats.convert(lambda text: "gpu_only" if _EXTRA in (text or "") else "instance"),
            checks=[observed, caveats],
            doubts={
                "estimated_by_source": caveats.convert(lambda text: _ESTIMATED in (text or "")),
                "older_than_snapshot": caveats.convert(lambda text: _STALE in (text or "")),
            },
        )


def _candidate(offer: Any) -> Iterable[Any]:
    yield flat(
        offer, _FIELDS, **{_CAVEATS: _told(part(offer, _CAVEATS)) if isinstance(offer, dict) else None}
    )


def _told(caveats: Any) -> Any:
    """The known remarks among the caveats; caveats that are no list of texts are malformed."""
    if caveats is None:
        return None
    if not isinstance(caveats, list) or not all(isinstance(text, str) for text in caveats):
        return [caveats]
    return " ".join(mark for mark in (_EXTRA, _ESTIMATED, _STALE) if any(mark in text for text in caveats))


def _pricing(tier: str | None, is_spot: str | None) -> str | Bad:
    spot = flag(is_spot)
    if isinstance(spot, Bad):
        return Bad(spot.reason, "is_spot", is_spot)
    return "spot" if spot else choice(_TIERS, None)(tier)
