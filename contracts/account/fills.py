"""Orders filled at stated marks: the ask for a buyer, the bid for a seller, else the mark and slippage.

No fill here was dealt with anyone: every one is *simulated* and says at what it was filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ...records import Refusal, RentmarkError, UsageError, format_micros
from ..accounts import FeeSchedule, fee_schedule
from ..listing import price_limits
from ..spec import ContractSpec
from .index_view import IndexView
from .marks import DayMark, MarkBook, mark_of
from .rules import AccountRules
from .trades import MonthKey, Trade, trade_refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOrder:
    """An order to be filled at the mark of its day: positive lots buy, negative sell."""

    order_id: str
    contract: str
    month: str
    day: date
    lots: int
    strategy: str | None = None

    @property
    def key(self) -> MonthKey:
        """Contract and month."""
        return self.contract, self.month


def fill_price(
    spec: ContractSpec, mark: DayMark, lots: int, slippage_ticks: int, *, at_market: bool = True
) -> tuple[int, str]:
    """What lots are filled at beside a mark, and in words how that came about.

    ``at_market`` takes the ask or bid where the mark has one; without it only slippage is used. A mark
    between two ticks is first moved to the tick on the far side, so that a fill never flatters. Never
    below one tick.
    """
    buys = lots > 0
    quoted = (mark.ask_micros if buys else mark.bid_micros) if at_market else None
    if quoted is not None:
        return quoted, f"at the {'ask' if buys else 'bid'}"
    tick = spec.tick_micros
    steps = -(-mark.settle_micros // tick) if buys else mark.settle_micros // tick
    price = max(tick, (steps + (slippage_ticks if buys else -slippage_ticks)) * tick)
    kind = "modelled mark" if mark.modelled else "mark"
    ticks = f"{slippage_ticks} tick{'' if slippage_ticks == 1 else 's'}"
    return (
        price,
        f"at the {kind} {format_micros(mark.settle_micros)} {'plus' if buys else 'less'} {ticks} of slippage",
    )


def fill_order(
    spec: ContractSpec,
    order: AccountOrder,
    marks: MarkBook,
    rules: AccountRules,
    view: IndexView | None = None,
) -> Trade:
    """Fill one order at the mark of its day.

    Raises RentmarkError, in one sentence naming the order, for lots that are not whole, a month not
    listed that day, a day without a mark, a price outside the day's limits, or an index that ceased.
    """
    where = f"order {order.order_id} of {order.day}"
    refused = trade_refusal(spec, order.month, order.day, order.lots, None)
    if refused is None and view is not None:
        refused = view.ended_by(order.day)
    if refused is not None:
        raise RentmarkError(f"{where}: {refused.sentence}")
    mark = mark_of(marks, order.key, order.day, f"an order ({order.order_id})")
    price, note = fill_price(spec, mark, order.lots, rules.fills.slippage_ticks)
    outside = _outside_limits(spec, order, marks, price)
    if outside is not None:
        raise RentmarkError(f"{where}: {outside.sentence}")
    return Trade(
        trade_id=order.order_id,
        contract=order.contract,
        month=order.month,
        day=order.day,
        lots=order.lots,
        price_micros=price,
        strategy=order.strategy,
        simulated=True,
        note=f"simulated fill {note}",
    )


def _outside_limits(spec: ContractSpec, order: AccountOrder, marks: MarkBook, price: int) -> Refusal | None:
    earlier = [day for day in marks.get(order.key, {}) if day < order.day]
    if not earlier:
        return None
    before = max(earlier)
    bounds = price_limits(spec, marks[order.key][before].settle_micros)
    if bounds is None or bounds[0] <= price <= bounds[1]:
        return None
    low, high = (format_micros(bound) for bound in bounds)
    return Refusal(
        "outside_price_limit",
        f"the fill at {format_micros(price)} is outside the daily limits of {spec.id}, {low} to {high} "
        f"after the settlement of {before}.",
    )


def fill_orders(
    specs: Mapping[str, ContractSpec],
    orders: Sequence[AccountOrder],
    marks: MarkBook,
    rules: AccountRules,
    views: Mapping[str, IndexView],
) -> tuple[Trade, ...]:
    """Fill orders in the order of their days; raises as ``fill_order``, and UsageError for a doubled id."""
    seen: set[str] = set()
    filled: list[Trade] = []
    for order in sorted(orders, key=lambda each: each.day):
        if order.order_id in seen:
            raise UsageError(f"order {order.order_id} is given twice; give each its own id.")
        seen.add(order.order_id)
        filled.append(fill_order(specs[order.contract], order, marks, rules, views.get(order.contract)))
    return tuple(filled)


def fees_of(spec: ContractSpec, rules: AccountRules) -> FeeSchedule | Refusal:
    """The account's own fees for a contract, else the contract's for its membership, else a refusal."""
    own = rules.fees.get(spec.id)
    return fee_schedule(spec, rules.membership) if own is None else own.schedule
