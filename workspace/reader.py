"""The reader: what a use case asks of the archive, through an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..index import Ballot, Benchmark, Window, ballots_by_date, dates_held
from ..index.build import sources_absent
from ..index.joint import Facts
from ..records import day_start, month_of
from ..records.schemas import OBSERVATION_SCHEMA
from ..store.file_facts import FileFacts
from .evidence import Evidence

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from ..store import ObservationFile
    from ..store.engines import Engine

ONE_DAY = timedelta(days=1)
ROWS_AT_ONCE = 2_000_000
"""Rows that a panel reads at once where months are small; a larger month is read alone."""


class Reader:
    """Reads the archive as an engine's table: the right files, and rows as far as they were known."""

    def __init__(self, workspace: Evidence, engine: Engine) -> None:
        self.workspace = workspace
        self.engine = engine
        self._bound: tuple[ObservationFile, ...] | None = None
        self._corrections_of: dict[str, pa.Table] = {}
        self._facts: dict[str, FileFacts | None] = {}

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

    def facts(self, file: ObservationFile) -> FileFacts | None:
        """What is known of all rows of a file."""
        if file.path not in self._facts:
            self._facts[file.path] = None if file.facts is None else FileFacts.from_text(file.facts)
        return self._facts[file.path]

    def bind_days(self, files: Sequence[ObservationFile], span: tuple[datetime, datetime] | None) -> Facts:
        """Bind files, or the rows of them within a span of whole UTC days; say what is known of the rows."""
        known = [self.facts(file) for file in files]
        first, *others = known
        constants = {} if first is None else dict(first.constants)
        for each in others:
            alike = {} if each is None else each.constants
            constants = {n: v for n, v in constants.items() if n in alike and alike[n] == v}
        if span is not None and all(
            span[0] <= f.first_observed_at and f.last_observed_at < span[1] for f in files
        ):
            span = None
        paths = self.workspace.store.file_paths(files)
        self.engine.bind_files("observations", paths, constants=constants, span=span)
        self._bound = None
        return Facts(
            repeats=offers_may_repeat([(f, each) for f, each in zip(files, known, strict=True)]),
            machines=constants.get("machine", "") is not None,
            venues=constants.get("venue", "") is not None,
        )

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
        found: dict[date, list[Ballot]] = {}
        for part in _within_memory(windows, files):
            start, end = min(w.start for w in part), max(w.end for w in part)
            corrected = self.bind(benchmark, files, start, end)
            found |= ballots_by_date(
                benchmark, part, self.engine, corrected=corrected, reconstructed=reconstructed
            )
        return found

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

    def absent_sources(
        self,
        benchmark: Benchmark,
        windows: Sequence[Window],
        files: Sequence[ObservationFile],
        *,
        reconstructed: bool,
    ) -> dict[date, tuple[str, ...]]:
        """By date the sources of ``outage_sources`` that were silent; empty where no rule asks."""
        if benchmark.methodology.outage_sources is None or not windows:
            return {}
        self.bind(benchmark, files, min(w.start for w in windows), max(w.end for w in windows))
        return sources_absent(benchmark, windows, self.engine, reconstructed=reconstructed)

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


def _within_memory(windows: Sequence[Window], files: Sequence[ObservationFile]) -> Iterator[list[Window]]:
    """Windows in parts of whole months, each of as many as reach into ROWS_AT_ONCE rows, or of one month."""
    rows: Counter[str] = Counter()
    for file in files:
        rows[file.month] += file.rows
    part: list[Window] = []
    months: set[str] = set()
    for window in windows:
        reached = {month_of(window.start.date()), month_of(window.date), month_of(window.end.date())}
        new_month = part and month_of(window.date) != month_of(part[-1].date)
        if new_month and sum(rows[month] for month in months | reached) > ROWS_AT_ONCE:
            yield part
            part, months = [], set()
        part.append(window)
        months |= reached
    if part:
        yield part


def offers_may_repeat(files: Sequence[tuple[ObservationFile, FileFacts | None]]) -> bool:
    """Whether an offer may stand twice on one UTC day: within a file, or in two files of one source."""
    until: dict[str, date] = {}
    for file, facts in sorted(files, key=lambda pair: pair[0].first_observed_at):
        if facts is None or facts.repeats or facts.sources is None:
            return True
        for source in facts.sources:
            if source in until and file.first_observed_at.date() <= until[source]:
                return True
            until[source] = file.last_observed_at.date()
    return False
