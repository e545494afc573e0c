"""Usable output: the rows of a serving benchmark at a target, charged with a rent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ..grades.operators import (
    Bounds,
    Readings,
    ServingFile,
    ServingRow,
    StackComparison,
    StackOutput,
    compare_stacks,
    operator_key,
    read_serving_file,
    stack_outputs,
    usd_micros_per_million,
)
from ..grades.operators.serving import Percentile
from ..records import RentmarkError, UsageError, format_micros
from .input_files import read_input_file
from .rents import Rent

SECONDS_PER_HOUR = 3600
REFUSALS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows to take; None takes all."""

    hardware: str | None = None
    precision: str | None = None
    model: str | None = None
    framework: str | None = None
    spec_decoding: str | None = None
    isl: int | None = None
    osl: int | None = None
    first: date | None = None
    last: date | None = None


def read_bounds(
    *,
    ttft_seconds: float | None,
    ttft_percentile: Percentile,
    p90_interactivity: float | None,
    p99_interactivity: float | None,
) -> Bounds:
    """What a row must meet; None bounds nothing. Raises UsageError for a bound that is not finite."""
    for option, bound in (
        ("--max-ttft", ttft_seconds),
        ("--min-p90", p90_interactivity),
        ("--min-p99", p99_interactivity),
    ):
        if bound is not None and not math.isfinite(bound):
            raise UsageError(f"{option} is {bound}; write a finite number.")
    return Bounds(
        ttft_seconds=ttft_seconds,
        ttft_percentile=ttft_percentile,
        p90_interactivity=p90_interactivity,
        p99_interactivity=p99_interactivity,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableOutput:
    """A file at a target: its stacks, and two of them held side by side where that was asked."""

    name: str
    file: ServingFile
    wanted: Wanted
    target: float
    bounds: Bounds
    rows: tuple[ServingRow, ...]
    stacks: tuple[StackOutput, ...]
    comparison: StackComparison | None
    rent: Rent | None


def usable_output(
    path: Path,
    wanted: Wanted,
    *,
    target: float,
    bounds: Bounds,
    compare: Sequence[str] = (),
    rent: Rent | None = None,
) -> UsableOutput:
    """Read a file of serving rows and say what each stack yields at ``target`` tokens/s per user.

    Two stacks are compared where ``compare`` names them, or where just two have output. Raises
    RentmarkError where nothing is left to judge, and where a fixing prices another chip than the rows ran on.
    """
    file = read_serving_file(read_input_file(path, "serving file"), path.name)
    rows = _select(file.rows, wanted, path.name)
    if rent is not None and rent.chip is not None:
        _refuse_other_chip(rows, rent.chip)
    stacks = stack_outputs(rows, target, bounds)
    if all(stack.flag == "too_few_rows" for stack in stacks):
        told = "; ".join(f"{stack.stack.name}: {stack.reason}" for stack in stacks)
        raise RentmarkError(f"{path.name} has no curve to read: {told}.")
    return UsableOutput(
        name=path.name,
        file=file,
        wanted=wanted,
        target=target,
        bounds=bounds,
        rows=tuple(rows),
        stacks=tuple(stacks),
        comparison=_comparison(stacks, compare),
        rent=rent,
    )


def _select(rows: Sequence[ServingRow], wanted: Wanted, name: str) -> list[ServingRow]:
    """Rows that match, asked one by one so that the first that nothing matches is named."""
    kept = list(rows)
    asked: tuple[tuple[str, str | int | None, Callable[[ServingRow], str | int]], ...] = (
        ("--hardware", wanted.hardware, lambda row: row.stack.hardware),
        ("--precision", wanted.precision, lambda row: row.stack.precision),
        ("--model", wanted.model, lambda row: row.model),
        ("--isl", wanted.isl, lambda row: row.isl),
        ("--osl", wanted.osl, lambda row: row.osl),
        ("--framework", wanted.framework, lambda row: row.stack.framework),
        ("--spec-decoding", wanted.spec_decoding, lambda row: row.stack.spec_decoding),
    )
    for option, value, of in asked:
        if value is None:
            continue
        matching = [row for row in kept if str(of(row)).casefold() == str(value).casefold()]
        if not matching:
            known = ", ".join(str(each) for each in sorted({of(row) for row in kept}, key=str))
            raise RentmarkError(f"{name} has no row with {option} {value}; it holds {known}.")
        kept = matching
    first, last = min(row.date for row in kept), max(row.date for row in kept)
    dated = [
        row
        for row in kept
        if (wanted.first is None or row.date >= wanted.first)
        and (wanted.last is None or row.date <= wanted.last)
    ]
    if not dated:
        raise RentmarkError(
            f"{name} has no such row between these dates; its rows run from {first} to {last}."
        )
    return dated


def _refuse_other_chip(rows: Sequence[ServingRow], chip: str) -> None:
    others = sorted({r.stack.hardware for r in rows if operator_key(r.stack.hardware) != operator_key(chip)})
    if others:
        raise RentmarkError(
            f"The benchmark prices {chip} and the rows ran on {', '.join(others)}; choose --hardware {chip.casefold()}, "
            "another --benchmark, or state the rent with --rent."
        )


def _comparison(stacks: Sequence[StackOutput], compare: Sequence[str]) -> StackComparison | None:
    if not compare:
        yielding = [stack for stack in stacks if stack.output]
        return compare_stacks(*yielding) if len(yielding) == 2 else None
    if len(compare) != 2:
        raise UsageError(
            "--compare is given twice, once for each of two stacks, such as --compare sglang/none."
        )
    return compare_stacks(*(_called(stacks, written) for written in compare))


def _called(stacks: Sequence[StackOutput], written: str) -> StackOutput:
    named = [stack for stack in stacks if stack.stack.is_called(written)]
    if len(named) == 1:
        return named[0]
    if named:
        listed = ", ".join(str(stack.stack) for stack in named)
        raise UsageError(f"--compare {written} is several stacks; write one in full: {listed}.")
    listed = ", ".join(stack.stack.name for stack in stacks)
    raise RentmarkError(f"There is no stack {written} among these rows; there are {listed}.")


def output_row(result: UsableOutput) -> dict[str, Any]:
    """The documented JSON of `output`."""
    wanted, bounds = result.wanted, result.bounds
    any_row = result.rows[0]
    return {
        "file": result.name,
        "target": result.target,
        "model": any_row.model,
        "isl": any_row.isl,
        "osl": any_row.osl,
        "from": None if wanted.first is None else wanted.first.isoformat(),
        "to": None if wanted.last is None else wanted.last.isoformat(),
        "bounds": {
            "ttft_seconds": bounds.ttft_seconds,
            "ttft_percentile": bounds.ttft_percentile,
            "p90_interactivity": bounds.p90_interactivity,
            "p99_interactivity": bounds.p99_interactivity,
        },
        "rows_read": len(result.file.rows),
        "rows_used": len(result.rows),
        "rows_refused": len(result.file.refused),
        "refused": list(result.file.refused[:REFUSALS_SHOWN]),
        "rent": None if result.rent is None else result.rent.to_json(),
        "stacks": [_stack_row(stack, result.rent) for stack in result.stacks],
        "comparison": None if result.comparison is None else _comparison_row(result.comparison, result.rent),
        "source_notice": list(result.file.comments),
        "notes": list(result.file.notes),
    }


def _stack_row(each: StackOutput, rent: Rent | None) -> dict[str, Any]:
    costs = [] if rent is None else [_cost_row(each, m) for m in sorted({rent.low_micros, rent.high_micros})]
    per_million = costs[0]["output"] if len(costs) == 1 else None
    why_not = None
    if per_million is None:
        why_not = each.reason or (
            "no rent was given" if rent is None else "the rent is a range: see usd_per_million"
        )
    return {
        "hardware": each.stack.hardware,
        "framework": each.stack.framework,
        "spec_decoding": each.stack.spec_decoding,
        "precision": each.stack.precision,
        "rows": each.rows,
        "rows_out_of_bounds": each.rows_out_of_bounds,
        "knots": len(each.knots),
        "dates": [day.isoformat() for day in each.dates],
        "joins_dates": len(each.dates) > 1,
        "joins_months": len(each.months) > 1,
        "output_tokens_per_second_per_gpu": each.output,
        "total_tokens_per_second_per_gpu": each.total,
        "input_tokens_per_second_per_gpu": each.input,
        "input_tokens_per_second_per_gpu_reason": _input_reason(each),
        "usd_per_million_output": per_million,
        "usd_per_million_output_reason": why_not,
        "usd_per_million": costs,
        "flag": each.flag,
        "reason": each.reason,
        "readings": None if each.readings is None else _readings_row(each.readings),
        "warnings": list(each.warnings),
        "frontier": [_knot_row(knot) for knot in each.knots],
    }


def _input_reason(each: StackOutput) -> str | None:
    if each.input is not None:
        return None
    return each.reason or "a row on the frontier does not state its input throughput"


def _cost_row(each: StackOutput, rent_micros: int) -> dict[str, Any]:
    def cost(tokens_per_second: float | None) -> str | None:
        micros = None if tokens_per_second is None else usd_micros_per_million(rent_micros, tokens_per_second)
        return None if micros is None else format_micros(micros)

    row = {
        "rent": format_micros(rent_micros),
        "output": cost(each.output),
        "input": cost(each.input),
        "total": cost(each.total),
    }
    missing = None in row.values()
    return {**row, "reason": (each.reason or _input_reason(each)) if missing else None}


def _readings_row(readings: Readings) -> dict[str, float]:
    return {
        "steffen": readings.steffen,
        "linear": readings.linear,
        "log_linear": readings.log_linear,
        "low": readings.low,
        "high": readings.high,
    }


def _knot_row(row: ServingRow) -> dict[str, Any]:
    return {
        "date": row.date.isoformat(),
        "concurrency": row.concurrency,
        "median_interactivity": row.median_interactivity,
        "total_tokens_per_second_per_gpu": row.total_tokens_per_second_per_gpu,
        "output_tokens_per_second_per_gpu": row.output_tokens_per_second_per_gpu,
        "disaggregated": row.disaggregated,
        "where": row.where,
    }


def _comparison_row(found: StackComparison, rent: Rent | None) -> dict[str, Any]:
    bill = rent if rent is not None and rent.low_micros == rent.high_micros else None
    hourly = [(found.more.output or 0) * SECONDS_PER_HOUR, (found.less.output or 0) * SECONDS_PER_HOUR]
    return {
        "more": found.more.stack.name,
        "less": found.less.stack.name,
        "more_in_full": str(found.more.stack),
        "less_in_full": str(found.less.stack),
        "output_ratio": found.output_ratio,
        "rent_per_token_ratio": found.rent_per_token_ratio,
        "readings": {
            "steffen": found.output_ratio,
            "linear": found.linear_ratio,
            "log_linear": found.log_linear_ratio,
        },
        "equal_bill": {
            "usd_per_gpu_hour": None if bill is None else format_micros(bill.low_micros),
            "more_tokens_per_gpu_hour": hourly[0],
            "less_tokens_per_gpu_hour": hourly[1],
            "reason": "no single rent was given" if bill is None else None,
        },
        "warnings": list(found.warnings),
    }
