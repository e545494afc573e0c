"""The contracts this product ships, and where each of their fields comes from.

Neither contract is listed as of October 2026. The exchanges' own texts have not been read for
this table: its figures were read in third-party notes that cite them, and every ``sources`` entry
says so. Check a field against the exchange before relying on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .spec import ContractSpec, read_contract

_CME_NOTE = "third-party note citing the CME/NYMEX filing, read 2026-10; the filing itself not read"
_ICE_NOTE = "third-party note citing the ICE announcement, read 2026-10; the announcement itself not read"

_CME_GPU1: Mapping[str, Any] = {
    "id": "cme-gpu1",
    "name": "H100 on-demand rental, monthly average",
    "exchange": "CME/NYMEX",
    "code": "GPU1",
    "chip": "H100",
    "status_line": "filed, approval pending; not listed as of 2026-10",
    "listed": False,
    "official_underlying": "Silicon Data H100 on-demand settlement price, United States",
    "unit_rule": "fixed",
    "fixed_gpu_hours": 730,
    "tick_micros": 10_000,
    "averaging": "business_days",
    "calendar": "XNYS",
    "last_trade": "last_business_day",
    "listing_months": 36,
    "missing_index": {"exchange_fallback": "none in the filed chapters"},
    "fees": {
        "trade_member_micros": 3_650_000,
        "trade_non_member_micros": 5_500_000,
        "cash_settlement_member_micros": 900_000,
        "cash_settlement_non_member_micros": 1_350_000,
    },
    "limits": {
        "spot_month_lots": 7_500,
        "spot_month_business_days": 3,
        "single_month_accountability_lots": 15_000,
        "all_months_accountability_lots": 22_500,
        "reportable_lots": 25,
        "diminishing_balance": True,
    },
    "minimum_block_lots": 5,
    "non_reviewable_range_micros": 200_000,
    "sources": dict.fromkeys(
        (
            "exchange", "code", "chip", "status_line", "listed", "official_underlying", "unit_rule",
            "fixed_gpu_hours", "tick_micros", "averaging", "last_trade", "listing_months", "fees",
            "limits", "minimum_block_lots", "non_reviewable_range_micros",
            "missing_index.exchange_fallback",
        ),
        _CME_NOTE,
    ),
    "assumed": (
        "name", "currency", "calendar", "month_clock", "final_price_decimals", "counts_carried", "missing_index",
    ),
}  # fmt: skip

_ICE_HPR: Mapping[str, Any] = {
    "id": "ice-hpr",
    "name": "H100 rental, monthly average",
    "exchange": "ICE",
    "code": "HPR",
    "chip": "H100",
    "status_line": "announced; not listed as of 2026-10",
    "listed": False,
    "official_underlying": "Ornn Compute Price Index (OCPI) H100, daily",
    "unit_rule": "hours_in_month",
    "tick_micros": 1_000,
    "averaging": "every_day",
    "calendar": "XNYS",
    "last_trade": "last_business_day",
    "listing_months": 24,
    "missing_index": {"exchange_fallback": "the index carries its last value forward, then suspends"},
    "sources": dict.fromkeys(
        (
            "exchange", "code", "chip", "status_line", "listed", "official_underlying", "unit_rule",
            "tick_micros", "averaging", "last_trade", "listing_months",
            "missing_index.exchange_fallback",
        ),
        _ICE_NOTE,
    ),
    "assumed": (
        "name", "currency", "unit_gpus", "calendar", "month_clock", "final_price_decimals", "counts_carried",
        "missing_index",
    ),
}  # fmt: skip

CONTRACTS: Mapping[str, ContractSpec] = MappingProxyType(
    {
        str(values["id"]): read_contract(values, f"the shipped contract {values['id']}")
        for values in (_CME_GPU1, _ICE_HPR)
    }
)
"""The shipped contracts by id."""
