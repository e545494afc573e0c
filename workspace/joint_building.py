"""Building several benchmarks at once: each month of the archive is read once for all of them.

A build touches only dates whose window gained or lost data since their candidate was made; the others stand.
What it makes is what a build from nothing makes, to the last bit but for the clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from ..index import Benchmark, Window, build_fixings
from ..index.joint import layers
from ..index.plain import is_plain, plain_fixing
from ..records import Fixing, day_start, month_of
from ..records.instants import EPOCH
from .core import Workspace
from .reader import ROWS_AT_ONCE, Reader, weight
from .rulebook import Span
from .standing import Changes, Standing, standing_dates

if TYPE_CHECKING:
    from ..index.passes import PassVotes
    from ..store import ObservationFile

ONE_DAY = timedelta(days=1)
Dates = tuple[date, date]


@dataclass(slots=True)
class Built:
    """What came of one benchmark: ``span`` None where nothing meets its grade; ``kept`` dates stand as they were."""

    benchmark: Benchmark
    wide: list[Window]
    kept: dict[date, Standing]
    votes: list[PassVotes] = field(default_factory=list)
    span: Dates | None = None
    made: list[Fixing] = field(default_factory=list)


def can_join(files: Sequence[ObservationFile]) -> bool:
    """Whether the files may be read by UTC day: a count of days has no sign before 1970."""
    return all(file.first_observed_at >= EPOCH for file in files)


def build_jointly(
    workspace: Workspace,
    reader: Reader,
    rules: Sequence[Span],
    files: Sequence[ObservationFile],
    seen_until: datetime,
    *,
    only: Dates | None,
    afresh: bool,
    tape_as_of: datetime | None,
) -> list[Built]:
    """Fixings of benchmarks under one version of their rules, each with a ``joint_key``, from files all recorded
    by ``seen_until``.

    ``only`` are the dates to make, else all that the archive covers. ``afresh`` keeps no candidate.
    """
    of_rules: dict[tuple[int, Dates], list[Window]] = {}

    def windows(span: Span, dates: Dates) -> list[Window]:
        """The windows of these dates, once for all benchmarks of one methodology."""
        key = (id(span.benchmark.methodology), dates)
        if key not in of_rules or span.first is not None or span.last is not None:
            of_rules[key] = span.windows(*dates, seen_until)
        return of_rules[key]

    fresh = afresh or only is not None
    changes = None if fresh or not rules else Changes(workspace)
    started = []
    for span in rules:
        mine = [] if only else _of_chip(reader, span.benchmark, files)
        widest = only or (_ends(mine) if mine else None)
        wide = windows(span, widest) if widest is not None else []
        kept = {} if changes is None else standing_dates(workspace, span.benchmark, wide, changes)
        started.append(Built(span.benchmark, wide, kept))
    by_name = {built.benchmark.name: built for built in started}
    for layer in layers([span.benchmark for span in rules]):
        _read(reader, [by_name[b.name] for b in layer], files)
    for built in started:
        built.span = only or _covered(reader, built, files)
        _fix(workspace, reader, built, files, seen_until=seen_until, tape_as_of=tape_as_of)
    return started


def _of_chip(reader: Reader, benchmark: Benchmark, files: Iterable[ObservationFile]) -> list[ObservationFile]:
    """The files that may hold the grade's chip."""
    chip = benchmark.grade.chip
    held = ((file, reader.facts(file)) for file in files)
    return [file for file, facts in held if facts is None or facts.chips is None or chip in facts.chips]


def _ends(files: Sequence[ObservationFile]) -> Dates:
    first = min(file.first_observed_at for file in files)
    return first.date(), max(file.last_observed_at for file in files).date()


def _read(reader: Reader, layer: Sequence[Built], files: Sequence[ObservationFile]) -> None:
    """Run the passes of one layer over the days that any of it asks, a month or several small ones at a time."""
    from ..index.passes import run_pass

    asked: dict[str, set[date]] = {}
    for built in layer:
        for window in built.wide:
            if window.date not in built.kept:
                asked.setdefault(month_of(window.date), set()).add(window.date)
    of_month: dict[str, list[ObservationFile]] = {}
    for file in _telling(reader, layer, [file for file in files if file.month in asked]):
        of_month.setdefault(file.month, []).append(file)
    for months in _together(of_month):
        days = [day for month in months for day in asked[month]]
        start, end = day_start(min(days)), day_start(max(days) + ONE_DAY)
        held = (file for month in months for file in of_month[month])
        near = [f for f in held if f.last_observed_at >= start and f.first_observed_at < end]
        if not near:
            continue
        benchmarks = [built.benchmark for built in layer]
        windows = {w.date: w for built in layer for w in built.wide if start <= w.start < end}
        found = reader.pass_by_hand(benchmarks, near, [windows[day] for day in sorted(windows)])
        if found is None:
            facts = reader.bind_days(near, (start, end))
            found = run_pass(benchmarks, reader.engine, facts)
        for built, votes in zip(layer, found, strict=True):
            built.votes.append(votes)


def _telling(
    reader: Reader, layer: Sequence[Built], files: Sequence[ObservationFile]
) -> Iterable[ObservationFile]:
    """The files that may hold a chip of the layer, and those of the same sources, which may tell that an offer has
    left it: the latest state of an offer is asked before its grade.
    """
    held = [file for file in files if any(_of_chip(reader, built.benchmark, [file]) for built in layer)]
    if len(held) == len(files):
        return files
    named = [None if (facts := reader.facts(file)) is None else facts.sources for file in held]
    known = {source for sources in named for source in sources or ()}
    if None in named:
        return files

    def tells(file: ObservationFile) -> bool:
        facts = reader.facts(file)
        return facts is None or facts.sources is None or not known.isdisjoint(facts.sources)

    return [file for file in files if tells(file)]


def _together(of_month: Mapping[str, Sequence[ObservationFile]]) -> list[list[str]]:
    """Months in groups of ROWS_AT_ONCE rows at most, or of one month."""
    groups: list[list[str]] = []
    held = 0
    for month, files in sorted(of_month.items()):
        rows = sum(weight(file) for file in files)
        if not groups or held + rows > ROWS_AT_ONCE:
            groups.append([])
            held = 0
        groups[-1].append(month)
        held += rows
    return groups


def _covered(reader: Reader, built: Built, files: Sequence[ObservationFile]) -> Dates | None:
    """The dates of the first and last observation that meets the grade.

    A vote shows that one does; only where the first or last day that holds the chip has none are rows asked.
    """
    mine = _of_chip(reader, built.benchmark, files)
    if not mine:
        return None
    first, last = _ends(mine)
    voted = {day for day, standing in built.kept.items() if standing.n_votes > 0}
    voted.update(day for votes in built.votes for day in (*votes.counted, *votes.ballots))
    if first not in voted:
        found = _first_met(reader, built.benchmark, sorted(mine, key=lambda f: f.first_observed_at))
        if found is None:
            return None
        first = found[0]
    if last not in voted:
        latest_first = sorted(mine, key=lambda f: f.last_observed_at, reverse=True)
        found = _first_met(reader, built.benchmark, latest_first)
        assert found is not None
        last = found[1]
    return first, last


def _first_met(reader: Reader, benchmark: Benchmark, files: Sequence[ObservationFile]) -> Dates | None:
    """The days of the first and last observation that meets the grade in the first month that has any."""
    from ..index.passes import ranges_met

    months = list(dict.fromkeys(file.month for file in files))
    for month in months:
        near = [file for file in files if file.month == month]
        reader.bind_days(near, None)
        found = ranges_met([benchmark], reader.engine)
        if found:
            return found[0][0].date(), found[0][1].date()
    return None


def _fix(
    workspace: Workspace,
    reader: Reader,
    built: Built,
    files: Sequence[ObservationFile],
    *,
    seen_until: datetime,
    tape_as_of: datetime | None,
) -> None:
    """Make the fixings of the dates in the span that do not stand already."""
    benchmark = built.benchmark
    if built.span is None:
        return
    first, last = built.span
    built.kept = {day: standing for day, standing in built.kept.items() if first <= day <= last}
    due = [w for w in built.wide if first <= w.date <= last and w.date not in built.kept]
    if not due:
        return
    holds = _held(reader, benchmark, due, files)
    simulated = workspace.store.simulated
    if is_plain(benchmark):
        counted = {day: votes for each in built.votes for day, votes in each.counted.items()}
        built.made = [
            plain_fixing(
                benchmark,
                window,
                counted.get(window.date),
                archive_holds_day=window.date in counted or holds(window.date),
                built_as_of=seen_until,
                simulated=simulated,
            )
            for window in due
        ]
        return
    standing = {day: fixing for day, fixing in built.kept.items() if isinstance(fixing, Fixing)}
    published = {f.date: f for f in workspace.store.tape(benchmark.name, as_of=tape_as_of)}
    made = build_fixings(
        benchmark,
        {day: ballots for each in built.votes for day, ballots in each.ballots.items()},
        due,
        archive_holds=holds,
        published=standing | published,
        reconstructed=False,
        simulated=simulated,
    )
    built.made = [replace(fixing, built_as_of=seen_until) for fixing in made]


def _held(
    reader: Reader, benchmark: Benchmark, due: Sequence[Window], files: Sequence[ObservationFile]
) -> Callable[[date], bool]:
    """Whether the archive held anything on a UTC day, from the ends of files where they tell."""
    ask = reader.archive_holds(benchmark, due, files, reconstructed=False)

    @cache
    def spans() -> set[Dates]:
        return {(file.first_observed_at.date(), file.last_observed_at.date()) for file in files}

    @cache
    def ends() -> set[date]:
        return {day for span in spans() for day in span}

    def holds(day: date) -> bool:
        return day in ends() or (any(first < day < last for first, last in spans()) and ask(day))

    return holds
