"""`rentmark` commands as processes of their own, on a clock that the soak sets.

Each command is forked from one process that has the libraries loaded, so that a year costs minutes and not an
hour; it parses its words, opens the workspace and ends as it does from a shell. Its clock is the machine's plus
what stands in a file, read each time the clock is asked.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

LOADED = [
    "__main__", "rentmark.cli.app", "rentmark.workspace.collecting", "rentmark.workspace.building",
    "rentmark.workspace.publishing", "rentmark.workspace.watching", "rentmark.workspace.auditing",
    "rentmark.store.engines", "rentmark.index", "rentmark.backtest.alarms", "httpx2", "pyarrow.parquet", "ibis",
    "duckdb", "psycopg", "sqlalchemy.dialects.postgresql", "sqlalchemy.dialects.sqlite", "soaking.commanding",
]  # fmt: skip
"""What the process that forks has loaded."""
LONGEST_SECONDS = 300


class Clock:
    """The clock of all commands of a soak: set to an instant, it runs on from there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def set(self, instant: datetime) -> None:
        """Let it be this instant now, earlier or later than before."""
        new = self.path.with_suffix(".new")
        new.write_text(repr((instant - datetime.now(UTC)).total_seconds()), encoding="ascii")
        new.replace(self.path)

    def now(self) -> datetime:
        """The instant it shows."""
        return datetime.now(UTC) + timedelta(seconds=float(self.path.read_text(encoding="ascii")))


def follow(path: Path) -> None:
    """Let the product take its time from the clock in a file, in every module that asks the machine."""
    from rentmark.ingest import live
    from rentmark.workspace import clock as clocks
    from rentmark.workspace import collecting

    clock = Clock(path)

    class Followed(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return clock.now().astimezone(tz)

    for module in (clocks, collecting, live):
        module.datetime = Followed


@dataclass(frozen=True)
class Said:
    """What a command answered: its words, exit code (negative: the signal that ended it), texts and cost."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float
    peak_mb: float | None

    @property
    def json(self) -> Any:
        """Its JSON, or None where it printed none to the end."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None


class Running:
    """A command on its way."""

    def __init__(self, process: BaseProcess, words: tuple[str, ...], base: Path) -> None:
        self._process = process
        self._words = words
        self._base = base
        self._begun = time.perf_counter()

    def kill(self) -> None:
        """``kill -9``."""
        self._process.kill()

    def wait(self, seconds: float = LONGEST_SECONDS) -> Said:
        """Wait for its end; raises AssertionError where it does not come."""
        self._process.join(seconds)
        taken = time.perf_counter() - self._begun
        if self._process.exitcode is None:
            self._process.kill()
            raise AssertionError(f"`rentmark {' '.join(self._words)}` did not end within {seconds} s")
        texts = [self._base.with_suffix(end).read_text("utf-8", "replace") for end in (".out", ".err")]
        facts = self._base.with_suffix(".facts")
        peak = float(facts.read_text(encoding="ascii")) if facts.exists() else None
        for end in (".out", ".err", ".facts"):
            self._base.with_suffix(end).unlink(missing_ok=True)
        code = self._process.exitcode
        self._process.close()
        return Said(self._words, code, *texts, seconds=taken, peak_mb=peak)


class Commands:
    """Runs commands in one workspace. ``url`` None keeps the tables in SQLite beside the archive."""

    def __init__(self, workspace: Path, url: str | None, clock: Clock, folder: Path) -> None:
        self.workspace = workspace
        self.url = url
        self.clock = clock
        self._folder = folder
        self._count = 0
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(LOADED)

    def start(self, *words: str) -> Running:
        """Start a command."""
        self._count += 1
        base = self._folder / f"command-{self._count}"
        for end in (".out", ".err"):
            base.with_suffix(end).touch()
        whole = (*words, "--workspace", str(self.workspace))
        process = self._context.Process(target=run_here, args=(whole, self.url, self.clock.path, base))
        process.start()
        return Running(process, words, base)

    def run(self, *words: str) -> Said:
        """Run a command to its end."""
        return self.start(*words).wait()


def run_here(words: tuple[str, ...], url: str | None, clock: Path, base: Path | None) -> None:
    """The whole life of a command's process; with ``base`` its texts and its peak memory go to files."""
    if base is not None:
        for number, end in ((1, ".out"), (2, ".err")):
            handle = os.open(base.with_suffix(end), os.O_WRONLY)
            os.dup2(handle, number)
            os.close(handle)
        sys.stdout, sys.stderr = (os.fdopen(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))
    os.environ.pop("RENTMARK_DATABASE_URL", None)
    if url is not None:
        os.environ["RENTMARK_DATABASE_URL"] = url
    follow(clock)
    from rentmark.cli import run

    code = run(words)
    sys.stdout.flush()
    sys.stderr.flush()
    if base is not None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        base.with_suffix(".facts").write_text(f"{peak:.1f}", encoding="ascii")
    os._exit(code)


if __name__ == "__main__":  # a server of the dashboard, which lives as long as the soak
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    run_here(tuple(sys.argv[2:]), os.environ.get("RENTMARK_DATABASE_URL"), Path(sys.argv[1]), None)
