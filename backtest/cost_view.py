"""Rent per million accepted tokens, hedged and not, where the user has figures of output.

``month, accepted_tokens_millions`` or ``month, tokens_per_gpu_hour, acceptance``. A hedge of the rent fixes
dollars per GPU-hour; how many accepted tokens an hour gives is the other half of the cost, and stays open.
Only the rent is counted here: energy, staff and what else a token costs are in ``rentmark cost``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..records import (
    MICROS_PER_USD,
    RentmarkError,
    format_micros,
    month_bounds,
    round_fraction,
    sha256_hex,
)
from .csv_cells import (
    SECONDS_PER_HOUR,
    RowError,
    number_cell,
    read_cells,
    refuse_missing,
    reject_row,
    row_cells,
)
from .incidents import reject_json
from .programme import PREMIUMS_PERCENT
from .rent_book import RentReject
from .report_model import HedgeReport

LAYOUT = (
    "a file of output figures has the columns month and accepted_tokens_millions, or month,"
    " tokens_per_gpu_hour and acceptance"
)
OPEN_RISK = "A hedge of the rent fixes dollars per GPU-hour at best; how many accepted tokens an hour gives stays open."
TOKENS_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class MonthOutput:
    """Accepted tokens of a month in millions, in all or per GPU-hour: one of both is stated."""

    month: str
    accepted_millions: Fraction | None
    accepted_millions_per_hour: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFigures:
    """Output figures as read; ``rows_read = len(months) + len(rejects)``."""

    name: str
    digest: str
    months: Mapping[str, MonthOutput]
    rejects: tuple[RentReject, ...]
    rows_read: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCost:
    """Rent per million accepted tokens in micro-USD; hedged by entry premium, None with a ``reason``."""

    month: str
    accepted_millions: Fraction | None
    unhedged_micros: int | None
    hedged_micros: Mapping[int, int] | None
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        """The month with its documented keys."""
        hedged = self.hedged_micros
        row: dict[str, Any] = {
            "month": self.month,
            "accepted_tokens_millions": None
            if self.accepted_millions is None
            else float(self.accepted_millions),
            "unhedged": None if self.unhedged_micros is None else format_micros(self.unhedged_micros),
            "hedged": None
            if hedged is None
            else {f"{p:+d}%" if p else "0%": format_micros(v) for p, v in hedged.items()},
        }
        if self.reason is not None:
            row["reason"] = self.reason
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView:
    """Hedged and unhedged rent per million accepted tokens by month."""

    figures: OutputFigures
    months: tuple[MonthCost, ...]

    def to_json(self) -> dict[str, Any]:
        """The view with its documented keys."""
        return {
            "name": self.figures.name,
            "digest": self.figures.digest,
            "rows_read": self.figures.rows_read,
            "refused": [reject_json(each) for each in self.figures.rejects],
            "unit": "USD of rent per million accepted tokens",
            "months": [each.to_json() for each in self.months],
            "sentence": OPEN_RISK,
        }


def read_output_figures(payload: bytes, name: str) -> OutputFigures:
    """Read output figures. Raises RentmarkError, in one sentence, where no row is usable."""
    header, rows = read_cells(payload, name, LAYOUT)
    per_hour = ("tokens_per_gpu_hour", "acceptance")
    wanted = per_hour if any(each in header for each in per_hour) else ("accepted_tokens_millions",)
    refuse_missing(header, ("month", *wanted), name, LAYOUT)
    found: dict[str, MonthOutput] = {}
    clashing: set[str] = set()
    rejects: list[RentReject] = []
    for line, values in rows:
        try:
            each = _read(row_cells(header, values))
        except RowError as error:
            rejects.append(reject_row(name, line, error.reason, error.field, error.value))
            continue
        if each.month in found:
            clashing.add(each.month)
            rejects.append(reject_row(name, line, "conflicting_rates", "month", each.month))
        found[each.month] = each
    kept = {month: each for month, each in sorted(found.items()) if month not in clashing}
    if not kept:
        first = f" First: {rejects[0].sentence}" if rejects else ""
        raise RentmarkError(f"{name} has no usable month; {LAYOUT}.{first}")
    return OutputFigures(
        name=name, digest=sha256_hex(payload), months=kept, rejects=tuple(rejects), rows_read=len(rows)
    )


def _read(cells: Mapping[str, str]) -> MonthOutput:
    month = cells["month"]
    try:
        month_bounds(month)
    except ValueError:
        raise RowError("bad_month", "month", month) from None
    if cells.get("accepted_tokens_millions"):
        return MonthOutput(month, _positive(cells, "accepted_tokens_millions"), None)
    if not (cells.get("tokens_per_gpu_hour") and cells.get("acceptance")):
        raise RowError("no_output", "month", month)
    tokens, share = _positive(cells, "tokens_per_gpu_hour"), _positive(cells, "acceptance")
    if share > 1:
        raise RowError("bad_share", "acceptance", cells["acceptance"])
    return MonthOutput(month, None, tokens * share / TOKENS_PER_MILLION)


def _positive(cells: Mapping[str, str], field: str) -> Fraction:
    value = number_cell(cells, field, "no_output")
    if value <= 0:
        raise RowError("not_positive", field, cells[field])
    return Fraction(value, MICROS_PER_USD)


def cost_view(report: HedgeReport, figures: OutputFigures) -> CostView:
    """The cost of each month that has both a rent and output figures."""
    ran = {each.month: each for each in report.programme}
    rents = {each.month: each for each in report.months}
    found: list[MonthCost] = []
    for month, output in figures.months.items():
        if month not in rents:
            found.append(_nothing(month, output, "no rent of that month was compared with the reference"))
            continue
        one = ran.get(month)
        hours = None if report.exposure is None else report.exposure.get(month)
        if output.accepted_millions_per_hour is not None:
            # Per GPU-hour the hours cancel: rent of an hour over what an hour gives.
            per = output.accepted_millions_per_hour
            bill: Fraction = rents[month].rent if one is None else Fraction(one.rate_micros)
            hedged = None if one is None else dict(one.hedged_rate_micros)
            accepted = None if hours is None else per * Fraction(hours.actual_seconds, SECONDS_PER_HOUR)
        elif hours is not None and output.accepted_millions is not None:
            per = output.accepted_millions
            accepted = per
            bill = Fraction(hours.bill_micros)
            hedged = None if one is None or one.hedged_bill_micros is None else dict(one.hedged_bill_micros)
        else:
            found.append(
                _nothing(month, output, "no hours are known, so there is no bill; state tokens_per_gpu_hour")
            )
            continue
        reasons = [] if hedged is not None else ["no position was simulated in that month"]
        if accepted is None:
            reasons.append("no hours are known, so tokens are per GPU-hour")
        found.append(
            MonthCost(
                month=month,
                accepted_millions=accepted,
                unhedged_micros=round_fraction(bill / per),
                hedged_micros=None
                if hedged is None
                else {p: round_fraction(hedged[p] / per) for p in PREMIUMS_PERCENT},
                reason="; ".join(reasons) or None,
            )
        )
    return CostView(figures=figures, months=tuple(found))


def _nothing(month: str, output: MonthOutput, why: str) -> MonthCost:
    return MonthCost(
        month=month,
        accepted_millions=output.accepted_millions,
        unhedged_micros=None,
        hedged_micros=None,
        reason=why,
    )
