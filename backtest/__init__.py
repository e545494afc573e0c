"""Rent books, hedge ratios, effectiveness, basis and the hedge report.

Owns the answer to one question: how much of *this* rent would that hedge have covered? May import
records, grades, contracts and index. Pure: bytes, fixings and a clock are handed in; nothing is
read, fetched or asked of the time of day. statsmodels is imported inside the functions that use it.
"""

from __future__ import annotations

from .basis import Basis, Stationarity
from .effectiveness import Effectiveness, effectiveness
from .entry import EntryView
from .hedge import hedge
from .hedge_months import HedgeMonth
from .margin import MarginPath
from .methods import METHODS, RatioMethod
from .programme import ProgrammeMonth
from .programmes import (
    Instrument,
    ProgrammeRun,
    ProgrammeSpec,
    month_results,
    programme_to_json,
    read_programme,
    run_hedge_programme,
)
from .ranking import BookRanking, Candidate, benchmark_candidate, contract_candidate, rank_hedges
from .regressions import Regression, regress
from .rent import read_rent
from .rent_book import RENT_REASONS, RentBook, RentDay, RentReject
from .report import FirstPage, first_page, render_report
from .report_model import NOT_COVERED, HedgeReport
from .series import Changes, CommonDate, common_dates, monthly_changes, monthly_means, observation_changes
from .verdict import Verdict, decide

__all__ = [
    "METHODS",
    "NOT_COVERED",
    "RENT_REASONS",
    "Basis",
    "BookRanking",
    "Candidate",
    "Changes",
    "CommonDate",
    "Effectiveness",
    "EntryView",
    "FirstPage",
    "HedgeMonth",
    "HedgeReport",
    "Instrument",
    "MarginPath",
    "ProgrammeMonth",
    "ProgrammeRun",
    "ProgrammeSpec",
    "RatioMethod",
    "Regression",
    "RentBook",
    "RentDay",
    "RentReject",
    "Stationarity",
    "Verdict",
    "benchmark_candidate",
    "common_dates",
    "contract_candidate",
    "decide",
    "effectiveness",
    "first_page",
    "hedge",
    "month_results",
    "monthly_changes",
    "monthly_means",
    "observation_changes",
    "programme_to_json",
    "rank_hedges",
    "read_programme",
    "read_rent",
    "regress",
    "render_report",
    "run_hedge_programme",
]
