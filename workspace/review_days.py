"""Reading days: the ballots, windows and states behind many fixings at once, as the review asks for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from ..index import Benchmark, State, states_on_tape, window_of
from ..index.review import Day
from ..index.state import EMPTY
from ..records import Fixing
from .core import Workspace
from .reader import Reader


def days_behind(
    workspace: Workspace,
    reader: Reader,
    benchmark: Benchmark,
    rows: Sequence[Fixing],
    shown: Sequence[Fixing],
    *,
    aggregators: bool = True,
) -> list[Day]:
    """What each of ``rows`` was made from, as far as it was known when it was built, under these rules.

    ``shown`` are the rows they are shown among, by date. Votes carry the ``aggregators`` they came through unless
    they are not asked for; the rules themselves may not read them.
    """
    asked = with_aggregators(benchmark) if aggregators else benchmark
    groups: dict[tuple[tuple[str, ...], bool], list[Fixing]] = defaultdict(list)
    files_at: dict[tuple[datetime, bool], list[str]] = {}
    now = workspace.store.now()
    for row in rows:
        known = (row.built_as_of or now, row.reconstructed)
        if known not in files_at:
            held = reader.files(seen_until=known[0], reconstructed=known[1])
            files_at[known] = [file.path for file in held]
        groups[tuple(files_at[known]), row.reconstructed].append(row)
    states = states_behind(workspace, benchmark, rows, shown)
    found = []
    for (_, reconstructed), group in groups.items():
        windows = [window_of(benchmark.methodology, row.date, row.built_as_of or now) for row in group]
        files = reader.files(seen_until=max(w.seen_until for w in windows), reconstructed=reconstructed)
        ballots = reader.ballots(asked, windows, files, reconstructed=reconstructed)
        silent = reader.absent_sources(benchmark, windows, files, reconstructed=reconstructed)
        found += [
            Day(
                window,
                tuple(ballots.get(row.date, ())),
                row,
                states[row.date, row.revision],
                tuple(silent.get(row.date, ())),
            )
            for window, row in zip(windows, group, strict=True)
        ]
    return sorted(found, key=lambda day: day.window.date)


def with_aggregators(benchmark: Benchmark) -> Benchmark:
    """The same rules, with a gate that everything meets and that makes the votes name their aggregators."""
    rules = benchmark.methodology
    if rules.max_aggregator_share is not None or rules.cap_aggregator is not None:
        return benchmark
    told = rules.model_copy(update={"max_aggregator_share": "1"})
    return replace(benchmark, methodology=told, recorded=None)


def states_behind(
    workspace: Workspace, benchmark: Benchmark, rows: Sequence[Fixing], shown: Sequence[Fixing]
) -> dict[tuple[date, int], State]:
    """The state that each of these fixings was made from, by date and revision; see ``states.state_behind``."""
    rules = benchmark.methodology
    if not rules.reads_state or not rows:
        return {(row.date, row.revision): EMPTY for row in rows}
    sequence = workspace.store.tape_sequence(rows[0].benchmark)
    on_tape = states_on_tape(rules, sequence)
    found: dict[tuple[date, int], State] = {}
    loose = [row for row in rows if row.published_at is None]
    if loose:
        built = max((row.built_as_of for row in loose if row.built_as_of is not None), default=None)
        tape = [
            row
            for row in sequence
            if not loose[0].reconstructed
            and (built is None or (row.published_at is not None and row.published_at <= built))
        ]
        published = {row.date for row in tape}
        before = [row for row in shown if row.published_at is None and row.date not in published]
        walked = sorted([*tape, *before], key=lambda row: (row.date, row.revision))
        found |= states_on_tape(rules, walked)
    return found | {
        (row.date, row.revision): on_tape[row.date, row.revision]
        for row in rows
        if row.published_at is not None
    }
