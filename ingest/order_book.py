"""Rows of the Vast.ai order book, as JSON of a search or as a collector's CSV: one reading for both.

* The price is ``dph_total / num_gpus``, exact to the one rounding: ``dph_total`` is dollars an
  hour for the whole offer. ``min_bid`` is the floor of an auction and ``is_bid`` marks a bid:
  neither is a price at which anyone can rent, so neither is a record.
* ``hosting_type`` 0 is a peer host (community), 1 a data centre (on_demand).
* The host is the seller and Vast.ai the venue. One machine is listed whole and in parts;
  ``machine`` lets the panel count it once, and an offer of the whole machine (``gpu_frac`` 1) is
  one that nobody shares.
* An offer that is rented, or not rentable, can be looked at but not taken: it has no GPUs
  available, and its price is a listed one, not an executable one. Where the payload does not
  say, availability stays null and the offer counts as the book shows it, executable.
* Memory is MiB of one GPU.
* A search returns at most its limit, often 64 rows: a note names lists of exactly that length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..records import Batch
from .columns import Bad, Column, constant, group_rows, join
from .feed import Feed, FeedContext
from .fields import choice, flag, number, required_text
from .hardware import named_hardware
from .layout import VAST_VENUE
from .listing import batch_of, read_price, required_count
from .places import country_of
from .raw import RawTable

_HOSTING = {"0": "community", "1": "on_demand"}
_MIB_PER_GB = 1024
CAPPED_AT = 64
"""Rows after which a search of the marketplace stops unless told otherwise."""


def book_batch(
    feed: Feed,
    raw: RawTable,
    context: FeedContext,
    observed: Column[int],
    *,
    source: str,
    memory: str = "gpu_ram",
    offer_ids: Sequence[str] = ("id", "ask_contract_id"),
    aggregator: str | None = None,
    raw_key: Sequence[str] | None = None,
) -> Batch:
    """Settle the rows of a book; ``memory`` and ``offer_ids`` are the payload's names for these fields."""
    hardware = named_hardware(raw.column("gpu_name"), memory_gb=raw.column(memory).convert(_gigabytes))
    count = raw.column("num_gpus").convert(required_count)
    taken = join([raw.column("rentable").convert(_stated), raw.column("rented").convert(_stated)], _takeable)
    region = raw.column("geolocation")
    return batch_of(
        feed,
        raw,
        context,
        observed=observed,
        hardware=hardware,
        price=join(
            [raw.column("dph_total"), count],
            lambda text, gpus: read_price(text, "dph_total", gpus=gpus, unit="per_instance_hour"),
        ),
        source=source,
        raw_key=None if raw_key is None else [raw.column(name) for name in raw_key],
        checks=[observed],
        aggregator=aggregator,
        seller=_hosts(raw),
        venue=VAST_VENUE,
        gpu_count=count,
        pricing=_pricing(raw),
        region=region,
        country=region.convert(lambda text: country_of(text, geolocation=True)),
        machine=raw.column("machine_id"),
        tenancy=raw.column("gpu_frac").convert(_tenancy),
        verification=raw.column("verification"),
        reliability=_either(raw, ("reliability2", "reliability")).convert(number),
        source_id=_either(raw, offer_ids),
        gpus_available=join([taken, count], lambda free, gpus: None if free is None else gpus if free else 0),
        tier=taken.convert(lambda free: "listed" if free is False else "executable"),
        service="container",  # Vast rents containers on its hosts' machines
    )


def capped_lists(raw: RawTable, times: str | None) -> tuple[str, ...]:
    """A note on lists of exactly CAPPED_AT rows, per collection (column ``times``) and GPU name."""
    keys = [raw.column("gpu_name")] if times is None else [raw.column("gpu_name"), raw.column(times)]
    first, group = group_rows(keys, raw.rows)
    sizes = Counter(group.tolist())
    names = keys[0].at(first)
    full = Counter(names[place] for place, size in sizes.items() if size == CAPPED_AT)
    told = sorted(f"{name} ({lists})" for name, lists in full.items() if isinstance(name, str))
    if not told and raw.rows == CAPPED_AT:
        told = ["the whole payload (1)"]
    return (
        (f"lists of exactly {CAPPED_AT} offers, which may be cut off there: {', '.join(told)}",)
        if told
        else ()
    )


def _hosts(raw: RawTable) -> Column[Any]:
    """The host of each row; a book that names no hosts has the marketplace stand in for them."""
    if "host_id" not in raw.names:
        return constant("host_id", VAST_VENUE, raw.rows)
    return raw.column("host_id").convert(required_text("missing_seller"))


def _pricing(raw: RawTable) -> Column[str]:
    if "hosting_type" not in raw.names and "datacenter" in raw.names:
        return raw.column("datacenter").convert(_of_datacenter)
    return raw.column("hosting_type").convert(choice(_HOSTING, None))


def _of_datacenter(text: str | None) -> str | Bad:
    inside = flag(text)
    return inside if isinstance(inside, Bad) else "on_demand" if inside else "community"


def _either(raw: RawTable, names: Sequence[str]) -> Column[Any]:
    return join([raw.column(name) for name in names], lambda *texts: next(filter(None, texts), None))


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


def _tenancy(share: str | None) -> str | None:
    """Whether the offer is the whole machine; None where its share is not told, or not a number."""
    part = number(share)
    if part is None or isinstance(part, Bad):
        return None
    return "single" if part == 1 else "shared" if 0 < part < 1 else None
