"""Watch: the alarms on what is new since the last watch, remembered so that none is told twice."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..records import Fixing, RentmarkError, UsageError, format_instant, parse_date
from .core import Workspace
from .showing import fixings_for_use

if TYPE_CHECKING:
    from ..backtest.alarm_rules import WatchRules
    from ..backtest.alarms import Alarm

MEMORY_FILE = "watch.json"


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of alarm that was looked for, over how many dates, or why it could not be."""

    subject: str
    kind: str
    n: int
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The check with stable keys; ``reason`` where it could not be made."""
        row: dict[str, Any] = {
            "subject": self.subject,
            "kind": self.kind,
            "n": self.n,
            "made": self.reason is None,
        }
        return row if self.reason is None else row | {"reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What a watch saw at ``as_of``. ``fired`` are the alarms that are new; ``alarms`` all from ``since`` on.

    ``starts`` are the dates that each subject is watched from, None where nothing is to be remembered.
    """

    as_of: datetime
    since: date
    alarms: tuple[Alarm, ...]
    fired: tuple[Alarm, ...]
    checks: tuple[Check, ...]
    simulated: bool
    starts: Mapping[str, date] | None

    def to_json(self) -> dict[str, Any]:
        """The watch with its documented keys."""
        new = {each.key for each in self.fired}
        return {
            "as_of": format_instant(self.as_of),
            "since": self.since.isoformat(),
            "fired": len(self.fired),
            "simulated": self.simulated,
            "alarms": [each.to_json() | {"new": each.key in new} for each in self.alarms],
            "checks": [each.to_json() for each in self.checks],
        }


def watch_alarms(
    workspace: Workspace,
    *,
    benchmark: str | None = None,
    rent_name: str | None = None,
    rent: bytes | None = None,
    since: str | None = None,
) -> Watch:
    """Run every alarm as of now, on one benchmark or on all that have fixings, and on a rent beside one.

    New is what ``remember_told`` has not kept in the workspace; with ``since`` every alarm from that date on
    is new and nothing is to be kept. Raises UsageError for a rent without a benchmark, RentmarkError where
    there is nothing to watch.
    """
    from ..backtest.alarm_rules import WatchRules

    if rent is not None and benchmark is None:
        raise UsageError("A rent is watched beside a benchmark; add --benchmark ID.")
    rules = workspace.configuration.watch or WatchRules()
    now = workspace.store.now()
    asked = None if since is None else _read_since(since)
    names = [benchmark] if benchmark is not None else _with_fixings(workspace)
    remembered = {} if asked is not None else _remembered(workspace)
    first = now.date() - timedelta(days=rules.recent_days) if asked is None else asked
    looking = _Looking(workspace, rules, now)
    alarms: list[Alarm] = []
    checks: list[Check] = []
    starts: dict[str, date] = {}
    for name in names:
        starts[name] = _start(remembered, name, first)
        alarms += looking.at_fixings(name, starts[name])
        checks += looking.checks
    if rent is not None and rent_name is not None and benchmark is not None:
        subject = f"{rent_name} on {benchmark}"
        starts[subject] = _start(remembered, subject, first)
        alarms += looking.at_rent(rent_name, rent, benchmark, subject)
        checks += looking.checks
    shown = sorted(
        (each for each in alarms if each.date >= starts[each.subject]),
        key=lambda each: (each.date, each.subject, each.kind),
    )
    told = {key for held in remembered.values() for key in held["fired"]}
    fired = tuple(each for each in shown if each.key not in told)
    return Watch(
        as_of=now,
        since=min(starts.values()),
        alarms=tuple(shown),
        fired=fired,
        checks=tuple(checks),
        simulated=workspace.store.simulated,
        starts=starts if asked is None else None,
    )


def _read_since(text: str) -> date:
    try:
        return parse_date(text)
    except ValueError:
        raise UsageError(f"--since {text} is not a date; write 2026-08-01.") from None


def _with_fixings(workspace: Workspace) -> list[str]:
    from .views import LATEST

    store = workspace.store
    found = []
    for name, spec in workspace.configuration.benchmarks.items():
        if store.candidates(name, LATEST) if spec.research else store.tape(name):
            found.append(name)
    if not found:
        raise RentmarkError(
            "There is nothing to watch: no benchmark has fixings. Run `rentmark index build ID --publish`."
        )
    return found


class _Looking:
    """Looks at one subject after the other; ``checks`` says what was looked for at the last one."""

    def __init__(self, workspace: Workspace, rules: WatchRules, now: datetime) -> None:
        self.workspace = workspace
        self.rules = rules
        self.now = now
        self.checks: list[Check] = []

    def at_fixings(self, name: str, start: date) -> list[Alarm]:
        """Alarms of a benchmark's fixings; its sellers are looked at from ``start`` on."""
        from ..backtest.alarms import FIXING_CHECKS, fixing_alarms

        rules = self.rules
        fixings = self._first_published(name)
        panels = self._panels(fixings, start)
        needed = {"coverage": rules.coverage_days, "few_sellers": rules.sellers_window + 1, "seller_set": 2}
        self.checks = []
        for kind in FIXING_CHECKS:
            n, least = len(panels) if kind == "seller_set" else len(fixings), needed.get(kind, 1)
            self.checks.append(Check(name, kind, n, None if n >= least else f"{n} dates, {least} needed"))
        return fixing_alarms(fixings, rules, today=self.now.date(), panels=panels)

    def at_rent(self, rent_name: str, rent: bytes, benchmark: str, subject: str) -> list[Alarm]:
        """Alarms of a rent beside its reference."""
        from ..backtest import read_rent
        from ..backtest.alarms import RENT_CHECKS, rent_alarms
        from ..backtest.series import common_dates, observed_micros

        rules = self.rules
        book = read_rent(rent, rent_name, today=self.now.date(), simulated=self.workspace.store.simulated)
        fixings = {each.date: each for each in self._first_published(benchmark)}
        common = common_dates(book.rates, observed_micros(fixings))
        n = len(common)
        if book.kind == "invoices":
            why = "invoices were spread evenly over their days, so single days say nothing"
            self.checks = [Check(subject, kind, n, why) for kind in RENT_CHECKS]
            return []
        needed = {
            "basis_z": rules.z_window + 1,
            "rolling_r_squared": rules.rolling_window + 2,
            "rolling_ratio": 2 * rules.rolling_window + 1,
            "cusum": rules.cusum_training + 2,
        }
        self.checks = [
            Check(subject, kind, n, None if n >= needed[kind] else f"{n} common dates, {needed[kind]} needed")
            for kind in RENT_CHECKS
        ]
        return rent_alarms(common, rules, subject)

    def _first_published(self, name: str) -> list[Fixing]:
        from ..backtest.series import first_published

        rows = fixings_for_use(self.workspace, name)
        if not self.workspace.configuration.benchmark(name).research:
            rows = self.workspace.store.tape(name, revisions="all")
        return list(first_published(rows, self.now).values())

    def _panels(self, fixings: Sequence[Fixing], start: date) -> dict[date, frozenset[str]]:
        """The sellers behind each value from ``start`` on, and behind the last one before it."""
        from ..index.review.days import outcome_of
        from ..records import STATUSES_OBSERVED
        from .auditing import benchmark_of
        from .building import Reader
        from .review_days import days_behind

        seen = [each for each in fixings if each.status in STATUSES_OBSERVED]
        asked = seen[max(0, sum(each.date < start for each in seen) - 1) :]
        found: dict[date, frozenset[str]] = {}
        if len(asked) < 2:
            return found
        with self.workspace.engine() as engine:
            reader = Reader(self.workspace, engine)
            # Rules may have changed on the way: each stretch is read under its own.
            for digest in dict.fromkeys(row.methodology_hash for row in asked):
                rows = [row for row in asked if row.methodology_hash == digest]
                benchmark = benchmark_of(self.workspace, rows[-1])
                for day in days_behind(self.workspace, reader, benchmark, rows, fixings):
                    outcome = outcome_of(benchmark, day)
                    if outcome is not None:
                        found[day.window.date] = frozenset(ballot.seller for ballot in outcome.standing)
        return found


def _start(remembered: Mapping[str, Any], subject: str, first: date) -> date:
    held = remembered.get(subject)
    return first if held is None else parse_date(held["since"])


def _remembered(workspace: Workspace) -> dict[str, Any]:
    path = workspace.root / MEMORY_FILE
    if not path.is_file():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {
            subject: {"since": str(parse_date(each["since"])), "fired": list(each["fired"])}
            for subject, each in held.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RentmarkError(f"{path} can't be read; delete it to watch from anew.") from None


def remember_told(workspace: Workspace, watch: Watch) -> None:
    """Keep that the new alarms of a watch were told, so that the next one tells others.

    To be called after telling: a watch that is stopped before leaves its alarms to the next. Two at the same
    time may both tell, and both are kept. Raises RentmarkError where the disk refuses.
    """
    if watch.starts is None:
        return
    path = workspace.root / MEMORY_FILE
    new = path.with_suffix(".new")
    try:
        with _alone_in(workspace.root):
            kept = _remembered(workspace)
            for subject, start in watch.starts.items():
                held = kept.setdefault(subject, {"since": start.isoformat(), "fired": []})
                told = [each.key for each in watch.fired if each.subject == subject]
                held["fired"] = list(dict.fromkeys([*held["fired"], *told]))
            with new.open("w", encoding="utf-8") as file:
                file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other watch keeps what it told in this workspace."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
