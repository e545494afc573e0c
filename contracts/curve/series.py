"""A benchmark's fixings as the series a model is fitted on, with what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...records import MICROS_PER_USD, STATUSES_OBSERVED, Fixing, Refusal

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SHORTEST_SERIES = 30
"""Fixings below which nothing is fitted: coverage at 60 is poor already (docs/recovery.md)."""
LARGEST_MISSING_SHARE = 0.2
"""Steps without a fixing, of those the series spans, above which nothing is fitted."""


def every_day(_day: date) -> bool:
    """The calendar of a benchmark that fixes on every day."""
    return True


@dataclass(frozen=True)
class Stepping:
    """How a benchmark's fixing dates are counted: ``includes`` says of a day whether it has a fixing."""

    includes: Callable[[date], bool] = every_day

    @cached_property
    def steps_per_year(self) -> float:
        """Fixing dates in a year, the mean of four; it only scales figures that are quoted by the year."""
        first = date(2024, 1, 1)
        days = (date(2028, 1, 1) - first).days
        return sum(self.includes(first + timedelta(days=number)) for number in range(days)) / 4

    def steps(self, origin: date, days: Iterable[date]) -> Integers:
        """How many fixing dates lie after ``origin`` up to each later day, shape (days,)."""
        asked = np.array([(day - origin).days for day in days], dtype=np.int64)
        if self.includes is every_day or not len(asked):
            return asked
        fixed = [self.includes(origin + timedelta(days=number)) for number in range(1, int(asked.max()) + 1)]
        return np.concatenate(([0], np.cumsum(fixed, dtype=np.int64)))[asked]

    def dates_after(self, origin: date, count: int) -> tuple[date, ...]:
        """The next ``count`` fixing dates after a day."""
        found: list[date] = []
        day = origin
        while len(found) < count:
            day += timedelta(days=1)
            if self.includes(day):
                found.append(day)
        return tuple(found)


@dataclass(frozen=True)
class FixingSeries:
    """OK and THIN fixings in ascending order: dates, micro-USD per GPU-hour, and how steps are counted.

    GAP and CARRIED days are steps without a fixing. ``marks`` says what the series rests on:
    simulated, reconstructed, backcast.
    """

    benchmark: str
    dates: tuple[date, ...]
    value_micros: tuple[int, ...]
    stepping: Stepping = field(default_factory=Stepping)
    marks: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def prices(self) -> Floats:
        """USD per GPU-hour, shape (n,)."""
        return np.array(self.value_micros, dtype=np.float64) / MICROS_PER_USD

    @cached_property
    def logs(self) -> Floats:
        """Natural logarithms of the prices, shape (n,)."""
        return np.log(self.prices)

    @cached_property
    def positions(self) -> Integers:
        """Each fixing's place on the grid of steps, from 0, shape (n,)."""
        return self.stepping.steps(self.dates[0], self.dates)

    def __len__(self) -> int:
        return len(self.dates)

    @property
    def missing_steps(self) -> int:
        """Steps between the first and the last fixing that have none."""
        return int(self.positions[-1]) + 1 - len(self) if self.dates else 0

    @property
    def missing_share(self) -> float:
        """Missing steps over all steps the series spans."""
        return self.missing_steps / (int(self.positions[-1]) + 1) if self.dates else 0.0

    @property
    def share_unchanged(self) -> float:
        """Share of changes between consecutive fixings that are exactly 0."""
        changes = np.diff(np.array(self.value_micros, dtype=np.int64))
        return float(np.mean(changes == 0)) if len(changes) else 0.0

    @property
    def flags(self) -> tuple[str, ...]:
        """Sentences about what a reader must know of the series before trusting a fit."""
        said = []
        if self.missing_steps:
            said.append(
                f"{self.missing_steps} of {int(self.positions[-1]) + 1} days have no fixing; "
                "changes over them are left out or bridged by the model."
            )
        if self.share_unchanged > 0.5:
            said.append(
                f"{100 * self.share_unchanged:.0f} % of the changes are exactly 0: the benchmark is sticky "
                "and a model of daily changes sees little of the market."
            )
        return tuple(said)


def series_of(benchmark: str, fixings: Iterable[Fixing], stepping: Stepping | None = None) -> FixingSeries:
    """The observed fixings (OK, THIN) of one benchmark as a series, whatever order they come in."""
    rows = sorted(
        (row for row in fixings if row.status in STATUSES_OBSERVED and row.value_micros is not None),
        key=lambda row: row.date,
    )
    marks = {name for name in ("simulated", "reconstructed") if any(getattr(row, name) for row in rows)}
    marks |= {"backcast"} if any(row.origin == "backcast" for row in rows) else set()
    marks |= {"candidate"} if any(row.state == "candidate" for row in rows) else set()
    return FixingSeries(
        benchmark=benchmark,
        dates=tuple(row.date for row in rows),
        value_micros=tuple(row.value_micros for row in rows if row.value_micros is not None),
        stepping=stepping or Stepping(),
        marks=frozenset(marks),
    )


def fitting_refusal(series: FixingSeries, model: str, shortest: int = SHORTEST_SERIES) -> Refusal | None:
    """Why no model may be fitted to a series: too short, constant, or full of gaps; None where one may."""
    count, name = len(series), series.benchmark
    if count < shortest:
        return Refusal(
            "too_short", f"{name} has {count} fixings and {model} needs {shortest}; wait for more."
        )
    if len(set(series.value_micros)) == 1:
        return Refusal(
            "constant",
            f"{name} is constant at {series.prices[0]:.6f}; there is no movement to fit {model} to.",
        )
    if series.missing_share > LARGEST_MISSING_SHARE:
        return Refusal(
            "too_gappy",
            f"{name} has no fixing on {series.missing_steps} of {int(series.positions[-1]) + 1} days; {model} is "
            f"not fitted above {100 * LARGEST_MISSING_SHARE:.0f} %; choose a window without gaps.",
        )
    return None
