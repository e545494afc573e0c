"""Usable output: what an hour of a stack yields at a target interactivity, and what a token then costs.

Price, cost and output are kept apart: the rent is a price, brought from outside; this measures output.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ...records import RentmarkError, quantise
from .frontier import Bounds, dates_of, months_of, pareto_frontier
from .interpolation import linear, log_linear, steffen
from .serving import ServingRow, Stack

Flag = Literal["clamped_low", "unreachable", "too_few_rows"]

FEW_KNOTS = 4
WIDE_GAP = 0.25
"""A gap between the two knots around the target above this share of the target is called wide. Ours."""
SECONDS_PER_HOUR = 3600
TOKENS_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """One quantity at the target, read three ways; ``steffen`` is the one used. Tokens/s per GPU."""

    steffen: float
    linear: float
    log_linear: float

    @property
    def low(self) -> float:
        """The lowest reading."""
        return min(self.steffen, self.linear, self.log_linear)

    @property
    def high(self) -> float:
        """The highest reading."""
        return max(self.steffen, self.linear, self.log_linear)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOutput:
    """A stack at a target interactivity. Throughput is tokens/s per GPU of the whole deployment.

    ``flag`` is ``clamped_low`` (the target is below every knot: the lowest knot stands), ``unreachable``
    (above every knot: zero), or ``too_few_rows`` (one row is no curve: no value, ``reason`` says so).
    ``readings`` is None where nothing is interpolated.
    """

    stack: Stack
    rows: int
    rows_out_of_bounds: int
    knots: tuple[ServingRow, ...]
    output: float | None
    total: float | None
    input: float | None
    flag: Flag | None
    reason: str | None
    readings: Readings | None
    warnings: tuple[str, ...]

    @property
    def dates(self) -> tuple[date, ...]:
        """Dates of the knots. More than one is a join of dates."""
        return dates_of(self.knots)

    @property
    def months(self) -> tuple[str, ...]:
        """Calendar months of the knots."""
        return months_of(self.knots)


def stack_outputs(
    rows: Iterable[ServingRow], target: float, bounds: Bounds | None = None
) -> list[StackOutput]:
    """What each stack yields at ``target`` tokens/s per user, by stack name.

    Raises RentmarkError for a target that is not positive and finite, and where rows are of several models or
    sequence lengths, which are different work.
    """
    if not 0 < target < math.inf:
        raise RentmarkError(f"The target is {target:g} tokens/s per user; it must be above 0 and finite.")
    listed = list(rows)
    _refuse_mixed_work(listed)
    grouped: dict[Stack, list[ServingRow]] = {}
    for row in listed:
        grouped.setdefault(row.stack, []).append(row)
    return [_stack_output(stack, grouped[stack], target, bounds or Bounds()) for stack in sorted(grouped)]


def _refuse_mixed_work(rows: Sequence[ServingRow]) -> None:
    for what, option, found in (
        ("models", "--model", sorted({row.model for row in rows})),
        ("input lengths", "--isl", sorted({row.isl for row in rows})),
        ("output lengths", "--osl", sorted({row.osl for row in rows})),
    ):
        if len(found) > 1:
            listed = ", ".join(str(value) for value in found)
            raise RentmarkError(f"The rows hold several {what} ({listed}); choose one with {option}.")


def _stack_output(stack: Stack, rows: list[ServingRow], target: float, bounds: Bounds) -> StackOutput:
    within = [row for row in rows if bounds.refuses(row) is None]
    knots = pareto_frontier(within)
    outcome = _at_target(knots, target, len(within))
    return StackOutput(
        stack=stack,
        rows=len(rows),
        rows_out_of_bounds=len(rows) - len(within),
        knots=knots,
        output=outcome.output,
        total=outcome.total,
        input=outcome.input,
        flag=outcome.flag,
        reason=outcome.reason,
        readings=outcome.readings,
        warnings=tuple(_warnings(knots, target, outcome.flag)),
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    output: float | None
    total: float | None
    input: float | None
    flag: Flag | None = None
    reason: str | None = None
    readings: Readings | None = None


def _at_target(knots: Sequence[ServingRow], target: float, within: int) -> _Outcome:
    if len(knots) < 2:
        words = {
            0: "no row meets the bounds",
            1: "one row is no curve",
        }.get(within, f"{within} rows leave one on the frontier, and one is no curve")
        return _Outcome(None, None, None, "too_few_rows", f"{words}; widen the dates or the bounds")
    places = [row.median_interactivity for row in knots]
    outputs = [row.output_tokens_per_second_per_gpu for row in knots]
    totals = [row.total_tokens_per_second_per_gpu for row in knots]
    entering = [row.input_tokens_per_second_per_gpu for row in knots]
    known = [value for value in entering if value is not None]
    inputs = known if len(known) == len(entering) else None
    if target > places[-1]:
        reason = f"the fastest knot gives {places[-1]:.1f} tokens/s per user"
        return _Outcome(0.0, 0.0, 0.0, "unreachable", reason)
    if target < places[0]:
        reason = (
            f"the target is below the slowest knot, {places[0]:.1f} tokens/s per user, which stands instead"
        )
        return _Outcome(outputs[0], totals[0], inputs[0] if inputs else None, "clamped_low", reason)
    readings = Readings(
        steffen=steffen(places, outputs, target),
        linear=linear(places, outputs, target),
        log_linear=log_linear(places, outputs, target),
    )
    return _Outcome(
        readings.steffen,
        steffen(places, totals, target),
        steffen(places, inputs, target) if inputs else None,
        readings=readings,
    )


def _warnings(knots: Sequence[ServingRow], target: float, flag: Flag | None) -> list[str]:
    said = []
    months = months_of(knots)
    if len(months) > 1:
        said.append(
            f"joins rows of {' and '.join(months)}: no one state of the software gave all of this curve"
        )
    if flag is not None:
        return said
    if len(knots) < FEW_KNOTS:
        said.append(f"{len(knots)} knots carry the curve; the value is rough")
    below = max(row.median_interactivity for row in knots if row.median_interactivity <= target)
    above = min(row.median_interactivity for row in knots if row.median_interactivity >= target)
    if above - below > WIDE_GAP * target:
        said.append(f"no knot between {below:.1f} and {above:.1f} tokens/s per user; the value is rough")
    return said


def usd_micros_per_million(rent_micros_per_gpu_hour: int, tokens_per_second_per_gpu: float) -> int | None:
    """Micro-USD per million tokens: $/GPU-hour ÷ (tokens/s per GPU × 3,600 / 10⁶), rounded once, half-even.

    The whole hour is charged to the one kind of token asked for, so figures for input, output and total do
    not add up. None where nothing is produced.
    """
    if tokens_per_second_per_gpu <= 0:
        return None
    hourly_millions = tokens_per_second_per_gpu * SECONDS_PER_HOUR / TOKENS_PER_MILLION
    return quantise(rent_micros_per_gpu_hour / hourly_millions)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackComparison:
    """Two stacks at the same target and the same hourly bill per GPU: ``more`` yields more output.

    ``output_ratio`` is more ÷ less; rent per token is in the inverse ratio. The three readings of the
    ratio take both stacks by the same reading; they are equal where a stack is not interpolated.
    """

    more: StackOutput
    less: StackOutput
    output_ratio: float
    rent_per_token_ratio: float
    linear_ratio: float
    log_linear_ratio: float
    warnings: tuple[str, ...]


def compare_stacks(one: StackOutput, other: StackOutput) -> StackComparison:
    """Hold two stacks side by side. Raises RentmarkError where either has no output at the target."""
    for each in (one, other):
        if not each.output:
            raise RentmarkError(
                f"{each.stack.name} has no output at the target ({each.flag}: {each.reason}); "
                "there is no ratio to give."
            )
    more, less = (one, other) if _output(one) >= _output(other) else (other, one)
    linear_ratio = _reading(more, "linear") / _reading(less, "linear")
    log_ratio = _reading(more, "log_linear") / _reading(less, "log_linear")
    said = [f"{each.stack.name}: {warning}" for each in (more, less) for warning in each.warnings]
    said += [f"{each.stack.name}: {each.reason}" for each in (more, less) if each.flag == "clamped_low"]
    if set(more.months) != set(less.months):
        said.append(
            f"the two are of different months ({', '.join(more.months)} against {', '.join(less.months)}): "
            "part of the ratio may be time, not the stack"
        )
    if more.stack.hardware != less.stack.hardware:
        said.append("the two run on different hardware; the same rent for both is an assumption")
    return StackComparison(
        more=more,
        less=less,
        output_ratio=_output(more) / _output(less),
        rent_per_token_ratio=_output(less) / _output(more),
        linear_ratio=linear_ratio,
        log_linear_ratio=log_ratio,
        warnings=tuple(said),
    )


def _output(each: StackOutput) -> float:
    assert each.output is not None
    return each.output


def _reading(each: StackOutput, name: Literal["linear", "log_linear"]) -> float:
    if each.readings is None:
        return _output(each)
    return each.readings.linear if name == "linear" else each.readings.log_linear
