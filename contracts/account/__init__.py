"""The account: trades at stated marks, variation, margin, calls, close-out, limits, profit and loss.

Owns what happens between a trade and its last cent: the blotter's events and what they stand at,
daily variation and fees in three accounts that sum to zero, margin (modelled: none is published),
interest, calls line by line, close-out by rule, liquidity at risk, warnings, and the explanation of
profit and loss. Imports records and its own room only. Pure: marks, fixings and rules are handed in.
"""

from __future__ import annotations

from .blotter_file import READER_VERSION, BlotterReading, read_blotter
from .book import PositionKey, run_account
from .events import StandingTrade, standing, trades_of
from .explain import PARTS, Profit, ProfitLine, explain_profit
from .fills import AccountOrder, fees_of, fill_order, fill_orders, fill_price
from .index_view import Change, IndexView, MonthOutcome, MonthShare, joint_changes
from .limits import Alert, alerts_on, limit_alerts, mark_alerts
from .liquidity import LiquidityAtRisk, LiquidityMethod, liquidity_at_risk
from .margin import (
    HeldMonth,
    MarginLine,
    MarginRequirement,
    historical_margin,
    margin_requirement,
    proxy_margin,
    proxy_micros_per_lot,
    published_margin,
)
from .marks import FLAT_MARK, DayMark, MarkBook, flat_marks, last_mark, mark_of
from .rules import AccountRules, read_account
from .statement import AccountRun, Call, CallLine, StatementDay, Step
from .trades import CLOSE_OUT, ROLL, MonthKey, Trade, check_trade, ended_refusal, trade_refusal

__all__ = [
    "CLOSE_OUT",
    "FLAT_MARK",
    "PARTS",
    "READER_VERSION",
    "ROLL",
    "AccountOrder",
    "AccountRules",
    "AccountRun",
    "Alert",
    "BlotterReading",
    "Call",
    "CallLine",
    "Change",
    "DayMark",
    "HeldMonth",
    "IndexView",
    "LiquidityAtRisk",
    "LiquidityMethod",
    "MarginLine",
    "MarginRequirement",
    "MarkBook",
    "MonthKey",
    "MonthOutcome",
    "MonthShare",
    "PositionKey",
    "Profit",
    "ProfitLine",
    "StandingTrade",
    "StatementDay",
    "Step",
    "Trade",
    "alerts_on",
    "check_trade",
    "ended_refusal",
    "explain_profit",
    "fees_of",
    "fill_order",
    "fill_orders",
    "fill_price",
    "flat_marks",
    "historical_margin",
    "joint_changes",
    "last_mark",
    "limit_alerts",
    "liquidity_at_risk",
    "margin_requirement",
    "mark_alerts",
    "mark_of",
    "proxy_margin",
    "proxy_micros_per_lot",
    "published_margin",
    "read_account",
    "read_blotter",
    "run_account",
    "standing",
    "trade_refusal",
    "trades_of",
]
