"""Cash-settled compute futures: specs as data, their calendars, settlement, lots and the daily ledger.

Owns what a contract is, which days it fixes on, what it settles at and why or why not, how many
lots hedge how many hours, and the three-account ledger. Imports records only. Pure: fixings are
handed in, the time is an argument, and the shipped contracts are literals. exchange_calendars is
imported by the one function that asks for business days.
"""

from __future__ import annotations

from .accounts import (
    ACCOUNTS,
    NO_FEES,
    Account,
    AccountDay,
    FeeSchedule,
    Ledger,
    LedgerLine,
    MarginAccount,
    Order,
    fee_schedule,
)
from .calendars import (
    ContractMonth,
    business_days,
    contract_month,
    fixing_days,
    fixing_weights,
    hours_in_month,
    last_trade_date,
    period_bounds,
    roll_date,
    spot_limit_first_day,
    tick_value_micros,
    unit_gpu_hours,
)
from .describe import UNKNOWN, SpecLine, describe
from .in_month import FLAT_EXPECTATION, InMonth, fair_value, parallel_delta, rest_must_average
from .ledger import FinalSettlement, daily_ledger
from .limits import counted_lots, remaining_share, spot_limit_holds
from .listing import (
    contract_months,
    front_month,
    listed_months,
    listing_refusal,
    price_limits,
    price_refusal,
)
from .outcome import Certificate, MissingDay, Settlement, SettlementDay, certify
from .settlement import settle
from .shipped import CONTRACTS
from .sizing import LotSize, Sizing, exact_lots, exact_ratio, size_lots
from .spec import ContractSpec, Fees, MissingIndexRule, PositionLimits, contract_hash, read_contract
from .telling import in_month_to_json, settlement_sentence, settlement_to_json, withheld_sentence
from .vintage import counts_at, fixings_for_settlement, fixings_known_at

__all__ = [
    "ACCOUNTS",
    "CONTRACTS",
    "FLAT_EXPECTATION",
    "NO_FEES",
    "UNKNOWN",
    "Account",
    "AccountDay",
    "Certificate",
    "ContractMonth",
    "ContractSpec",
    "FeeSchedule",
    "Fees",
    "FinalSettlement",
    "InMonth",
    "Ledger",
    "LedgerLine",
    "LotSize",
    "MarginAccount",
    "MissingDay",
    "MissingIndexRule",
    "Order",
    "PositionLimits",
    "Settlement",
    "SettlementDay",
    "Sizing",
    "SpecLine",
    "business_days",
    "certify",
    "contract_hash",
    "contract_month",
    "contract_months",
    "counted_lots",
    "counts_at",
    "daily_ledger",
    "describe",
    "exact_lots",
    "exact_ratio",
    "fair_value",
    "fee_schedule",
    "fixing_days",
    "fixing_weights",
    "fixings_for_settlement",
    "fixings_known_at",
    "front_month",
    "hours_in_month",
    "in_month_to_json",
    "last_trade_date",
    "listed_months",
    "listing_refusal",
    "parallel_delta",
    "period_bounds",
    "price_limits",
    "price_refusal",
    "read_contract",
    "remaining_share",
    "rest_must_average",
    "roll_date",
    "settle",
    "settlement_sentence",
    "settlement_to_json",
    "size_lots",
    "spot_limit_first_day",
    "spot_limit_holds",
    "tick_value_micros",
    "unit_gpu_hours",
    "withheld_sentence",
]
