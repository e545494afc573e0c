"""What a programme came to: month by month the bill with and without it, and how much swing it took away.

A strip's futures profit belongs to the month whose contract made it, whenever it was booked. A stack's
belongs to the calendar month in which it was booked: its one contract stands for several months at once.
Amounts are micro-USD and add up to the account's own total; interest and a shortfall belong to no month.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING

from ...contracts import unit_gpu_hours
from ...contracts.account import AccountRun, Profit, explain_profit
from ...records import MICROS_PER_USD, divide_half_even, month_of
from ..programme import exposures
from ..rent import SECONDS_PER_HOUR
from .learning import last_rent_before, rent_by_month
from .running import ProgrammeRun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_FOR_VARIANCE = 12
"""Months below which no effectiveness is printed, as out of sample elsewhere in a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthRent:
    """The rent of one month: exact mean, micro-USD per GPU-hour."""

    month: str
    rent: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthResult:
    """One month of exposure; amounts in micro-USD, maps by entry premium in percent, rates per GPU-hour.

    ``held_gpu_hours`` are those of every contract held into the month's settlement (strip) or at the
    month's end (stack), signed. ``excess_gpu_hours`` is what they hold beyond the hours paid for.
    ``surprise_micros`` is the rate less the last rent before the month's contracts were first traded.
    """

    month: str
    gpu_seconds: int
    bill_micros: int
    lots: Mapping[str, int]
    held_gpu_hours: int
    pnl_micros: Mapping[int, int]
    hedged_bill_micros: Mapping[int, int]
    surprise_micros: Fraction | None
    settled: bool

    @property
    def gpu_hours(self) -> Fraction:
        """Hours paid for."""
        return Fraction(self.gpu_seconds, SECONDS_PER_HOUR)

    @property
    def excess_gpu_hours(self) -> Fraction:
        """Hours held beyond the hours paid for (below zero: short of them), without their sign."""
        return abs(self.held_gpu_hours) - self.gpu_hours

    def rate_micros(self, premium: int | None = None) -> int:
        """Dollars per GPU-hour paid, or with the hedge at an entry premium."""
        amount = self.bill_micros if premium is None else self.hedged_bill_micros[premium]
        return divide_half_even(amount * SECONDS_PER_HOUR, self.gpu_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualLots:
    """How much of the months' surprises the lots really held took away; None comes with a ``reason``.

    ``effectiveness`` is 1 − Var(hedged)/Var(unhedged) of (rate − last rent before entry), demeaned;
    ``slope`` and ``r_squared`` are of those surprises on the futures gain per GPU-hour: a slope of 1 is a
    gain that matched the loss. Swings are standard deviations in dollars per GPU-hour.
    """

    months: int
    effectiveness: float | None = None
    slope: float | None = None
    r_squared: float | None = None
    swing_unhedged: float | None = None
    swing_hedged: float | None = None
    reason: str | None = None


def month_results(run: ProgrammeRun) -> tuple[MonthResult, ...]:
    """Every month with a rent from the first one a position was held for."""
    book = run.plan.book
    rents = {
        month: MonthRent(month=month, rent=Fraction(sum(rates), len(rates)))
        for month, rates in rent_by_month(book).items()
    }
    paid = exposures(book, list(rents.values()), run.plan.gpus)
    assert paid is not None  # a programme has hours
    pnl = {premium: _by_month(run, account) for premium, account in run.accounts.items()}
    held = _held(run)
    sign = 1 if run.role == "buyer" else -1
    entered = _entered(run)
    started = min(held, default=None)
    found: list[MonthResult] = []
    for month in rents:
        if started is None or month < started:
            continue
        lots = held.get(month, {})
        gains = {premium: amounts.get(month, 0) for premium, amounts in pnl.items()}
        hours = paid[month]
        before = last_rent_before(book, entered[month]) if month in entered else None
        rate = Fraction(hours.bill_micros * SECONDS_PER_HOUR, hours.actual_seconds)
        found.append(
            MonthResult(
                month=month,
                gpu_seconds=hours.actual_seconds,
                bill_micros=hours.bill_micros,
                lots=lots,
                held_gpu_hours=sum(
                    count * unit_gpu_hours(each.spec, month)
                    for each in run.instruments
                    for contract, count in lots.items()
                    if contract == each.spec.id
                ),
                pnl_micros=gains,
                hedged_bill_micros={p: hours.bill_micros - sign * amount for p, amount in gains.items()},
                surprise_micros=None if before is None else rate - before,
                settled=bool(lots) and all(_settled(run, contract, month) for contract in lots),
            )
        )
    return tuple(found)


def _settled(run: ProgrammeRun, contract: str, month: str) -> bool:
    end = run.ends.get((contract, month))
    return end is not None and end.settled


def _held(run: ProgrammeRun) -> dict[str, dict[str, int]]:
    """Lots by month and contract: held into the month's settlement, or through the month as a stack."""
    held: dict[str, dict[str, int]] = {}
    if run.programme.style == "strip":
        for order in run.orders:
            month = held.setdefault(order.month, {})
            month[order.contract] = month.get(order.contract, 0) + order.lots
        return {
            m: {c: lots for c, lots in each.items() if lots} for m, each in held.items() if any(each.values())
        }
    for order in run.orders:
        if order.target and order.lots:
            held.setdefault(order.month, {})[order.contract] = order.target
    return held


def _entered(run: ProgrammeRun) -> dict[str, date]:
    """The day each month's contracts were first traded."""
    first: dict[str, date] = {}
    for order in run.orders:
        if order.lots:
            first.setdefault(order.month, order.day)
    return first


def _by_month(run: ProgrammeRun, account: AccountRun) -> dict[str, int]:
    """The holder's ledger lines by month of exposure; lines of no contract are left out."""
    amounts: dict[str, int] = {}
    for day in account.days:
        for line in day.lines:
            if line.month is None:
                continue
            month = line.month if run.programme.style == "strip" else month_of(line.day)
            amounts[month] = amounts.get(month, 0) + line.amount_micros
    return amounts


def total_micros(account: AccountRun) -> int:
    """Everything the holder's account booked: variation, fees, interest."""
    return sum(line.amount_micros for day in account.days for line in day.lines)


def actual_lots(run: ProgrammeRun, months: Sequence[MonthResult]) -> ActualLots:
    """Effectiveness, slope and R² at the lots held, over settled months, without an entry premium."""
    if run.programme.style == "stack":
        return ActualLots(
            months=0,
            reason="a stack's profit of a month belongs to all the months it stands for, so months can't be paired",
        )
    judged = [each for each in months if each.settled and each.surprise_micros is not None]
    n = len(judged)
    if n < FEWEST_FOR_VARIANCE:
        return ActualLots(months=n, reason=f"{n} settled months, {FEWEST_FOR_VARIANCE} needed")
    sign = 1 if run.role == "buyer" else -1
    rent = _dollars([each.surprise_micros or Fraction(0) for each in judged])
    gain = _dollars([sign * each.pnl_micros[0] / each.gpu_hours for each in judged])
    if (rent == rent[0]).all():
        return ActualLots(months=n, reason="the rent did not move, so there is no variance to reduce")
    hedged = rent - gain
    share = float(1 - hedged.var(ddof=1) / rent.var(ddof=1))
    found = ActualLots(
        months=n,
        effectiveness=share,
        swing_unhedged=float(rent.std(ddof=1)),
        swing_hedged=float(hedged.std(ddof=1)),
    )
    if (gain == gain[0]).all():
        return replace(found, reason="the futures gain was the same every month, so it has no slope")
    centred = gain - gain.mean()
    slope = float(centred @ rent / (centred @ centred))
    correlation = float(centred @ (rent - rent.mean())) / math.sqrt(
        float(centred @ centred) * float(((rent - rent.mean()) ** 2).sum())
    )
    return replace(found, slope=slope, r_squared=correlation**2)


def break_even_premium(run: ProgrammeRun) -> float | None:
    """The entry premium, as a share, at which the account comes to nothing; None where none does.

    By the chord of the outer two runs: the profit is linear in the premium but for ticks.
    """
    if not run.entry_is_assumed:
        return None
    low, high = min(run.accounts), max(run.accounts)
    before, after = (total_micros(run.accounts[premium]) for premium in (low, high))
    if before == after:
        return None
    return (low + (high - low) * before / (before - after)) / 100


def profit_parts(run: ProgrammeRun) -> Profit | None:
    """The profit's exact parts; None where the entry is assumed, because then no one profit is told."""
    if run.entry_is_assumed or not run.account.days:
        return None
    return explain_profit(run.account, {each.spec.id: each.view for each in run.instruments})


def _dollars(micros: Sequence[Fraction]) -> NDArray[np.float64]:
    import numpy as np

    return np.array([float(each / MICROS_PER_USD) for each in micros], dtype=np.float64)
