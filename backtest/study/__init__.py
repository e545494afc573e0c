"""Simulated truth: processes whose ratio is known, and how often each interval holds it.

Owns the processes and the runners; what they measured and reports cite stands in ``backtest/measured.py``. May
import what backtest may, and nothing of the world: generators are seeded by the caller. Everything here is simulated.
"""

from __future__ import annotations

from .coverage import CoverageRow, coverage_of
from .method_errors import MethodRow, method_errors
from .processes import (
    PROCESSES,
    AutoregressivePair,
    CommonLevel,
    DynamicPair,
    Process,
    Sample,
    StickyRent,
)

__all__ = [
    "PROCESSES",
    "AutoregressivePair",
    "CommonLevel",
    "CoverageRow",
    "DynamicPair",
    "MethodRow",
    "Process",
    "Sample",
    "StickyRent",
    "coverage_of",
    "method_errors",
]
