"""From the text columns of a feed to a batch: what all feeds of offers and trades do alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..records import Batch, Refusal, to_microseconds
from ..records.schemas import INSTANT
from .account import Value, account_for
from .columns import Bad, Column, constant
from .feed import Feed, FeedContext
from .fields import micros_of, money_of, number, shared_price_of, whole
from .hardware import Hardware
from .layout import price_doubts
from .parameters import SnapshotParameters, missing, snapshot_moment
from .rates import RateBook
from .raw import RawTable

_MICROSECONDS_PER_HOUR = 3_600_000_000
USD = "USD"
NO_BOOKS: Mapping[str, RateBook] = {}


@dataclass(frozen=True, slots=True)
class Priced:
    """A price per GPU-hour, and how the payload wrote it."""

    price_micros: int
    written: str
    unit: str
    currency: str = USD
    fx_rate: str | None = None


def read_price(
    text: str | None,
    column: str,
    *,
    gpus: int = 1,
    unit: str = "per_gpu_hour",
    per_unit: int = 1,
    hours: int = 1,
    times: int = 1,
    currency: str | None = USD,
    books: Mapping[str, RateBook] = NO_BOOKS,
    moment: int = 0,
) -> Priced | Bad:
    """A price of ``gpus`` GPUs for ``hours`` hours as micro-USD per GPU-hour, rounded once, half-even.

    ``per_unit`` 100 reads cents; ``times`` is how often the price falls due in an hour. Another currency than USD is converted at the rate known at ``moment``.
    Refusals name ``column``, the payload's name of the price.
    """
    cents = "cents_" if per_unit == 100 else ""
    if currency == USD and times == 1:  # nearly every price, in whole numbers alone
        shared = shared_price_of(text, gpus * hours, per_unit)
        if isinstance(shared, Bad):
            return Bad(shared.reason, column, text or "")
        return Priced(shared, text or "", f"usd_{cents}{unit}")
    amount = money_of(text, per_unit)
    if isinstance(amount, Bad):
        return Bad(amount.reason, column, text or "")
    if currency is None:
        return Bad("missing_currency", "currency", "")
    code = currency.upper()
    note = None
    if code != USD:
        book = books.get(code)
        if book is None:
            return Bad("unsupported_currency", "currency", currency)
        rate = book.at(moment)
        if isinstance(rate, Bad):
            return Bad(rate.reason, column, f"{text} {code}")
        amount, note = amount * rate.value, rate.note
    micros = micros_of(amount * times / (gpus * hours))
    if isinstance(micros, Bad):
        return Bad(micros.reason, column, text or "")
    return Priced(micros, text or "", f"{code.lower()}_{cents}{unit}", code, note)


def snapshot_time(
    feed: Feed, raw: RawTable, context: FeedContext, stamp: int | None = None, stamp_name: str = "observed_at"
) -> Column[int] | Refusal:
    """The one time of a snapshot on every row; ``future_time`` where it is after the payload came.

    It is the payload's own ``stamp``, else the stated ``observed_at``, else the moment of our own fetch.
    """
    stated = context.parameters if isinstance(context.parameters, SnapshotParameters) else None
    moment = snapshot_moment(stamp, stated, context.collected_at)
    if moment is None:
        return missing(context.origin_name, "when it was observed", "observed_at", feed.id)
    latest = to_microseconds(context.received_at)
    return constant(stamp_name, moment, raw.rows).convert(
        lambda at: Bad("future_time", stamp_name, _shown(at)) if at > latest else at
    )


def _shown(moment: int) -> str:
    return str(pa.scalar(moment, INSTANT).as_py().isoformat())


def batch_of(
    feed: Feed,
    raw: RawTable,
    context: FeedContext,
    *,
    observed: Column[int],
    hardware: Column[Hardware],
    price: Column[Priced],
    source: Value,
    raw_key: Sequence[Column[Any]] | None = None,
    checks: Sequence[Column[Any]] = (),
    doubts: Mapping[str, Column[bool]] | None = None,
    **more: Value,
) -> Batch:
    """Settle every record of a payload; ``more`` are the columns that this feed states.

    ``raw_key`` are the texts that make two refused records the same: all that were read, if not stated.

    What is not stated stays as the feed's terms and kind say: listed offers of whole instances in USD,
    known ``lag_hours`` after they were observed.
    """
    micros = price.convert(lambda found: found.price_micros)
    seen = observed.to_numpy(missing=0) + feed.lag_hours * _MICROSECONDS_PER_HOUR
    values: dict[str, Value] = {
        "observed_at": observed,
        "known_at": pa.array(seen, pa.int64()).cast(INSTANT),
        "chip": hardware.convert(lambda found: found.chip),
        "form_factor": hardware.convert(lambda found: found.form_factor),
        "memory_gb": hardware.convert(lambda found: found.memory_gb),
        "gpu_count": hardware.convert(lambda found: found.gpu_count),
        "interconnect": hardware.convert(lambda found: found.interconnect),
        "name_as_written": hardware.convert(lambda found: found.name_as_written),
        "price_micros": micros,
        "price_original": price.convert(lambda found: found.written),
        "unit_original": price.convert(lambda found: found.unit),
        "currency": price.convert(lambda found: found.currency),
        "fx_rate": price.convert(lambda found: found.fx_rate),
        "kind": feed.kind,
        "tier": "trade" if feed.kind == "trade" else "listed",
        "source": source,
        "pricing": "on_demand",
        "price_basis": "instance",
        "service": "unstated",
        "carried_by_source": False,
        "license": feed.terms.license,
        "rights": feed.terms.rights,
        "simulated": context.simulated,
        "suspect": price_doubts(micros, hardware, doubts),
    }
    values.update(more)
    key = list(raw.columns.values()) if raw_key is None else raw_key
    return account_for(raw, values, key, context, checks=checks)


def required_count(text: str | None) -> int | Bad:
    """A positive whole number of GPUs, which must be stated."""
    count = whole("bad_gpu_count")(text)
    return Bad("bad_gpu_count") if count is None else count


def gigabytes(text: str | None) -> float | Bad | None:
    """Memory of one GPU in GB, whole or not; blank is None."""
    value = number(text)
    return Bad("bad_memory") if isinstance(value, Bad) or (value is not None and value < 1) else value
