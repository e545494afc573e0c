"""Profit and loss explained: accrued fixings, curve move, new trades, roll, fees, and nothing left over.

With a share q of a contract month's mean fixed at A = Σ weight × fixing, a price F says that the rest
averages R = (F − A)/(1 − q). From one mark to the next

    F₁ − F₀ = [A₁ − A₀ − (q₁ − q₀)·R₀] + (1 − q₁)·(R₁ − R₀)

the first part is *accrued fixings*: what came in against what the earlier mark said it would be (missed
and revised fixings included); the second the *curve move* of what is still to come. Once everything has
fixed, a price other than A stands *beside the mean* (a rounded settlement, a mark off it). The identity
is exact, in fractions; each ledger line's parts are rounded to micro-dollars as differences of rounded
running sums, so they add up to the line. ``unexplained`` is the ledger's total less all parts: it is
reckoned, and 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from ...records import UsageError, round_fraction
from ..accounts import LedgerLine, Movement
from .index_view import IndexView, MonthShare
from .statement import AccountRun
from .trades import MonthKey

Part = Literal[
    "accrued_fixings",
    "curve_move",
    "beside_the_mean",
    "new_trades",
    "roll",
    "close_out",
    "fees",
    "interest",
    "shortfall",
]
PARTS: tuple[Part, ...] = (
    "accrued_fixings",
    "curve_move",
    "beside_the_mean",
    "new_trades",
    "roll",
    "close_out",
    "fees",
    "interest",
    "shortfall",
)
_OF_MOVEMENT: Mapping[Movement, Part] = {
    "traded": "new_trades",
    "rolled": "roll",
    "closed_out": "close_out",
    "trade_fee": "fees",
    "billed_fee": "fees",
    "settlement_fee": "fees",
    "interest": "interest",
    "shortfall": "shortfall",
}
"""Where a movement other than variation on lots held belongs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfitLine:
    """One part of one ledger line, in micro-dollars; ``contract`` is None for what belongs to the account."""

    day: date
    contract: str | None
    month: str | None
    part: Part
    amount_micros: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profit:
    """The profit and loss of an account over (``after``, ``through``], and its parts.

    ``total_micros`` is the ledger's own total; ``unexplained_micros`` what the parts leave of it.
    ``cash_cents`` is what was paid on it. ``not_told_apart`` names contracts without a benchmark, whose
    accrued fixings are inside the curve move.
    """

    after: date | None
    through: date | None
    total_micros: int
    parts: Mapping[Part, int]
    by_month: Mapping[MonthKey, Mapping[Part, int]]
    unexplained_micros: int
    cash_cents: int
    lines: tuple[ProfitLine, ...]
    not_told_apart: tuple[str, ...]


def explain_profit(
    run: AccountRun,
    views: Mapping[str, IndexView],
    *,
    after: date | None = None,
    through: date | None = None,
) -> Profit:
    """Explain what an account made after one day (None: from its start) up to another (None: to its end).

    Raises UsageError where the days are not in order.
    """
    if after is not None and through is not None and after >= through:
        raise UsageError(f"from {after} to {through} is no time; give a later end.")
    found: list[ProfitLine] = []
    marked: dict[MonthKey, date] = {}
    total = cash = 0
    blind: set[str] = set()
    for day in run.days:
        wanted = (after is None or day.day > after) and (through is None or day.day <= through)
        if wanted:
            total += sum(line.amount_micros for line in day.lines)
            cash += day.cash_cents
            for line in day.lines:
                found += _explain_line(line, marked, views)
                if line.contract is not None and line.contract not in views:
                    blind.add(line.contract)
        for line in day.lines:
            if line.contract is not None and line.month is not None and line.price_to_micros is not None:
                marked[line.contract, line.month] = day.day
    parts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    by_month: dict[MonthKey, dict[Part, int]] = {}
    for each in found:
        parts[each.part] += each.amount_micros
        if each.contract is not None and each.month is not None:
            of_month = by_month.setdefault((each.contract, each.month), dict.fromkeys(PARTS, 0))
            of_month[each.part] += each.amount_micros
    return Profit(
        after=after,
        through=through,
        total_micros=total,
        parts=parts,
        by_month=by_month,
        unexplained_micros=total - sum(parts.values()),
        cash_cents=cash,
        lines=tuple(found),
        not_told_apart=tuple(sorted(blind)),
    )


def _explain_line(
    line: LedgerLine, marked: Mapping[MonthKey, date], views: Mapping[str, IndexView]
) -> list[ProfitLine]:
    part = _OF_MOVEMENT.get(line.movement)
    if part is not None:
        return [_part(line, part, line.amount_micros, line.explanation)]
    assert line.contract is not None  # an account's variation lines name their month
    assert line.month is not None
    view = views.get(line.contract)
    if view is None:
        return [_part(line, "curve_move", line.amount_micros, line.explanation)]
    before = view.share(line.month, marked[line.contract, line.month])
    return _variation(line, before, view.share(line.month, line.day))


def _variation(line: LedgerLine, before: MonthShare, now: MonthShare) -> list[ProfitLine]:
    """Split the variation of lots held over what fixed, what is to come, and what stands beside the mean."""
    assert line.unit_gpu_hours is not None
    assert line.price_from_micros is not None
    assert line.price_to_micros is not None
    rest_before = before.rest(line.price_from_micros)
    beside_before = Fraction(0)
    if rest_before is None:
        rest_before = before.known_sum
        beside_before = line.price_from_micros - before.known_sum
    rest_now = now.rest(line.price_to_micros)
    beside_now = Fraction(0)
    if rest_now is None:
        rest_now = rest_before
        beside_now = line.price_to_micros - now.known_sum
    newly = now.known_share - before.known_share
    accrued = now.known_sum - before.known_sum - newly * rest_before
    curve = now.remaining_share * (rest_now - rest_before)
    size = line.unit_gpu_hours * line.lots
    amounts = _rounded([part * size for part in (accrued, curve, beside_now - beside_before)])
    per_lot = f"{line.lots} lots × {line.unit_gpu_hours} GPU-hours"
    told: tuple[tuple[Part, str], ...] = (
        (
            "accrued_fixings",
            f"{now.known - before.known} more of {now.expected} fixings, against {_dollars(rest_before)} in the earlier mark",
        ),
        (
            "curve_move",
            f"the rest, a share of {now.remaining_share}, from {_dollars(rest_before)} to {_dollars(rest_now)}",
        ),
        ("beside_the_mean", f"the price stands {_dollars(beside_now)} beside the mean of all fixings"),
    )
    return [
        _part(line, part, amount, f"{per_lot}: {sentence}")
        for (part, sentence), amount in zip(told, amounts, strict=True)
        if amount
    ]


def _rounded(exact: Sequence[Fraction]) -> list[int]:
    """Whole micro-dollars that add up to the rounded sum: differences of the rounded running sums."""
    amounts: list[int] = []
    running = Fraction(0)
    before = 0
    for part in exact:
        running += part
        reached = round_fraction(running)
        amounts.append(reached - before)
        before = reached
    return amounts


def _part(line: LedgerLine, part: Part, amount: int, sentence: str) -> ProfitLine:
    return ProfitLine(
        day=line.day,
        contract=line.contract,
        month=line.month,
        part=part,
        amount_micros=amount,
        sentence=sentence,
    )


def _dollars(micros: Fraction) -> str:
    return f"{float(micros) / 1_000_000:.6f}"
