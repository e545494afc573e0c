"""A programme run day by day through the account: fills at marks, fees, slippage, margin, interest.

With settlements of the exchange or the user there is one run and one profit. Where any fill stands at a
modelled mark, the entry price is assumed: the same decisions are filled and run at premiums of −10, 0 and
+10 % on what had not fixed, and only the three together are a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from ...contracts import FinalSettlement
from ...contracts.account import (
    ROLL,
    AccountRules,
    AccountRun,
    DayMark,
    MarginRequirement,
    MonthKey,
    PositionKey,
    Trade,
    fees_of,
    fill_price,
    last_mark,
    run_account,
)
from ...records import Refusal, RentmarkError, UsageError, day_start
from ..programme import PREMIUMS_PERCENT
from ..rent_book import RentBook
from ..sentences import Role
from .decisions import Decision, Plan, ProgrammeOrder, decide_all
from .instruments import Instrument
from .learning import LearnedMonth, learned_months
from .spec import ProgrammeSpec

PROGRAMME = "programme"
"""The strategy of trades that change a position, beside those that only roll it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthEnd:
    """How a month ended: its settlement, or, where it printed no price, its last mark (``settled`` false)."""

    final: FinalSettlement
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammeRun:
    """A programme over its life: what it knew, what it decided, and the account it came to.

    ``accounts`` holds the run at each entry premium in percent: 0 alone where every fill stands at a
    stated settlement. ``through`` is the last day written.
    """

    name: str
    programme: ProgrammeSpec
    role: Role
    plan: Plan
    instruments: tuple[Instrument, ...]
    rules: AccountRules
    learned: tuple[LearnedMonth, ...]
    decisions: tuple[Decision, ...]
    accounts: Mapping[int, AccountRun]
    ends: Mapping[MonthKey, MonthEnd]
    through: date
    tailing: bool
    now: datetime

    @property
    def entry_is_assumed(self) -> bool:
        """Whether any fill stands at a modelled mark, so that no one profit can be told."""
        return len(self.accounts) > 1

    @property
    def account(self) -> AccountRun:
        """The run at marks, without a premium."""
        return self.accounts[0]

    @property
    def orders(self) -> tuple[ProgrammeOrder, ...]:
        """Every order of every decision."""
        return tuple(order for decision in self.decisions for order in decision.orders)


def run_hedge_programme(
    name: str,
    programme: ProgrammeSpec,
    book: RentBook,
    instruments: Sequence[Instrument],
    *,
    role: Role,
    now: datetime,
    gpus: int | None = None,
    rules: AccountRules | None = None,
) -> ProgrammeRun:
    """Run a programme against a rent book, knowing on each day only what was known that day.

    ``instruments`` are the programme's contracts in its order, each with its benchmark's tape (all
    revisions) and its settlements as first published. Without ``gpus`` hours are planned from the four
    weeks before each decision, so the file must state them.

    Raises UsageError for GPUs below 1 or contracts that don't match the rules, and RentmarkError where
    the book has no day up to now or no hours can be known.
    """
    contracts = [each.spec.id for each in instruments]
    if contracts != [each.contract for each in programme.instruments]:
        raise UsageError(f"programme {name} names {programme.instruments}, and was handed {contracts}.")
    for each in instruments:
        if each.spec.period != "month":
            raise UsageError(
                f"programme {name} can't trade {each.spec.id}: it settles on the balance of a month; "
                "name a contract of whole months."
            )
    if gpus is not None and gpus < 1:
        raise UsageError(f"gpus is {gpus}; it must be at least 1.")
    last_day = _last_day(now)
    book = replace(book, days=tuple(day for day in book.days if day.date <= last_day))
    if not book.days:
        raise RentmarkError(f"{book.name} has no rent up to {last_day}; nothing can be hedged.")
    if gpus is None and not book.has_hours:
        raise RentmarkError(f"{book.name} states no hours, so lots can't be sized; give --gpus.")
    applied = AccountRules() if rules is None else rules
    tailing = programme.tailing_rate_percent is not None and applied.interest.credit_rate_percent <= 0
    plan = Plan(book=book, gpus=gpus)
    learned = learned_months(programme, book, instruments, last_day)
    decisions = decide_all(
        programme, instruments, plan, learned, role=role, through=last_day, tailing=tailing
    )
    marks = _marks(instruments, decisions, last_day)
    orders = [order for decision in decisions for order in decision.orders if order.lots]
    modelled = any(marks[order.key][order.day].modelled for order in orders)
    ends = _ends(instruments, marks, last_day)
    reckoned: dict[PositionKey, MarginRequirement | Refusal] = {}
    accounts = {
        premium: _run(
            name,
            applied,
            instruments,
            orders,
            marks=marks,
            ends=ends,
            through=last_day,
            premium=premium,
            reckoned=reckoned,
        )
        for premium in (PREMIUMS_PERCENT if modelled else (0,))
    }
    return ProgrammeRun(
        name=name, programme=programme, role=role, plan=plan, instruments=tuple(instruments), rules=applied,
        learned=learned, decisions=decisions, accounts=accounts, ends=ends, through=last_day, tailing=tailing, now=now,
    )  # fmt: skip


def _last_day(now: datetime) -> date:
    """The last day that is over, or under way; midnight belongs to the day before."""
    day = now.date()
    return day - timedelta(days=1) if now == day_start(day) else day


def _marks(
    instruments: Sequence[Instrument], decisions: Sequence[Decision], through: date
) -> dict[MonthKey, dict[date, DayMark]]:
    """The marks of every month traded, from its first trade on."""
    by_contract = {each.spec.id: each for each in instruments}
    first: dict[MonthKey, date] = {}
    for decision in decisions:
        for order in decision.orders:
            if order.lots:
                first.setdefault(order.key, order.day)
    return {
        (contract, month): by_contract[contract].marks(month, day, through)
        for (contract, month), day in first.items()
    }


def _run(
    name: str,
    rules: AccountRules,
    instruments: Sequence[Instrument],
    orders: Sequence[ProgrammeOrder],
    *,
    marks: Mapping[MonthKey, Mapping[date, DayMark]],
    ends: Mapping[MonthKey, MonthEnd],
    through: date,
    premium: int,
    reckoned: dict[PositionKey, MarginRequirement | Refusal],
) -> AccountRun:
    by_contract = {each.spec.id: each for each in instruments}
    trades = [
        trade for order in orders for trade in _trades(by_contract[order.contract], order, rules, premium)
    ]
    return run_account(
        {contract: each.spec for contract, each in by_contract.items()},
        trades,
        marks,
        name=name,
        rules=rules,
        views={contract: each.view for contract, each in by_contract.items()},
        finals={key: end.final for key, end in ends.items()},
        through=through,
        requirements=reckoned,
    )


def _ends(
    instruments: Sequence[Instrument], marks: Mapping[MonthKey, Mapping[date, DayMark]], through: date
) -> dict[MonthKey, MonthEnd]:
    """How each month traded came to its end by the end of ``through``; one still open is absent."""
    by_contract = {each.spec.id: each for each in instruments}
    found: dict[MonthKey, MonthEnd] = {}
    for key, days in marks.items():
        outcome = by_contract[key[0]].view.outcome(key[1], through)
        if outcome is None:
            continue
        if outcome.final is not None:
            found[key] = MonthEnd(final=outcome.final, settled=True)
            continue
        ended = outcome.settlement.effective_at.date() - timedelta(days=1)
        last = last_mark(days, ended)
        if last is not None:
            final = FinalSettlement(day=max(ended, last[0]), price_micros=last[1].settle_micros)
            found[key] = MonthEnd(final=final, settled=False)
    return found


def _trades(instrument: Instrument, order: ProgrammeOrder, rules: AccountRules, premium: int) -> list[Trade]:
    """An order filled on its day: the lots that only roll, and those that change the position."""
    entry = instrument.entry_mark(order.month, order.day, premium)
    assert isinstance(entry, DayMark)  # an order without one was refused
    price, note = fill_price(instrument.spec, entry, order.lots, rules.fills.slippage_ticks)
    parts = ((order.rolled, ROLL), (order.lots - order.rolled, PROGRAMME))
    return [
        Trade(
            trade_id=f"{order.day}-{order.contract}-{order.month}-{strategy}",
            contract=order.contract,
            month=order.month,
            day=order.day,
            lots=lots,
            price_micros=price,
            strategy=strategy,
            simulated=True,
            note=f"simulated fill {note} ({entry.source})",
        )
        for lots, strategy in parts
        if lots
    ]


def fees_unknown(run: ProgrammeRun) -> tuple[str, ...]:
    """Contracts whose fees nobody stated; none are charged on them."""
    return tuple(
        each.spec.id for each in run.instruments if isinstance(fees_of(each.spec, run.rules), Refusal)
    )
