"""``tabular``: the user's own table of offers in CSV, gzipped CSV, Parquet or JSON lines."""

from __future__ import annotations

from typing import Literal

from ...records import Batch, Refusal, UsageError
from ..account import account_for, refused
from ..columns import Column, by_presence, first_stated
from ..feed import FeedContext, FeedTerms
from ..fields import flag, number, prices, whole
from ..layout import Sheet, price_doubts, read_table
from ..mapping import DEFAULT_MAPPING
from ..rights import USER_ASSERTED
from ..shared_price import price_per_gpu
from ..two_at_once import both

_RAW_KEY = (
    "observed_at", "source", "seller", "venue", "sku", "name_as_written", "chip", "form_factor", "memory_gb",
    "gpu_count", "minimum_gpus", "machine", "region", "pricing", "price_micros", "term_months",
)  # fmt: skip


class Tabular:
    """Offers of any seller, in the documented columns or through a mapping."""

    id = "tabular"
    version = "2"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license=USER_ASSERTED,
        attribution="the license column of the file, or its mapping, names the source",
        link="",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "Your own table of offers: CSV, CSV.gz, Parquet or JSON lines"
    parameters = None

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one file of offers. Raises UsageError for a mapping that is not of offers."""
        mapping = context.mapping or DEFAULT_MAPPING
        if mapping.kind != "offer":
            raise UsageError("The mapping has kind = 'trade'; ingest the file with the feed trades.")
        raw = read_table(payload, mapping, context)
        del payload  # what was read of it is a copy
        if isinstance(raw, Refusal):
            return refused(raw)
        sheet = Sheet(raw, mapping, context)
        places = sheet.seller_and_venue()
        hardware = sheet.hardware()
        gpu_count = sheet.gpu_count(hardware)
        (observed, stamp, known), price = both(sheet.times, lambda: _price(sheet, gpu_count), raw.rows)
        total = sheet.text("price_original")
        values = {
            "observed_at": observed,
            "known_at": known,
            **sheet.common(hardware, places),
            "gpu_count": gpu_count,
            "price_micros": price,
            "price_original": first_stated([total, sheet.text("price_micros")]),
            "unit_original": by_presence(total, "usd_per_instance_hour", mapping.unit_original),
            "gpus_available": sheet.read("gpus_available", whole("bad_number", zero=True)),
            "minimum_gpus": sheet.read("minimum_gpus", whole("bad_number")),
            "machine": sheet.text("machine"),
            "verification": sheet.text("verification"),
            "reliability": sheet.read("reliability", number),
            "carried_by_source": sheet.read("carried_by_source", flag),
            "source_commit": sheet.text("source_commit"),
            "suspect": price_doubts(price, hardware),
            "kind": "offer",
            "tier": mapping.tier,
        }
        raw_key: list[Column[str | None]] = [sheet.text(field) for field in _RAW_KEY]
        return account_for(raw, values, raw_key, context, checks=[observed, stamp])


def _price(sheet: Sheet, gpu_count: Column[int | None]) -> Column[int]:
    """Micro-USD per GPU-hour: the price column in the mapping's unit, rounded once, half-even."""
    per_dollar = sheet.mapping.per_dollar
    texts = sheet.text("price_micros")
    if sheet.mapping.per_instance:
        return price_per_gpu(texts, gpu_count, per_dollar)
    return texts.convert(prices(per_dollar))
