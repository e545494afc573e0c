"""The account day by day: trades and marks in; variation, fees, interest, margin and calls out.

The order of a day: interest on the balance of the day before; marks, trades, fees and final
settlements; calls due today are met or not; an unmet one is closed out by rule; the margin of what is
held at the close; a call where the balance is below maintenance. Everything that moves between the
parties is a ledger line and sums to zero; deposits are the holder's own money and do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from ...records import MICROS_PER_CENT, Refusal, UsageError
from ..accounts import ACCOUNTS, Account, AccountDay, Accrual, LedgerLine, MarginAccount
from ..ledger import FinalSettlement
from ..spec import ContractSpec
from ..transfers import CashBook, amount_lines
from .calls import balance_lines, make_call
from .funding import Funding
from .index_view import IndexView
from .limits import Alert, alerts_on, new_alerts
from .margin import MarginRequirement, margin_requirement
from .marks import MarkBook
from .positions import Positions
from .rules import YEAR_DAYS, AccountRules
from .statement import AccountRun, StatementDay, Step, StepCode, cents_text
from .trades import MonthKey, Trade, check_trade

PositionKey = tuple[date, tuple[tuple[MonthKey, int, int, Fraction], ...]]
"""A day and what is held on it: contract month, lots, mark and the share that has not fixed."""


def run_account(
    specs: Mapping[str, ContractSpec],
    trades: Sequence[Trade],
    marks: MarkBook,
    *,
    name: str,
    rules: AccountRules,
    views: Mapping[str, IndexView] | None = None,
    finals: Mapping[MonthKey, FinalSettlement] | None = None,
    through: date | None = None,
    requirements: dict[PositionKey, MarginRequirement | Refusal] | None = None,
) -> AccountRun:
    """Write an account from its trades, the marks of their months, and how months were settled.

    ``views`` holds, by contract, the benchmark as known day by day: historical margin and the share
    still to fix come from it. The account is written for every day with a mark, a trade or a final
    settlement of its months, up to ``through``; trades after it are left out. ``requirements`` keeps what
    margin was reckoned for a day and position, for runs that differ in their fills alone.

    Raises UsageError for a contract nobody states or a trade after its month's final settlement, and
    RentmarkError for a trade that can't stand or a day with a trade and no mark, naming the day.
    """
    ended = finals or {}
    by_day: dict[date, list[Trade]] = {}
    for trade in trades:
        if through is not None and trade.day > through:
            continue
        if trade.contract not in specs:
            raise UsageError(f"trade {trade.trade_id} is in {trade.contract}, which is no contract here.")
        check_trade(specs[trade.contract], trade)
        final = ended.get(trade.key)
        if final is not None and trade.day > final.day:
            raise UsageError(
                f"trade {trade.trade_id} of {trade.day} is after the final settlement of {final.day}; correct its date."
            )
        by_day.setdefault(trade.day, []).append(trade)
    account = _Account(
        specs, rules, marks, views or {}, ended, requirements={} if requirements is None else requirements
    )
    for day in _days(by_day, marks, ended, through):
        account.run_day(day, by_day.get(day, []))
    return account.written(name)


def _days(
    by_day: Mapping[date, Sequence[Trade]],
    marks: MarkBook,
    finals: Mapping[MonthKey, FinalSettlement],
    through: date | None,
) -> list[date]:
    """Days an account is written for: of each month traded, from its first trade to its final settlement."""
    first: dict[MonthKey, date] = {}
    for day, trades in sorted(by_day.items()):
        for trade in trades:
            first.setdefault(trade.key, day)
    days = set(by_day)
    for key, opened in first.items():
        final = finals.get(key)
        last = None if final is None else final.day
        days |= {day for day in marks.get(key, {}) if day >= opened and (last is None or day <= last)}
        days |= set() if last is None else {last}
    return sorted(day for day in days if through is None or day <= through)


class _Account:
    """The state of one account while it is written."""

    def __init__(
        self,
        specs: Mapping[str, ContractSpec],
        rules: AccountRules,
        marks: MarkBook,
        views: Mapping[str, IndexView],
        finals: Mapping[MonthKey, FinalSettlement],
        *,
        requirements: dict[PositionKey, MarginRequirement | Refusal],
    ) -> None:
        self._requirements = requirements
        self._specs, self._rules, self._marks, self._views = specs, rules, marks, views
        self._positions = Positions(specs, rules, marks, views, finals)
        self._book = CashBook()
        self._funding = Funding(rules)
        self._closing_out = self._closed = False
        self._no_margin_said: str | None = None
        self._days: list[StatementDay] = []
        self._alerts: tuple[Alert, ...] = ()
        self._parties: dict[Account, list[AccountDay]] = {account: [] for account in ACCOUNTS}
        self._steps: list[Step] = []
        self._lines: list[LedgerLine] = []
        self._paid: dict[Account, int] = {}

    @property
    def _balance_cents(self) -> int:
        """What the holder has with the clearing house: paid in, less paid out, and all cash moved."""
        return self._funding.deposited_cents + self._book.cash["long"]

    def _tell(self, day: date, code: StepCode, sentence: str, amount_cents: int | None = None) -> None:
        self._steps.append(Step(day=day, code=code, sentence=sentence, amount_cents=amount_cents))

    def _add(self, lines: list[LedgerLine]) -> None:
        """Book lines and pay the cents they come to."""
        self._lines += lines
        for account, cents in self._book.book(lines).items():
            self._paid[account] += cents

    def run_day(self, day: date, trades: Sequence[Trade]) -> None:
        """Write one day."""
        opening, before = self._balance_cents, self._days[-1].day if self._days else None
        self._steps, self._lines, self._paid = [], [], dict.fromkeys(ACCOUNTS, 0)
        if self._closing_out or self._closed:
            for trade in trades:
                refused = f"trade {trade.trade_id} is not taken: the account was closed out"
                self._tell(day, "trade_refused", refused)
            trades = ()
        self._add(self._interest(day, before, opening))
        self._add(self._positions.run_day(day, trades))
        deposit, steps = self._funding.meet(day, len(self._days))
        self._steps += steps
        self._closing_out |= any(step.code == "call_unmet" for step in steps)
        if self._closing_out:
            self._close_out(day)
        requirement = self._requirement(day)
        if not (self._closing_out or self._closed):
            self._call(day, before, opening, deposit, requirement)
        paid_out = 0
        if not self._closing_out:
            paid_out, steps = self._funding.pay_out(day, self._balance_cents, requirement.initial_cents)
            self._steps += steps
        self._write(day, opening, deposit, paid_out, requirement)

    def _interest(self, day: date, before: date | None, opening: int) -> list[LedgerLine]:
        if before is None or opening == 0:
            return []
        rules = self._rules.interest
        accrual = Accrual(
            balance_cents=opening,
            rate_percent=rules.credit_rate_percent if opening > 0 else rules.debit_rate_percent,
            days=(day - before).days,
            year_days=YEAR_DAYS[rules.day_count],
        )
        return amount_lines(day, "interest", accrual.interest_micros, accrual=accrual)

    def _call(
        self, day: date, before: date | None, opening: int, deposit: int, requirement: MarginRequirement
    ) -> None:
        """Issue a call where the balance, with calls still pending, is below maintenance margin."""
        balance, pending = self._balance_cents, self._funding.pending_cents
        if balance + pending >= requirement.maintenance_cents:
            return
        own = [line for line in self._lines if line.account == "long"]
        call = make_call(
            len(self._funding.calls) + 1,
            day,
            balance_cents=balance,
            pending_cents=pending,
            requirement=requirement,
            made_of=balance_lines(before, opening, own, deposit, balance),
        )
        self._steps.append(self._funding.issue(call, len(self._days)))

    def _close_out(self, day: date) -> None:
        """Close by rule, then say whether the account is flat, covered again, or goes on tomorrow."""
        lines, told = self._positions.close_share(day)
        self._add(lines)
        for sentence in told:
            self._tell(day, "closed_out", sentence)
        if self._positions.lots:
            left = self._requirement(day).initial_cents
            balance = f"the balance of {cents_text(self._balance_cents)}"
            of_what = f"the initial margin of what is left, {cents_text(left)}"
            if self._balance_cents < left:
                self._tell(
                    day, "close_out_continues", f"{balance} does not cover {of_what}: the close-out goes on"
                )
                return
            self._closing_out = False
            self._funding.lapse()
            self._tell(day, "restored", f"{balance} covers {of_what}: the close-out ends")
            return
        self._closing_out, self._closed = False, True
        self._funding.lapse()
        balance_cents = self._balance_cents
        self._tell(
            day,
            "account_closed",
            f"nothing is left to close; the balance is {cents_text(balance_cents)}",
            balance_cents,
        )
        if balance_cents >= 0:
            return
        owed = cents_text(-balance_cents)
        if self._rules.close_out.shortfall == "owed":
            self._tell(day, "shortfall", f"the holder owes {owed}", -balance_cents)
            return
        self._tell(
            day, "shortfall", f"the exchange carries {owed} that the holder does not pay", -balance_cents
        )
        self._add(amount_lines(day, "shortfall", -balance_cents * MICROS_PER_CENT))

    def _requirement(self, day: date) -> MarginRequirement:
        held = self._positions.held(day)
        legs = tuple((leg.key, leg.lots, leg.mark_micros, leg.remaining_share) for leg in held)
        if (day, legs) not in self._requirements:
            reckoned = margin_requirement(held, self._rules.margin, views=self._views, day=day)
            self._requirements[day, legs] = reckoned
        answer = self._requirements[day, legs]
        if not isinstance(answer, Refusal):
            return answer
        if answer.sentence != self._no_margin_said:
            self._tell(day, "no_margin", answer.sentence)
            self._no_margin_said = answer.sentence
        return MarginRequirement(
            method=None,
            initial_cents=0,
            maintenance_cents=0,
            modelled=False,
            sentence=answer.sentence,
            refused=(answer,),
        )

    def _write(
        self, day: date, opening: int, deposit: int, paid_out: int, requirement: MarginRequirement
    ) -> None:
        positions = self._positions.lots
        alerts = alerts_on(
            self._specs, positions, self._marks, self._views, day=day, rules=self._rules.warnings
        )
        written = self._book.account_days(day, self._lines, self._paid, sum(positions.values()))
        for account in ACCOUNTS:
            self._parties[account].append(written[account])
        self._days.append(
            StatementDay(
                day=day,
                positions=positions,
                lines=written["long"].lines,
                opening_cents=opening,
                cash_cents=self._paid["long"],
                deposit_cents=deposit,
                paid_out_cents=paid_out,
                closing_cents=self._balance_cents,
                requirement=requirement,
                alerts=new_alerts(self._alerts, alerts),
                steps=tuple(self._steps),
            )
        )
        self._alerts = alerts

    def written(self, name: str) -> AccountRun:
        """The account as it stands after its last day."""
        long, short, exchange = (MarginAccount(name=a, days=tuple(self._parties[a])) for a in ACCOUNTS)
        return AccountRun(
            name=name,
            trades=tuple(self._positions.booked),
            days=tuple(self._days),
            calls=tuple(self._funding.calls),
            long=long,
            short=short,
            exchange=exchange,
            modelled_marks=self._positions.modelled_marks,
            simulated_fills=any(trade.simulated for trade in self._positions.booked),
            fees_unknown=tuple(sorted(self._positions.fees_unknown)),
            finals=dict(self._positions.settled),
            held=tuple(self._positions.held(self._days[-1].day)) if self._days else (),
        )
