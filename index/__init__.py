"""The index engine: methodology as data, the panel, estimators, gates, fixing, explain, verify.

Owns the step from observations to fixings. May import records and grades. Pure: tables and
engines are handed in, fixings come out. ``index.panel`` needs Ibis, which loads when first run.
"""

from __future__ import annotations

from .ballot import Ballot, input_digest
from .build import Engine, ballots_by_date, build_fixings, correction_events, dates_held
from .composition import Composition, IndexPoint, Mover, composition, fixed_effects_index
from .estimators import ESTIMATORS, Estimator, Step, Term
from .explain import EXCLUSIONS, Before, Explanation, WithoutSeller, explain, explained_rows, leave_one_out
from .fixing import Decision, Outcome, decide, evaluate, make_fixing
from .gates import Counts, Gate, gates
from .methodology import Benchmark, BenchmarkSpec, Methodology
from .panel import meeting_grade, selected, votes
from .review import ChangeStory, Day, change_sentence, who_moved_it
from .state import State, first_stale, states_on_tape
from .trade_versions import CORRECTION_COLUMNS
from .verify import Difference, compare
from .windows import Window, cutoff_instant, dates_covering, is_fixing_date, window_of, windows_between

__all__ = [
    "CORRECTION_COLUMNS",
    "ESTIMATORS",
    "EXCLUSIONS",
    "Ballot",
    "Before",
    "Benchmark",
    "BenchmarkSpec",
    "ChangeStory",
    "Composition",
    "Counts",
    "Day",
    "Decision",
    "Difference",
    "Engine",
    "Estimator",
    "Explanation",
    "Gate",
    "IndexPoint",
    "Methodology",
    "Mover",
    "Outcome",
    "State",
    "Step",
    "Term",
    "Window",
    "WithoutSeller",
    "ballots_by_date",
    "build_fixings",
    "change_sentence",
    "compare",
    "composition",
    "correction_events",
    "cutoff_instant",
    "dates_covering",
    "dates_held",
    "decide",
    "evaluate",
    "explain",
    "explained_rows",
    "first_stale",
    "fixed_effects_index",
    "gates",
    "input_digest",
    "is_fixing_date",
    "leave_one_out",
    "make_fixing",
    "meeting_grade",
    "selected",
    "states_on_tape",
    "votes",
    "who_moved_it",
    "window_of",
    "windows_between",
]
