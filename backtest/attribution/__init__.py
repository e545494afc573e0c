"""Where the money went: what a hedge left over, cause by cause.

Owns the attribution of T = Σ[actual bill − budget bill − futures P&L]: its lines, the ladder of grades that
tells provider, region, grade and term apart, and the waterfall that sums to T exactly in either order. Pure:
sub-indices are handed in as ``benchmark_for(grade) -> prices by date``. May import what backtest may.
"""

from __future__ import annotations

from .archive import BenchmarkFor, IndexNamed
from .assembling import RentedDay, RentedLeg, attribute
from .ladder import Dimensions, rungs
from .lines import LABELS, MEANINGS, NAMED_LINES, LineName
from .result import Attribution, Line, add_up
from .waterfall import HedgedPosition, Leg, MonthParts, take_apart

__all__ = [
    "LABELS",
    "MEANINGS",
    "NAMED_LINES",
    "Attribution",
    "BenchmarkFor",
    "Dimensions",
    "HedgedPosition",
    "IndexNamed",
    "Leg",
    "Line",
    "LineName",
    "MonthParts",
    "RentedDay",
    "RentedLeg",
    "add_up",
    "attribute",
    "rungs",
    "take_apart",
]
