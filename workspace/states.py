"""States: what the rules behind a shown fixing had read of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence

from ..index import Benchmark, State, states_on_tape
from ..index.governing import split_held
from ..records import STATUSES_OBSERVED, Fixing
from .core import Workspace


def state_behind(
    workspace: Workspace, benchmark: Benchmark, fixing: Fixing, shown: Sequence[Fixing]
) -> State:
    """The state that a fixing was made from. ``shown`` are the rows it is shown among, by date.

    A tape row read what had been appended before it. A candidate read the tape as of its build, and,
    where a date is not published, the candidates of its own view.
    """
    sequence = workspace.store.tape_sequence(fixing.benchmark)
    if fixing.published_at is not None:
        return states_on_tape(benchmark.methodology, sequence)[fixing.date, fixing.revision]
    built = fixing.built_as_of
    tape = [
        row
        for row in sequence
        if not fixing.reconstructed
        and (built is None or (row.published_at is not None and row.published_at <= built))
    ]
    published = {row.date for row in tape}
    before = [row for row in shown if row.date < fixing.date and row.date not in published]
    before, _ = split_held({row.date: row for row in tape}, before, lambda _: benchmark.methodology)
    return states_on_tape(benchmark.methodology, [*tape, *before, fixing])[fixing.date, fixing.revision]


def date_before(fixing: Fixing, shown: Sequence[Fixing]) -> Fixing | None:
    """The last fixing before this one that has a value of its own: what its move is measured against."""
    earlier = [row for row in shown if row.date < fixing.date and row.status in STATUSES_OBSERVED]
    return max(earlier, key=lambda row: row.date, default=None)


def nearest_value(fixing: Fixing, shown: Sequence[Fixing]) -> Fixing | None:
    """Of a fixing without a value of its own, the nearest one that has one; the earlier of two as near."""
    if fixing.status in STATUSES_OBSERVED:
        return None
    held = [row for row in shown if row.status in STATUSES_OBSERVED]
    return min(held, key=lambda row: (abs(row.date - fixing.date), row.date), default=None)
