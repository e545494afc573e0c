"""Arrow schemas of what the archive holds. Kept apart from the root: pyarrow takes time to import."""

from __future__ import annotations

import pyarrow as pa

INSTANT = pa.timestamp("us", tz="UTC")

OBSERVATION_SCHEMA = pa.schema(
    [
        pa.field("observation_id", pa.int64(), nullable=False),
        pa.field("content_check", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("tier", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("source_id", pa.string()),
        pa.field("source_commit", pa.string()),
        pa.field("sku", pa.string()),
        pa.field("name_as_written", pa.string()),
        pa.field("seller", pa.string(), nullable=False),
        pa.field("venue", pa.string()),
        pa.field("aggregator", pa.string()),
        pa.field("observed_at", INSTANT, nullable=False),
        pa.field("known_at", INSTANT, nullable=False),
        pa.field("recorded_at", INSTANT),
        pa.field("chip", pa.string(), nullable=False),
        pa.field("form_factor", pa.string()),
        pa.field("memory_gb", pa.int32()),
        pa.field("gpu_count", pa.int32()),
        pa.field("price_micros", pa.int64(), nullable=False),
        pa.field("currency", pa.string(), nullable=False),
        pa.field("fx_rate", pa.string()),
        pa.field("price_original", pa.string()),
        pa.field("unit_original", pa.string()),
        pa.field("price_basis", pa.string(), nullable=False),
        pa.field("region", pa.string()),
        pa.field("country", pa.string()),
        pa.field("pricing", pa.string(), nullable=False),
        pa.field("term_months", pa.int32()),
        pa.field("service", pa.string(), nullable=False),
        pa.field("interconnect", pa.string()),
        pa.field("gpus_available", pa.int32()),
        pa.field("minimum_gpus", pa.int32()),
        pa.field("machine", pa.string()),
        pa.field("verification", pa.string()),
        pa.field("reliability", pa.float64()),
        pa.field("carried_by_source", pa.bool_(), nullable=False),
        pa.field("license", pa.string()),
        pa.field("rights", pa.string(), nullable=False),
        pa.field("simulated", pa.bool_(), nullable=False),
        pa.field("suspect", pa.string()),
        pa.field("trade_id", pa.string()),
        pa.field("trade_status", pa.string()),
        pa.field("gpu_seconds", pa.int64()),
        pa.field("start_at", INSTANT),
        pa.field("end_at", INSTANT),
        pa.field("buyer", pa.string()),
        pa.field("reported_at", INSTANT),
        pa.field("payload_digest", pa.string(), nullable=False),
        pa.field("position", pa.int64(), nullable=False),
        pa.field("tenancy", pa.string()),
    ]
)

REJECT_SCHEMA = pa.schema(
    [
        pa.field("payload_digest", pa.string(), nullable=False),
        pa.field("position", pa.int64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("field", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("sentence", pa.string(), nullable=False),
    ]
)

DUPLICATE_KEY = (
    "source",
    "seller",
    "venue",
    "sku",
    "name_as_written",
    "chip",
    "form_factor",
    "memory_gb",
    "gpu_count",
    "minimum_gpus",
    "machine",
    "region",
    "pricing",
    "observed_at",
    "price_micros",
    "term_months",
    "trade_id",
    "trade_status",
    "gpu_seconds",
    "reported_at",
)
"""Columns that make two records the same. The venue is part of a seller written ``venue/host``. The
last five are null where a feed does not state them: a term, and the identity and version of a trade
event, without which two terms' prices or two equal trades of one second would be taken for one."""

NOT_CONTENT = ("observation_id", "content_check", "known_at", "recorded_at", "payload_digest", "position")
"""Columns that say how and when a record reached us, not what it says: outside every content digest."""
