"""Transfers between the three accounts and the cents they are paid in: what every ledger is made of.

Variation margin is ``(Settle_t − Settle_{t−1}) × unit × lots``, a trade of the day from its own
price, and the final settlement the last step to the final price. Every movement is a transfer
between two accounts, so they sum to zero every day by construction, in micro-dollars and in cents.

Cash moves in whole cents as ``round(total today) − round(total yesterday)``, half-even, so what has
been paid is never further than half a cent from what is owed, however small the tick (ICE: 744 h ×
$0.001 = $0.744 a lot). This holds for each stream of transfers: variation between the parties, each
party's fees, the long party's interest, and what is left of it after a close-out. Rounding the three balances instead would not sum to zero
at half cents; half-even is symmetric, so both ends of one stream always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from ..records import cents_from_micros
from .accounts import (
    ACCOUNTS,
    Account,
    AccountDay,
    Accrual,
    FeeSchedule,
    LedgerLine,
    Movement,
    Order,
)

Stream = Literal["variation", "long_fees", "short_fees", "long_interest", "long_shortfall"]
STREAMS: tuple[Stream, ...] = ("variation", "long_fees", "short_fees", "long_interest", "long_shortfall")
_FEES: frozenset[Movement] = frozenset({"trade_fee", "billed_fee", "settlement_fee"})


def mirrored(line: LedgerLine) -> list[LedgerLine]:
    """A transfer as two lines: the party's and its counterparty's, with opposite signs.

    Variation mirrors the position; a fee is the same lots, received instead of paid.
    """
    return [
        line,
        replace(
            line,
            account=line.counterparty,
            counterparty=line.account,
            lots=line.lots if line.movement in _FEES else -line.lots,
            amount_micros=-line.amount_micros,
        ),
    ]


def fee_lines(
    day: date,
    movement: Movement,
    payer: Account,
    *,
    lots: int,
    micros_per_lot: int,
    contract: str | None = None,
    month: str | None = None,
    trade_id: str | None = None,
) -> list[LedgerLine]:
    """A fee of so much a lot, paid to the exchange; no lines where it is nothing."""
    if micros_per_lot == 0 or lots == 0:
        return []
    return mirrored(
        LedgerLine(
            day=day,
            account=payer,
            counterparty="exchange",
            movement=movement,
            lots=lots,
            fee_micros_per_lot=micros_per_lot,
            amount_micros=-micros_per_lot * lots,
            contract=contract,
            month=month,
            trade_id=trade_id,
        )
    )


def amount_lines(
    day: date,
    movement: Movement,
    amount_micros: int,
    *,
    accrual: Accrual | None = None,
    contract: str | None = None,
    month: str | None = None,
    trade_id: str | None = None,
    lots: int = 0,
) -> list[LedgerLine]:
    """A transfer of a stated amount from the exchange to the long party (negative: to the exchange)."""
    if amount_micros == 0:
        return []
    return mirrored(
        LedgerLine(
            day=day,
            account="long",
            counterparty="exchange",
            movement=movement,
            lots=lots,
            amount_micros=amount_micros,
            accrual=accrual,
            contract=contract,
            month=month,
            trade_id=trade_id,
        )
    )


@dataclass(slots=True)
class OpenMonth:
    """The running position of the long party in one contract month and the price it is marked at.

    ``contract`` and ``month`` stand on the lines where they are given.
    """

    unit_gpu_hours: int
    contract: str | None = None
    month: str | None = None
    position: int = 0
    mark_micros: int | None = None

    def step(
        self,
        day: date,
        movement: Movement,
        *,
        lots: int,
        price_from: int,
        price_to: int,
        trade_id: str | None = None,
    ) -> list[LedgerLine]:
        """The variation of so many lots between two prices."""
        return mirrored(
            LedgerLine(
                day=day,
                account="long",
                counterparty="short",
                movement=movement,
                lots=lots,
                unit_gpu_hours=self.unit_gpu_hours,
                price_from_micros=price_from,
                price_to_micros=price_to,
                amount_micros=(price_to - price_from) * self.unit_gpu_hours * lots,
                contract=self.contract,
                month=self.month,
                trade_id=trade_id,
            )
        )

    def mark(self, day: date, price_micros: int, movement: Movement = "held") -> list[LedgerLine]:
        """Mark the lots held to a day's price."""
        lines: list[LedgerLine] = []
        if self.position != 0 and self.mark_micros is not None:
            lines = self.step(
                day, movement, lots=self.position, price_from=self.mark_micros, price_to=price_micros
            )
        self.mark_micros = price_micros
        return lines

    def trade(
        self, order: Order, movement: Movement = "traded", trade_id: str | None = None
    ) -> list[LedgerLine]:
        """Take an order into the position at the day's mark, which ``mark`` has set."""
        assert self.mark_micros is not None  # a day is marked before its trades
        self.position += order.lots
        return self.step(
            order.day,
            movement,
            lots=order.lots,
            price_from=order.price_micros,
            price_to=self.mark_micros,
            trade_id=trade_id,
        )

    def settle(
        self, day: date, price_micros: int, fees: Sequence[tuple[Account, FeeSchedule]], *, stepped: bool
    ) -> list[LedgerLine]:
        """Close the position at the final price; ``stepped`` says that the day's marks are there already."""
        lots = self.position
        lines = [] if stepped else self.mark(day, price_micros, "final_settlement")
        for payer, schedule in fees if lots else ():
            lines += fee_lines(
                day,
                "settlement_fee",
                payer,
                lots=abs(lots),
                micros_per_lot=schedule.settlement_micros_per_lot,
                contract=self.contract,
                month=self.month,
            )
        self.position = 0
        return lines


@dataclass(slots=True)
class CashBook:
    """Exact totals of each stream and account, and the cents paid on them so far."""

    totals: dict[Stream, int] = field(default_factory=lambda: dict.fromkeys(STREAMS, 0))
    balances: dict[Account, int] = field(default_factory=lambda: dict.fromkeys(ACCOUNTS, 0))
    cash: dict[Account, int] = field(default_factory=lambda: dict.fromkeys(ACCOUNTS, 0))

    def book(self, lines: Sequence[LedgerLine]) -> dict[Account, int]:
        """Add lines to the totals and pay the cents they come to; returns the cents paid by account."""
        moved: dict[Stream, int] = {}
        for line in lines:
            self.balances[line.account] += line.amount_micros
            stream = _stream(line)
            if stream is not None:
                moved[stream] = moved.get(stream, 0) + line.amount_micros
        cents: dict[Stream, int] = dict.fromkeys(STREAMS, 0)
        for stream, amount in moved.items():
            before = cents_from_micros(self.totals[stream])
            self.totals[stream] += amount
            cents[stream] = cents_from_micros(self.totals[stream]) - before
        with_exchange = cents["long_fees"] + cents["long_interest"] + cents["long_shortfall"]
        paid: dict[Account, int] = {
            "long": cents["variation"] + with_exchange,
            "short": cents["short_fees"] - cents["variation"],
            "exchange": -with_exchange - cents["short_fees"],
        }
        for account in ACCOUNTS:
            self.cash[account] += paid[account]
        return paid

    def account_days(
        self, day: date, lines: Sequence[LedgerLine], paid: dict[Account, int], position_lots: int
    ) -> dict[Account, AccountDay]:
        """Each account's day, once all its lines are booked; ``position_lots`` is the long party's."""
        held: dict[Account, int] = {"long": position_lots, "short": -position_lots, "exchange": 0}
        written: dict[Account, AccountDay] = {}
        for account in ACCOUNTS:
            own = tuple(line for line in lines if line.account == account)
            written[account] = AccountDay(
                day=day,
                position_lots=held[account],
                lines=own,
                amount_micros=sum(line.amount_micros for line in own),
                balance_micros=self.balances[account],
                cash_cents=paid[account],
                cash_total_cents=self.cash[account],
            )
        return written


def _stream(line: LedgerLine) -> Stream | None:
    """The stream a line pays into, taken from its paying side; None for the mirror line."""
    if line.account == "exchange":
        return None
    if line.movement in _FEES:
        return "long_fees" if line.account == "long" else "short_fees"
    if line.account != "long":
        return None
    if line.movement == "shortfall":
        return "long_shortfall"  # whole cents, which a stream holding fractions could round away
    return "long_interest" if line.movement == "interest" else "variation"
