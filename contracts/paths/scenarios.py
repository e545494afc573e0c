"""Named scenarios: what happened to this market before, laid over paths of any model.

A scenario is stated figures, not an estimate. It says apart what the market does and what the
benchmark prints of it, because a methodology break moves the print and no price, and an outage
leaves no print while prices go on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ...records import UsageError
from ..curve.launches import PUBLISHED_LOG_STEP
from ..curve.series import Floats

MONTHS_PER_YEAR = 12
GLUT_FALL, GLUT_MONTHS = -0.45, 9
SPOT_FALL, TERM_FROM_USD, TERM_TO_USD, TERM_MONTHS = -0.40, 1.70, 2.65, 5
BREAK_RISE = 0.35
OUTAGE_FIXINGS = 6


@dataclass(frozen=True)
class ScenarioPaths:
    """What a scenario makes of paths, all USD per GPU-hour, one row a fixing.

    ``index`` is what the benchmark prints, NaN where it prints nothing; ``market`` what prices did, the
    same shape; ``term_usd`` the price of one-year contracts on each day, shape (days,), where the
    scenario speaks of it.
    """

    index: Floats
    market: Floats
    term_usd: Floats | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario by its id, in words, with where its figures come from."""

    id: str
    sentence: str
    source: str
    apply: Callable[[Floats, int, float], ScenarioPaths]
    """From paths, the row it begins at and fixings a year, what the benchmark and the market do."""


def _ramp(days: int, start: int, length: int) -> Floats:
    """0 before ``start``, then in equal steps to 1 over ``length`` rows."""
    return np.clip((np.arange(days) - start + 1) / length, 0.0, 1.0)


def _rows(months: int, per_year: float) -> int:
    return max(1, round(months * per_year / MONTHS_PER_YEAR))


def _glut(paths: Floats, start: int, per_year: float) -> ScenarioPaths:
    ramp = _ramp(len(paths), start, _rows(GLUT_MONTHS, per_year))
    moved = paths * np.exp(math.log1p(GLUT_FALL) * ramp)[:, np.newaxis]
    return ScenarioPaths(moved, moved)


def _launch(paths: Floats, start: int, _per_year: float) -> ScenarioPaths:
    moved = paths * np.exp(PUBLISHED_LOG_STEP * _ramp(len(paths), start, 1))[:, np.newaxis]
    return ScenarioPaths(moved, moved)


def _term_up(paths: Floats, start: int, per_year: float) -> ScenarioPaths:
    ramp = _ramp(len(paths), start, _rows(TERM_MONTHS, per_year))
    moved = paths * np.exp(math.log1p(SPOT_FALL) * ramp)[:, np.newaxis]
    return ScenarioPaths(moved, moved, TERM_FROM_USD * np.exp(math.log(TERM_TO_USD / TERM_FROM_USD) * ramp))


def _break(paths: Floats, start: int, _per_year: float) -> ScenarioPaths:
    printed = paths * (1 + BREAK_RISE * _ramp(len(paths), start, 1))[:, np.newaxis]
    return ScenarioPaths(printed, paths)


def _outage(paths: Floats, start: int, _per_year: float) -> ScenarioPaths:
    printed = paths.copy()
    printed[start : start + OUTAGE_FIXINGS] = np.nan
    return ScenarioPaths(printed, paths)


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        scenario.id: scenario
        for scenario in (
            Scenario(
                "glut",
                "glut after scarcity: prices fall 45 % over 9 months, evenly in logarithms, and stay",
                "largest fall of H100 to 2026-08, third-party note",
                _glut,
            ),
            Scenario(
                "launch",
                "chip launch: the price steps down by 0.22 in logarithms on one day",
                "SSRN 6926798, abstract",
                _launch,
            ),
            Scenario(
                "term-up",
                "term up while spot falls: on-demand falls 40 % over 5 months while one-year contracts rise "
                "from $1.70 to $2.65",
                "published H100 prices, May to October 2026",
                _term_up,
            ),
            Scenario(
                "methodology-break",
                "methodology break: the benchmark prints 35 % more from one day on and no price moves",
                "restatement of an A100 index on 2025-12-04, third-party note",
                _break,
            ),
            Scenario(
                "outage",
                "index outage: the benchmark prints nothing on 6 fixing days in a row while prices go on",
                "stated for stress; longer than the two days in a row a certificate allows",
                _outage,
            ),
        )
    }
)
"""The scenarios by id."""


def scenario(name: str) -> Scenario:
    """A scenario by its id; raises UsageError naming those there are."""
    if name not in SCENARIOS:
        raise UsageError(f"There is no scenario {name!r}; known: {', '.join(SCENARIOS)}.")
    return SCENARIOS[name]


def apply_scenario(chosen: Scenario, paths: Floats, *, start: int, steps_per_year: float) -> ScenarioPaths:
    """Lay a scenario over paths of shape (days, paths) from row ``start`` on.

    Raises UsageError where it would begin after the last row.
    """
    if not 0 <= start < len(paths):
        raise UsageError(
            f"scenario {chosen.id} begins on day {start + 1} of {len(paths)}; begin within them."
        )
    return chosen.apply(paths, start, steps_per_year)
