"""The year: each day is collected, built, published, watched and served, and on many of them something breaks."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from rentmark.workspace import Workspace
from rentmark.workspace.config import FILE_NAME

from . import commanding
from .checks import check_answer, check_books, check_flat, check_same, check_tape, check_told
from .commanding import Clock, Commands, Said
from .faults import Fault, full, own_disk, plan
from .market import BENCHMARKS, RULES, Market, on_loopback
from .reference import RETRIED_AFTER, BatchKey, Counts, Reference, drift_of, mend, morning_after

BACK, FORWARD = timedelta(hours=-30), timedelta(hours=49)
"""How far the clock jumps."""
MOST_LEFT_BYTES = 150_000
"""A disk that is full still takes up to so much: about what a day writes."""
PAGES = ("", "healthz", "metrics", "api/v1/market", "api/v1/batches", "api/v1/index/show/h100-list?last=30")
WORDS: dict[str, tuple[str, ...]] = {
    "collect": ("collect", "--json"),
    **{name: ("index", "build", name, "--publish", "--json") for name in BENCHMARKS},
    "watch": ("watch", "--json"),
}
"""The commands of a morning, in their order."""


@dataclass
class Account:
    """What a soak comes to."""

    database: str
    days: int
    seed: int
    disk: bool
    faults: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    """Faults that a command did not simply outrun: a process killed, a write refused, and so on."""
    commands: int = 0
    verified: int = 0
    batches: int = 0
    records: int = 0
    rows: int = 0
    backcast: int = 0
    alarms_expected: int = 0
    alarms_told: int = 0
    told_again: int = 0
    drift_expected: int = 0
    drift_kept: int = 0
    drift_told: int = 0
    strays: int = 0
    served: int = 0
    handles: list[int] = field(default_factory=list)
    server_mb: list[float] = field(default_factory=list)
    resting_mb: list[float] = field(default_factory=list)
    seconds_of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    peaks_of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Server:
    """``rentmark serve`` in a process of its own for the whole year."""

    def __init__(self, commands: Commands) -> None:
        words = ["serve", "--port", "0", "--workspace", str(commands.workspace)]
        environment = {k: v for k, v in os.environ.items() if k != "RENTMARK_DATABASE_URL"}
        if commands.url is not None:
            environment["RENTMARK_DATABASE_URL"] = commands.url
        program = [sys.executable, commanding.__file__, str(commands.clock.path), *words]
        self.process = subprocess.Popen(
            program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"http://\S+/", first)
        assert found is not None, f"the server did not start: {first}"
        self.address = found.group(0)

    def ask(self) -> int:
        """Ask for every page once; returns how many. Raises AssertionError where one is not answered."""
        for page in PAGES:
            try:
                with urlopen(self.address + page, timeout=60) as answer:  # noqa: S310 - loopback
                    answer.read()
                    assert answer.status == 200, f"{page}: {answer.status}"
            except HTTPError as error:
                raise AssertionError(f"/{page} answers {error.code}: {error.read()[:300]!r}") from None
        return len(PAGES)

    def megabytes(self) -> float:
        """Resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024  # type: ignore[union-attr]

    def handles(self) -> int:
        """Open file handles."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def end(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(timeout=30)


@dataclass
class Soak:
    """One year on one database. ``restart`` stops the database server at once and starts it again."""

    base: Path
    market: Market
    expected: Reference
    url: str | None = None
    restart: Callable[[], None] | None = None
    seed: int = 20261130
    share: float = 0.3
    watch_every: int = 1
    """Days between two watches; after a fault there is always one."""
    resting_rounds: int = 200
    tell: Callable[[str], None] = lambda _: None

    def run(self) -> Account:
        """Live the year; every promise that did not hold is in ``violations``."""
        begun = time.monotonic()
        pages: dict[str, bytes] = {}
        with own_disk(self.base / "disk") as disk, on_loopback(pages) as address:
            database = "SQLite" if self.url is None else "PostgreSQL"
            self.account = Account(database, self.market.story.days, self.seed, disk)
            self.pages = pages
            self.disk = self.base / "disk"
            root = self.disk / "w"
            self.clock = Clock(self.base / "clock")
            self.clock.set(morning_after(self.market.story.day(-1)))
            self.commands = Commands(root, self.url, self.clock, self.base)
            Workspace.create(
                root, database_url=self.url, text=RULES.replace("ADDRESS", address)
            ).store.close()
            self.sent: dict[BatchKey, Counts] = {}
            self.told: Counter[tuple[str, str, str]] = Counter()
            self.told_in_danger = 0
            faults = plan(
                self.market.story, self.seed, share=self.share, disk=disk, restarts=self.restart is not None
            )
            server = Server(self.commands)
            try:
                for number in range(self.market.story.days):
                    self._day(number, faults.get(number), server)
                self._rest(server)
            finally:
                server.end()
            self._end()
        self.account.seconds = time.monotonic() - begun
        return self.account

    @contextmanager
    def _noted(self, when: str) -> Iterator[None]:
        """Whatever does not hold is noted, and the year goes on."""
        try:
            yield
        except AssertionError as wrong:
            self.account.violations.append(f"{when}: {wrong}")
            self.tell(f"VIOLATION {self.account.violations[-1]}")

    # A day

    def _day(self, number: int, fault: Fault | None, server: Server) -> None:
        story = self.market.story
        morning = morning_after(story.day(number))
        self.clock.set(morning)
        self.pages.clear()
        self.pages.update(self.market.payloads(number))
        self.sent |= self.expected.batches[number]
        what = "" if fault is None else f", {fault.kind} at {fault.step}"
        with self._noted(f"{story.day(number)}{what}"):
            if fault is not None:
                self.account.faults[fault.kind] += 1
                self._break(fault)
                self.clock.set(morning + RETRIED_AFTER)
            elif number == story.changed:
                self._run(
                    "collect", 1
                )  # the feed has changed; a person reads the sentence and mends the rules
                mend(self.commands.workspace / FILE_NAME)
                self.clock.set(morning + RETRIED_AFTER)
            self._whole_day(number, watched=fault is not None or number % self.watch_every == 0)
            if fault is not None:
                self._after_a_fault()
            self.account.served += server.ask()
        self.account.handles.append(server.handles())
        self.account.server_mb.append(server.megabytes())
        if number % 10 == 0:
            self.tell(f"{self.account.database} {story.day(number)}: {server.megabytes():.0f} MB served")

    def _whole_day(self, number: int, *, watched: bool) -> None:
        """What cron does each morning."""
        said = self._run("collect", 0, 1)
        done = (
            {"failed"}
            if number in self.market.story.outage
            else {"ingested", "already_ingested", "unchanged"}
        )
        assert {row["status"] for row in said.json["sources"]} <= done, said.out
        for name in BENCHMARKS:
            self._run(name, 0)
        if watched or number == self.market.story.days - 1:
            self._run("watch", 0, 1)

    def _run(self, step: str, *codes: int) -> Said:
        said = self._heard(self.commands.run(*WORDS[step]))
        check_answer(said, *codes)
        self.account.seconds_of[step].append(said.seconds)
        if said.peak_mb is not None:
            self.account.peaks_of[step].append(said.peak_mb)
        return said

    def _heard(self, said: Said, *, broken: bool = False) -> Said:
        """Note what alarms a command told; one that was ``broken`` may not have remembered that it did."""
        self.account.commands += 1
        answer: Any = said.json
        if said.words[0] == "watch" and answer is not None:
            for alarm in answer["alarms"]:
                if alarm["new"]:
                    self.told[alarm["kind"], alarm["subject"], alarm["date"]] += 1
                    self.told_in_danger += broken
        if said.words[0] == "collect" and answer is not None:
            self.account.drift_told += answer["alarms"]
        return said

    # What breaks

    def _break(self, fault: Fault) -> None:
        if fault.kind == "twice":
            self._twice()
        elif fault.kind == "clock back":
            self._run("collect", 0, 1)
            self.clock.set(self.clock.now() + BACK)
            for step in (*BENCHMARKS, "watch"):
                self._run(step, 0, 1)
            self.account.hit[fault.kind] += 1
        elif fault.kind == "clock forward":
            self.clock.set(self.clock.now() + FORWARD)
            for step in WORDS:
                self._run(step, 0, 1)
            self.account.hit[fault.kind] += 1
        else:
            before = {"collect": (), "build": ("collect",), "watch": ("collect", *BENCHMARKS)}[fault.step]
            for step in before:
                self._run(step, 0, 1)
            self._break_one(fault, self._step(fault))

    def _step(self, fault: Fault) -> str:
        return {"build": BENCHMARKS[int(fault.much * 2)]}.get(fault.step, fault.step)

    def _break_one(self, fault: Fault, step: str) -> None:
        if fault.kind == "full disk":
            with full(self.disk, int(fault.much**2 * MOST_LEFT_BYTES)):
                said = self._heard(self.commands.run(*WORDS[step]), broken=True)
            check_answer(said, 0, 1)
            refused = [
                word for word in ("disk is full", "can't be opened", "No space left") if word in said.err
            ]
            self.account.hit[fault.kind] += bool(refused)
            assert said.code == 0 or refused or said.json is not None, said.err
            return
        usual = statistics.median(self.account.seconds_of[step][-20:] or [1.0])
        running = self.commands.start(*WORDS[step])
        time.sleep(fault.when * usual)
        if fault.kind == "restart":
            assert self.restart is not None
            self.restart()
            said = self._heard(running.wait(), broken=True)
            check_answer(said, 0, 1)
            self.account.hit[fault.kind] += "database" in said.err
            return
        running.kill()
        said = self._heard(running.wait(), broken=True)
        assert said.code in (-9, 0, 1), said.err
        self.account.hit[fault.kind] += said.code == -9
        self._look(whole=False)

    def _twice(self) -> None:
        """Two crons at once."""
        for step, words in WORDS.items():
            both = [self.commands.start(*words) for _ in range(2)]
            for running in both:
                check_answer(
                    self._heard(running.wait(), broken=True), 0, 1 if step in ("collect", "watch") else 0
                )
        self.account.hit["twice"] += 1

    # What must be true

    def _look(self, *, whole: bool) -> None:
        opened = Workspace.open(self.commands.workspace, database_url=self.url)
        try:
            check_books(opened, self.sent, whole=whole)
            check_tape(opened)
        finally:
            opened.store.close()

    def _after_a_fault(self) -> None:
        self._look(whole=True)
        said = self._run_verify("1")
        assert said.json["passed"], said.out

    def _run_verify(self, level: str) -> Said:
        said = self.commands.run("index", "verify", "--level", level, "--json")
        check_answer(said, 0)
        assert said.json is not None, (
            f"`index verify --json` gave no JSON: {said.out[:500]!r}, {said.err[:500]!r}"
        )
        self.account.commands += 1
        self.account.verified += 1
        self.account.seconds_of["verify"].append(said.seconds)
        if said.peak_mb is not None:
            self.account.peaks_of["verify"].append(said.peak_mb)
        return said

    def _rest(self, server: Server) -> None:
        """Rounds of requests while nothing is written: memory must stand still."""
        for _ in range(3):
            self.account.resting_mb.append(server.megabytes())
            if len(self.account.resting_mb) < 3:
                with self._noted("at rest"):
                    for _ in range(self.resting_rounds):
                        self.account.served += server.ask()
        with self._noted("at the end"):
            check_flat(self.account.handles, self.account.resting_mb)

    def _end(self) -> None:
        account, story = self.account, self.market.story
        with self._noted("at the end"):
            said = self._run_verify("2")
            assert said.json["passed"], said.out
            assert {batch["result"] for batch in said.json["batches"]} == {"identical"}
        self._look_at_all()
        with self._noted("alarms"):
            account.alarms_expected = len(self.expected.alarms)
            account.alarms_told = len(self.told)
            account.told_again = check_told(self.told, self.expected, self.told_in_danger)
        with self._noted("alarms of the story"):
            assert story.watch_alarms() <= self.expected.alarms, sorted(
                story.watch_alarms() - self.expected.alarms
            )

    def _look_at_all(self) -> None:
        account, story = self.account, self.market.story
        opened = Workspace.open(self.commands.workspace, database_url=self.url)
        with self._noted("at the end"):
            account.batches = check_books(opened, self.sent, whole=True)
            account.rows = check_tape(opened)
            check_same(opened, self.expected)
        with self._noted("drift alarms"):
            entries = opened.store.ledger()
            account.records = sum(entry.records for entry in entries)
            kept = drift_of(entries, self.market)
            account.drift_expected, account.drift_kept = len(self.expected.drift), len(kept)
            assert kept == self.expected.drift, sorted(kept ^ self.expected.drift)
            assert story.drift_alarms() <= kept, sorted(story.drift_alarms() - kept)
        account.backcast = sum(
            fixing.origin == "backcast" for name in BENCHMARKS for fixing in opened.store.tape_sequence(name)
        )
        account.strays = len(list((opened.root / "archive/stray").glob("*.stray")))
        opened.store.close()
