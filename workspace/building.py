"""Build and publish: candidates from the archive, fixings onto the tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..index import (
    Ballot,
    Benchmark,
    Window,
    ballots_by_date,
    build_fixings,
    dates_held,
    first_stale,
    windows_between,
)
from ..records import Fixing, Origin, RentmarkError, day_start, format_instant
from ..records.schemas import OBSERVATION_SCHEMA
from .core import Workspace
from .resolving import resolved_benchmark
from .views import LATEST, AsOf, view_name

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from ..store import ObservationFile
    from ..store.engines import DuckDBEngine

ONE_DAY = timedelta(days=1)


class Reader:
    """Reads the archive as an engine's table: the right files, and rows as far as they were known."""

    def __init__(self, workspace: Workspace, engine: DuckDBEngine) -> None:
        self.workspace = workspace
        self.engine = engine
        self._bound: tuple[ObservationFile, ...] | None = None
        self._corrections_of: dict[str, pa.Table] = {}

    def files(self, *, seen_until: datetime, reconstructed: bool) -> list[ObservationFile]:
        """Files whose batches count at an as-of instant; a reconstructed view reads today's files."""
        as_of = None if reconstructed else seen_until
        return self.workspace.store.observation_files(as_of=as_of)

    def table(self, files: Sequence[ObservationFile]) -> ibis.Table:
        """The observations of these files."""
        return self.engine.observations(self.workspace.store.file_paths(files))

    def bind(
        self, benchmark: Benchmark, files: Sequence[ObservationFile], start: datetime, end: datetime
    ) -> bool:
        """Bind the files that hold instants of [start, end); say whether ``corrections`` is bound, too.

        Months outside are not opened, but for files that hold corrections of trades, from any month.
        """
        corrected = "trade" in benchmark.methodology.inputs
        if corrected:
            self.engine.bind_table("corrections", self._corrections([f for f in files if f.corrections]))
        near = tuple(f for f in files if f.last_observed_at >= start and f.first_observed_at < end)
        if near != self._bound:
            self.engine.bind_files("observations", self.workspace.store.file_paths(near))
            self._bound = near
        return corrected

    def _corrections(self, files: Sequence[ObservationFile]) -> pa.Table:
        """Corrections and cancellations of these files; a file never changes, so each is read once."""
        import pyarrow as pa

        from ..index import CORRECTION_COLUMNS, correction_events

        unread = [f for f in files if f.path not in self._corrections_of]
        for file in unread:
            self.engine.bind_files("observations", self.workspace.store.file_paths([file]))
            self._bound = (file,)
            self._corrections_of[file.path] = self.engine.query("corrections", correction_events)
        if not files:
            kept = [OBSERVATION_SCHEMA.field(name) for name in CORRECTION_COLUMNS]
            return pa.schema(kept).empty_table()
        return pa.concat_tables([self._corrections_of[f.path] for f in files])

    def ballots(
        self,
        benchmark: Benchmark,
        windows: Sequence[Window],
        files: Sequence[ObservationFile],
        *,
        reconstructed: bool,
    ) -> dict[date, list[Ballot]]:
        """Ballots of these windows from these files."""
        if not windows:
            return {}
        start, end = min(w.start for w in windows), max(w.end for w in windows)
        corrected = self.bind(benchmark, files, start, end)
        return ballots_by_date(
            benchmark, windows, self.engine, corrected=corrected, reconstructed=reconstructed
        )

    def archive_holds(
        self,
        benchmark: Benchmark,
        windows: Sequence[Window],
        files: Sequence[ObservationFile],
        *,
        reconstructed: bool,
    ) -> Callable[[date], bool]:
        """Answers, when first asked, whether the archive held anything in the window of a date."""
        known: set[date] | None = None

        def holds(day: date) -> bool:
            nonlocal known
            if known is None:
                self.bind(benchmark, files, min(w.start for w in windows), max(w.end for w in windows))
                known = dates_held(benchmark, windows, self.engine, reconstructed=reconstructed)
            return day in known

        return holds

    def ratings_by_day(self, benchmark: Benchmark, files: Sequence[ObservationFile]) -> ibis.Table | None:
        """Sellers rated on each UTC day of these files; None where the grade asks for no rating."""
        from ..index.rating import rateable_sellers, rated_sellers

        if benchmark.grade.rating is None or not files:
            return None
        sellers = self.engine.to_arrow(rateable_sellers(self.table(files), benchmark))["seller"].to_pylist()
        first = min(f.first_observed_at for f in files).date()
        last = max(f.last_observed_at for f in files).date()
        days = [first + n * ONE_DAY for n in range((last - first).days + 1)]
        moments = [(day, day_start(day + ONE_DAY) - timedelta(microseconds=1)) for day in days]
        return self.engine.memory(rated_sellers(benchmark, moments, sellers), "ratings_by_day")


def coverage(
    reader: Reader,
    benchmark: Benchmark,
    files: Sequence[ObservationFile],
    seen_until: datetime,
    *,
    reconstructed: bool,
) -> tuple[date, date] | None:
    """The fixing dates of the first and the last observation that meets the grade, or None without one."""
    from ..index import dates_covering, meeting_grade

    table = reader.table(files)
    clock = table.known_at if reconstructed else table.recorded_at
    known = table.filter(clock <= seen_until)
    ratings = reader.ratings_by_day(benchmark, files)
    found = reader.engine.to_arrow(meeting_grade(known, benchmark, ratings)).to_pylist()[0]
    if found["first"] is None:
        return None
    return dates_covering(benchmark.methodology, found["first"], found["last"])


def build(
    workspace: Workspace,
    name: str,
    *,
    as_of: AsOf | None = None,
    only: tuple[date, date] | None = None,
    reader: Reader | None = None,
    threads: int | None = None,
) -> list[Fixing]:
    """Make candidates for every date of the calendar that has one, or for the dates of ``only``.

    Raises RentmarkError when no observation meets the grade as of then.
    """
    if reader is None:
        with workspace.engine(threads=threads) as engine:
            return build(workspace, name, as_of=as_of, only=only, reader=Reader(workspace, engine))
    benchmark = resolved_benchmark(workspace, name, as_of=as_of)
    reconstructed = as_of is not None and as_of.reconstructed
    seen_until = workspace.store.now() if as_of is None else as_of.instant
    files = reader.files(seen_until=seen_until, reconstructed=reconstructed)
    if not files and as_of is None:
        raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
    span = (
        only or coverage(reader, benchmark, files, seen_until, reconstructed=reconstructed) if files else None
    )
    if span is None:
        clock = "known" if reconstructed else "recorded"
        raise RentmarkError(
            f"Nothing to build: no observation {clock} by {format_instant(seen_until)} meets grade "
            f"{benchmark.grade_name}; ingest data or widen [grades.{benchmark.grade_name}]."
        )
    windows = windows_between(benchmark.methodology, span[0], span[1], seen_until)
    ballots = reader.ballots(benchmark, windows, files, reconstructed=reconstructed)
    tape = workspace.store.tape(name, as_of=None if as_of is None else as_of.instant)
    fixings = build_fixings(
        benchmark,
        ballots,
        windows,
        archive_holds=reader.archive_holds(benchmark, windows, files, reconstructed=reconstructed),
        published={f.date: f for f in tape} if not reconstructed else {},
        reconstructed=reconstructed,
        simulated=workspace.store.simulated,
    )
    made = [replace(f, built_as_of=seen_until) for f in fixings]
    workspace.store.replace_candidates(name, view_name(as_of), made, built_at=workspace.store.now())
    return made


def publish(workspace: Workspace, name: str, *, through: date | None = None, actor: str) -> list[Fixing]:
    """Append candidates up to a date to the tape as revision 0; dates already there stay as they are.

    Raises RentmarkError for a research benchmark, for candidates made under other rules, and for
    sources whose rights are unknown.
    """
    benchmark = resolved_benchmark(workspace, name)
    if benchmark.research:
        raise RentmarkError(f"{name} is a research benchmark: it may be built and studied, not published.")
    candidates = workspace.store.candidates(name, LATEST)
    if not candidates:
        raise RentmarkError(f"Nothing to publish for {name}; run `rentmark index build {name}` first.")
    current = benchmark.methodology_hash
    if any(f.methodology_hash != current for f in candidates):
        raise RentmarkError(
            f"The rules of {name} changed since it was built; run `rentmark index build {name}` again."
        )
    due = [f for f in candidates if through is None or f.date <= through]
    standing = {f.date for f in workspace.store.tape(name)}
    unknown = [f.date for f in due if f.rights == "unknown" and f.date not in standing]
    if unknown:
        raise RentmarkError(
            f"{name} on {unknown[0]} rests on a source whose rights for index use are unknown; state them "
            "(a license column or rights in the mapping) or name other sources in the grade."
        )
    workspace.store.save_methodology(current, benchmark.resolved())

    def make(tape: list[Fixing], published_at: datetime) -> list[Fixing]:
        present = {f.date for f in tape}
        new = [f for f in due if f.date not in present]
        refuse_stale(benchmark, tape, new)
        return [replace(f, origin=origin_of(benchmark, f, published_at), actor=actor) for f in new]

    return workspace.store.append_fixings(make, name)


def refuse_stale(benchmark: Benchmark, tape: Sequence[Fixing], candidates: Sequence[Fixing]) -> None:
    """Raise RentmarkError for a candidate that read other earlier fixings than those that now stand."""
    stale = first_stale(benchmark, tape, candidates)
    if stale is not None:
        raise RentmarkError(
            f"{benchmark.name} on {stale.date} was built on earlier fixings that have changed since; "
            f"run `rentmark index build {benchmark.name}` again."
        )


def build_and_publish(
    workspace: Workspace,
    names: Sequence[str],
    *,
    only: tuple[date, date] | None = None,
    actor: str,
    threads: int | None = None,
) -> int:
    """Build and publish several benchmarks with one engine; returns how many fixings were published."""
    published = 0
    with workspace.engine(threads=threads) as engine:
        reader = Reader(workspace, engine)
        for name in names:
            build(workspace, name, only=only, reader=reader)
            published += len(publish(workspace, name, actor=actor))
    return published


def origin_of(benchmark: Benchmark, fixing: Fixing, published_at: datetime) -> Origin:
    """Live when published within the grace period after it became effective, else backcast."""
    grace = timedelta(hours=benchmark.methodology.publication_grace_hours)
    return "live" if published_at <= fixing.effective_at + grace else "backcast"


def restate(workspace: Workspace, name: str, day: date, *, reason: str, actor: str) -> Fixing:
    """Append a revision of one date from the archive as it stands. Raises RentmarkError when nothing changed."""
    benchmark = resolved_benchmark(workspace, name)
    if not reason.strip():
        raise RentmarkError("A restatement needs a reason; add --reason.")
    standing = [f for f in workspace.store.tape(name) if f.date == day]
    if not standing:
        raise RentmarkError(f"{name} has no published fixing on {day}; publish it first.")
    seen_until = workspace.store.now()
    with workspace.engine() as engine:
        reader = Reader(workspace, engine)
        files = reader.files(seen_until=seen_until, reconstructed=False)
        windows = windows_between(benchmark.methodology, day, day, seen_until)
        made = build_fixings(
            benchmark,
            reader.ballots(benchmark, windows, files, reconstructed=False),
            windows,
            archive_holds=reader.archive_holds(benchmark, windows, files, reconstructed=False),
            published={f.date: f for f in workspace.store.tape(name) if f.date < day},
            reconstructed=False,
            simulated=workspace.store.simulated,
        )[0]
    before = standing[0]
    if (made.input_digest, made.methodology_hash, made.value_micros) == (
        before.input_digest,
        before.methodology_hash,
        before.value_micros,
    ):
        raise RentmarkError(
            f"Nothing to restate: {name} on {day} comes to the same value from the same inputs."
        )
    workspace.store.save_methodology(benchmark.methodology_hash, benchmark.resolved())

    def make(tape: list[Fixing], published_at: datetime) -> list[Fixing]:
        refuse_stale(benchmark, tape, [made])
        latest = max(f.revision for f in tape if f.date == day)
        return [
            replace(
                made,
                built_as_of=seen_until,
                revision=latest + 1,
                reason=reason,
                actor=actor,
                origin=origin_of(benchmark, made, published_at),
            )
        ]

    return workspace.store.append_fixings(make, name)[0]


def fixings_shown(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> list[Fixing]:
    """What `show` prints: the tape, or candidates where nothing is published or the view was built apart.

    With ``as_of`` alone the tape is filtered by ``published_at``; a reconstructed view reads its own
    candidates. Raises RentmarkError naming the remedy when there is nothing.
    """
    workspace.configuration.benchmark(name)
    store = workspace.store
    if as_of is None:
        rows = store.tape(name) or store.candidates(name, LATEST)
        if rows:
            return rows
        if not store.ledger():
            raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
        raise RentmarkError(f"Data is in, nothing is built. Run `rentmark index build {name}`.")
    rows = [] if as_of.reconstructed else store.tape(name, as_of=as_of.instant)
    rows = rows or store.candidates(name, as_of.view)
    if not rows:
        flags = f"--as-of {format_instant(as_of.instant)}" + (
            " --reconstructed" if as_of.reconstructed else ""
        )
        raise RentmarkError(
            f"Nothing was known of {name} then. Run `rentmark index build {name} {flags}` to build it."
        )
    return rows


def fixings_for_use(workspace: Workspace, name: str) -> list[Fixing]:
    """Fixings that `hedge` reads: the tape; for a research benchmark, its candidates.

    Raises RentmarkError naming `index build` when there are none.
    """
    benchmark = workspace.configuration.benchmark(name)
    rows = workspace.store.candidates(name, LATEST) if benchmark.research else workspace.store.tape(name)
    if not rows:
        flag = "" if benchmark.research else " --publish"
        raise RentmarkError(f"{name} has no fixings to use; run `rentmark index build {name}{flag}` first.")
    return rows
