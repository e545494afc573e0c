"""From fixings and settlements to the grid that the state space is fitted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from ...records import MICROS_PER_USD
from ..calendars import fixing_weights
from ..spec import ContractSpec
from .launches import Launch
from .series import FixingSeries, Floats


@dataclass(frozen=True, slots=True)
class Panel:
    """What is observed on the grid of fixings, steps in rows.

    ``log_prices`` has shape (steps, 1 + slots): the fixing, then settlements by nearness, NaN where
    there is none. ``years`` is each settlement's mean time to its fixings, shape (steps, slots).
    ``launch_steps`` is the log step of launches between a day and those fixings, same shape as
    ``years``. ``jumps`` is the step of ξ on each day, shape (steps,).
    """

    log_prices: Floats
    years: Floats
    launch_steps: Floats
    jumps: Floats
    years_per_step: float

    @property
    def slots(self) -> int:
        """Settlements a day at most."""
        return int(self.years.shape[1])

    @property
    def curve_days(self) -> int:
        """Days with settlements of two months or more: fewer say nothing about the shape of the curve."""
        return int((np.isfinite(self.log_prices[:, 1:]).sum(axis=1) >= 2).sum())


@dataclass(frozen=True, slots=True)
class _Month:
    """Where a month's fixings lie on the grid: the first, their mean, and the share after each launch."""

    first_day: date
    mean_position: float
    share_from_launch: tuple[float, ...]


def make_panel(
    series: FixingSeries,
    settles: Mapping[date, Mapping[str, int]],
    spec: ContractSpec | None,
    launches: Iterable[Launch] = (),
) -> Panel:
    """The grid of a benchmark's fixings with the settlements of a contract's months beside them.

    ``settles`` is micro-USD per GPU-hour by trade date and month. A month counts until its averaging
    begins, since an accruing one is partly known, and stands at the mean time to its fixings, which
    for a month is within 1e-4 of averaging day by day. Trade dates off the grid are left out. Without
    a contract the panel is the fixings alone.
    """
    scheduled = sorted(launches)
    rows = int(series.positions[-1]) + 1
    per_step = 1 / series.stepping.steps_per_year
    chosen = {} if spec is None else _chosen(series, settles, spec, scheduled, rows)
    slots = max((len(found) for found in chosen.values()), default=0)
    log_prices = np.full((rows, 1 + slots), np.nan)
    log_prices[series.positions, 0] = series.logs
    years = np.zeros((rows, slots))
    steps = np.zeros((rows, slots))
    for (row, day), found in chosen.items():
        for slot, (month, micros) in enumerate(found):
            log_prices[row, 1 + slot] = np.log(micros / MICROS_PER_USD)
            years[row, slot] = (month.mean_position - row) * per_step
            steps[row, slot] = sum(
                launch.log_step * share
                for launch, share in zip(scheduled, month.share_from_launch, strict=True)
                if launch.day > day
            )
    return Panel(log_prices, years, steps, _jumps(series, scheduled, rows), per_step)


def _chosen(
    series: FixingSeries,
    settles: Mapping[date, Mapping[str, int]],
    spec: ContractSpec,
    launches: list[Launch],
    rows: int,
) -> dict[tuple[int, date], list[tuple[_Month, int]]]:
    origin = series.dates[0]
    days = [day for day in settles if origin <= day and (day == origin or series.stepping.includes(day))]
    months: dict[str, _Month] = {}
    chosen: dict[tuple[int, date], list[tuple[_Month, int]]] = {}
    for row, day in zip(series.stepping.steps(origin, days).tolist(), days, strict=True):
        if row >= rows:
            continue
        found = []
        for month, micros in settles[day].items():
            if month not in months:
                months[month] = _month(series, spec, month, launches)
            if months[month].first_day > day:
                found.append((months[month], micros))
        if found:
            chosen[row, day] = sorted(found, key=lambda pair: pair[0].mean_position)
    return chosen


def _month(series: FixingSeries, spec: ContractSpec, month: str, launches: list[Launch]) -> _Month:
    weights = fixing_weights(spec, month)
    days = list(weights)
    total = sum(weights.values())
    positions = series.stepping.steps(series.dates[0], [max(day, series.dates[0]) for day in days])
    return _Month(
        first_day=days[0],
        mean_position=float(positions @ np.array(list(weights.values()))) / total,
        share_from_launch=tuple(
            sum(weight for day, weight in weights.items() if day >= launch.day) / total for launch in launches
        ),
    )


def _jumps(series: FixingSeries, launches: list[Launch], rows: int) -> Floats:
    jumps = np.zeros(rows)
    inside = [launch for launch in launches if series.dates[0] < launch.day <= series.dates[-1]]
    for launch in inside:
        before = int(series.stepping.steps(series.dates[0], [launch.day])[0])
        on_grid = series.stepping.includes(launch.day)
        jumps[before if on_grid else before + 1] += launch.log_step
    return jumps
