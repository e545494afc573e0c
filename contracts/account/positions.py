"""The positions of an account: marked each day, traded into, settled, or closed by force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from ...records import Refusal
from ..accounts import NO_FEES, Account, FeeSchedule, LedgerLine, Movement
from ..calendars import unit_gpu_hours
from ..ledger import FinalSettlement
from ..spec import ContractSpec
from ..transfers import OpenMonth, amount_lines, fee_lines
from .fills import fees_of, fill_price
from .index_view import IndexView
from .margin import HeldMonth
from .marks import MarkBook, mark_of
from .rules import AccountRules
from .trades import CLOSE_OUT, ROLL, MonthKey, Trade

_MOVEMENTS: Mapping[str | None, Movement] = {ROLL: "rolled", CLOSE_OUT: "closed_out"}


class Positions:
    """Every contract month an account has traded, and the ledger lines its days come to."""

    def __init__(
        self,
        specs: Mapping[str, ContractSpec],
        rules: AccountRules,
        marks: MarkBook,
        views: Mapping[str, IndexView],
        finals: Mapping[MonthKey, FinalSettlement],
    ) -> None:
        self._specs, self._rules, self._marks = specs, rules, marks
        self._views, self._finals = views, finals
        self._months: dict[MonthKey, OpenMonth] = {}
        self.booked: list[Trade] = []
        self.fees_unknown: set[str] = set()
        self.settled: dict[MonthKey, int] = {}
        self.modelled_marks = False

    @property
    def lots(self) -> dict[MonthKey, int]:
        """Lots held by contract and month, those of none left out."""
        return {key: each.position for key, each in sorted(self._months.items()) if each.position}

    def run_day(self, day: date, trades: Sequence[Trade]) -> list[LedgerLine]:
        """Mark, trade and settle one day. Raises RentmarkError where a trade's month has no mark that day."""
        for trade in trades:
            if trade.key not in self._months:
                contract, month = trade.key
                unit = unit_gpu_hours(self._specs[contract], month)
                self._months[trade.key] = OpenMonth(unit_gpu_hours=unit, contract=contract, month=month)
        lines: list[LedgerLine] = []
        for key, open_month in sorted(self._months.items()):
            lines += self._run_month(day, key, open_month, [trade for trade in trades if trade.key == key])
        return lines

    def _run_month(
        self, day: date, key: MonthKey, open_month: OpenMonth, today: Sequence[Trade]
    ) -> list[LedgerLine]:
        final = self._finals.get(key)
        if final is not None and day > final.day:
            return []
        closing = final if final is not None and final.day == day else None
        mark = self._marks.get(key, {}).get(day)
        if mark is None and closing is None:
            if not today:
                return []  # held at the last mark, which the warnings call stale in time
            mark = mark_of(self._marks, key, day, f"a trade ({today[0].trade_id})")
        # Without a mark of its own, the last day steps straight to the final price.
        price = closing.price_micros if mark is None and closing is not None else None
        if mark is not None:
            price = mark.settle_micros
            self.modelled_marks |= mark.modelled
        assert price is not None  # there is a mark or a final price
        lines = open_month.mark(day, price, "final_settlement" if mark is None else "held")
        for trade in today:
            lines += self._trade(open_month, trade)
        if closing is not None:
            fees: tuple[tuple[Account, FeeSchedule], ...] = (("long", self._fees(key[0])),)
            lines += open_month.settle(day, closing.price_micros, fees, stepped=mark is None)
            self.settled[key] = closing.price_micros
        return lines

    def _trade(self, open_month: OpenMonth, trade: Trade) -> list[LedgerLine]:
        self.booked.append(trade)
        lots = abs(trade.lots)
        lines = open_month.trade(trade.order, _MOVEMENTS.get(trade.strategy, "traded"), trade.trade_id)
        if trade.fees_micros is not None:
            return lines + amount_lines(
                trade.day,
                "billed_fee",
                -trade.fees_micros,
                contract=trade.contract,
                month=trade.month,
                trade_id=trade.trade_id,
                lots=lots,
            )
        return lines + fee_lines(
            trade.day,
            "trade_fee",
            "long",
            lots=lots,
            micros_per_lot=self._fees(trade.contract).trade_micros_per_lot,
            contract=trade.contract,
            month=trade.month,
            trade_id=trade.trade_id,
        )

    def _fees(self, contract: str) -> FeeSchedule:
        fees = fees_of(self._specs[contract], self._rules)
        if isinstance(fees, Refusal):
            self.fees_unknown.add(contract)
            return NO_FEES
        return fees

    def close_share(self, day: date) -> tuple[list[LedgerLine], list[str]]:
        """Close the rule's share of every month that has a mark today; the lines, and each step in words."""
        rule = self._rules.close_out
        lines: list[LedgerLine] = []
        told: list[str] = []
        for (contract, month), open_month in sorted(self._months.items()):
            held = open_month.position
            if held == 0:
                continue
            mark = self._marks.get((contract, month), {}).get(day)
            if mark is None:
                told.append(
                    f"close-out: {contract} {month} has no mark on {day}; its {held} lots wait for one"
                )
                continue
            size = -(-abs(held) * rule.share_percent // 100)
            lots = -size if held > 0 else size
            price, note = fill_price(self._specs[contract], mark, lots, rule.slippage_ticks, at_market=False)
            lines += self._trade(
                open_month,
                Trade(
                    trade_id=f"close-out-{day}-{contract}-{month}",
                    contract=contract,
                    month=month,
                    day=day,
                    lots=lots,
                    price_micros=price,
                    strategy=CLOSE_OUT,
                    simulated=True,
                    note=f"simulated close-out {note}",
                ),
            )
            verb = "sold" if lots < 0 else "bought"
            told.append(
                f"close-out: {verb} {size} of {abs(held)} lots of {contract} {month} {note}; "
                f"{open_month.position} lots are left"
            )
        return lines, told

    def held(self, day: date) -> list[HeldMonth]:
        """The positions as margin sees them: at their last mark, with the share that has not fixed yet."""
        held: list[HeldMonth] = []
        for (contract, month), open_month in sorted(self._months.items()):
            if open_month.position == 0:
                continue
            assert open_month.mark_micros is not None  # a position was traded at a mark
            leg = HeldMonth(
                spec=self._specs[contract],
                month=month,
                lots=open_month.position,
                unit_gpu_hours=open_month.unit_gpu_hours,
                mark_micros=open_month.mark_micros,
            )
            view = self._views.get(contract)
            if view is not None:
                leg = replace(leg, remaining_share=view.share(month, day).remaining_share)
            held.append(leg)
        return held
