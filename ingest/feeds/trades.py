"""``trades``: the user's own completed rentals, one row per trade event."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pyarrow as pa

from ...records import (
    MICROS_PER_CENT,
    MICROS_PER_USD,
    Batch,
    Refusal,
    UsageError,
    format_instant,
    from_microseconds,
    round_fraction,
    to_microseconds,
)
from ...records.observation import SECONDS_PER_HOUR
from ..account import account_for, refused
from ..columns import Bad, Column, join
from ..feed import FeedContext, FeedTerms
from ..fields import (
    TRADE_STATUS_WORDS,
    choice,
    decimal_of,
    micros_of,
    money_of,
    optional_instant,
    required_text,
)
from ..layout import Sheet, price_doubts, read_table
from ..mapping import DEFAULT_TRADE_MAPPING
from ..rights import USER_ASSERTED

_RAW_KEY = (
    "trade_id", "trade_status", "observed_at", "source", "seller", "venue", "sku", "name_as_written", "chip",
    "form_factor", "memory_gb", "gpu_count", "gpu_hours", "start_at", "end_at", "price_micros",
    "amount_micros", "region", "pricing", "term_months",
)  # fmt: skip
_TOLERANCE_USD = Fraction(MICROS_PER_CENT, 2 * MICROS_PER_USD)
"""Half a cent: amounts are written in whole cents, so that an honest one is never further off."""
_MICROSECONDS = 1_000_000
_LARGEST_EXPONENT = 12


class Trades:
    """Completed trades, their corrections and cancellations, each an accepted event."""

    id = "trades"
    version = "1"
    kind: Literal["trade"] = "trade"
    terms = FeedTerms(
        rights="allowed",
        license=USER_ASSERTED,
        attribution="the license column of the file, or its mapping, names the source",
        link="",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "Your own completed trades: CSV, CSV.gz, Parquet or JSON lines"
    parameters = None

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one file of trades. Raises UsageError for a mapping that is not of trades."""
        mapping = context.mapping or DEFAULT_TRADE_MAPPING
        if mapping.kind != "trade":
            raise UsageError("The mapping has kind = 'offer'; add kind = 'trade' to read trades with it.")
        raw = read_table(payload, mapping, context)
        if isinstance(raw, Refusal):
            return refused(raw)
        sheet = Sheet(raw, mapping, context)
        trade_id = sheet.read("trade_id", required_text("missing_trade_id"))
        observed, stamp, known = sheet.times()
        status = sheet.read("trade_status", choice(TRADE_STATUS_WORDS, "new"))
        known = _known_no_earlier(known, stamp, status, context)
        places = sheet.seller_and_venue()
        hardware = sheet.hardware()
        count = sheet.gpu_count(hardware)
        # A delivery may lie ahead of the day it was agreed on, so its times have no latest.
        start = sheet.read("start_at", optional_instant(mapping.time_zone, latest=None))
        end = sheet.read("end_at", optional_instant(mapping.time_zone, latest=None))
        hours = _hours(sheet, start, end, count, status)
        paid = _paid(sheet, hours, count)
        price = paid.convert(lambda trade: trade.price_micros)
        values = {
            "trade_id": trade_id,
            "observed_at": observed,
            "known_at": known,
            "reported_at": stamp,
            "trade_status": status,
            **sheet.common(hardware, places),
            "gpu_count": count,
            "start_at": start,
            "end_at": end,
            "gpu_seconds": hours.convert(lambda worked: None if worked is None else worked.gpu_seconds),
            "price_micros": price,
            "price_original": paid.convert(lambda trade: trade.written),
            "unit_original": paid.convert(lambda trade: trade.unit),
            "buyer": sheet.text("buyer"),
            "carried_by_source": False,
            "suspect": price_doubts(price, hardware),
            "kind": "trade",
            "tier": "trade",
        }
        raw_key: list[Column[str | None]] = [sheet.text(field) for field in _RAW_KEY]
        return account_for(raw, values, raw_key, context, checks=[trade_id, observed, stamp])


def _known_no_earlier(
    known: pa.Array, stamp: Column[int | None], status: Column[str], context: FeedContext
) -> pa.Array:
    """When an event was known: a correction or cancellation that does not say was known when it came.

    Taking its execution for it, as for a first report, would let a reconstructed view see a
    correction before anybody had made it.
    """
    amends = status.convert(lambda word: int(word != "new")).to_numpy(missing=0) == 1
    unsaid = stamp.convert(lambda at: int(at is None)).to_numpy(missing=0) == 1
    came = np.maximum(known.cast(pa.int64()).to_numpy(), to_microseconds(context.received_at))
    return pa.array(np.where(amends & unsaid, came, known.cast(pa.int64()).to_numpy()), pa.int64()).cast(
        known.type
    )


@dataclass(frozen=True, slots=True)
class _Hours:
    """The GPU-hours of a trade, exactly, and as the whole GPU-seconds that are kept."""

    exact: Fraction
    gpu_seconds: int


def _hours(
    sheet: Sheet,
    start: Column[int | None],
    end: Column[int | None],
    count: Column[int | None],
    status: Column[str],
) -> Column[_Hours | None]:
    """The hours of a trade: stated GPU-hours, else (end − start) × GPUs; seconds half-even.

    A cancellation may leave its hours blank, for there are none.
    """
    column = sheet.text("gpu_hours")

    def read(
        text: str | None, begin: int | None, finish: int | None, gpus: int | None, event: str
    ) -> _Hours | Bad | None:
        if begin is not None and finish is not None and finish <= begin:
            return Bad("bad_hours", end.name, format_instant(from_microseconds(finish)))
        if text is not None:
            return _stated_hours(text)
        if begin is not None and finish is not None and gpus is not None:
            hours = _whole_seconds(Fraction((finish - begin) * gpus, _MICROSECONDS * SECONDS_PER_HOUR))
            return hours or Bad("bad_hours", end.name, format_instant(from_microseconds(finish)))
        return None if event == "cancelled" else Bad("missing_hours", column.name or "gpu_hours", "")

    return join([column, start, end, count, status], read)


def _stated_hours(text: str) -> _Hours | Bad:
    hours = decimal_of(text)
    if isinstance(hours, Bad):
        return Bad("bad_hours" if hours.reason == "price_not_finite" else "bad_number")
    if hours <= 0 or not -_LARGEST_EXPONENT <= hours.adjusted() <= _LARGEST_EXPONENT:
        return Bad("bad_hours")
    return _whole_seconds(Fraction(hours)) or Bad("bad_hours")


def _whole_seconds(hours: Fraction) -> _Hours | None:
    seconds = round_fraction(hours * SECONDS_PER_HOUR)
    return _Hours(hours, seconds) if seconds > 0 else None


@dataclass(frozen=True, slots=True)
class _Paid:
    """The price of a trade, and how the file wrote it."""

    price_micros: int
    written: str
    unit: str


def _paid(sheet: Sheet, hours: Column[_Hours | None], count: Column[int | None]) -> Column[_Paid]:
    """The price per GPU-hour: as stated, else amount / hours; refused where both are and differ.

    They differ when price × hours is more than half a cent from the amount, before any rounding.
    """
    mapping = sheet.mapping
    prices, amounts = sheet.text("price_micros"), sheet.text("amount_micros")

    def read(
        price_text: str | None, amount_text: str | None, worked: _Hours | None, gpus: int | None
    ) -> _Paid | Bad:
        if amount_text is None:
            return _stated(price_text, gpus)
        amount = money_of(amount_text, mapping.per_dollar)
        if isinstance(amount, Bad):
            return Bad(amount.reason, amounts.name, amount_text)
        if price_text is None:
            if worked is None:
                return Bad("missing_hours", amounts.name, amount_text)
            derived = micros_of(amount / worked.exact)
            unit = "usd_cents_total" if mapping.per_dollar > 1 else "usd_total"
            if isinstance(derived, Bad):
                return Bad(derived.reason, amounts.name, amount_text)
            return _Paid(derived, amount_text, unit)
        stated = _stated(price_text, gpus)
        if isinstance(stated, Bad):
            return stated
        exact = money_of(price_text, mapping.per_dollar * (gpus or 1 if mapping.per_instance else 1))
        assert isinstance(exact, Fraction)
        if worked is not None and abs(exact * worked.exact - amount) > _TOLERANCE_USD:
            return Bad("amount_mismatch", amounts.name, amount_text)
        return stated

    def _stated(text: str | None, gpus: int | None) -> _Paid | Bad:
        if text is not None and mapping.per_instance and gpus is None:
            return Bad("bad_gpu_count", count.name, "")
        dollars = money_of(text, mapping.per_dollar * (gpus or 1 if mapping.per_instance else 1))
        if isinstance(dollars, Bad):
            return Bad(dollars.reason, prices.name or "price_usd_per_gpu_hour", text or "")
        micros = micros_of(dollars)
        if isinstance(micros, Bad):
            return micros
        return _Paid(micros, text or "", mapping.unit_original)

    return join([prices, amounts, hours, count], read)
