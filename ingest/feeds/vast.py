"""``vast``: the order book of the Vast.ai marketplace, as its ``bundles`` search returns it.

``{collected_utc?, offers: [{id, machine_id, host_id, hosting_type, verification, reliability2,
gpu_name, gpu_ram, num_gpus, dph_total, is_bid, rentable, rented, geolocation, …}]}``.

* The price is ``dph_total / num_gpus``, exact to the one rounding: ``dph_total`` is dollars an
  hour for the whole offer. ``min_bid`` is the floor of an auction and ``is_bid`` marks a bid:
  neither is a price at which anyone can rent, so neither is a record.
* ``hosting_type`` 0 is a peer host (community), 1 a data centre (on_demand).
* The host is the seller and Vast.ai the venue. One machine is listed whole and in parts;
  ``machine`` lets the panel count it once.
* An offer that is rented, or not rentable, can be looked at but not taken: it has no GPUs
  available, and its price is a listed one, not an executable one. Where the payload does not
  say, availability stays null and the offer counts as the book shows it, executable.
* ``gpu_ram`` is MiB of one GPU.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...records import Batch, Refusal, to_microseconds
from ..account import Value, account_for, refused
from ..columns import Bad, Column, join, shown
from ..documents import read_offers, text_beside
from ..feed import FeedContext, FeedTerms
from ..fields import choice, flag, instant, micros_of, money_of, number, required_text, whole
from ..hardware import read_hardware
from ..layout import VAST_VENUE, price_doubts
from ..places import country_of

_FIELDS = (
    "id", "ask_contract_id", "machine_id", "host_id", "hosting_type", "verification", "reliability2",
    "gpu_name", "gpu_ram", "num_gpus", "dph_total", "rentable", "rented", "geolocation",
)  # fmt: skip
_RAW_KEY = (
    "host_id", "gpu_name", "gpu_ram", "num_gpus", "machine_id", "geolocation", "hosting_type", "dph_total",
)  # fmt: skip
_HOSTING = {"0": "community", "1": "on_demand"}
_MIB_PER_GB = 1024


class Vast:
    """Offers of Vast.ai hosts, each of which can be taken at its price."""

    id = "vast"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="unknown",
        license="Vast.ai terms of service",
        attribution="Vast.ai order book",
        link="https://vast.ai/terms",
    )
    lag_hours = 0
    complete_snapshot = False  # a search returns at most its limit, often 64 rows
    summary = "Order book of the Vast.ai marketplace (JSON of a bundles search)"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one search result."""
        found = read_offers(payload, _FIELDS, context, passed_over=_is_bid)
        if isinstance(found, Refusal):
            return refused(found)
        document, raw = found
        latest = to_microseconds(context.received_at)
        observed = _collected(document, context)
        if isinstance(observed, Refusal):
            return refused(observed)
        times = Column("collected_utc", [observed], np.zeros(raw.rows, np.int64)).convert(
            lambda moment: (
                Bad("future_time", value=text_beside(document, "collected_utc"))
                if moment > latest
                else moment
            )
        )
        hardware = read_hardware(
            raw.column(None),
            raw.column(None),
            raw.column("gpu_ram").convert(_gigabytes),
            raw.column("gpu_name"),
        )
        count = raw.column("num_gpus").convert(_required_count)
        price = join([raw.column("dph_total"), count], _price)
        taken = join(
            [raw.column("rentable").convert(_stated), raw.column("rented").convert(_stated)], _takeable
        )
        region = raw.column("geolocation")
        values: dict[str, Value] = {
            "observed_at": times,
            "known_at": times,
            "seller": raw.column("host_id").convert(required_text("missing_seller")),
            "chip": hardware.convert(lambda chip: chip.chip),
            "form_factor": hardware.convert(lambda chip: chip.form_factor),
            "memory_gb": hardware.convert(lambda chip: chip.memory_gb),
            "interconnect": hardware.convert(lambda chip: chip.interconnect),
            "name_as_written": raw.column("gpu_name"),
            "gpu_count": count,
            "price_micros": price,
            "price_original": raw.column("dph_total"),
            "unit_original": "usd_per_instance_hour",
            "pricing": raw.column("hosting_type").convert(choice(_HOSTING, None)),
            "region": region,
            "country": region.convert(lambda text: country_of(text, geolocation=True)),
            "machine": raw.column("machine_id"),
            "verification": raw.column("verification"),
            "reliability": raw.column("reliability2").convert(number),
            "source_id": join(
                [raw.column("id"), raw.column("ask_contract_id")], lambda one, other: one or other
            ),
            "gpus_available": join(
                [taken, count], lambda free, gpus: None if free is None else gpus if free else 0
            ),
            "tier": taken.convert(lambda free: "listed" if free is False else "executable"),
            "suspect": price_doubts(price, hardware),
            "kind": "offer",
            "source": VAST_VENUE,
            "venue": VAST_VENUE,
            "currency": "USD",
            "price_basis": "instance",
            "service": "container",  # Vast rents containers on its hosts' machines
            "carried_by_source": False,
            "license": self.terms.license,
            "rights": self.terms.rights,
            "simulated": context.simulated,
        }
        raw_key: list[Column[Any]] = [raw.column(name) for name in _RAW_KEY]
        return account_for(raw, values, raw_key, context)


def _is_bid(offer: object) -> bool:
    return isinstance(offer, dict) and offer.get("is_bid") in (True, "1", "true")


def _collected(document: dict[str, Any], context: FeedContext) -> int | Refusal:
    """When the book was looked at: the payload's stamp, or the moment we fetched it."""
    text = text_beside(document, "collected_utc")
    if text is None:
        if context.collected_at is not None:
            return to_microseconds(context.collected_at)
        return Refusal(
            "missing_column",
            f"{context.origin_name} does not say when it was collected; add collected_utc beside offers.",
        )
    moment = instant(None, latest=None)(text)
    if isinstance(moment, Bad):
        return Refusal(
            "not_this_format",
            f"{context.origin_name} has collected_utc {shown(text)!r}, which is no time with a zone.",
        )
    return moment


def _required_count(text: str | None) -> int | Bad:
    count = whole("bad_gpu_count")(text)
    return Bad("bad_gpu_count") if count is None else count


def _price(text: str | None, count: int) -> int | Bad:
    dollars = money_of(text)
    return dollars if isinstance(dollars, Bad) else micros_of(dollars / count)


def _gigabytes(text: str | None) -> float | Bad | None:
    mebibytes = number(text)
    if mebibytes is None:
        return None
    if isinstance(mebibytes, Bad) or mebibytes <= 0:
        return Bad("bad_memory")
    return mebibytes / _MIB_PER_GB


def _stated(text: str | None) -> bool | Bad | None:
    return None if text is None else flag(text)


def _takeable(rentable: bool | None, rented: bool | None) -> bool | None:
    """Whether the offer can be taken now; None where the payload does not say."""
    if rentable is False or rented is True:
        return False
    return rentable
