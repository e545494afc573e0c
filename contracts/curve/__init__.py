"""The board of contract months: marks as settled, strips from reserved prices, and fitted models.

Owns which mark was known when, the reading of settlements files, the forward strip between reserved
tenors, the models of later fixings (flat, Ornstein–Uhlenbeck, Schwartz–Smith) and the board that joins
them. GPU-hours can't be stored, so nothing here carries spot forward: there is no cash-and-carry.
Needs numpy; statsmodels and scipy are imported where something is fitted.
"""

from __future__ import annotations

from .board import BoardRow, ContractBoard, contract_board
from .launches import PUBLISHED_LOG_STEP, Launch, read_launch
from .marks import BoardMark, board_marks, curve_panel, marks_known_at
from .marks_file import SettlementsFile, read_settlements
from .marks_join import JoinedMarks, join_marks, unmarked_days
from .models import UNIDENTIFIED, Estimate, FlatModel, ForwardModel
from .ou import OrnsteinUhlenbeck, OUModel, fit_ou
from .panel import Panel, make_panel
from .schwartz_smith import SchwartzSmith
from .schwartz_smith_fit import Premium, SchwartzSmithModel, fit_schwartz_smith
from .series import FixingSeries, Stepping, every_day, series_of
from .term import TermPrice, TermStrip, TermStructure, forward_price, term_structure

__all__ = [
    "PUBLISHED_LOG_STEP",
    "UNIDENTIFIED",
    "BoardMark",
    "BoardRow",
    "ContractBoard",
    "Estimate",
    "FixingSeries",
    "FlatModel",
    "ForwardModel",
    "JoinedMarks",
    "Launch",
    "OUModel",
    "OrnsteinUhlenbeck",
    "Panel",
    "Premium",
    "SchwartzSmith",
    "SchwartzSmithModel",
    "SettlementsFile",
    "Stepping",
    "TermPrice",
    "TermStrip",
    "TermStructure",
    "board_marks",
    "contract_board",
    "curve_panel",
    "every_day",
    "fit_ou",
    "fit_schwartz_smith",
    "forward_price",
    "join_marks",
    "make_panel",
    "marks_known_at",
    "read_launch",
    "read_settlements",
    "series_of",
    "term_structure",
    "unmarked_days",
]
