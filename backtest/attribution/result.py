"""An attribution over all months: each line with the range of both orders, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...records import format_micros
from .lines import LABELS, MEANINGS, NAMED_LINES, LineName
from .waterfall import MonthParts

ALL_LINES: tuple[LineName, ...] = (*NAMED_LINES, "unexplained")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One cause over all months in micro-USD: forward order, reverse order, and why it is 0 where it must be."""

    name: LineName
    micros: int
    reverse_micros: int
    reason: str | None = None

    @property
    def low_micros(self) -> int:
        """The smaller of both orders."""
        return min(self.micros, self.reverse_micros)

    @property
    def high_micros(self) -> int:
        """The larger of both orders."""
        return max(self.micros, self.reverse_micros)

    @property
    def label(self) -> str:
        """Its name in words."""
        return LABELS[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """T = Σ[actual bill − budget bill − futures P&L] and its lines, which sum to it exactly.

    A positive T is what was paid beyond the budget after the hedge; a provider's bills are revenue with a
    minus, so a positive T is worse for both. ``is_amount`` tells dollars from dollars per GPU-hour, added up
    over months, where no hours are known. ``method`` is whose positions they are. Without a simulated month there are no lines, and a ``reason``.
    """

    months: tuple[MonthParts, ...]
    lines: tuple[Line, ...]
    is_amount: bool
    method: str = "naive"
    reason: str | None = None
    notes: tuple[str, ...] = ()
    pnl_by_premium: Mapping[int, int] = field(default_factory=dict)
    """Futures P&L before fees by entry premium in percent, to say what T would be at another entry price."""

    @property
    def total_micros(self) -> int:
        """T over all months."""
        return sum(each.total_micros for each in self.months)

    @property
    def total_by_premium(self) -> dict[int, int]:
        """T had every month been entered at another price; the difference stands on the roll line."""
        assumed = self.pnl_by_premium.get(0, 0)
        return {p: self.total_micros + assumed - pnl for p, pnl in self.pnl_by_premium.items()}

    @property
    def unit(self) -> str:
        """What the figures are in."""
        return "USD" if self.is_amount else "USD per GPU-hour, added up over the months"

    def line(self, name: LineName) -> Line:
        """One line by name. Raises KeyError where there are none."""
        return {each.name: each for each in self.lines}[name]

    def largest(self, count: int = 5) -> tuple[Line, ...]:
        """The named lines that weigh most, largest first; lines of exactly 0 are left out."""
        named = [each for each in self.lines if each.name != "unexplained" and each.micros != 0]
        return tuple(sorted(named, key=lambda each: -abs(each.micros))[:count])

    def rest_micros(self, count: int = 5) -> int:
        """The named lines that are not among the largest, together."""
        shown = sum(each.micros for each in self.largest(count)) + self.line("unexplained").micros
        return self.total_micros - shown

    @property
    def unexplained_share(self) -> float | None:
        """Unexplained beside the sum of all absolute lines; None where every line is 0."""
        weight = sum(abs(each.micros) for each in self.lines)
        return None if weight == 0 else abs(self.line("unexplained").micros) / weight

    def to_json(self) -> dict[str, Any]:
        """The attribution with its documented keys."""
        if not self.lines:
            return {"total": None, "lines": [], "months": [], "reason": self.reason}
        values: dict[str, Any] = {
            "total": format_micros(self.total_micros),
            "total_by_entry": {
                f"{p:+d}%" if p else "0%": format_micros(v) for p, v in self.total_by_premium.items()
            },
            "bill": format_micros(sum(each.bill_micros for each in self.months)),
            "budget": format_micros(sum(each.budget_micros for each in self.months)),
            "futures_pnl": format_micros(sum(each.pnl_micros for each in self.months)),
            "unit": self.unit,
            "method": self.method,
            "unexplained_share": self.unexplained_share,
            "lines": [_line_row(each) for each in self.lines],
            "months": [_month_row(each) for each in self.months],
            "notes": list(self.notes),
        }
        if self.unexplained_share is None:
            values["reason"] = "every line is 0"
        return values


def add_up(
    months: Sequence[MonthParts],
    *,
    is_amount: bool,
    method: str = "naive",
    reasons: Mapping[LineName, str],
    notes: Sequence[str] = (),
    pnl_by_premium: Mapping[int, int] | None = None,
) -> Attribution:
    """Sum the months line by line; ``reasons`` say why a line is 0 or leaves something out."""
    lines = tuple(
        Line(
            name=name,
            micros=sum(each.forward[name] for each in months),
            reverse_micros=sum(each.reverse[name] for each in months),
            reason=reasons.get(name),
        )
        for name in ALL_LINES
    )
    return Attribution(
        months=tuple(months),
        lines=lines,
        is_amount=is_amount,
        method=method,
        notes=tuple(notes),
        pnl_by_premium=pnl_by_premium or {},
    )


def _line_row(each: Line) -> dict[str, Any]:
    row = {
        "line": each.name,
        "meaning": MEANINGS[each.name],
        "amount": format_micros(each.micros),
        "amount_reverse_order": format_micros(each.reverse_micros),
        "low": format_micros(each.low_micros),
        "high": format_micros(each.high_micros),
    }
    if each.reason is not None:
        row["reason"] = each.reason
    return row


def _month_row(each: MonthParts) -> dict[str, Any]:
    return {
        "month": each.month,
        "total": format_micros(each.total_micros),
        "bill": format_micros(each.bill_micros),
        "budget": format_micros(each.budget_micros),
        "futures_pnl": format_micros(each.pnl_micros),
        "lines": {name: format_micros(each.forward[name]) for name in ALL_LINES},
    }
