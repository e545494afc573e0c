"""Sampling: how far a value moves with the moment at which the market was asked.

Under ``snapshots = K`` the window is cut into K equal parts, and the value is made once more from each
part alone, by the same rules. Their spread stands beside the level: it says what another collector,
asking at another hour, might have printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import isqrt
from typing import Any

from ..records import format_micros
from .ballot import Ballot
from .hierarchy import decide
from .methodology import Benchmark
from .state import State
from .windows import Window


def parts_of(benchmark: Benchmark, windows: Sequence[Window]) -> tuple[Benchmark, list[list[Window]]]:
    """The K parts of each window, and the benchmark under which the panel collects by their instants.

    A panel of whole UTC days collects by date; parts of a day are told apart by their bounds, as those of
    a look-back are.
    """
    count = benchmark.methodology.snapshots or 1
    by_bounds = benchmark.methodology.model_copy(update={"lookback_hours": 24, "snapshots": None})
    parts = [[part_of(window, number, count) for window in windows] for number in range(1, count + 1)]
    return replace(benchmark, methodology=by_bounds, recorded=None), parts


def part_of(window: Window, number: int, count: int) -> Window:
    """The part ``number`` from 1 to ``count`` of a window; the parts meet and fill it."""
    length = window.end - window.start
    return replace(
        window,
        start=window.start + length * (number - 1) / count,
        end=window.start + length * number / count,
    )


def joined(
    whole: Mapping[date, Sequence[Ballot]], parts: Sequence[Mapping[date, Sequence[Ballot]]]
) -> dict[date, list[Ballot]]:
    """The ballots of windows and of their parts, those of part n marked with slice n from 1 on."""
    found = {day: list(ballots) for day, ballots in whole.items()}
    for number, part in enumerate(parts, start=1):
        for day, ballots in part.items():
            found.setdefault(day, []).extend(replace(b, slice=number) for b in ballots)
    return found


def sampled(
    benchmark: Benchmark, ballots: Sequence[Ballot], window: Window, state: State
) -> dict[int, int | None]:
    """The value from each part of the window alone, micro-USD, or None where the rules refuse one."""
    count = benchmark.methodology.snapshots
    if count is None:
        return {}
    values: dict[int, int | None] = {}
    for number in range(1, count + 1):
        part = part_of(window, number, count)
        held = [replace(b, slice=0) for b in ballots if b.slice == number]
        outcome = decide(benchmark, held, part, state).outcome
        values[number] = None if outcome is None else outcome.value_micros
    return values


def sampling_beside(samples: Mapping[int, int | None]) -> dict[str, Any]:
    """How many snapshots gave a value, the lowest and highest, and their sample standard deviation.

    Prices are six-decimal strings; the deviation is null below two values, its root rounded to nearest.
    """
    values = [value for value in samples.values() if value is not None]
    deviation = None
    if len(values) > 1:
        mean = Fraction(sum(values), len(values))
        variance = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - 1)
        deviation = format_micros((isqrt(4 * variance.numerator // variance.denominator) + 1) // 2)
    return {
        "snapshots": len(samples),
        "with_value": len(values),
        "low": format_micros(min(values)) if values else None,
        "high": format_micros(max(values)) if values else None,
        "standard_deviation": deviation,
    }
