"""The contracts this product ships, and where each of their fields comes from.

None of these contracts is listed as a future as of October 2026. The exchanges' own texts have not
been read for this table: its figures were read in third-party notes that cite them, and every
``sources`` entry says so. Check a field against the exchange before relying on it. The contracts
named *like* apply another market's published rules to compute; nobody lists them, and what those
rules do not fix is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .spec import ContractSpec, read_contract

_CME_NOTE = "third-party note citing the CME/NYMEX filing, read 2026-10; the filing itself not read"
_ICE_NOTE = "third-party note citing the ICE announcement, read 2026-10; the announcement itself not read"

_LIKE_KALSHI_NOTE = "Kalshi's published rules of its monthly GPU markets, read 2026-10"
_LIKE_FFA_NOTE = "practice of freight forward agreements on Baltic assessments; no compute contract has it"

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
        "name", "currency", "calendar", "month_clock", "period", "roll_business_days", "final_price_decimals",
        "counts_carried", "revisions", "missing_index",
    ),
}  # fmt: skip

_CME_GPU2: Mapping[str, Any] = {
    **_CME_GPU1,
    "id": "cme-gpu2",
    "name": "B200 on-demand rental, monthly average",
    "code": "GPU2",
    "chip": "B200",
    "official_underlying": "Silicon Data B200 on-demand settlement price, United States",
    "limits": {
        "spot_month_lots": 5_500,
        "spot_month_business_days": 3,
        "single_month_accountability_lots": 11_000,
        "all_months_accountability_lots": 16_500,
        "reportable_lots": 25,
        "diminishing_balance": True,
    },
}

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
        "name", "currency", "unit_gpus", "calendar", "month_clock", "period", "roll_business_days",
        "final_price_decimals", "counts_carried", "revisions", "missing_index",
    ),
}  # fmt: skip

_ICE_BKL: Mapping[str, Any] = {
    **_ICE_HPR,
    "id": "ice-bkl",
    "name": "B200 rental, monthly average",
    "code": "BKL",
    "chip": "B200",
    "official_underlying": "Ornn Compute Price Index (OCPI) B200, daily",
}

_KALSHI_LIKE: Mapping[str, Any] = {
    "id": "kalshi-like-h100",
    "name": "H100 rental, monthly average, last value stands in for a missing one",
    "exchange": "none (after Kalshi)",
    "chip": "H100",
    "status_line": "constructed; as a future not listed as of 2026-10",
    "listed": False,
    "official_underlying": "Ornn Compute Price Index (OCPI) H100, mean of hourly values",
    "unit_rule": "fixed",
    "fixed_gpu_hours": 1,
    "tick_micros": 10_000,
    "averaging": "every_day",
    "last_trade": "last_fixing_day",
    "final_price_decimals": 2,
    "revisions": "first_print",
    "missing_index": {
        "method": "latest_published",
        "fill_days_at_most": 31,
        "exchange_fallback": "a missing value is the latest published one; later revisions are ignored",
    },
    "remarks": (
        "Kalshi lists ladders of yes/no contracts on this mean; a linear future of one GPU-hour stands for them here",
        "the official mean runs over hourly values; daily fixings stand for them here",
    ),
    "sources": dict.fromkeys(
        (
            "chip", "official_underlying", "final_price_decimals", "revisions", "missing_index.method",
            "missing_index.exchange_fallback",
        ),
        _LIKE_KALSHI_NOTE,
    ),
    "assumed": (
        "name", "exchange", "status_line", "listed", "currency", "unit_rule", "fixed_gpu_hours", "month_clock",
        "period", "tick_micros", "averaging", "last_trade", "roll_business_days", "counts_carried",
        "missing_index", "remarks",
    ),
}  # fmt: skip

_FFA_LAST_7: Mapping[str, Any] = {
    "id": "ffa-like-last7",
    "name": "H100 rental, mean of the last 7 fixings of the month",
    "exchange": "none (after freight)",
    "chip": "H100",
    "status_line": "constructed after freight; not listed as of 2026-10",
    "listed": False,
    "official_underlying": "none: any daily benchmark named in the deal",
    "unit_rule": "hours_in_month",
    "tick_micros": 1_000,
    "averaging": "business_days",
    "averaging_last": 7,
    "period_ends": {12: 24},
    "calendar": "XLON",
    "last_trade": "last_fixing_day",
    "remarks": ("cash is (FSP − K) × hours of the month × lots, as freight counts (FSP − K) × days × lots",),
    "sources": dict.fromkeys(
        ("averaging", "averaging_last", "period_ends", "unit_rule", "last_trade", "remarks"), _LIKE_FFA_NOTE
    ),
    "assumed": (
        "name", "exchange", "chip", "status_line", "listed", "official_underlying", "currency", "unit_gpus",
        "month_clock", "period", "tick_micros", "calendar", "roll_business_days", "final_price_decimals",
        "counts_carried", "revisions", "missing_index",
    ),
}  # fmt: skip

_FFA_BALANCE: Mapping[str, Any] = {
    **{key: value for key, value in _FFA_LAST_7.items() if key != "averaging_last"},
    "id": "ffa-like-balmo",
    "name": "H100 rental, mean of the fixings left in the month",
    "period": "balance_of_month",
    "remarks": ("a month is written by its first day, 2026-08-14; cash counts the hours from that day on",),
    "sources": dict.fromkeys(
        ("averaging", "period", "period_ends", "unit_rule", "last_trade", "remarks"), _LIKE_FFA_NOTE
    ),
    "assumed": tuple(name for name in _FFA_LAST_7["assumed"] if name != "period"),
}

_SHIPPED = (_CME_GPU1, _CME_GPU2, _ICE_HPR, _ICE_BKL, _KALSHI_LIKE, _FFA_LAST_7, _FFA_BALANCE)

CONTRACTS: Mapping[str, ContractSpec] = MappingProxyType(
    {str(values["id"]): read_contract(values, f"the shipped contract {values['id']}") for values in _SHIPPED}
)
"""The shipped contracts by id."""
