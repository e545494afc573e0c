"""The daily ledger of a position in one contract month: exact in micro-dollars, paid in cents.

Variation margin is ``(Settle_t − Settle_{t−1}) × unit × lots``, a trade of the day from its own
price, and the final settlement the last step to the final price. Every movement is a transfer
between two accounts, so they sum to zero every day by construction, in micro-dollars and in cents.

Cash moves in whole cents as ``round(total today) − round(total yesterday)``, half-even, so what has
been paid is never further than half a cent from what is owed, however small the tick (ICE: 744 h ×
$0.001 = $0.744 a lot). This holds for each stream of transfers: variation between the parties, and
each party's fees. Rounding the three balances instead would not sum to zero at half cents; half-even
is symmetric, so both ends of one stream always agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from ..records import RentmarkError, UsageError, cents_from_micros
from .accounts import (
    ACCOUNTS,
    NO_FEES,
    Account,
    AccountDay,
    FeeSchedule,
    Ledger,
    LedgerLine,
    MarginAccount,
    Movement,
    Order,
    check_order,
)
from .calendars import last_trade_date, unit_gpu_hours
from .spec import ContractSpec

_Stream = Literal["variation", "long_fees", "short_fees"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalSettlement:
    """The price a contract month is finally settled at, and the day that cash moves."""

    day: date
    price_micros: int


@dataclass(slots=True)
class _Running:
    """The state carried from day to day while a ledger is written."""

    unit: int
    position: int = 0
    mark: int | None = None
    totals: dict[_Stream, int] = field(
        default_factory=lambda: {"variation": 0, "long_fees": 0, "short_fees": 0}
    )
    balances: dict[Account, int] = field(default_factory=lambda: dict.fromkeys(ACCOUNTS, 0))
    cash: dict[Account, int] = field(default_factory=lambda: dict.fromkeys(ACCOUNTS, 0))


def daily_ledger(
    spec: ContractSpec,
    month: str,
    orders: Sequence[Order],
    settles: Mapping[date, int],
    *,
    modelled_marks: bool,
    final: FinalSettlement | None = None,
    long_fees: FeeSchedule = NO_FEES,
    short_fees: FeeSchedule = NO_FEES,
) -> Ledger:
    """Write the ledger of the long party's orders in one contract month against its counterparty.

    ``settles`` maps days to the daily settlement price in micro-dollars per GPU-hour; every day with
    an order needs one, and days before the first order are left out. ``modelled_marks`` says whether
    these prices are a model's rather than an exchange's. ``final`` closes the position; a trade on
    its day is marked at the final price where that day has no daily settlement.

    Raises UsageError for an order of no or broken lots, after the last trade or after the final
    settlement, and RentmarkError naming the day where a settlement price is missing.
    """
    for order in orders:
        check_order(order)
    by_day = _orders_by_day(spec, month, orders, final)
    running = _Running(unit=unit_gpu_hours(spec, month))
    written: dict[Account, list[AccountDay]] = {account: [] for account in ACCOUNTS}
    for day in _ledger_days(by_day, settles, final):
        today = by_day.get(day, ())
        closing = final if final is not None and day == final.day else None
        mark = settles.get(day, None if closing is None else closing.price_micros)
        if mark is None:
            raise RentmarkError(
                f"{spec.id} {month} has an order on {day} but no settlement price that day; add one for {day}."
            )
        # Without a daily settlement of its own, the last day steps straight to the final price.
        straight = closing is not None and day not in settles
        lines = _variation(running, day, today, mark, "final_settlement" if straight else "held")
        lines += _trade_fees(day, today, long_fees, short_fees)
        if closing is not None:
            lines += _final(running, closing, long_fees, short_fees, stepped=straight)
        for account, account_day in _close_day(running, day, lines).items():
            written[account].append(account_day)
    long, short, exchange = (MarginAccount(name=a, days=tuple(written[a])) for a in ACCOUNTS)
    return Ledger(
        contract=spec.id,
        month=month,
        unit_gpu_hours=running.unit,
        modelled_marks=modelled_marks,
        long=long,
        short=short,
        exchange=exchange,
    )


def _orders_by_day(
    spec: ContractSpec, month: str, orders: Sequence[Order], final: FinalSettlement | None
) -> dict[date, tuple[Order, ...]]:
    last = last_trade_date(spec, month)
    by_day: dict[date, tuple[Order, ...]] = {}
    for order in orders:
        if order.day > last:
            raise UsageError(
                f"the order of {order.day} is after the last trade of {spec.id} {month}, {last}."
            )
        if final is not None and order.day > final.day:
            raise UsageError(f"the order of {order.day} is after the final settlement of {final.day}.")
        by_day[order.day] = (*by_day.get(order.day, ()), order)
    return by_day


def _ledger_days(
    by_day: Mapping[date, Sequence[Order]], settles: Mapping[date, int], final: FinalSettlement | None
) -> list[date]:
    if not by_day:
        return []
    first = min(by_day)
    days = {day for day in (*by_day, *settles) if day >= first}
    if final is not None:
        late = max(days)
        if late > final.day:
            raise UsageError(
                f"the settlement price of {late} is after the final settlement of {final.day}; leave it out."
            )
        days.add(final.day)
    return sorted(days)


def _both(line: LedgerLine) -> list[LedgerLine]:
    """A transfer as two lines: the party's and its counterparty's, with opposite signs.

    Variation mirrors the position; a fee is the same lots, received instead of paid.
    """
    lots = line.lots if line.fee_micros_per_lot is not None else -line.lots
    mirror = replace(
        line,
        account=line.counterparty,
        counterparty=line.account,
        lots=lots,
        amount_micros=-line.amount_micros,
    )
    return [line, mirror]


def _price_move(
    day: date, movement: Movement, *, lots: int, unit: int, price_from: int, price_to: int
) -> list[LedgerLine]:
    return _both(
        LedgerLine(
            day=day,
            account="long",
            counterparty="short",
            movement=movement,
            lots=lots,
            unit_gpu_hours=unit,
            price_from_micros=price_from,
            price_to_micros=price_to,
            amount_micros=(price_to - price_from) * unit * lots,
        )
    )


def _fee(
    day: date, movement: Movement, payer: Account, *, lots: int, micros_per_lot: int
) -> list[LedgerLine]:
    if micros_per_lot == 0 or lots == 0:
        return []
    return _both(
        LedgerLine(
            day=day,
            account=payer,
            counterparty="exchange",
            movement=movement,
            lots=lots,
            fee_micros_per_lot=micros_per_lot,
            amount_micros=-micros_per_lot * lots,
        )
    )


def _variation(
    running: _Running, day: date, orders: Sequence[Order], mark: int, movement: Movement
) -> list[LedgerLine]:
    lines: list[LedgerLine] = []
    if running.position != 0 and running.mark is not None:
        lines += _price_move(
            day, movement, lots=running.position, unit=running.unit, price_from=running.mark, price_to=mark
        )
    for order in orders:
        lines += _price_move(
            day, "traded", lots=order.lots, unit=running.unit, price_from=order.price_micros, price_to=mark
        )
    running.position += sum(order.lots for order in orders)
    running.mark = mark
    return lines


def _trade_fees(
    day: date, orders: Sequence[Order], long_fees: FeeSchedule, short_fees: FeeSchedule
) -> list[LedgerLine]:
    lines: list[LedgerLine] = []
    for order in orders:
        lots = abs(order.lots)
        lines += _fee(day, "trade_fee", "long", lots=lots, micros_per_lot=long_fees.trade_micros_per_lot)
        lines += _fee(day, "trade_fee", "short", lots=lots, micros_per_lot=short_fees.trade_micros_per_lot)
    return lines


def _final(
    running: _Running,
    final: FinalSettlement,
    long_fees: FeeSchedule,
    short_fees: FeeSchedule,
    *,
    stepped: bool,
) -> list[LedgerLine]:
    """Close the position at the final price; ``stepped`` says that the day's marks are there already."""
    assert running.mark is not None  # the day has just been marked
    lots = running.position
    if lots == 0:
        return []
    lines: list[LedgerLine] = []
    if not stepped:
        lines += _price_move(
            final.day,
            "final_settlement",
            lots=lots,
            unit=running.unit,
            price_from=running.mark,
            price_to=final.price_micros,
        )
    payers: tuple[tuple[Account, FeeSchedule], ...] = (("long", long_fees), ("short", short_fees))
    for payer, fees in payers:
        lines += _fee(
            final.day,
            "settlement_fee",
            payer,
            lots=abs(lots),
            micros_per_lot=fees.settlement_micros_per_lot,
        )
    running.position = 0
    return lines


def _close_day(running: _Running, day: date, lines: Sequence[LedgerLine]) -> dict[Account, AccountDay]:
    """Add the day's lines to the totals, pay the cents they come to, and write each account's day."""
    cents: dict[_Stream, int] = {}
    for stream in running.totals:
        before = cents_from_micros(running.totals[stream])
        running.totals[stream] += sum(line.amount_micros for line in lines if _stream(line) == stream)
        cents[stream] = cents_from_micros(running.totals[stream]) - before
    paid: dict[Account, int] = {
        "long": cents["variation"] + cents["long_fees"],
        "short": cents["short_fees"] - cents["variation"],
        "exchange": -cents["long_fees"] - cents["short_fees"],
    }
    held: dict[Account, int] = {"long": running.position, "short": -running.position, "exchange": 0}
    written: dict[Account, AccountDay] = {}
    for account in ACCOUNTS:
        own = tuple(line for line in lines if line.account == account)
        amount = sum(line.amount_micros for line in own)
        running.balances[account] += amount
        running.cash[account] += paid[account]
        written[account] = AccountDay(
            day=day,
            position_lots=held[account],
            lines=own,
            amount_micros=amount,
            balance_micros=running.balances[account],
            cash_cents=paid[account],
            cash_total_cents=running.cash[account],
        )
    return written


def _stream(line: LedgerLine) -> _Stream | None:
    """The stream a line pays into, taken from its paying side; None for the mirror line."""
    if line.account == "exchange":
        return None
    if line.fee_micros_per_lot is not None:
        return "long_fees" if line.account == "long" else "short_fees"
    return "variation" if line.account == "long" else None
