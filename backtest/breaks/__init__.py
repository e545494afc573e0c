"""Where a hedge breaks: tests of the gap's level, of a constant ratio, and of a level shared by rent and reference.

Owns one file a test behind :class:`BreakTest`, with its null, its source and a critical value that says where
it comes from; what the size study measured stands in ``sizes.py`` and beside each figure. May import what
backtest may. Pure: levels in, findings out; statsmodels and scipy are imported inside what uses them.
"""

from __future__ import annotations

from .base import BreakTest, Finding, Levels, Outcome
from .chow import Chow
from .critical import Critical, simulated_critical
from .cusum import Cusum
from .cusumsq import CusumOfSquares
from .engle_granger import EngleGranger
from .gregory_hansen import LevelShift, LevelShiftWithTrend, SlopeShift
from .johansen import Johansen
from .mean_shifts import FINE_TRIM, MeanShift, MeanShifts, mean_shifts, sequential_breaks
from .splitting import TRIM
from .sup_f import SupremumF

BREAK_TESTS: dict[str, BreakTest] = {
    each.name: each
    for each in (
        Cusum(),
        CusumOfSquares(),
        SupremumF(),
        MeanShift(),
        EngleGranger(),
        Johansen(),
        LevelShift(),
        LevelShiftWithTrend(),
        SlopeShift(),
    )
}
"""Every test that needs no date, in the order a report lists them."""

__all__ = [
    "BREAK_TESTS",
    "FINE_TRIM",
    "TRIM",
    "BreakTest",
    "Chow",
    "Critical",
    "Cusum",
    "CusumOfSquares",
    "EngleGranger",
    "Finding",
    "Johansen",
    "LevelShift",
    "LevelShiftWithTrend",
    "Levels",
    "MeanShift",
    "MeanShifts",
    "Outcome",
    "SlopeShift",
    "SupremumF",
    "mean_shifts",
    "sequential_breaks",
    "simulated_critical",
]
