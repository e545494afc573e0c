"""An account put together: its rules, its trades, the marks and fixings they stand on, and its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from ..contracts import Certificate, ContractSpec, FinalSettlement, fixing_days
from ..contracts.account import (
    AccountRules,
    AccountRun,
    DayMark,
    IndexView,
    MonthKey,
    MonthOutcome,
    Trade,
    flat_marks,
    run_account,
    trades_of,
)
from ..contracts.calendars import business_days
from ..records import Refusal, RentmarkError, UsageError, day_start, format_instant
from .blotter import blotter_of, no_account
from .core import Workspace
from .marks import marks_of
from .rulebook import cessation
from .views import AsOf

if TYPE_CHECKING:
    from ..records import Mark

MarkSource = Literal["imported", "flat", "best"]
MARK_SOURCES: tuple[MarkSource, ...] = ("best", "imported", "flat")
IMPORTED = "imported settlements"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything an account is written from, as known at an instant, up to the end of ``through``.

    ``views`` holds the benchmark of each contract that has one; ``outcomes`` how months ended that did.
    """

    name: str
    rules: AccountRules
    specs: Mapping[str, ContractSpec]
    trades: tuple[Trade, ...]
    marks: Mapping[MonthKey, Mapping[date, DayMark]]
    views: Mapping[str, IndexView]
    outcomes: Mapping[MonthKey, MonthOutcome]
    through: date
    simulated: bool

    @property
    def finals(self) -> dict[MonthKey, FinalSettlement]:
        """The cash of months that printed a price."""
        return {key: each.final for key, each in self.outcomes.items() if each.final is not None}

    def run(self, *, as_reported: bool) -> AccountRun:
        """Write the account.

        ``as_reported`` takes every call as met, because what a broker reported was dealt whatever the
        rules say; else the cash the rules state is all there is, and an unmet call is closed out.
        """
        rules = self.rules
        if as_reported:
            rules = rules.model_copy(update={"cash_available_micros": None})
        return run_account(
            self.specs,
            self.trades,
            self.marks,
            name=self.name,
            rules=rules,
            views=self.views,
            finals=self.finals,
            through=self.through,
        )


def last_day(workspace: Workspace, as_of: AsOf | None) -> date:
    """The last day that is over, or under way, at a view: midnight belongs to the day before."""
    instant = workspace.store.now() if as_of is None else as_of.instant
    day = instant.date()
    return day - timedelta(days=1) if instant == day_start(day) else day


def account_names(workspace: Workspace, as_of: AsOf | None = None) -> tuple[str, ...]:
    """Accounts with trades that count."""
    return tuple(trades_of(blotter_of(workspace, None if as_of is None else as_of.instant)))


class Sources:
    """Where contracts, benchmarks and marks of an account come from, as known at a view up to a day.

    ``benchmarks`` are ``NAME`` for every contract or ``CONTRACT=NAME`` for one; they go before those of
    the account's rules, and these before a contract's official one. ``mark_source`` is imported, flat,
    or best: a month's imported settlements where it has any, else modelled flat marks.
    """

    def __init__(
        self,
        workspace: Workspace,
        account: str,
        *,
        benchmarks: Sequence[str] = (),
        as_of: AsOf | None = None,
        through: date | None = None,
        mark_source: MarkSource = "best",
    ) -> None:
        self.rules = workspace.configuration.accounts.get(account, AccountRules())
        self.account = account
        self.through = last_day(workspace, as_of) if through is None else through
        self.simulated = workspace.store.simulated
        self._workspace, self._as_of, self._mark_source = workspace, as_of, mark_source
        self._stated = _read_benchmarks(workspace, benchmarks)
        self._views: dict[str, IndexView] = {}

    def spec(self, contract: str) -> ContractSpec:
        """A contract by name; raises RentmarkError for one nobody states."""
        return self._workspace.configuration.contract(contract)

    def view(self, contract: str) -> IndexView | None:
        """The benchmark a contract fixes on; None where none is named.

        Raises RentmarkError for an unknown or research benchmark, and where nothing is published.
        """
        if contract not in self._views:
            spec = self.spec(contract)
            stated = self._stated.get(contract) or self._stated.get("")
            name = stated or self.rules.benchmarks.get(contract) or spec.official_benchmark
            if name is None:
                return None
            ended_on = self.rules.ceased.get(name) or _announced_end(self._workspace, name, self._as_of)
            self._views[contract] = _index_view(self._workspace, spec, name, self._as_of, ended_on)
        return self._views[contract]

    def marks(self, key: MonthKey, traded_on: Sequence[date]) -> dict[date, DayMark]:
        """The marks of a contract month up to the last day.

        A month with any imported settlement is marked by those alone, so that one month never mixes the
        two. Modelled ones stand on trading days and days traded on, from the first of those to the
        month's last fixing. Raises RentmarkError where there is nothing to mark from, or the index had
        ceased.
        """
        contract, month = key
        spec = self.spec(contract)
        if self._mark_source != "flat":
            known = marks_of(self._workspace, contract, self._as_of)
            stated = {day: _day_mark(mark) for (of_month, day), mark in known.items() if of_month == month}
            if stated or self._mark_source == "imported":
                return {day: mark for day, mark in stated.items() if day <= self.through}
        view = self.view(contract)
        if view is None:
            raise RentmarkError(
                f"{contract} {month} has no settlements and no benchmark to model marks from; run "
                "`rentmark settlements import FILE`, or name one with --benchmark."
            )
        end = min(self.through, fixing_days(spec, month)[-1])
        flat = flat_marks(view, month, {*_trading_days(spec, min(traded_on), end), *traded_on})
        if isinstance(flat, Refusal):
            raise RentmarkError(flat.sentence)
        return flat

    def desk(self, trades: Sequence[Trade]) -> Desk:
        """The desk of trades at hand; those after the last day are left out."""
        kept = tuple(trade for trade in trades if trade.day <= self.through)
        traded: dict[MonthKey, list[date]] = {}
        for trade in kept:
            traded.setdefault(trade.key, []).append(trade.day)
        contracts = sorted({contract for contract, _ in traded})
        views = {name: view for name in contracts if (view := self.view(name)) is not None}
        outcomes = {
            (contract, month): views[contract].outcome(month, self.through)
            for contract, month in traded
            if contract in views
        }
        return Desk(
            name=self.account,
            rules=self.rules,
            specs={name: self.spec(name) for name in contracts},
            trades=kept,
            marks={key: self.marks(key, days) for key, days in sorted(traded.items())},
            views=views,
            outcomes={key: each for key, each in outcomes.items() if each is not None},
            through=self.through,
            simulated=self.simulated or any(view.simulated for view in views.values()),
        )


def blotter_trades(workspace: Workspace, account: str, as_of: AsOf | None) -> tuple[Trade, ...]:
    """The trades of an account that count; raises RentmarkError for one no trade is in."""
    by_account = trades_of(blotter_of(workspace, None if as_of is None else as_of.instant))
    if account not in by_account:
        raise no_account(account, set(by_account))
    return by_account[account]


def _read_benchmarks(workspace: Workspace, benchmarks: Sequence[str]) -> dict[str, str]:
    """``--benchmark`` options by contract; the empty name stands for every contract."""
    stated: dict[str, str] = {}
    for text in benchmarks:
        contract, equals, name = text.rpartition("=")
        if equals:
            workspace.configuration.contract(contract)
        if contract in stated:
            raise UsageError(f"--benchmark {text} names a benchmark for the same contract twice; keep one.")
        stated[contract] = name
    return stated


def _index_view(
    workspace: Workspace, spec: ContractSpec, benchmark_name: str, as_of: AsOf | None, ended_on: date | None
) -> IndexView:
    if workspace.configuration.benchmark(benchmark_name).research:
        raise RentmarkError(f"{benchmark_name} is a research benchmark: contracts do not fix on it.")
    instant = None if as_of is None else as_of.instant
    rows = workspace.store.tape(benchmark_name, as_of=instant, revisions="all")
    if not rows:
        then = "" if instant is None else f" at {format_instant(instant)}"
        raise RentmarkError(
            f"{benchmark_name} has no published fixings{then}; "
            f"run `rentmark index build {benchmark_name} --publish` first."
        )
    certificates = {
        row.month: Certificate(
            contract=row.contract,
            month=row.month,
            benchmark=row.benchmark,
            who=row.who,
            reason=row.reason,
            certified_at=row.certified_at,
            price_micros=row.price_micros,
        )
        for row in workspace.store.certificates(spec.id, None, benchmark_name, instant)
    }
    return IndexView(
        spec,
        benchmark_name,
        rows,
        ended_on=ended_on,
        certificates=certificates,
        known_until=workspace.store.now() if instant is None else instant,
    )


def _announced_end(workspace: Workspace, benchmark: str, as_of: AsOf | None) -> date | None:
    """The last date of a benchmark whose end this workspace announced by then; a stated one goes before it."""
    end = cessation(workspace, benchmark, as_of)
    return None if end is None else end.last_date


def _trading_days(spec: ContractSpec, first: date, last: date) -> tuple[date, ...]:
    """Days a contract is marked on between two: its calendar's business days, every day without one."""
    if first > last:
        return ()
    if spec.calendar is not None:
        return business_days(spec.calendar, first, last)
    return tuple(first + timedelta(days=number) for number in range((last - first).days + 1))


def _day_mark(mark: Mark) -> DayMark:
    """An imported settlement as the account takes it."""
    return DayMark(
        settle_micros=mark.settle_micros,
        bid_micros=mark.bid_micros,
        ask_micros=mark.ask_micros,
        open_interest=mark.open_interest,
        source=IMPORTED,
    )
