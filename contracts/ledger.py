"""The daily ledger of a position in one contract month: exact in micro-dollars, paid in cents.

How a movement becomes two lines and how cents are paid stands in :mod:`.transfers`; an account over
several contracts, with margin and calls, is :mod:`rentmark.contracts.account`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ..records import RentmarkError, UsageError
from .accounts import (
    ACCOUNTS,
    NO_FEES,
    Account,
    AccountDay,
    FeeSchedule,
    Ledger,
    LedgerLine,
    MarginAccount,
    Order,
    check_order,
)
from .calendars import last_trade_date, unit_gpu_hours
from .spec import ContractSpec
from .transfers import CashBook, OpenMonth, fee_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalSettlement:
    """The price a contract month is finally settled at, and the day that cash moves."""

    day: date
    price_micros: int


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
    open_month = OpenMonth(unit_gpu_hours=unit_gpu_hours(spec, month))
    book = CashBook()
    written: dict[Account, list[AccountDay]] = {account: [] for account in ACCOUNTS}
    payers: tuple[tuple[Account, FeeSchedule], ...] = (("long", long_fees), ("short", short_fees))
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
        lines = open_month.mark(day, mark, "final_settlement" if straight else "held")
        for order in today:
            lines += open_month.trade(order)
        lines += _trade_fees(day, today, payers)
        if closing is not None:
            lines += open_month.settle(day, closing.price_micros, payers, stepped=straight)
        paid = book.book(lines)
        for account, account_day in book.account_days(day, lines, paid, open_month.position).items():
            written[account].append(account_day)
    long, short, exchange = (MarginAccount(name=a, days=tuple(written[a])) for a in ACCOUNTS)
    return Ledger(
        contract=spec.id,
        month=month,
        unit_gpu_hours=open_month.unit_gpu_hours,
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


def _trade_fees(
    day: date, orders: Sequence[Order], payers: Sequence[tuple[Account, FeeSchedule]]
) -> list[LedgerLine]:
    lines: list[LedgerLine] = []
    for order in orders:
        for payer, fees in payers:
            lines += fee_lines(
                day, "trade_fee", payer, lots=abs(order.lots), micros_per_lot=fees.trade_micros_per_lot
            )
    return lines
