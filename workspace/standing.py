"""Standing candidates: those that a build would make again as they are, because nothing they rest on has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from ..index import Benchmark, Window
from ..index.build import near_fixings
from ..index.state import Memory
from ..records import Fixing, month_of
from ..store.manifest import FileLife
from ..store.standing import CandidateMark, candidate_marks, file_lives
from .core import Workspace
from .views import LATEST

FEW_CHANGES = 8
"""Files that came since up to which each is asked in turn, rather than those of a window's months."""
A_FORTNIGHT = timedelta(days=14)
"""A step that passes over no month."""
Standing = Fixing | CandidateMark
"""A candidate that stands: whole where later dates read it, else what tells that it does."""


class Changes:
    """When what the archive holds of a time last changed: files came, or were superseded."""

    def __init__(self, workspace: Workspace) -> None:
        self._lives = file_lives(workspace.store.database)
        self._of_month: dict[str, list[FileLife]] = {}
        self._corrected_at: datetime | None = None
        for life in self._lives:
            self._of_month.setdefault(month_of(life.first_observed_at.date()), []).append(life)
            if life.corrections:
                self._corrected_at = max(self._corrected_at or life.changed_at, life.changed_at)

    def since(self, instant: datetime) -> list[FileLife]:
        """The files that came or went at or after an instant."""
        return [life for life in self._lives if life.changed_at >= instant]

    def reach(self, window: Window, since: datetime) -> bool:
        """Whether a file that reaches into a window came or went at or after an instant."""
        months, day = {month_of(window.end.date())}, window.start.date()
        while day <= window.end.date():
            months.add(month_of(day))
            day += A_FORTNIGHT
        return any(
            life.changed_at >= since and life.reaches(window.start, window.end)
            for month in months
            for life in self._of_month.get(month, ())
        )

    def corrected(self, since: datetime) -> bool:
        """Whether a file that corrects trades came or went at or after an instant."""
        return self._corrected_at is not None and self._corrected_at >= since


def standing_dates(
    workspace: Workspace, benchmark: Benchmark, windows: Sequence[Window], changes: Changes
) -> dict[date, Standing]:
    """The candidates among ``windows`` that a build would make again, by date.

    A candidate stands where its rules are those of now and no file that reaches into its window came or was
    superseded since it was made. Where rules read earlier fixings, it stands only as long as every date before
    it does and what it read is what it would read now. Of a benchmark that reads trades, none stands once a
    correction came, which may be of any month.
    """
    rules = benchmark.methodology
    if rules.hold_move is not None and rules.reads_state:
        return {}
    found: Mapping[date, Standing]
    if rules.reads_state:
        found = {f.date: f for f in workspace.store.candidates(benchmark.name, LATEST)}
    else:
        found = {
            mark.date: mark for mark in candidate_marks(workspace.store.database, benchmark.name, LATEST)
        }
    trades = "trade" in rules.inputs
    standing: dict[date, Standing] = {}
    tape = {f.date: f for f in workspace.store.tape(benchmark.name)} if rules.reads_state else {}
    memory = None
    made = [mark.built_as_of for mark in found.values() if mark.built_as_of is not None]
    recent = changes.since(min(made)) if made else []
    for window in windows:
        candidate = found.get(window.date)
        stands = (
            candidate is not None
            and candidate.methodology_hash == benchmark.methodology_hash
            and candidate.built_as_of is not None
        )
        if stands:
            assert candidate is not None
            assert candidate.built_as_of is not None
            made_at = candidate.built_as_of
            if len(recent) <= FEW_CHANGES:
                reached = any(
                    each.changed_at >= made_at and each.reaches(window.start, window.end) for each in recent
                )
            else:
                reached = changes.reach(window, made_at)
            stands = not (reached or (trades and changes.corrected(made_at)))
        if rules.reads_state:
            if not stands or not isinstance(candidate, Fixing):
                break
            if memory is None:
                memory = Memory(rules, near_fixings(tape, window.date, rules.memory_horizon_days))
            if json.loads(candidate.details or "{}").get("state") != memory.state(window.date).digest:
                break
            memory.put(tape.get(window.date, candidate))
        if stands:
            assert candidate is not None
            standing[window.date] = candidate
    return standing
