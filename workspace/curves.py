"""Curves: the board of a contract's months as of an instant, against another, with reserved strips."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contracts import ContractSpec, contract_month, contract_months
from ..records import Fixing, UsageError, format_instant, month_of
from .core import Workspace
from .forward import as_of_instant, fitted_model, fixings_known, reserved_prices, stepping_of
from .marks import marks_of
from .rows import price
from .views import AsOf

if TYPE_CHECKING:
    from ..contracts.curve import ContractBoard, Launch

CALENDAR_MONTHS = 12


def calendar_rows(spec: ContractSpec, first: str, months: int | None) -> list[dict[str, Any]]:
    """The dates of contract months from ``first`` on, in the documented JSON of `calendar`.

    ``months`` defaults to a year of them. A balance of the month has one row, written by its day.
    Raises UsageError for what is no month of the contract.
    """
    if spec.period == "month":
        wanted = months or min(CALENDAR_MONTHS, spec.listing_months or CALENDAR_MONTHS)
        names: Sequence[str] = contract_months(spec, first, wanted)
    else:
        names = (first,)
    return [_calendar_row(spec, name) for name in names]


def _calendar_row(spec: ContractSpec, month: str) -> dict[str, Any]:
    dates = contract_month(spec, month)
    row: dict[str, Any] = {
        "month": month,
        "fixings": len(dates.fixing_days),
        "first_fixing": dates.fixing_days[0].isoformat(),
        "last_fixing": dates.fixing_days[-1].isoformat(),
        "last_trade": dates.last_trade_date.isoformat(),
        "roll": dates.roll_date.isoformat(),
        "spot_limit_from": None,
        "unit_gpu_hours": dates.unit_gpu_hours,
        "tick_value": price(dates.tick_value_micros),
    }
    if dates.spot_limit_first_day is None:
        row["spot_limit_reason"] = "no spot-month limit is published"
    else:
        row["spot_limit_from"] = dates.spot_limit_first_day.isoformat()
    return row


def contract_calendar(
    root: Path, contract_name: str, first: str | None, months: int | None
) -> dict[str, Any]:
    """The documented JSON of `calendar`: works without a workspace for the shipped contracts."""
    from .clock import SystemClock
    from .listing import contract_named

    spec = contract_named(root, contract_name)
    if months is not None and months < 1:
        raise UsageError(f"--months {months} is no number of months; ask for at least 1.")
    today = SystemClock().now().date()
    start = first or (month_of(today) if spec.period == "month" else today.isoformat())
    return {
        "contract": spec.id,
        "status": spec.status_line,
        "calendar": spec.calendar,
        "calendar_assumed": spec.calendar_assumed,
        "roll_business_days": spec.roll_business_days,
        "rows": calendar_rows(spec, start, months),
    }


def board_at(
    workspace: Workspace,
    spec: ContractSpec,
    benchmark_name: str,
    *,
    as_of: AsOf | None = None,
    model_name: str = "flat",
    months: int | None = None,
    launches: Sequence[Launch] = (),
    board: Sequence[str] | None = None,
) -> ContractBoard:
    """The board of a contract on a benchmark from what was known at a view, by the model of a name."""
    from ..contracts.curve import board_marks, contract_board, curve_panel, series_of
    from ..contracts.curve.board import board_months

    known = fixings_known(workspace, benchmark_name, as_of)
    instant = as_of_instant(workspace, as_of)
    today = instant.date()
    marks = marks_of(workspace, spec.id, as_of)
    series = series_of(benchmark_name, known.values(), stepping_of(workspace, benchmark_name))
    model = fitted_model(model_name, series, curve_panel(dict(marks), today), spec, launches)
    return contract_board(
        spec,
        board or board_months(spec, today, months),
        known,
        benchmark=benchmark_name,
        as_of=instant,
        model=model,
        marks=board_marks(dict(marks), today),
    )


def curve(
    workspace: Workspace,
    contract_name: str,
    benchmark_name: str,
    *,
    as_of: AsOf | None = None,
    against: AsOf | None = None,
    model_name: str = "flat",
    months: int | None = None,
    launches: Sequence[Launch] = (),
    annual_rate_percent: float | None = None,
) -> dict[str, Any]:
    """The documented JSON of `curve`. Raises UsageError or RentmarkError naming what is missing."""
    from ..contracts.curve import term_structure
    from ..contracts.curve.telling import NO_CARRY, board_row_to_json, model_to_json, term_to_json

    spec = workspace.configuration.contract(contract_name)
    made = board_at(
        workspace,
        spec,
        benchmark_name,
        as_of=as_of,
        model_name=model_name,
        months=months,
        launches=launches,
    )
    rows = [board_row_to_json(made, row) for row in made.rows]
    known = fixings_known(workspace, benchmark_name, as_of)
    structure = term_structure(
        reserved_prices(workspace, spec.chip, as_of), annual_rate_percent=annual_rate_percent
    )
    answer: dict[str, Any] = {
        "contract": spec.id,
        "status": spec.status_line,
        "benchmark": benchmark_name,
        "official_underlying": spec.official_underlying,
        "proxy": any(row.settlement.proxy for row in made.rows),
        "as_of": format_instant(made.as_of),
        "reconstructed": as_of is not None and as_of.reconstructed,
        **_standing(known),
        "last_fixing": _last_fixing(known),
        "model": model_to_json(made.model, model_name),
        "marks": sum(row.mark is not None for row in made.rows),
        "no_carry": NO_CARRY,
        "rows": rows,
        "term": term_to_json(structure),
        "against": None,
    }
    if against is not None:
        months_shown = tuple(row.month for row in made.rows)
        other = board_at(
            workspace,
            spec,
            benchmark_name,
            as_of=against,
            model_name=model_name,
            launches=launches,
            board=months_shown,
        )
        answer["against"] = _against(rows, other, against, model_name)
    return answer


def _against(
    rows: Sequence[dict[str, Any]], other: ContractBoard, view: AsOf, model_name: str
) -> dict[str, Any]:
    from ..contracts.curve.telling import board_row_to_json, model_to_json
    from ..records import micros_from_text

    def change(now: str | None, then: str | None) -> str | None:
        return None if now is None or then is None else price(micros_from_text(now) - micros_from_text(then))

    compared = []
    for row, then in zip(rows, (board_row_to_json(other, row) for row in other.rows), strict=True):
        line: dict[str, Any] = {"month": row["month"]}
        for key in ("mark", "modelled"):
            line[key] = then[key]
            line[f"{key}_change"] = change(row[key], then[key])
            if then[key] is None:
                line[f"{key}_reason"] = then.get("mark_reason" if key == "mark" else "reason")
            if line[f"{key}_change"] is None:
                line[f"{key}_change_reason"] = "one of the two days has none"
        line["mark_date"] = then["mark_date"]
        compared.append(line)
    return {
        "as_of": format_instant(other.as_of),
        "reconstructed": view.reconstructed,
        "model": model_to_json(other.model, model_name),
        "rows": compared,
    }


def _standing(known: dict[date, Fixing]) -> dict[str, Any]:
    """What the fixings rest on, for every place that prints them."""
    origins = {row.origin for row in known.values()}
    return {
        "origin": None if origins == {None} else ("live" if origins == {"live"} else "backcast"),
        "fixing_state": "candidate" if any(r.state == "candidate" for r in known.values()) else "published",
        "simulated": any(row.simulated for row in known.values()),
    }


def _last_fixing(known: dict[date, Fixing]) -> dict[str, Any] | None:
    observed = [
        row for row in known.values() if row.value_micros is not None and row.status in ("OK", "THIN")
    ]
    if not observed:
        return None
    last = max(observed, key=lambda row: row.date)
    return {"date": last.date.isoformat(), "value": price(last.value_micros), "status": last.status}
