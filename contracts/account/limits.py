"""What a position is warned of: limits, accountability, open interest, stale marks, a ceased index.

With a diminishing balance the lots that are counted shrink as fixings accrue. A limit is broken, an
accountability level is to be reported: both are warnings here, because a blotter states facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from ..limits import counted_lots, spot_limit_holds
from ..spec import ContractSpec
from .index_view import IndexView
from .marks import DayMark, MarkBook, last_mark
from .rules import WarningRules
from .trades import MonthKey

AlertCode = Literal[
    "spot_limit",
    "single_month_accountability",
    "all_months_accountability",
    "reportable",
    "open_interest",
    "stale_mark",
    "no_mark",
    "index_ceased",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One warning on one day; ``month`` is None where it is about all months of a contract."""

    day: date
    code: AlertCode
    contract: str
    month: str | None
    sentence: str


def limit_alerts(spec: ContractSpec, lots_by_month: Mapping[str, int], day: date) -> list[Alert]:
    """Limits, accountability levels and the reportable level of one contract at the close of a day.

    Unknown levels warn of nothing. All months are added net, as they are counted.
    """
    limits = spec.limits
    if limits is None:
        return []
    alerts: list[Alert] = []
    counted = {month: counted_lots(spec, month, lots, day) for month, lots in lots_by_month.items() if lots}

    def warn(code: AlertCode, month: str | None, sentence: str) -> None:
        alerts.append(Alert(day=day, code=code, contract=spec.id, month=month, sentence=sentence))

    for month, count in counted.items():
        size = abs(count)
        shown = _count_text(lots_by_month[month], count)
        spot = limits.spot_month_lots
        if spot is not None and size > spot and spot_limit_holds(spec, month, day):
            warn(
                "spot_limit", month, f"{spec.id} {month}: {shown} break the spot-month limit of {spot} lots."
            )
        single = limits.single_month_accountability_lots
        if single is not None and size > single:
            warn(
                "single_month_accountability",
                month,
                f"{spec.id} {month}: {shown} are above the single-month accountability level of {single} lots.",
            )
        reportable = limits.reportable_lots
        if reportable is not None and abs(lots_by_month[month]) >= reportable:
            warn("reportable", month, f"{spec.id} {month}: {shown} are reportable from {reportable} lots on.")
    total = sum(counted.values(), Fraction(0))
    ceiling = limits.all_months_accountability_lots
    if ceiling is not None and abs(total) > ceiling:
        held = sum(lots for lots in lots_by_month.values())
        warn(
            "all_months_accountability",
            None,
            f"{spec.id}: {_count_text(held, total)} in all months are above the accountability level of {ceiling} lots.",
        )
    return alerts


def _count_text(lots: int, counted: Fraction) -> str:
    if counted == lots:
        return f"{lots} lots"
    return f"{lots} lots, counted as {float(counted):.2f} under the diminishing balance,"


def mark_alerts(
    key: MonthKey, lots: int, marks: Mapping[date, DayMark], day: date, rules: WarningRules
) -> list[Alert]:
    """Warnings about the mark of one contract month: none, stale, or too large a share of what is open."""
    contract, month = key
    alerts: list[Alert] = []

    def warn(code: AlertCode, sentence: str) -> None:
        alerts.append(Alert(day=day, code=code, contract=contract, month=month, sentence=sentence))

    found = last_mark(marks, day)
    if found is None:
        warn("no_mark", f"{contract} {month} has no mark up to {day}: its {lots} lots are not valued.")
        return alerts
    marked_on, mark = found
    age = (day - marked_on).days
    if age > rules.stale_mark_days:
        warn(
            "stale_mark",
            f"{contract} {month}: the mark is of {marked_on}, {age} days old; "
            f"more than {rules.stale_mark_days} is stale.",
        )
    interest = mark.open_interest
    if interest is not None and 100 * abs(lots) > rules.open_interest_percent * interest:
        share = f"{100 * abs(lots) / interest:.1f} %" if interest else "all"
        warn(
            "open_interest",
            f"{contract} {month}: {lots} lots are {share} of the {interest} open on {marked_on}; "
            f"the warning level is {rules.open_interest_percent} %.",
        )
    return alerts


def alerts_on(
    specs: Mapping[str, ContractSpec],
    positions: Mapping[MonthKey, int],
    marks: MarkBook,
    views: Mapping[str, IndexView],
    *,
    day: date,
    rules: WarningRules,
) -> tuple[Alert, ...]:
    """Every warning about the positions held at the close of a day, by contract and month."""
    alerts: list[Alert] = []
    held = {key: lots for key, lots in sorted(positions.items()) if lots}
    for contract in sorted({contract for contract, _ in held}):
        months = {month: lots for (name, month), lots in held.items() if name == contract}
        alerts += limit_alerts(specs[contract], months, day)
        view = views.get(contract)
        ended = None if view is None else view.ended_by(day)
        if ended is not None:
            alerts.append(
                Alert(day=day, code="index_ceased", contract=contract, month=None, sentence=ended.sentence)
            )
    for key, lots in held.items():
        alerts += mark_alerts(key, lots, marks.get(key, {}), day, rules)
    return tuple(alerts)


def new_alerts(before: Sequence[Alert], now: Sequence[Alert]) -> tuple[Alert, ...]:
    """The warnings that were not there the day before: a daily statement says each once."""
    known = {(alert.code, alert.contract, alert.month) for alert in before}
    return tuple(alert for alert in now if (alert.code, alert.contract, alert.month) not in known)
