"""Watch: the alarms on what is new since the last watch, remembered so that none is told twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..records import STATUSES_OBSERVED, Fixing, RentmarkError, UsageError, format_instant, parse_date
from .core import Workspace
from .showing import fixings_for_use
from .watch_memory import Looked, Remembered, looked_through, remember, remembered, still_to_look_at

if TYPE_CHECKING:
    from ..backtest.alarm_rules import WatchRules
    from ..backtest.alarms import Alarm


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

    ``starts`` are the dates that each subject is watched from, None where nothing is to be remembered; ``looked`` is
    how far the sellers of each benchmark were looked at.
    """

    as_of: datetime
    since: date
    alarms: tuple[Alarm, ...]
    fired: tuple[Alarm, ...]
    checks: tuple[Check, ...]
    simulated: bool
    starts: Mapping[str, date] | None
    looked: Mapping[str, Looked]

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
    memory = {} if asked is not None else remembered(workspace.root)
    first = now.date() - timedelta(days=rules.recent_days) if asked is None else asked
    looking = _Looking(workspace, rules, now)
    alarms: list[Alarm] = []
    checks: list[Check] = []
    starts: dict[str, date] = {}
    for name in names:
        held = memory.get(name)
        starts[name] = first if held is None else held.since
        alarms += looking.at_fixings(name, starts[name], None if held is None else held.looked)
        checks += looking.checks
    if rent is not None and rent_name is not None and benchmark is not None:
        subject = f"{rent_name} on {benchmark}"
        starts[subject] = memory[subject].since if subject in memory else first
        alarms += looking.at_rent(rent_name, rent, benchmark, subject)
        checks += looking.checks
    shown = sorted(
        (each for each in alarms if each.date >= starts[each.subject]),
        key=lambda each: (each.date, each.subject, each.kind),
    )
    told = {key for held in memory.values() for key in held.fired}
    fired = tuple(each for each in shown if each.key not in told)
    return Watch(
        as_of=now,
        since=min(starts.values()),
        alarms=tuple(shown),
        fired=fired,
        checks=tuple(checks),
        simulated=workspace.store.simulated,
        starts=starts if asked is None else None,
        looked=looking.looked,
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
    """Looks at one subject after the other; ``checks`` says what was looked for at the last one.

    ``looked`` is how far the sellers of each benchmark were looked at by now.
    """

    def __init__(self, workspace: Workspace, rules: WatchRules, now: datetime) -> None:
        self.workspace = workspace
        self.rules = rules
        self.now = now
        self.checks: list[Check] = []
        self.looked: dict[str, Looked] = {}

    def at_fixings(self, name: str, start: date, before: Looked | None) -> list[Alarm]:
        """Alarms of a benchmark's fixings; its sellers are looked at from ``start`` on, as far as ``before`` did not."""
        from ..backtest.alarms import FIXING_CHECKS, fixing_alarms

        rules = self.rules
        fixings = self._first_published(name)
        asked = _watched(fixings, start)
        unseen, standing = still_to_look_at(asked, before, rules.seller_set_change)
        panels = self._panels(fixings, unseen)
        needed = {"coverage": rules.coverage_days, "few_sellers": rules.sellers_window + 1, "seller_set": 2}
        self.checks = []
        for kind in FIXING_CHECKS:
            n, least = len(asked) if kind == "seller_set" else len(fixings), needed.get(kind, 1)
            self.checks.append(Check(name, kind, n, None if n >= least else f"{_dates(n)}, {least} needed"))
        found = fixing_alarms(fixings, rules, today=self.now.date(), panels=panels)
        if asked:
            sets = [*standing, *(each for each in found if each.kind == "seller_set")]
            self.looked[name] = looked_through(asked, rules.seller_set_change, sets)
        return [*standing, *found]

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

    def _panels(self, fixings: Sequence[Fixing], asked: Sequence[Fixing]) -> dict[date, frozenset[str]]:
        """The sellers behind each value of ``asked``, which are among ``fixings``; none behind one alone."""
        from ..index.review.days import outcome_of
        from .auditing import benchmark_of
        from .building import Reader
        from .review_days import days_behind

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


def _dates(count: int) -> str:
    return "1 date" if count == 1 else f"{count} dates"


def _watched(fixings: Sequence[Fixing], start: date) -> Sequence[Fixing]:
    """The values from ``start`` on, and the last one before it, which the first is held against."""
    seen = [each for each in fixings if each.status in STATUSES_OBSERVED]
    return seen[max(0, sum(each.date < start for each in seen) - 1) :]


def remember_told(workspace: Workspace, watch: Watch) -> None:
    """Keep that the new alarms of a watch were told, and how far it looked, so that the next one tells others.

    To be called after telling: a watch that is stopped before leaves its alarms to the next. Two at the same
    time may both tell, and both are kept. Raises RentmarkError where the disk refuses.
    """
    if watch.starts is None:
        return
    news = {
        subject: Remembered(
            since=start,
            fired=tuple(each.key for each in watch.fired if each.subject == subject),
            looked=watch.looked.get(subject),
        )
        for subject, start in watch.starts.items()
    }
    remember(workspace.root, news)
