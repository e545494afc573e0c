"""What the entry price decides: the price at which the hedge breaks even, and P&L around it.

No real futures prices exist, so a report never prints one profit and loss: it gives the break-even
entry price and the P&L had every month been entered 10 % below, at, or 10 % above the assumed one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..contracts import exact_ratio
from ..records import format_micros, round_fraction
from .programme import PREMIUMS_PERCENT, ProgrammeMonth


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """Entry prices over the simulated months; None comes with a ``reason``.

    ``break_even_price_micros`` is the mean entry price, weighted by hours hedged, at which the
    futures leave no profit and no loss; ``break_even_premium`` is the same as a share above the
    assumed entry prices. ``pnl_micros`` by premium in percent is in micro-USD, or, where no hours are
    known, micro-USD per GPU-hour rented, averaged over the months (``is_amount`` says which). A
    short position's break-even is the lowest price it may sell at.
    """

    months: int
    break_even_price_micros: int | None = None
    break_even_premium: float | None = None
    pnl_micros: Mapping[int, int] | None = None
    is_amount: bool = False
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The view with stable keys; ``reason`` stands beside a null."""
        price, pnl = self.break_even_price_micros, self.pnl_micros
        values: dict[str, Any] = {
            "months": self.months,
            "break_even_price": None if price is None else format_micros(price),
            "break_even_premium": self.break_even_premium,
            "pnl": None
            if pnl is None
            else {f"{p:+d}%" if p else "0%": format_micros(v) for p, v in pnl.items()},
            "pnl_unit": "USD" if self.is_amount else "USD per GPU-hour rented",
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values


def entry_view(programme: Sequence[ProgrammeMonth], too_short: str) -> EntryView:
    """Break-even and P&L of a programme; ``too_short`` is the reason given when it has no month."""
    if not programme:
        return EntryView(months=0, reason=too_short)
    is_amount = all(each.pnl_micros is not None for each in programme)
    held = [_held(each) for each in programme]
    pnl: dict[int, int] = {}
    for premium in PREMIUMS_PERCENT:
        if is_amount:
            pnl[premium] = sum(each.pnl_micros[premium] for each in programme if each.pnl_micros is not None)
        else:
            total = sum(each.pnl_rate_micros[premium] for each in programme)
            pnl[premium] = round_fraction(Fraction(total, len(programme)))
    reason: str | None = None
    price: int | None = None
    above: float | None = None
    if all(hours == 0 for hours in held):
        reason = "nothing was held, so no entry price breaks even"
    elif min(held) < 0 < max(held):
        reason = "the position changed sides, so no one entry price breaks even"
    else:
        settled = sum(
            (h * each.settlement_micros for h, each in zip(held, programme, strict=True)), Fraction(0)
        )
        entered = sum(
            (h * each.entry_price_micros for h, each in zip(held, programme, strict=True)), Fraction(0)
        )
        price = round_fraction(settled / sum(held, Fraction(0)))
        above = float(settled / entered - 1)
    return EntryView(
        months=len(programme),
        break_even_price_micros=price,
        break_even_premium=above,
        pnl_micros=pnl,
        is_amount=is_amount,
        reason=reason,
    )


def _held(each: ProgrammeMonth) -> Fraction:
    """What was held: GPU-seconds where hours are known, else hours per hour rented."""
    return exact_ratio(each.ratio) if each.hedged_seconds is None else Fraction(each.hedged_seconds)
