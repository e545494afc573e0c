"""Sizing, margin and packages at stated marks: lots, margin, strips, spreads, stack-and-roll."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from ..contracts import contract_months, hours_in_month, size_lots
from ..contracts.account import HeldMonth, fill_price, last_mark, liquidity_at_risk, margin_requirement
from ..contracts.account.rules import MarginMethod
from ..contracts.calendars import unit_gpu_hours
from ..contracts.legs import (
    Package,
    calendar_spread,
    inter_grade_spread,
    price_package,
    stack_and_roll,
    strip,
)
from ..contracts.spec import ContractSpec
from ..records import RentmarkError, UsageError
from .accounting import read_mark_source
from .core import Workspace
from .desk import Sources
from .desk_rows import filled_row, liquidity_row, margin_row
from .rows import price

METHODS: tuple[MarginMethod, ...] = ("published", "historical", "proxy")
NO_ACCOUNT = ""
"""A name no account has: the rules are then the defaults."""


def lots_rows(
    root: Path,
    contract_name: str,
    *,
    gpus: int,
    first: str,
    months: int,
    hedge_ratio: str = "1",
    sizing: str = "per_month",
) -> dict[str, Any]:
    """The documented JSON of `lots`: works without a workspace for the shipped contracts.

    Raises UsageError for a ratio that is no number, no GPUs, or a sizing there is none of.
    """
    from .listing import contract_named

    spec = contract_named(root, contract_name)
    if gpus == 0:
        raise UsageError("--gpus 0 hedges nothing; give a number of GPUs, negative for a provider.")
    if sizing not in {"per_month", "flat"}:
        raise UsageError(f"--sizing is {sizing!r}; it is per_month or flat.")
    try:
        ratio = Fraction(hedge_ratio)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--ratio {hedge_ratio} is not a number; write 0.85.") from None
    flat: Literal["per_month", "flat"] = "flat" if sizing == "flat" else "per_month"
    names = contract_months(spec, first, months)
    sizes = size_lots(
        spec, {name: gpus * hours_in_month(name) for name in names}, hedge_ratio=ratio, sizing=flat
    )
    rows: list[dict[str, Any]] = []
    for size in sizes:
        row: dict[str, Any] = {
            "month": size.month,
            "unit_gpu_hours": size.unit_gpu_hours,
            "wanted_gpu_hours": float(size.wanted_gpu_hours),
            "exact_lots": float(size.exact_lots),
            "lots": size.lots,
            "excess_gpu_hours": float(size.excess_gpu_hours),
            "excess_share": None if size.excess_share is None else float(size.excess_share),
            "note": size.note,
        }
        if size.excess_share is None:
            row["reason"] = "no hours are wanted"
        if size.day_count_gpu_hours is not None:
            row["day_count_gpu_hours"] = float(size.day_count_gpu_hours)
        rows.append(row)
    return {
        "contract": spec.id,
        "gpus": gpus,
        "hedge_ratio": float(ratio),
        "sizing": sizing,
        "months": rows,
    }


def margin(
    workspace: Workspace,
    contract_name: str,
    month: str,
    lots: int,
    *,
    account: str = NO_ACCOUNT,
    benchmarks: Sequence[str] = (),
    on: date | None = None,
    mark_source: str = "best",
    liquidity_days: int = 20,
) -> dict[str, Any]:
    """The documented JSON of `margin`: every method's requirement of one position, and its liquidity."""
    sources = Sources(
        workspace,
        account,
        benchmarks=benchmarks,
        through=on,
        mark_source=read_mark_source(mark_source),
    )
    spec = sources.spec(contract_name)
    view = sources.view(contract_name)
    day = sources.through
    found = last_mark(sources.marks((contract_name, month), [day]), day)
    if found is None:
        raise RentmarkError(f"{contract_name} {month} has no mark up to {day}; ask for a later day.")
    marked_on, mark = found
    leg = HeldMonth(
        spec=spec,
        month=month,
        lots=lots,
        unit_gpu_hours=unit_gpu_hours(spec, month),
        mark_micros=mark.settle_micros,
        remaining_share=Fraction(1) if view is None else view.share(month, day).remaining_share,
    )
    views = {} if view is None else {contract_name: view}
    return {
        "contract": contract_name,
        "month": month,
        "lots": lots,
        "day": day.isoformat(),
        "mark": price(mark.settle_micros),
        "mark_date": marked_on.isoformat(),
        "mark_source": mark.source,
        "remaining_share": float(leg.remaining_share),
        "benchmark": None if view is None else view.benchmark,
        "simulated": sources.simulated or (view is not None and view.simulated),
        "methods": {
            method: margin_row(
                margin_requirement([leg], sources.rules.margin, views=views, day=day, methods=[method])
            )
            for method in METHODS
        },
        "liquidity": [
            liquidity_row(
                liquidity_at_risk([leg], views, day, days=liquidity_days, method=how), liquidity_days
            )
            for how in ("historical", "bootstrap")
        ],
    }


def strip_row(
    workspace: Workspace,
    contract: str,
    first: str,
    months: int,
    lots: int,
    **options: Any,
) -> dict[str, Any]:
    """The documented JSON of `legs strip`."""
    sources = _sources(workspace, **options)
    return _package_row(sources, strip(sources.spec(contract), first, months, lots))


def calendar_row(
    workspace: Workspace, contract: str, near: str, far: str, lots: int, **options: Any
) -> dict[str, Any]:
    """The documented JSON of `legs calendar`."""
    sources = _sources(workspace, **options)
    return _package_row(sources, calendar_spread(sources.spec(contract), near, far, lots))


def grades_row(
    workspace: Workspace, contract: str, against: str, month: str, lots: int, *, ratio: str, **options: Any
) -> dict[str, Any]:
    """The documented JSON of `legs grades`; raises UsageError for a ratio that is no number above 0."""
    try:
        hours = Fraction(ratio)
    except (ValueError, ZeroDivisionError):
        hours = Fraction(0)
    if hours <= 0:
        raise UsageError(f"--ratio {ratio} is no number above 0; write 1 for as many GPU-hours in each leg.")
    sources = _sources(workspace, **options)
    package = inter_grade_spread(
        sources.spec(contract), sources.spec(against), month, lots, hours_ratio=hours
    )
    return _package_row(sources, package)


def _sources(
    workspace: Workspace,
    *,
    account: str = NO_ACCOUNT,
    benchmarks: Sequence[str] = (),
    on: date | None = None,
    mark_source: str = "best",
) -> Sources:
    return Sources(
        workspace, account, benchmarks=benchmarks, through=on, mark_source=read_mark_source(mark_source)
    )


def _package_row(sources: Sources, package: Package) -> dict[str, Any]:
    """A package at the marks of the last day, each leg with what it would be filled at (simulated)."""
    day = sources.through
    marks = {leg.key: sources.marks(leg.key, [day]) for leg in package.legs}
    priced = price_package(package, marks, day)
    legs: list[dict[str, Any]] = []
    for leg in package.legs:
        spec = sources.spec(leg.contract)
        mark = marks[leg.key][day]
        fill, note = fill_price(spec, mark, leg.lots, sources.rules.fills.slippage_ticks)
        legs.append(
            {
                "contract": leg.contract,
                "month": leg.month,
                "lots": leg.lots,
                "unit_gpu_hours": leg.unit_gpu_hours,
                "gpu_hours": leg.gpu_hours,
                "mark": price(mark.settle_micros),
                "mark_source": mark.source,
                "fill": price(fill),
                "fill_note": f"simulated fill {note}",
                "status": spec.status_line,
            }
        )
    return {
        "package": {
            "kind": package.kind,
            "day": day.isoformat(),
            "price": price(priced.price_micros),
            "worth": price(priced.worth_micros),
            "gpu_hours": package.residual_gpu_hours,
            "modelled_marks": priced.modelled,
            "simulated": sources.simulated,
            "legs": legs,
        }
    }


def roll_row(
    workspace: Workspace,
    contract: str,
    first: str,
    lots: int,
    start: date,
    *,
    end: date | None = None,
    business_days: int | None = None,
    keep: str = "lots",
    account: str = NO_ACCOUNT,
    benchmarks: Sequence[str] = (),
    mark_source: str = "best",
) -> dict[str, Any]:
    """The documented JSON of `legs roll`: a position rolled from month to month, in exact parts."""
    if keep not in {"lots", "gpu_hours"}:
        raise UsageError(f"--keep is {keep!r}; it is lots or gpu_hours.")
    sources = _sources(workspace, account=account, benchmarks=benchmarks, on=end, mark_source=mark_source)
    spec = sources.spec(contract)
    marks = {
        (contract, month): sources.marks((contract, month), [day, sources.through])
        for month, day in _stack_months(spec, first, start, sources.through)
    }
    rolled = stack_and_roll(
        spec,
        first_month=first,
        lots=lots,
        start=start,
        end=sources.through,
        marks=marks,
        rules=sources.rules,
        roll_business_days=business_days,
        keep="gpu_hours" if keep == "gpu_hours" else "lots",
    )
    row: dict[str, Any] = {
        "contract": contract,
        "from": start.isoformat(),
        "to": sources.through.isoformat(),
        "keep": keep,
        "status": spec.status_line,
        "modelled_marks": rolled.modelled_marks,
        "simulated": sources.simulated,
        "price_move": price(rolled.price_move_micros),
        "roll_yield": price(rolled.roll_yield_micros),
        "slippage": price(rolled.slippage_micros),
        "fees": price(rolled.fees_micros),
        "total": price(rolled.total_micros),
        "rolls": [
            {
                "day": step.day.isoformat(),
                "near": step.near,
                "far": step.far,
                "near_lots": step.near_lots,
                "far_lots": step.far_lots,
                "near_mark": price(step.near_mark_micros),
                "far_mark": price(step.far_mark_micros),
                "roll_yield": price(step.roll_yield_micros),
                "sentence": step.sentence,
            }
            for step in rolled.rolls
        ],
        "trades": [filled_row(trade) for trade in rolled.trades],
    }
    if rolled.fees_micros is None:
        row["fees_reason"] = f"the fees of {contract} are unknown and not in the total"
    return row


def _stack_months(spec: ContractSpec, first: str, start: date, end: date) -> Sequence[tuple[str, date]]:
    """The months a stack may hold between two days, each with the first day it may be dealt on."""
    from ..contracts.legs.stack_and_roll import roll_days

    return [(month, start) for month, _ in roll_days(spec, first, end, 0)]
