"""Hedge programmes: rules as data, decided day by day on what was known, run through the account.

Owns strips and stacks, re-estimation, caps, tailing, cross hedges and several instruments, and what they
came to. May import records, contracts and the rest of backtest. Pure: tapes, marks and rents are handed in.
"""

from __future__ import annotations

from .decisions import Decision, Plan, ProgrammeOrder
from .figures import ActualLots, MonthResult, actual_lots, break_even_premium, month_results, total_micros
from .instruments import Instrument, first_prints
from .learning import LearnedMonth, Lesson
from .page import render_programme
from .running import ProgrammeRun, run_hedge_programme
from .several import several_ratios, variance_inflation
from .spec import InstrumentSpec, ProgrammeSpec, read_programme
from .telling import programme_to_json

__all__ = [
    "ActualLots",
    "Decision",
    "Instrument",
    "InstrumentSpec",
    "LearnedMonth",
    "Lesson",
    "MonthResult",
    "Plan",
    "ProgrammeOrder",
    "ProgrammeRun",
    "ProgrammeSpec",
    "actual_lots",
    "break_even_premium",
    "first_prints",
    "month_results",
    "programme_to_json",
    "read_programme",
    "render_programme",
    "run_hedge_programme",
    "several_ratios",
    "total_micros",
    "variance_inflation",
]
