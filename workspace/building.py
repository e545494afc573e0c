"""Build: candidates from the archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from ..index import Benchmark, Methodology, build_fixings
from ..index.governing import split_held
from ..index.joint import joint_key
from ..records import Fixing, RentmarkError, format_instant
from ..store.standing import renew_candidates
from .core import Workspace
from .engines import chosen_engine
from .joint_building import Dates, build_jointly, can_join
from .reader import Reader
from .rulebook import Span, held_levels, span_dates, spans
from .standing import Changes, Standing, standing_dates
from .views import AsOf, view_name

if TYPE_CHECKING:
    from ..store import ObservationFile

__all__ = ["Reader", "Renewed", "build", "build_several", "coverage"]


def coverage(
    reader: Reader,
    benchmark: Benchmark,
    files: Sequence[ObservationFile],
    seen_until: datetime,
    *,
    reconstructed: bool,
    rules: Sequence[Span] = (),
) -> tuple[date, date] | None:
    """The fixing dates of the first and the last observation that meets the grade, or None without one."""
    from ..index import dates_covering, meeting_grade

    if not reconstructed and benchmark.grade.rating is None:
        met = _range_met(reader, benchmark, files)
    else:
        table = reader.table(files)
        clock = table.known_at if reconstructed else table.recorded_at
        known = table.filter(clock <= seen_until)
        ratings = reader.ratings_by_day(benchmark, files)
        found = reader.engine.to_arrow(meeting_grade(known, benchmark, ratings)).to_pylist()[0]
        met = None if found["first"] is None else (found["first"], found["last"])
    if met is None:
        return None
    return span_dates(rules, *met) if rules else dates_covering(benchmark.methodology, *met)


def _range_met(
    reader: Reader, benchmark: Benchmark, files: Sequence[ObservationFile]
) -> tuple[datetime, datetime] | None:
    """The first and last instant that meets the grade, from the first and the last month that hold any.

    Only for files all of whose rows were recorded by the as-of instant.
    """
    from ..index import meeting_grade
    from ..index.build import bound_observations

    months = sorted({file.month for file in files})

    def ends(month: str) -> tuple[datetime, datetime] | None:
        reader.bind_days([file for file in files if file.month == month], None)
        found = reader.engine.query(
            f"meeting {benchmark.methodology_hash}", lambda: meeting_grade(bound_observations(), benchmark)
        ).to_pylist()[0]
        return None if found["first"] is None else (found["first"], found["last"])

    first = next((found for month in months if (found := ends(month)) is not None), None)
    if first is None:
        return None
    last = next(found for month in reversed(months) if (found := ends(month)) is not None)
    return first[0], last[1]


@dataclass(frozen=True, slots=True)
class Renewed:
    """What a build made of one benchmark, and the dates whose candidates stand as they were."""

    made: list[Fixing]
    kept: frozenset[date] = frozenset()


def build(
    workspace: Workspace,
    name: str,
    *,
    as_of: AsOf | None = None,
    only: Dates | None = None,
    reader: Reader | None = None,
    threads: int | None = None,
    engine: str = "duckdb",
    master: str | None = None,
    afresh: bool = False,
) -> list[Fixing]:
    """Make candidates for every date of the calendar that has one, or for the dates of ``only``.

    A candidate that nothing has changed under since it was made stands as it is, unless ``afresh``.
    ``engine`` is ``duckdb`` or ``spark``, the latter on ``master``; a ``reader`` has its own. Raises
    RentmarkError when no observation meets the grade as of then.
    """
    if reader is None:
        with chosen_engine(engine, threads=threads, master=master) as opened:
            here = Reader(workspace, opened)
            return build(workspace, name, as_of=as_of, only=only, reader=here, afresh=afresh)
    found = build_several(workspace, [name], as_of=as_of, only=only, reader=reader, afresh=afresh)[name]
    return workspace.store.candidates(name, view_name(as_of)) if found.kept else found.made


def build_several(
    workspace: Workspace,
    names: Sequence[str],
    *,
    as_of: AsOf | None = None,
    only: Dates | None = None,
    reader: Reader,
    afresh: bool = False,
    refused: dict[str, RentmarkError] | None = None,
) -> dict[str, Renewed]:
    """Build several benchmarks, reading each month of the archive once for all that can share it.

    Returns what was made by benchmark; what stood already is not read back. Raises as ``build`` does; where
    ``refused`` is given, what concerns one benchmark alone is put there instead, and the others are built.
    """
    made = make_several(
        workspace, names, as_of=as_of, only=only, reader=reader, afresh=afresh, refused=refused
    )
    renewed = {name: (each.made, each.kept) for name, each in made.items()}
    view = view_name(as_of)
    renew_candidates(workspace.store, view, renewed)
    return made


def make_several(
    workspace: Workspace,
    names: Sequence[str],
    *,
    as_of: AsOf | None = None,
    only: Dates | None = None,
    reader: Reader,
    afresh: bool = False,
    refused: dict[str, RentmarkError] | None = None,
) -> dict[str, Renewed]:
    """The candidates of several benchmarks as ``build_several`` makes them, with nothing stored."""
    rules: dict[str, list[Span]] = {}
    reconstructed = as_of is not None and as_of.reconstructed
    with workspace.store.database.one_state():
        for name in dict.fromkeys(names):
            with _refusing(refused, name):
                rules[name] = spans(workspace, name, as_of=as_of)
        seen_until = workspace.store.now() if as_of is None else as_of.instant
        files = reader.files(seen_until=seen_until, reconstructed=reconstructed)
    if not files and as_of is None:
        raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
    if not files:
        only = None
    if only is not None:
        files = _asked_by(only, rules, files, seen_until)
    joint: list[Span] = []
    if (files or only) and not reconstructed and can_join(files):
        single = (found[0] for found in rules.values() if len(found) == 1 and found[0].last is None)
        joint = [span for span in single if joint_key(span.benchmark) is not None]
    afresh = afresh or as_of is not None
    made: dict[str, Renewed] = {}
    built = build_jointly(
        workspace,
        reader,
        joint,
        files,
        seen_until,
        only=only,
        afresh=afresh,
        tape_as_of=None if as_of is None else as_of.instant,
    )
    for each in built:
        with _refusing(refused, each.benchmark.name):
            if each.span is None:
                raise _nothing_to_build(each.benchmark, seen_until, reconstructed=reconstructed)
            made[each.benchmark.name] = Renewed(each.made, frozenset(each.kept))
    for name, found in rules.items():
        if name in made or name in (refused or {}):
            continue
        with _refusing(refused, name):
            made[name] = _build_alone(
                workspace,
                name,
                found,
                reader,
                files,
                seen_until=seen_until,
                as_of=as_of,
                only=only,
                afresh=afresh,
            )
    return made


def _asked_by(
    only: Dates, rules: Mapping[str, Sequence[Span]], files: Sequence[ObservationFile], seen_until: datetime
) -> list[ObservationFile]:
    """The files that fixings of these dates may read: those that reach into a window, or correct a trade."""
    windows = [w for found in rules.values() for span in found for w in span.windows(*only, seen_until)]
    if not windows:
        return []
    start, end = min(w.start for w in windows), max(w.end for w in windows)
    return [f for f in files if f.corrections or (f.last_observed_at >= start and f.first_observed_at < end)]


@contextmanager
def _refusing(refused: dict[str, RentmarkError] | None, name: str) -> Iterator[None]:
    """Keep what refuses one benchmark, so that it stops no other; without a place for it, it is raised."""
    try:
        yield
    except RentmarkError as error:
        if refused is None:
            raise
        refused[name] = error


def _nothing_to_build(benchmark: Benchmark, seen_until: datetime, *, reconstructed: bool) -> RentmarkError:
    clock = "known" if reconstructed else "recorded"
    return RentmarkError(
        f"Nothing to build: no observation {clock} by {format_instant(seen_until)} meets grade "
        f"{benchmark.grade_name}; ingest data or widen [grades.{benchmark.grade_name}]."
    )


def _build_alone(
    workspace: Workspace,
    name: str,
    rules: Sequence[Span],
    reader: Reader,
    files: Sequence[ObservationFile],
    *,
    seen_until: datetime,
    as_of: AsOf | None,
    only: Dates | None,
    afresh: bool,
) -> Renewed:
    """Build one benchmark by a panel of its own, under each version of its rules in turn."""
    benchmark = rules[-1].benchmark
    reconstructed = as_of is not None and as_of.reconstructed
    span = only
    if span is None and files:
        span = coverage(reader, benchmark, files, seen_until, reconstructed=reconstructed, rules=rules)
    if span is None:
        raise _nothing_to_build(benchmark, seen_until, reconstructed=reconstructed)
    tape = workspace.store.tape(name, as_of=None if as_of is None else as_of.instant)
    published = {f.date: f for f in tape} if not reconstructed else {}
    fixings: list[Fixing] = []
    kept: dict[date, Standing] = {}
    methodologies: dict[str, Methodology] = {}
    held = held_levels(workspace, name, rules, as_of)
    for part in rules:
        windows = part.windows(span[0], span[1], seen_until)
        if len(rules) == 1 and only is None and not afresh:
            kept = standing_dates(workspace, part.benchmark, windows, Changes(workspace))
            windows = [window for window in windows if window.date not in kept]
        if not windows:
            continue
        printed, _ = split_held(published, fixings, lambda f: methodologies[f.methodology_hash], held)
        methodologies[part.benchmark.methodology_hash] = part.benchmark.methodology
        standing = {day: fixing for day, fixing in kept.items() if isinstance(fixing, Fixing)}
        fixings += build_fixings(
            part.benchmark,
            reader.ballots(part.benchmark, windows, files, reconstructed=reconstructed),
            windows,
            archive_holds=reader.archive_holds(part.benchmark, windows, files, reconstructed=reconstructed),
            published=standing | {f.date: f for f in printed} | published,
            reconstructed=reconstructed,
            simulated=workspace.store.simulated,
            absent_sources=reader.absent_sources(part.benchmark, windows, files, reconstructed=reconstructed),
            held=held,
        )
    return Renewed([replace(f, built_as_of=seen_until) for f in fixings], frozenset(kept))
