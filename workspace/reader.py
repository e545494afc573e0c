"""The reader: what a use case asks of the archive, through an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..index import CORRECTION_COLUMNS, Ballot, Benchmark, Window, ballots_by_date, dates_held
from ..index.build import sources_absent
from ..index.by_hand import (
    FEW_ROWS,
    FewRows,
    TradeVersions,
    ballots_by_hand,
    countable,
    dates_by_hand,
    pass_by_hand,
)
from ..index.joint import Facts
from ..index.panel import VOTING_COLUMNS, windows_table
from ..records import day_start, month_of
from ..records.schemas import OBSERVATION_SCHEMA
from ..store.file_facts import FileFacts
from ..store.small_files import read_small
from .evidence import Evidence

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from ..index.passes import PassVotes
    from ..store import ObservationFile
    from ..store.engines import Engine

ONE_DAY = timedelta(days=1)
ROWS_AT_ONCE = 2_000_000
"""Rows that a panel reads at once where months are small; a larger month is read alone."""
ROWS_A_FILE_WEIGHS = 4_000
"""Rows that take as much memory as what DuckDB keeps of an open file, however few it holds."""
FEW_FILES = 64
"""Files up to which a few rows are counted by hand: opening more takes as long as a query."""


class Reader:
    """Reads the archive as an engine's table: the right files, and rows as far as they were known.

    Where at most ``few_rows`` rows are asked they are counted by hand (``index.by_hand``) and no engine is
    started. A cluster (Spark) is always asked itself.
    """

    def __init__(self, workspace: Evidence, engine: Engine, *, few_rows: int = FEW_ROWS) -> None:
        self.workspace = workspace
        self.engine = engine
        self._few_rows = few_rows if engine.name == "duckdb" else 0
        self._few: tuple[tuple[str, ...], FewRows] | None = None
        self._parts: dict[str, tuple[pa.Table, Mapping[str, Any]]] = {}
        self._versions: tuple[set[str], TradeVersions] = (set(), TradeVersions())
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
        self._bind_near(files, start, end)
        return corrected

    def bind_windows(
        self, files: Sequence[ObservationFile], windows: Sequence[Window]
    ) -> Sequence[ObservationFile]:
        """Bind the files that reach into these windows, which are returned, and ``windows``."""
        near = self._bind_near(files, min(w.start for w in windows), max(w.end for w in windows))
        self.engine.bind_table("windows", windows_table(windows))
        return near

    def _bind_near(
        self, files: Sequence[ObservationFile], start: datetime, end: datetime
    ) -> Sequence[ObservationFile]:
        near = tuple(reaching(files, start, end))
        if near != self._bound:
            self.engine.bind_files("observations", self.workspace.store.file_paths(near))
            self._bound = near
        return near

    def are_few(self, files: Sequence[ObservationFile]) -> bool:
        """Whether the rows of these files are counted by hand."""
        return len(files) <= FEW_FILES and sum(file.rows for file in files) <= self._few_rows

    def pass_by_hand(
        self, benchmarks: Sequence[Benchmark], files: Sequence[ObservationFile], windows: Sequence[Window]
    ) -> list[PassVotes] | None:
        """The votes of a joint pass over these UTC days, or None where an engine is quicker."""
        if not self.are_few(files) or not all(countable(benchmark) for benchmark in benchmarks):
            return None
        return pass_by_hand(benchmarks, self._rows(files), windows)

    def _rows(self, files: Sequence[ObservationFile]) -> FewRows:
        """The rows of a few files; benchmarks that ask for the same ones in turn share them."""
        paths = tuple(file.path for file in files)
        if self._few is None or self._few[0] != paths:
            self._parts = {file.path: self._parts.get(file.path) or self._part(file) for file in files}
            self._few = (paths, FewRows(*self._parts.values()))
        return self._few[1]

    def _part(self, file: ObservationFile) -> tuple[pa.Table, Mapping[str, Any]]:
        """A small file's rows, and what all of them hold alike, which is not read."""
        facts = self.facts(file)
        alike = {} if facts is None else facts.constants
        (path,) = self.workspace.store.file_paths([file])
        return read_small(path, [name for name in VOTING_COLUMNS if name not in alike]), alike

    def _trade_versions(self, files: Sequence[ObservationFile]) -> TradeVersions:
        """Corrections and cancellations of these files; what was read of a file is kept."""
        wanted = {file.path: file for file in files}
        read, versions = self._versions
        if not read <= wanted.keys():  # a reading was superseded, or fewer are known as of then
            read, versions = set(), TradeVersions()
        for path in wanted.keys() - read:
            if path in self._parts:
                versions.add(FewRows(self._parts[path]))
            else:
                (place,) = self.workspace.store.file_paths([wanted[path]])
                versions.add_table(read_small(place, CORRECTION_COLUMNS))
        self._versions = (read | wanted.keys(), versions)
        return versions

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

        from ..index import correction_events

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
        for part in within_memory(windows, files):
            start, end = min(w.start for w in part), max(w.end for w in part)
            near = reaching(files, start, end)
            if not reconstructed and countable(benchmark) and self.are_few(near):
                rows = self._rows(near)
                trades = "trade" in benchmark.methodology.inputs
                versions = self._trade_versions([f for f in files if f.corrections]) if trades else None
                found |= ballots_by_hand(benchmark, rows, part, versions)
                continue
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
                start, end = min(w.start for w in windows), max(w.end for w in windows)
                near = reaching(files, start, end)
                if not reconstructed and self.are_few(near):
                    known = dates_by_hand(benchmark, self._rows(near), windows)
                    return day in known
                self.bind(benchmark, files, start, end)
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


def reaching(files: Sequence[ObservationFile], start: datetime, end: datetime) -> list[ObservationFile]:
    """The files that reach into a span of time."""
    return [f for f in files if f.last_observed_at >= start and f.first_observed_at < end]


def weight(file: ObservationFile) -> int:
    """The rows that a file counts as where rows are held at once."""
    return max(file.rows, ROWS_A_FILE_WEIGHS)


def within_memory(windows: Sequence[Window], files: Sequence[ObservationFile]) -> Iterator[list[Window]]:
    """Windows in parts of whole months, each of as many as reach into ROWS_AT_ONCE rows, or of one month."""
    rows: Counter[str] = Counter()
    for file in files:
        rows[file.month] += weight(file)
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
