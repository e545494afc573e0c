"""Trades of an account: what was dealt, at what price and fee, and whether it may stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ...records import Refusal, RentmarkError
from ..accounts import Order
from ..listing import listing_refusal, price_refusal
from ..spec import ContractSpec

MonthKey = tuple[str, str]
"""A contract's id and its month, such as ``("cme-gpu1", "2026-08")``."""

ROLL = "roll"
"""The strategy of trades that carry a position from one month into another."""
CLOSE_OUT = "close-out"
"""The strategy of trades that an unmet call forced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """One trade of the account's holder: positive lots bought, negative sold.

    ``price_micros`` is per GPU-hour. ``fees_micros`` are the fees as billed, for the whole trade; None
    takes the schedule. ``simulated`` says that no broker reported it: it was filled at a stated mark,
    as ``note`` says.
    """

    trade_id: str
    contract: str
    month: str
    day: date
    lots: int
    price_micros: int
    fees_micros: int | None = None
    strategy: str | None = None
    simulated: bool = False
    note: str | None = None

    @property
    def key(self) -> MonthKey:
        """Contract and month."""
        return self.contract, self.month

    @property
    def order(self) -> Order:
        """The trade as the ledger takes it."""
        return Order(day=self.day, lots=self.lots, price_micros=self.price_micros)


def trade_refusal(
    spec: ContractSpec, month: str, day: date, lots: int, price_micros: int | None
) -> Refusal | None:
    """Why a trade can't stand, in one sentence; None where it can.

    Lots must be whole and not zero, the month listed on the day, the price above zero and on a tick.
    A price of None is not looked at. Raises UsageError for what is no month of the contract.
    """
    if isinstance(lots, bool) or not isinstance(lots, int):
        return Refusal("lots_not_whole", f"lots is {lots!r}; lots of {spec.id} are whole numbers.")
    if lots == 0:
        return Refusal("no_lots", "lots is 0; leave the trade out.")
    refused = listing_refusal(spec, month, day)
    if refused is None and price_micros is not None:
        refused = price_refusal(spec, price_micros)
    return refused


def ended_refusal(spec: ContractSpec, benchmark: str, ended_on: date | None, day: date) -> Refusal | None:
    """Why nothing can be dealt or modelled on a day after an index ceased; None before that."""
    if ended_on is None or day <= ended_on:
        return None
    return Refusal(
        "index_ceased",
        f"{benchmark} ceased on {ended_on}: {spec.id} has no index to fix on by {day}; "
        "import the exchange's settlements, or end the position by determination.",
    )


def check_trade(spec: ContractSpec, trade: Trade) -> None:
    """Raise RentmarkError, in one sentence naming the trade, where it can't stand."""
    refused = trade_refusal(spec, trade.month, trade.day, trade.lots, trade.price_micros)
    if refused is not None:
        raise RentmarkError(f"trade {trade.trade_id} of {trade.day}: {refused.sentence}")
