"""What an account's run says: its days, its calls line by line, and what an unmet call led to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Literal

from ...records import MICROS_PER_CENT, format_micros
from ..accounts import ACCOUNTS, Account, LedgerLine, MarginAccount
from .limits import Alert
from .margin import HeldMonth, MarginRequirement
from .trades import MonthKey, Trade

CallStatus = Literal["met", "unmet", "pending"]
StepCode = Literal[
    "call_issued",
    "call_met",
    "call_unmet",
    "closed_out",
    "close_out_continues",
    "restored",
    "account_closed",
    "shortfall",
    "paid_out",
    "trade_refused",
    "no_margin",
    "no_price",
]


def cents_text(cents: int) -> str:
    """Whole cents as dollars with six decimals, as every amount is printed."""
    return format_micros(cents * MICROS_PER_CENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happened to an account on a day, in a sentence; ``amount_cents`` where money is in it."""

    day: date
    code: StepCode
    sentence: str
    amount_cents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """One line of a call's reckoning; the lines with ``amount_cents`` add up to the balance.

    ``part`` is balance (from what it was to what it is), required (what the margin is made of), or
    call (the difference).
    """

    part: Literal["balance", "required", "call"]
    text: str
    amount_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A margin call: the balance fell below maintenance, and is to be brought back to initial margin.

    ``amount = initial − balance − calls still pending``. ``due`` is None while no such day has come.
    """

    number: int
    day: date
    due: date | None
    balance_cents: int
    initial_cents: int
    maintenance_cents: int
    pending_cents: int
    amount_cents: int
    status: CallStatus
    requirement: MarginRequirement
    lines: tuple[CallLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementDay:
    """One day of an account; cents are whole, ``lines`` are the holder's ledger lines.

    ``closing = opening + cash + deposit − paid_out`` and ``cash`` is what the day's lines come to in
    cents. A deposit or payment is the holder's own money moving between two of its pockets.
    """

    day: date
    positions: Mapping[MonthKey, int]
    lines: tuple[LedgerLine, ...]
    opening_cents: int
    cash_cents: int
    deposit_cents: int
    paid_out_cents: int
    closing_cents: int
    requirement: MarginRequirement
    alerts: tuple[Alert, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRun:
    """An account over its life: the three accounts that sum to zero, and the holder's statement.

    ``long`` is the holder, ``short`` everyone who dealt with it, ``exchange`` who takes fees and pays
    interest. ``trades`` are those booked, close-outs among them; ``fees_unknown`` names contracts whose
    fees are not known, on which none are charged. ``modelled_marks`` says that any mark is a model's.
    ``held`` is what is held at the end as margin sees it.
    """

    name: str
    trades: tuple[Trade, ...]
    days: tuple[StatementDay, ...]
    calls: tuple[Call, ...]
    long: MarginAccount
    short: MarginAccount
    exchange: MarginAccount
    modelled_marks: bool
    simulated_fills: bool
    fees_unknown: tuple[str, ...]
    finals: Mapping[MonthKey, int]
    held: tuple[HeldMonth, ...]

    @property
    def accounts(self) -> Mapping[Account, MarginAccount]:
        """The three accounts by name."""
        return MappingProxyType(dict(zip(ACCOUNTS, (self.long, self.short, self.exchange), strict=True)))

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that happened, in order."""
        return tuple(step for day in self.days for step in day.steps)

    @property
    def positions(self) -> Mapping[MonthKey, int]:
        """Lots held at the end; empty where nothing is."""
        return self.days[-1].positions if self.days else {}

    @property
    def deposits_cents(self) -> int:
        """What the holder paid in on calls."""
        return sum(day.deposit_cents for day in self.days)

    @property
    def peak_draw_cents(self) -> int:
        """The most the holder had put in, net of what was paid out to it, at the end of any day."""
        put_in = most = 0
        for day in self.days:
            put_in += day.deposit_cents - day.paid_out_cents
            most = max(most, put_in)
        return most
