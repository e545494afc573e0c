"""Full cost and the cost curve: files a person keeps, worked out and told as rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..grades.operators import (
    PERCENTS,
    Bar,
    CostCurve,
    CostResult,
    Move,
    UpgradeOutcome,
    cost_curve_svg,
    curve_of,
    dates_stated,
    exits,
    full_cost,
    micros,
    moves,
    read_cost_file,
    read_producers_file,
    read_requests_file,
)
from ..grades.operators.cost_curve_plot import dollars
from ..records import RentmarkError, format_micros
from .input_files import read_input_file, write_text_file
from .rows import instant


def account_cost(path: Path, requests: Path | None = None) -> CostResult:
    """Work out an account of spending and output. Raises RentmarkError or UsageError in one sentence."""
    file = read_cost_file(read_input_file(path, "cost file"), path.name)
    served = None
    if requests is not None:
        served = read_requests_file(read_input_file(requests, "requests file"), requests.name)
    return full_cost(file, served)


def _usd(amount: Fraction | None) -> str | None:
    return None if amount is None else format_micros(micros(amount))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def cost_row(result: CostResult) -> dict[str, Any]:
    """The documented JSON of `cost`."""
    account = result.file.account
    return {
        "name": account.name,
        "from": instant(account.start),
        "to": instant(account.end),
        "hours": float(result.hours),
        "usd": _usd(result.usd),
        "cash_usd": _usd(result.cash_usd),
        "accepted_tasks": _number(result.accepted_tasks),
        "accepted_tasks_reason": result.tasks_reason,
        "accepted_tokens": _number(result.accepted_tokens),
        "accepted_tokens_reason": result.tokens_reason,
        "usd_per_successful_task": _usd(result.usd_per_successful_task),
        "usd_per_successful_task_reason": result.tasks_reason,
        "usd_per_million_accepted_tokens": _usd(result.usd_per_million_accepted_tokens),
        "usd_per_million_accepted_tokens_reason": result.tokens_reason,
        "token_usd_per_million": _usd(result.token_usd_per_million),
        "token_usd_per_million_reason": None if result.file.token else "the account has no [token]",
        "spending": [
            {
                "kind": line.kind,
                "name": line.name,
                "usd": _usd(line.usd),
                "cash_usd": _usd(line.cash_usd),
                "share": _number(line.usd / result.usd) if result.usd else None,
                "share_reason": None if result.usd else "nothing was spent",
                "note": line.note,
            }
            for line in result.lines
        ],
        "owned": [
            {
                "name": each.name,
                "usd_per_useful_gpu_hour": _usd(each.gpu.usd_per_useful_hour),
                "capital_usd_per_gpu_year": _usd(each.gpu.capital),
                "cash_usd_per_gpu_year": _usd(each.gpu.cash),
                "full_usd_per_gpu_year": _usd(each.gpu.full),
                "useful_hours_per_year": _number(each.gpu.useful_hours),
            }
            for each in result.owned
        ],
        "windows": [
            {
                "name": each.span.name,
                "from": instant(each.span.start),
                "to": instant(each.span.end),
                "attempts": _number(each.attempts),
                "accepted_tasks": _number(each.accepted_tasks),
                "accepted_tokens": _number(each.accepted_tokens),
                "acceptable": each.breached_by is None,
                "breach": each.breached_by,
            }
            for each in result.windows
        ],
        "goodput": _goodput_row(result),
        "upgrades": [_upgrade_row(each) for each in result.upgrades],
        "notes": list(result.notes),
    }


def _goodput_row(result: CostResult) -> dict[str, Any] | None:
    found, level = result.goodput, result.level
    if found is None or level is None:
        return None
    return {
        "bounds": level.bounds,
        "requests": found.requests,
        "in_breach": found.in_breach,
        "missed_bounds": found.missed_bounds,
        "failed_gate": found.failed_gate,
        "accepted": found.accepted,
        "share": found.share,
    }


def _upgrade_row(each: UpgradeOutcome) -> dict[str, Any]:
    return {
        "name": each.upgrade.name,
        "on": instant(each.upgrade.on),
        "usd": _usd(Fraction(each.upgrade.usd)),
        "unit": each.unit,
        "per_hour_before": _number(each.per_hour_before),
        "per_hour_after": _number(each.per_hour_after),
        "hours_after": _number(each.hours_after),
        "extra": _number(each.extra),
        "worth_usd": _usd(each.worth_usd),
        "hours_to_pay": _number(each.hours_to_pay),
        "paid": each.paid,
        "reason": each.reason,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStudy:
    """A file of producers: both curves at the later date, and how places moved since the earlier one."""

    product: str | None
    price_micros: int | None
    full: CostCurve
    cash: CostCurve
    full_before: CostCurve | None
    moves: tuple[Move, ...]


def study_curve(
    path: Path,
    *,
    product: str | None = None,
    first: date | None = None,
    last: date | None = None,
    price_micros: int | None = None,
) -> CurveStudy:
    """Read producers and put them on curves at ``last`` (default the latest date), held against ``first``.

    ``first`` defaults to the earliest date of the file, where it has another. Raises RentmarkError where a
    date holds no producer.
    """
    payload = read_input_file(path, "producers file")
    return study_producers(
        path.name, payload, product=product, first=first, last=last, price_micros=price_micros
    )


def study_producers(
    name: str,
    payload: bytes,
    *,
    product: str | None = None,
    first: date | None = None,
    last: date | None = None,
    price_micros: int | None = None,
) -> CurveStudy:
    """The same for the bytes of a file."""
    producers = read_producers_file(payload, name, product)
    stated = dates_stated(producers)
    later = last or stated[-1]
    earlier = first or next((day for day in stated if day < later), None)
    if earlier is not None and earlier >= later:
        raise RentmarkError(f"--from {earlier} is not before --to {later}; turn them around.")
    full = curve_of(producers, later, "full")
    before = None if earlier is None else curve_of(producers, earlier, "full")
    return CurveStudy(
        product=product,
        price_micros=price_micros,
        full=full,
        cash=curve_of(producers, later, "cash"),
        full_before=before,
        moves=() if before is None else moves(before, full),
    )


def write_curve_plot(study: CurveStudy, path: Path) -> None:
    """Draw the curve by full cost as a self-contained SVG file."""
    write_text_file(path, cost_curve_svg(study.full, price_micros=study.price_micros, product=study.product))


def curve_row(study: CurveStudy) -> dict[str, Any]:
    """The documented JSON of `cost curve`."""
    return {
        "date": study.full.date.isoformat(),
        "date_before": None if study.full_before is None else study.full_before.date.isoformat(),
        "product": study.product,
        "price": None if study.price_micros is None else format_micros(study.price_micros),
        "price_reason": "no price was given" if study.price_micros is None else None,
        "capacity": float(study.full.capacity),
        "full": _one_curve(study.full, study.price_micros),
        "cash": _one_curve(study.cash, study.price_micros),
        "exits": [
            {
                "below": format_micros(each.below_micros),
                "producers": list(each.producers),
                "capacity": float(each.capacity),
                "gone": float(each.gone),
                "share": float(each.share),
            }
            for each in exits(study.cash)
        ],
        "moves": [_move_row(move) for move in study.moves],
        "notes": [
            "The 90th percentile of capacity is a rough price support, not a floor.",
            "Capital is sunk: a producer leaves when the price is below its cash cost, not its full cost.",
        ],
    }


def _one_curve(curve: CostCurve, price_micros: int | None) -> dict[str, Any]:
    percentiles = {f"p{percent}": curve.percentile_micros(percent) for percent in PERCENTS}
    empty = None if curve.bars else "no producer states this cost"
    under = () if price_micros is None else curve.above(price_micros)
    under_capacity = sum((bar.producer.capacity for bar in under), Fraction(0))
    reason = "no price was given" if price_micros is None else empty
    return {
        **{name: None if value is None else format_micros(value) for name, value in percentiles.items()},
        "reason": empty,
        "producers": [_bar_row(bar) for bar in curve.bars],
        "unknown": [producer.name for producer in curve.unknown],
        "under_water": [bar.producer.name for bar in under],
        "under_water_capacity": None if reason else float(under_capacity),
        "under_water_capacity_reason": reason,
        "under_water_share": None if reason else float(under_capacity / curve.capacity),
        "under_water_share_reason": reason,
    }


def _bar_row(bar: Bar) -> dict[str, Any]:
    return {
        "producer": bar.producer.name,
        "cost": format_micros(bar.cost_micros),
        "capacity": float(bar.producer.capacity),
        "capacity_from": float(bar.capacity_from),
        "capacity_to": float(bar.capacity_to),
        "rank": bar.rank,
        "percentile": float(bar.percentile),
    }


def _move_row(move: Move) -> dict[str, Any]:
    one_date = None if move.before and move.after else "it is on the curve at one of the two dates only"
    return {
        "producer": move.name,
        "cost_before": None if move.before is None else format_micros(move.before.cost_micros),
        "cost_after": None if move.after is None else format_micros(move.after.cost_micros),
        "rank_before": None if move.before is None else move.before.rank,
        "rank_after": None if move.after is None else move.after.rank,
        "producers_before": move.producers_before,
        "producers_after": move.producers_after,
        "percentile_before": None if move.before is None else float(move.before.percentile),
        "percentile_after": None if move.after is None else float(move.after.percentile),
        "improved": move.improved,
        "gained_place": move.gained_place,
        "lost_place": move.lost_place,
        "sentence": _sentence(move),
        "reason": one_date,
    }


def _sentence(move: Move) -> str:
    before, after = move.before, move.after
    if before is None or after is None:
        where = "later" if before is None else "earlier"
        return f"{move.name} is on the curve at the {where} date only."
    change = {True: "improved", False: "did not improve"}[bool(move.improved)]
    if before.cost_micros < after.cost_micros:
        change = "became dearer"
    place = "kept its place"
    if move.gained_place:
        place = (
            "gained a place" if before.rank - after.rank == 1 else f"gained {before.rank - after.rank} places"
        )
    elif move.lost_place:
        place = "lost a place" if after.rank - before.rank == 1 else f"lost {after.rank - before.rank} places"
    joined = "and" if (change == "improved") == (place.startswith("gained")) else "but"
    return (
        f"{move.name}: {dollars(before.cost_micros)} → {dollars(after.cost_micros)}, rank {before.rank} of {move.producers_before} → "
        f"{after.rank} of {move.producers_after}: it {change} {joined} {place}."
    )
