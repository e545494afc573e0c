"""Stack and roll: a position held in one near month after another, and what the rolls bring.

With GPU-hours H_j held in month j from entry e_j to exit x_j, the ledger's total is Σ H_j (x_j − e_j).
With x_0 = e_1 it splits exactly into

    price move  Σ_j  H_j (x_j − x_{j−1})         the near month's own move, from roll to roll
    roll yield  Σ_j≥2 H_j (x_{j−1} − e_j)        near sold less far bought, on each roll day

both at settlement marks; what fills cost beside the marks is slippage, and fees are fees. A long
position earns roll yield where the near month stands above the far one. A roll day without a mark of
both months is refused, with the day named: nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from ...records import Refusal, UsageError, format_micros, round_fraction
from ..account.fills import fees_of, fill_price
from ..account.marks import DayMark, MarkBook, mark_of
from ..account.rules import AccountRules
from ..account.trades import ROLL, Trade, trade_refusal
from ..calendars import business_days_before, last_trade_date, unit_gpu_hours
from ..listing import contract_months
from ..spec import ContractSpec

Keep = Literal["lots", "gpu_hours"]
LONGEST_STACK = 120
"""Contract months a stack may run through: ten years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollStep:
    """One roll: the near month left and the far one entered on the same day, at its marks.

    ``roll_yield_micros`` is far GPU-hours × (near mark − far mark).
    """

    day: date
    near: str
    far: str
    near_lots: int
    far_lots: int
    near_mark_micros: int
    far_mark_micros: int
    roll_yield_micros: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackAndRoll:
    """A stacked position from entry to exit: its trades, and its total in exact parts (micro-dollars).

    ``total = price move + roll yield + slippage + fees``; slippage and fees are costs, so negative or 0.
    ``fees_micros`` is None, and no part of the total, where the contract's fees are unknown.
    """

    contract: str
    trades: tuple[Trade, ...]
    rolls: tuple[RollStep, ...]
    price_move_micros: int
    roll_yield_micros: int
    slippage_micros: int
    fees_micros: int | None
    modelled_marks: bool

    @property
    def total_micros(self) -> int:
        """What the position made, as the ledger books it."""
        return (
            self.price_move_micros + self.roll_yield_micros + self.slippage_micros + (self.fees_micros or 0)
        )


@dataclass(frozen=True, slots=True)
class _Held:
    """One month of the stack: when it is entered and left, and the marks of those days."""

    month: str
    lots: int
    unit: int
    entry_day: date
    exit_day: date
    entry: DayMark
    exit: DayMark

    @property
    def gpu_hours(self) -> int:
        return self.lots * self.unit


def roll_days(
    spec: ContractSpec, first_month: str, until: date, business_days: int
) -> list[tuple[str, date]]:
    """Each month of the stack with the day it is left by a roll, up to the last one still held at ``until``."""
    found: list[tuple[str, date]] = []
    for month in _months_from(spec, first_month):
        day = business_days_before(spec, last_trade_date(spec, month), business_days)
        found.append((month, day))
        if day >= until:
            return found
    raise UsageError(
        f"{until} is more than {LONGEST_STACK} months after {first_month}; end the stack earlier."
    )


def _months_from(spec: ContractSpec, first: str) -> Sequence[str]:
    """Months of the listing cycle from ``first`` on, further than are listed at one time."""
    unlimited = spec.model_copy(update={"listing_months": None})
    return contract_months(unlimited, first, LONGEST_STACK)


def stack_and_roll(
    spec: ContractSpec,
    *,
    first_month: str,
    lots: int,
    start: date,
    end: date,
    marks: MarkBook,
    rules: AccountRules,
    roll_business_days: int | None = None,
    keep: Keep = "lots",
) -> StackAndRoll:
    """Hold ``lots`` in the near month from ``start`` to ``end``, rolling before each last trade.

    A roll falls ``roll_business_days`` before the last trade (by default the contract's own). ``keep``
    holds the lots, or the GPU-hours of the first month, in every month. Raises UsageError for days out
    of order, a first month already due to roll at the start, or no lots, and RentmarkError naming the
    day where a mark is missing.
    """
    if isinstance(lots, bool) or not isinstance(lots, int) or lots == 0:
        raise UsageError(f"a stack of {lots!r} lots is none; lots are whole numbers other than 0.")
    if start >= end:
        raise UsageError(f"a stack from {start} to {end} holds nothing; give a later end.")
    ahead = spec.roll_business_days if roll_business_days is None else roll_business_days
    schedule = roll_days(spec, first_month, end, ahead)
    if schedule[0][1] <= start:
        raise UsageError(
            f"{spec.id} {first_month} rolls on {schedule[0][1]}, not after the start on {start}; "
            "begin in a later month."
        )
    held = _hold(spec, schedule, lots, start, end, marks=marks, keep=keep)
    trades: list[Trade] = []
    slippage = 0
    for number, each in enumerate(held):
        opens = _trade(spec, each, rules, opens=True, rolled=number > 0)
        closes = _trade(spec, each, rules, opens=False, rolled=number + 1 < len(held))
        trades += [opens, closes]
        slippage += each.gpu_hours * (each.entry.settle_micros - opens.price_micros)
        slippage += each.gpu_hours * (closes.price_micros - each.exit.settle_micros)
    rolls = tuple(_roll(near, far) for near, far in pairwise(held))
    left = [held[0].entry.settle_micros, *(each.exit.settle_micros for each in held)]
    moves = sum(
        each.gpu_hours * (after - before) for each, before, after in zip(held, left, left[1:], strict=False)
    )
    fees = fees_of(spec, rules)
    charged = None
    if not isinstance(fees, Refusal):
        charged = -sum(abs(trade.lots) for trade in trades) * fees.trade_micros_per_lot
    return StackAndRoll(
        contract=spec.id,
        trades=tuple(sorted(trades, key=lambda trade: trade.day)),
        rolls=rolls,
        price_move_micros=moves,
        roll_yield_micros=sum(step.roll_yield_micros for step in rolls),
        slippage_micros=slippage,
        fees_micros=charged,
        modelled_marks=any(mark.modelled for each in held for mark in (each.entry, each.exit)),
    )


def _hold(
    spec: ContractSpec,
    schedule: Sequence[tuple[str, date]],
    lots: int,
    start: date,
    end: date,
    *,
    marks: MarkBook,
    keep: Keep,
) -> list[_Held]:
    hours = lots * unit_gpu_hours(spec, schedule[0][0])
    held: list[_Held] = []
    entered = start
    for number, (month, roll) in enumerate(schedule):
        leaves = min(roll, end)
        unit = unit_gpu_hours(spec, month)
        size = lots if keep == "lots" else round_fraction(Fraction(hours, unit))
        refused = trade_refusal(spec, month, entered, size, None)
        if refused is not None:
            raise UsageError(f"the stack can't enter {month} on {entered}: {refused.sentence}")
        coming = "the entry" if number == 0 else f"the roll from {schedule[number - 1][0]}"
        going = "the exit" if leaves == end else f"the roll into {schedule[number + 1][0]}"
        held.append(
            _Held(
                month, size, unit, entered, leaves,
                mark_of(marks, (spec.id, month), entered, coming),
                mark_of(marks, (spec.id, month), leaves, going),
            )
        )  # fmt: skip
        entered = leaves
        if leaves == end:
            break
    return held


def _trade(spec: ContractSpec, held: _Held, rules: AccountRules, *, opens: bool, rolled: bool) -> Trade:
    day, mark = (held.entry_day, held.entry) if opens else (held.exit_day, held.exit)
    lots = held.lots if opens else -held.lots
    price, note = fill_price(spec, mark, lots, rules.fills.slippage_ticks)
    side = "buy" if lots > 0 else "sell"
    return Trade(
        trade_id=f"stack-{day}-{held.month}-{side}",
        contract=spec.id,
        month=held.month,
        day=day,
        lots=lots,
        price_micros=price,
        strategy=ROLL if rolled else "stack",
        simulated=True,
        note=f"simulated fill {note}",
    )


def _roll(near: _Held, far: _Held) -> RollStep:
    left, entered = near.exit.settle_micros, far.entry.settle_micros
    earned = far.gpu_hours * (left - entered)
    return RollStep(
        day=far.entry_day,
        near=near.month,
        far=far.month,
        near_lots=near.lots,
        far_lots=far.lots,
        near_mark_micros=left,
        far_mark_micros=entered,
        roll_yield_micros=earned,
        sentence=(
            f"{far.entry_day}: {near.month} at {format_micros(left)} into {far.month} at {format_micros(entered)}, "
            f"{far.lots} lots × {far.unit} GPU-hours × ({format_micros(left)} − {format_micros(entered)}) "
            f"= {format_micros(earned)}"
        ),
    )
