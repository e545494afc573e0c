"""Rebuilding tapes: every row again from the archive, under the rules and the knowledge it was made with.

Benchmarks whose rules allow it share each pass over the archive, as they do when they are built; the others are
rebuilt by a panel of their own. What the ledger notes of the rows of a file is not believed here: it is counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..index import (
    Benchmark,
    Difference,
    State,
    Window,
    build_fixings,
    compare,
    dates_held,
    states_on_tape,
    window_of,
)
from ..index.joint import Facts, joint_key, layers
from ..index.plain import is_plain, plain_fixing
from ..records import Fixing
from .evidence import Evidence
from .joint_building import can_join
from .reader import Reader, within_memory

if TYPE_CHECKING:
    from ..index.passes import PassVotes
    from ..store import ObservationFile

ONE_DAY = timedelta(days=1)
ROWS_WORTH_A_COUNT = 100_000
"""Rows up to which latest states are looked for sooner than whether there is need to."""
ROWS_WORTH_OPENING = 1_000
"""Rows a file must hold on average for the same: many small ones take longer to open than to read."""


@dataclass(slots=True, kw_only=True)
class Group:
    """Rows of one tape: of one set of rules and one revision, made while the same readings counted.

    ``windows`` are those of its dates in order; ``tape`` is what its rules may look back on, in the order in which
    it was appended; ``made`` are the fixings once they are rebuilt.
    """

    benchmark: Benchmark
    revision: int
    era: int
    windows: list[Window]
    tape: Sequence[Fixing]
    made: list[Fixing] = field(default_factory=list)

    @property
    def seen_until(self) -> datetime:
        """The last instant that any of it was made as of."""
        return max(window.seen_until for window in self.windows)

    def states(self, due: Sequence[Window]) -> dict[date, State]:
        """The state from which each of these dates, which are in order, was made."""
        rules = self.benchmark.methodology
        tape = self.tape
        if rules.reopen is None:  # a gap may be left that began at any time before
            first = due[0].date - timedelta(days=rules.memory_horizon_days)
            tape = [row for row in tape if first <= row.date <= due[-1].date]
        states = states_on_tape(rules, tape)
        return {window.date: states[window.date, self.revision] for window in due}


@dataclass(slots=True)
class Party:
    """Groups that share passes: on every date that two of them have, both saw the same files.

    ``windows`` are the UTC days of all their dates, and ``seen`` how many files of each day were recorded by then.
    """

    era: int
    files: Sequence[ObservationFile]
    groups: list[Group] = field(default_factory=list)
    windows: dict[date, Window] = field(default_factory=dict)
    seen: dict[date, int] = field(default_factory=dict)

    def admit(self, group: Group, seen: Mapping[date, int]) -> bool:
        """Let a group in, unless it saw another archive on a date that is here already."""
        if any(self.seen.get(day, count) != count for day, count in seen.items()):
            return False
        self.groups.append(group)
        self.seen |= seen
        self.windows = {window.date: window for window in group.windows} | self.windows
        return True

    def days_told(self) -> Iterator[date]:
        """Days of which the first or the last row of a file that was recorded by then is."""
        for file in self.files:
            for day in (file.first_observed_at.date(), file.last_observed_at.date()):
                if day in self.windows and file.recorded_at <= self.windows[day].seen_until:
                    yield day


def rebuild_and_compare(
    workspace: Evidence, reader: Reader, tapes: Sequence[Sequence[Fixing]]
) -> list[Difference]:
    """Rebuild the rows of tapes, each of one benchmark, and compare; differences are in the order of the tapes."""
    superseded_at = sorted(e.recorded_at for e in workspace.store.ledger() if e.supersedes is not None)
    groups = [list(_groups(workspace, rows, superseded_at)) for rows in tapes]
    shared: dict[int, list[Group]] = defaultdict(list)
    for group in (group for of_tape in groups for group in of_tape):
        if joint_key(group.benchmark) is None:
            _rebuild_alone(workspace, reader, group)
        else:
            shared[group.era].append(group)
    for era, asked in shared.items():
        files = reader.files(seen_until=max(group.seen_until for group in asked), reconstructed=False)
        if can_join(files):
            for party in _parties(era, asked, files):
                _rebuild_jointly(workspace, reader, party)
        else:
            for group in asked:
                _rebuild_alone(workspace, reader, group)
    differences: list[Difference] = []
    for rows, of_tape in zip(tapes, groups, strict=True):
        differences += compare(rows, {(f.date, g.revision): f for g in of_tape for f in g.made})
    return differences


def _groups(
    workspace: Evidence, rows: Sequence[Fixing], superseded_at: Sequence[datetime]
) -> Iterator[Group]:
    """The groups of one tape; rows whose rules are not what their hash says are left out, and so not reproducible."""
    found: dict[tuple[str, int, int], list[Fixing]] = defaultdict(list)
    for row in rows:
        era = bisect_right(superseded_at, row.built_as_of or row.effective_at)
        found[row.methodology_hash, row.revision, era].append(row)
    sequence: Sequence[Fixing] | None = None
    for (methodology_hash, revision, era), of_group in found.items():
        name = of_group[0].benchmark
        benchmark = Benchmark.from_resolved(name, workspace.store.methodology(methodology_hash))
        rules = benchmark.methodology
        if benchmark.methodology_hash != methodology_hash:
            continue
        if rules.reads_state and sequence is None:
            sequence = workspace.store.tape_sequence(name)
        windows = [window_of(rules, f.date, f.built_as_of or f.effective_at) for f in of_group]
        yield Group(
            benchmark=benchmark,
            revision=revision,
            era=era,
            windows=sorted(windows, key=lambda window: window.date),
            tape=rows if sequence is None else sequence,
        )


def _parties(era: int, groups: Iterable[Group], files: Sequence[ObservationFile]) -> list[Party]:
    """Groups in as few parties as what they saw allows."""
    recorded: dict[date, list[datetime]] = defaultdict(list)
    for file in sorted(files, key=lambda file: file.recorded_at):
        day = file.first_observed_at.date()
        while day <= file.last_observed_at.date():
            recorded[day].append(file.recorded_at)
            day += ONE_DAY
    parties: list[Party] = []
    for group in groups:
        seen = {w.date: bisect_right(recorded.get(w.date, ()), w.seen_until) for w in group.windows}
        if not any(party.admit(group, seen) for party in parties):
            parties.append(Party(era, files))
            parties[-1].admit(group, seen)
    return parties


def _rebuild_jointly(workspace: Evidence, reader: Reader, party: Party) -> None:
    """Make the fixings of a party, a month or several small ones at a time; no more votes are held than theirs."""
    from ..index.passes import run_pass

    owners = {id(group.benchmark): group for group in party.groups}  # two may have equal rules
    layered = [[owners[id(b)] for b in layer] for layer in layers([g.benchmark for g in party.groups])]
    windows = [party.windows[day] for day in sorted(party.windows)]
    told = frozenset(party.days_told())
    for part in within_memory(windows, party.files):
        days = {window.date for window in part}
        facts = _facts(reader, reader.bind_windows(party.files, part))
        voted: set[date] = set()
        found: list[tuple[Group, list[Window], PassVotes]] = []
        for layer in layered:
            due = [[window for window in group.windows if window.date in days] for group in layer]
            asked = sorted({window.date for of_group in due for window in of_group})
            if not asked:
                continue
            reader.bind_windows(party.files, [party.windows[day] for day in asked])
            votes = run_pass([group.benchmark for group in layer], reader.engine, facts, windowed=True)
            voted |= {day for each in votes for day in (*each.counted, *each.ballots)}
            found += zip(layer, due, votes, strict=True)
        holds = _holding(reader, party, part, voted | told)
        for group, of_group, each in found:
            if of_group:
                group.made += _fixings(workspace, group, of_group, each, holds)


def _facts(reader: Reader, files: Sequence[ObservationFile]) -> Facts:
    """What is true of the rows of the bound files; of few rows nothing is asked, which is always true."""
    from ..index.passes import facts_found

    rows = sum(file.rows for file in files)
    counted = rows > ROWS_WORTH_A_COUNT and rows > ROWS_WORTH_OPENING * len(files)
    return facts_found(reader.engine) if counted else Facts()


def _holding(
    reader: Reader, party: Party, part: Sequence[Window], told: Container[date]
) -> Callable[[date], bool]:
    """Answers whether the archive held anything on a UTC day of this part, which is asked where a group has no vote.

    It did on days of which a group's vote or the end of a file ``told``, and did not where no file reaches the day;
    of others the rows are asked.
    """
    known: set[date] | None = None

    def holds(day: date) -> bool:
        nonlocal known
        if day in told or not party.seen[day]:
            return day in told
        if known is None:
            reader.bind_windows(party.files, part)
            known = dates_held(party.groups[0].benchmark, part, reader.engine, reconstructed=False)
        return day in known

    return holds


def _fixings(
    workspace: Evidence, group: Group, due: Sequence[Window], votes: PassVotes, holds: Callable[[date], bool]
) -> list[Fixing]:
    """The fixings of these dates from the votes of a pass."""
    simulated = workspace.store.simulated
    if not is_plain(group.benchmark):
        return build_fixings(
            group.benchmark,
            votes.ballots,
            due,
            archive_holds=holds,
            published={},
            reconstructed=False,
            simulated=simulated,
            states=group.states(due),
        )
    return [
        plain_fixing(
            group.benchmark,
            window,
            votes.counted.get(window.date),
            archive_holds_day=window.date in votes.counted or holds(window.date),
            built_as_of=window.seen_until,
            simulated=simulated,
        )
        for window in due
    ]


def _rebuild_alone(workspace: Evidence, reader: Reader, group: Group) -> None:
    """Make the fixings of a group by a panel of its own."""
    benchmark, windows = group.benchmark, group.windows
    files = reader.files(seen_until=group.seen_until, reconstructed=False)
    group.made = build_fixings(
        benchmark,
        reader.ballots(benchmark, windows, files, reconstructed=False),
        windows,
        archive_holds=reader.archive_holds(benchmark, windows, files, reconstructed=False),
        published={},
        reconstructed=False,
        simulated=workspace.store.simulated,
        states=group.states(windows),
        absent_sources=reader.absent_sources(benchmark, windows, files, reconstructed=False),
    )
