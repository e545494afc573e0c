"""The reader pool: what a workspace that is open for reading keeps between the questions of pages.

Opening an engine, turning an expression into SQL and reading a month for one of its days take longer than most
answers. Engines, SQL, the days last read, and answers that no commit changes are kept here; what is answered is
what a fresh engine answers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..index.by_hand import FewRows, ballots_by_hand, countable
from ..store.spans import Spans
from .core import Workspace
from .reader import Reader

if TYPE_CHECKING:
    import pyarrow as pa

    from ..index import Ballot, Benchmark, Window
    from ..store import ObservationFile
    from ..store.engines import Engine
    from .evidence import Evidence

MOST_LASTING = 600
"""Answers kept at most that stay true: a story takes some twenty kilobytes."""
IDLE_AT_MOST = 2
"""Engines kept open while nobody asks."""
SHORT_SPAN = timedelta(days=4)
"""Windows that reach over no more are read once and kept; longer ones are left to the files."""
MOST_BY_HAND = 20_000
"""Rows of a span up to which a page counts by hand: planning its first query would take longer."""
FILE_BYTES = 32 * 1024 * 1024
"""Memory that files of which days were read may take in all."""
KEPT_BYTES = 32 * 1024 * 1024
"""Memory that kept days may take in all."""
PYTHON_BYTES = 28 * 60
"""Of a row whose columns were all turned into Python values, at most."""
Days = tuple[tuple[str, ...], datetime, datetime]


class KeptDays:
    """Rows of short spans of files, shared by the readers of a pool; the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Days, tuple[pa.Table, FewRows]] = OrderedDict()
        self._spans = Spans(FILE_BYTES)

    def rows(self, days: Days, paths: Callable[[], Sequence[Path]]) -> tuple[pa.Table, FewRows]:
        """The rows of a span, as a table and by column, read from the files where they are not kept."""
        with self._lock:
            found = self._held.get(days)
            if found is not None:
                self._held.move_to_end(days)
                return found
        table = self._spans.read(paths(), days[1], days[2])
        made = table, FewRows((table, {}))
        with self._lock:
            self._held[days] = made
            while self._held and sum(_bytes(held) for held, _ in self._held.values()) > KEPT_BYTES:
                self._held.popitem(last=False)
        return made


def _bytes(table: pa.Table) -> int:
    """What kept rows take: the table, and its columns as Python values."""
    return int(table.nbytes) + PYTHON_BYTES * int(table.num_rows)


class DayReader(Reader):
    """A reader that reads a day once, however many benchmarks ask about it, and counts it by hand where it can.

    What it answers is what `Reader` answers; a test holds the two together.
    """

    def __init__(self, workspace: Evidence, engine: Engine, kept: KeptDays) -> None:
        super().__init__(workspace, engine)
        self._kept = kept

    def ballots(
        self,
        benchmark: Benchmark,
        windows: Sequence[Window],
        files: Sequence[ObservationFile],
        *,
        reconstructed: bool,
    ) -> dict[date, list[Ballot]]:
        """See `Reader.ballots`."""
        if windows and not reconstructed and countable(benchmark):
            start, end = min(w.start for w in windows), max(w.end for w in windows)
            rows = self._span(benchmark, files, start, end)
            if rows is not None and rows[0].num_rows <= MOST_BY_HAND:
                return ballots_by_hand(benchmark, rows[1], windows)
        return super().ballots(benchmark, windows, files, reconstructed=reconstructed)

    def bind(
        self, benchmark: Benchmark, files: Sequence[ObservationFile], start: datetime, end: datetime
    ) -> bool:
        """See `Reader.bind`. Rows of the near files outside [start, end) are left out, which no answer reads."""
        rows = self._span(benchmark, files, start, end)
        if rows is None:
            return super().bind(benchmark, files, start, end)
        self.engine.bind_table("observations", rows[0])
        self._bound = None
        return False

    def _span(
        self, benchmark: Benchmark, files: Sequence[ObservationFile], start: datetime, end: datetime
    ) -> tuple[pa.Table, FewRows] | None:
        """The rows of a short span; None for a long one, and for trades, whose later versions may lie outside."""
        near = [f for f in files if f.last_observed_at >= start and f.first_observed_at < end]
        if end - start > SHORT_SPAN or "trade" in benchmark.methodology.inputs or not near:
            return None
        days: Days = tuple(file.path for file in near), start, end
        return self._kept.rows(days, lambda: self.workspace.store.file_paths(near))


class ReaderPool:
    """Readers of one open workspace, each with an engine of its own; used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[DayReader] = []
        self._kept = KeptDays()
        self._prepared: dict[str, str] = {}
        self._closed = False

    @contextmanager
    def taken(self, workspace: Workspace) -> Iterator[Reader]:
        """A reader for the time of one question; one that failed is not used again."""
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        if reader is None:
            from ..store.engines import DuckDBEngine

            # one thread: a question of a page is small, and must leave the machine to others
            reader = DayReader(workspace, DuckDBEngine(threads=1, prepared=self._prepared), self._kept)
        try:
            yield reader
        except BaseException:
            reader.engine.close()
            raise
        with self._lock:
            if not self._closed and len(self._idle) < IDLE_AT_MOST:
                self._idle.append(reader)
                return
        reader.engine.close()

    def close(self) -> None:
        """Close the engines; one that is in use closes when it is given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.engine.close()


class Lasting:
    """Answers that no later commit changes, because all they rest on is fixed; the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """An answer, or None where it was not made yet."""
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
            return found

    def put(self, key: Hashable, answer: Any) -> None:
        """Keep an answer."""
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > MOST_LASTING:
                self._answers.popitem(last=False)


@contextmanager
def open_reader(workspace: Workspace) -> Iterator[Reader]:
    """A reader of the archive: from the pool where a workspace is open for reading, else with a new engine."""
    pool = getattr(workspace.store, "readers", None)
    if isinstance(pool, ReaderPool):
        with pool.taken(workspace) as reader:
            yield reader
        return
    with workspace.engine() as engine:
        yield Reader(workspace, engine)


def recalled(workspace: Workspace, key: Hashable) -> Any:
    """An answer that a workspace opened for reading keeps; None elsewhere, and where it was not made yet."""
    lasting = getattr(workspace.store, "lasting", None)
    return lasting.get(key) if isinstance(lasting, Lasting) else None


def keep(workspace: Workspace, key: Hashable, answer: Any) -> None:
    """Keep an answer that no later commit changes, where the workspace is open for reading."""
    lasting = getattr(workspace.store, "lasting", None)
    if isinstance(lasting, Lasting):
        lasting.put(key, answer)
