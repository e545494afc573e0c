"""The lines and accounts of the daily ledger: long, short and exchange.

``long`` is the party whose signed lots the orders count and ``short`` its counterparty in every
one of them, so their positions are opposite at all times; should the net fall below zero, the names
stay with the parties. ``exchange`` collects the fees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from ..records import MICROS_PER_CENT, MICROS_PER_USD, Refusal, UsageError, format_micros, round_fraction
from .spec import ContractSpec

Account = Literal["long", "short", "exchange"]
ACCOUNTS: tuple[Account, ...] = ("long", "short", "exchange")
Movement = Literal[
    "held",
    "traded",
    "rolled",
    "closed_out",
    "trade_fee",
    "billed_fee",
    "final_settlement",
    "settlement_fee",
    "interest",
    "shortfall",
]
Membership = Literal["member", "non_member"]

_WHAT: dict[Movement, str] = {
    "held": "variation on lots held",
    "traded": "variation on lots traded today",
    "rolled": "variation on lots rolled today",
    "closed_out": "variation on lots closed out today",
    "trade_fee": "trade fee",
    "billed_fee": "fees as billed",
    "final_settlement": "final settlement",
    "settlement_fee": "cash settlement fee",
    "interest": "interest",
    "shortfall": "shortfall after close-out, carried by",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A trade of the long party: positive lots bought, negative sold, at micro-USD per GPU-hour."""

    day: date
    lots: int
    price_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeSchedule:
    """What one party pays the exchange, in micro-dollars per lot."""

    trade_micros_per_lot: int = 0
    settlement_micros_per_lot: int = 0


NO_FEES = FeeSchedule()


def fee_schedule(spec: ContractSpec, membership: Membership) -> FeeSchedule | Refusal:
    """The fees a member or non-member pays under a contract, or a refusal where they are unknown."""
    fees = spec.fees
    if fees is not None:
        trade, settlement = (
            (fees.trade_member_micros, fees.cash_settlement_member_micros)
            if membership == "member"
            else (fees.trade_non_member_micros, fees.cash_settlement_non_member_micros)
        )
        if trade is not None and settlement is not None:
            return FeeSchedule(trade_micros_per_lot=trade, settlement_micros_per_lot=settlement)
    return Refusal("fees_unknown", f"The fees of {spec.id} for a {membership} are unknown; state your own.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accrual:
    """What interest was reckoned on: a balance in whole cents, a yearly rate, and days over a year."""

    balance_cents: int
    rate_percent: Decimal
    days: int
    year_days: int

    @property
    def interest_micros(self) -> int:
        """``balance × rate × days/year`` in micro-dollars, rounded half-even once."""
        share = Fraction(self.rate_percent) / 100 * Fraction(self.days, self.year_days)
        return round_fraction(self.balance_cents * MICROS_PER_CENT * share)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One movement on one account, with everything it was computed from.

    For variation and final settlement ``amount_micros = (price_to − price_from) × unit × lots``, the
    prices in micro-dollars per GPU-hour. For a fee ``amount_micros = −fee × lots`` on the payer, with
    ``fee_micros_per_lot`` given and the prices None; fees as billed state only their amount. Interest
    carries its ``accrual``. ``counterparty`` carries the opposite amount. ``contract`` and ``month``
    are given where a ledger holds several; ``trade_id`` where one trade made the line.
    """

    day: date
    account: Account
    counterparty: Account
    movement: Movement
    lots: int
    amount_micros: int
    unit_gpu_hours: int | None = None
    price_from_micros: int | None = None
    price_to_micros: int | None = None
    fee_micros_per_lot: int | None = None
    accrual: Accrual | None = None
    contract: str | None = None
    month: str | None = None
    trade_id: str | None = None

    @property
    def explanation(self) -> str:
        """The line as a sum a reader can redo."""
        subject = f" {self.contract} {self.month}" if self.contract else ""
        named = f" of trade {self.trade_id}" if self.trade_id else ""
        head = f"{self.day} {self.account}{subject}: {_WHAT[self.movement]}{named}, "
        amount = format_micros(self.amount_micros)
        if self.movement == "shortfall":
            return f"{head.removesuffix(', ')} {self.counterparty} = {amount}"
        if self.accrual is not None:
            base = format_micros(self.accrual.balance_cents * MICROS_PER_CENT)
            rate, days, year = self.accrual.rate_percent, self.accrual.days, self.accrual.year_days
            return f"{head}{base} × {rate} % × {days}/{year} = {amount}"
        if self.movement == "billed_fee":
            way = "received from" if self.amount_micros > 0 else "paid to"
            return f"{head}{way} {self.counterparty} = {amount}"
        if self.fee_micros_per_lot is not None:
            way = "received from" if self.amount_micros > 0 else "paid to"
            return f"{head}{self.lots} lots × {format_micros(self.fee_micros_per_lot)} {way} {self.counterparty} = {amount}"
        assert self.price_from_micros is not None  # variation lines are built with both prices
        assert self.price_to_micros is not None
        return (
            f"{head}{self.lots} lots × {self.unit_gpu_hours} GPU-hours × "
            f"({format_micros(self.price_to_micros)} − {format_micros(self.price_from_micros)}) = {amount}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountDay:
    """One account at the end of one day.

    ``position_lots`` is signed. ``amount_micros`` is the exact movement of the day and
    ``balance_micros`` the exact total since the start; ``cash_cents`` and ``cash_total_cents`` are
    the same in whole cents as they are paid.
    """

    day: date
    position_lots: int
    lines: tuple[LedgerLine, ...]
    amount_micros: int
    balance_micros: int
    cash_cents: int
    cash_total_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginAccount:
    """One account over the life of a position, day by day; money received is positive."""

    name: Account
    days: tuple[AccountDay, ...]

    @property
    def lines(self) -> tuple[LedgerLine, ...]:
        """Every line of the account in the order it was booked."""
        return tuple(line for day in self.days for line in day.lines)

    @property
    def balance_micros(self) -> int:
        """The exact total in micro-dollars."""
        return self.days[-1].balance_micros if self.days else 0

    @property
    def cash_total_cents(self) -> int:
        """The total paid in cents."""
        return self.days[-1].cash_total_cents if self.days else 0

    @property
    def peak_draw_cents(self) -> int:
        """The most cash the account had paid out, net, at the end of any day; 0 if it never did."""
        return max(0, *(-day.cash_total_cents for day in self.days)) if self.days else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The three accounts of one position in one contract month.

    ``modelled_marks`` says that the daily settlement prices are not an exchange's: whatever prints
    the ledger says so.
    """

    contract: str
    month: str
    unit_gpu_hours: int
    modelled_marks: bool
    long: MarginAccount
    short: MarginAccount
    exchange: MarginAccount

    @property
    def accounts(self) -> Mapping[Account, MarginAccount]:
        """The accounts by name."""
        return MappingProxyType({"long": self.long, "short": self.short, "exchange": self.exchange})


def check_order(order: Order) -> None:
    """Raise UsageError, in one sentence, unless an order has whole lots and a whole price."""
    for name, value in (("lots", order.lots), ("price_micros", order.price_micros)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"the order of {order.day} has {name} = {value!r}; it must be a whole number.")
    if order.lots == 0:
        raise UsageError(f"the order of {order.day} is for 0 lots; leave it out.")
    if order.price_micros <= 0:
        price = order.price_micros / MICROS_PER_USD
        raise UsageError(f"the order of {order.day} has a price of {price:.6f}; a price must be above zero.")
