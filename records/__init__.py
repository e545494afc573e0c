"""The vocabulary: frozen record types, micro-dollars and rounding, UTC, reason codes, digests.

Owns what every room speaks in. Imports nothing of Rentmark. Arrow schemas are in
``records.schemas``, the TOML model base in ``records.specs`` and exchange calendars in
``records.exchange_days``, imported where they are used.
"""

from __future__ import annotations

from .batch import Batch, LedgerEntry
from .canonical import canonical_json, digest_of, sha256_hex
from .cells import FORMULA_STARTS, neutral
from .errors import Refusal, RentmarkError, UsageError
from .fixing import (
    STATUSES_OBSERVED,
    STATUSES_WITH_VALUE,
    Fixing,
    Origin,
    Status,
    Vote,
    canonical_fixing,
    fixing_content,
    seal,
)
from .instants import (
    NaiveInstantError,
    day_start,
    format_instant,
    from_microseconds,
    month_bounds,
    month_of,
    parse_date,
    parse_instant,
    parse_month,
    read_zone,
    to_microseconds,
)
from .marks import Mark, MarkImport, MarkReject
from .money import (
    MICROS_PER_CENT,
    MICROS_PER_USD,
    cents_from_micros,
    divide_half_even,
    format_micros,
    median_half_even,
    micros_from_decimal,
    micros_from_text,
    percentile_half_even,
    quantise,
    round_fraction,
    round_to_decimals,
)
from .observation import PRICINGS, SERVICES, TIERS, Observation, Reject
from .rules import MARK_REASONS, PAYLOAD_REASONS, REJECT_REASONS, SUSPECT_REASONS, reject_sentence

__all__ = [
    "FORMULA_STARTS",
    "MARK_REASONS",
    "MICROS_PER_CENT",
    "MICROS_PER_USD",
    "PAYLOAD_REASONS",
    "PRICINGS",
    "REJECT_REASONS",
    "SERVICES",
    "STATUSES_OBSERVED",
    "STATUSES_WITH_VALUE",
    "SUSPECT_REASONS",
    "TIERS",
    "Batch",
    "Fixing",
    "LedgerEntry",
    "Mark",
    "MarkImport",
    "MarkReject",
    "NaiveInstantError",
    "Observation",
    "Origin",
    "Refusal",
    "Reject",
    "RentmarkError",
    "Status",
    "UsageError",
    "Vote",
    "canonical_fixing",
    "canonical_json",
    "cents_from_micros",
    "day_start",
    "digest_of",
    "divide_half_even",
    "fixing_content",
    "format_instant",
    "format_micros",
    "from_microseconds",
    "median_half_even",
    "micros_from_decimal",
    "micros_from_text",
    "month_bounds",
    "month_of",
    "neutral",
    "parse_date",
    "parse_instant",
    "parse_month",
    "percentile_half_even",
    "quantise",
    "read_zone",
    "reject_sentence",
    "round_fraction",
    "round_to_decimals",
    "seal",
    "sha256_hex",
    "to_microseconds",
]
