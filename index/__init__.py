"""The index engine: methodology as data, the panel, estimators, gates, fixing, explain, verify.

Owns the step from observations to fixings. May import records and grades. Pure: tables and
engines are handed in, fixings come out. ``index.panel`` needs Ibis, which loads when first run.
"""

from __future__ import annotations

from .ballot import Ballot, input_digest
from .build import Engine, ballots_by_date, build_fixings, correction_events
from .estimators import ESTIMATORS, Estimator
from .explain import EXCLUSIONS, Explanation, WithoutSeller, explain, explained_rows, leave_one_out
from .fixing import Outcome, decide, evaluate, make_fixing
from .gates import Counts, Gate, gates
from .methodology import Benchmark, BenchmarkSpec, Methodology
from .panel import CORRECTION_COLUMNS, archive_days, meeting_grade, selected, votes
from .verify import Difference, compare
from .windows import Window, cutoff_instant, is_fixing_date, window_of, windows_between

__all__ = [
    "CORRECTION_COLUMNS",
    "ESTIMATORS",
    "EXCLUSIONS",
    "Ballot",
    "Benchmark",
    "BenchmarkSpec",
    "Counts",
    "Difference",
    "Engine",
    "Estimator",
    "Explanation",
    "Gate",
    "Methodology",
    "Outcome",
    "Window",
    "WithoutSeller",
    "archive_days",
    "ballots_by_date",
    "build_fixings",
    "compare",
    "correction_events",
    "cutoff_instant",
    "decide",
    "evaluate",
    "explain",
    "explained_rows",
    "gates",
    "input_digest",
    "is_fixing_date",
    "leave_one_out",
    "make_fixing",
    "meeting_grade",
    "selected",
    "votes",
    "window_of",
    "windows_between",
]
