"""Where a hedge broke down: stationarity first, then every test of breaks, dated shifts and their causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from ..records import MICROS_PER_USD, Refusal
from .basis import Stationarity
from .basis_shape import BasisShape
from .breaks import (
    BREAK_TESTS,
    FINE_TRIM,
    TRIM,
    Chow,
    Finding,
    Levels,
    MeanShifts,
    mean_shifts,
    sequential_breaks,
)
from .causes import BreakCase, PanelMoves, SecondSource, cases_of
from .rolling import rolling_fit
from .series import CommonDate, MonthMean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Horizon = Literal["observation", "monthly"]
WINDOWS: Mapping[Horizon, int] = {"observation": 60, "monthly": 24}
"""Changes in a rolling window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingPath:
    """The OLS ratio and R² of each window of changes, by the date of its last change; None where undefined."""

    window: int
    dates: tuple[date, ...] = ()
    ratios: tuple[float | None, ...] = ()
    r_squared: tuple[float | None, ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The path's ends and extremes with stable keys."""
        ratios = [each for each in self.ratios if each is not None]
        shares = [each for each in self.r_squared if each is not None]
        values: dict[str, Any] = {
            "window": self.window,
            "windows": len(self.dates),
            "last_date": self.dates[-1].isoformat() if self.dates else None,
            "last_ratio": self.ratios[-1] if self.dates else None,
            "lowest_ratio": min(ratios) if ratios else None,
            "highest_ratio": max(ratios) if ratios else None,
            "last_r_squared": self.r_squared[-1] if self.dates else None,
            "lowest_r_squared": min(shares) if shares else None,
            "highest_r_squared": max(shares) if shares else None,
        }
        reason = self.reason
        if reason is None and None in values.values():
            reason = "in a window in which the rent or the reference stands still there is no ratio or no R²"
        return values if reason is None else values | {"reason": reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """Everything that was asked about breaks. ``descriptive`` says that the gap has no level to break from.

    ``shifts`` are the mean shifts of the gap at 15 % and 5 % trim; ``sequential`` the dates found step by
    step; ``cases`` the shifts BIC believes at 15 %, each with its causes.
    """

    descriptive: bool
    findings: Mapping[Horizon, tuple[Finding, ...]]
    shifts: tuple[MeanShifts, ...]
    sequential: tuple[date, ...]
    cases: tuple[BreakCase, ...]
    rolling: Mapping[Horizon, RollingPath]
    price_shape: BasisShape
    settlement_shape: BasisShape

    @property
    def dates(self) -> tuple[date, ...]:
        """The breaks a report draws: those BIC believes at 15 % trim."""
        return tuple(each.date for each in self.cases)

    def to_json(self) -> dict[str, Any]:
        """The breakdown with stable keys."""
        return {
            "descriptive": self.descriptive,
            "tests": {
                horizon: [each.to_json() for each in findings] for horizon, findings in self.findings.items()
            },
            "mean_shifts": [each.to_json() for each in self.shifts],
            "sequential": [each.isoformat() for each in self.sequential],
            "cases": [each.to_json() for each in self.cases],
            "rolling": {horizon: each.to_json() for horizon, each in self.rolling.items()},
        }


def breakdown_of(
    common: Sequence[CommonDate],
    means: Sequence[MonthMean],
    stationarity: Stationarity | Refusal,
    *,
    price_shape: BasisShape,
    settlement_shape: BasisShape,
    spread_evenly: bool = False,
    methodology_changes: Sequence[tuple[date, str]] = (),
    known_dates: Sequence[date] = (),
    panel: PanelMoves | None = None,
    second: SecondSource | None = None,
) -> Breakdown:
    """Ask every question about breaks of these common dates and monthly means.

    ``spread_evenly``: invoices, which have no rent of a single day, are asked by month alone. Chow tests
    stand at methodology changes and at ``known_dates``; ``panel`` and ``second`` are evidence of causes.
    """
    series: dict[Horizon, Levels] = {}
    if not spread_evenly:
        series["observation"] = _observed(common)
    series["monthly"] = _monthly(means)
    chow_dates = sorted({day for day, _ in methodology_changes} | set(known_dates))
    findings = {
        horizon: tuple(
            test.judge(levels) for test in (*BREAK_TESTS.values(), *(Chow(day) for day in chow_dates))
        )
        for horizon, levels in series.items()
    }
    gap, dates = _observed(common).gap, [each.date for each in common]
    shifts = tuple(mean_shifts(dates, gap, trim) for trim in (TRIM, FINE_TRIM))
    return Breakdown(
        descriptive=not (isinstance(stationarity, Stationarity) and stationarity.stable),
        findings=findings,
        shifts=shifts,
        sequential=tuple(dates[place] for place in sequential_breaks(gap)),
        cases=cases_of(
            common,
            shifts[0].by_bic,
            methodology_changes=methodology_changes,
            panel=panel,
            second=second,
        ),
        rolling={horizon: _rolling(levels, WINDOWS[horizon]) for horizon, levels in series.items()},
        price_shape=price_shape,
        settlement_shape=settlement_shape,
    )


def _observed(common: Sequence[CommonDate]) -> Levels:
    return Levels(
        tuple(each.date for each in common),
        _dollars([each.rent_micros for each in common]),
        _dollars([each.reference_micros for each in common]),
    )


def _monthly(means: Sequence[MonthMean]) -> Levels:
    return Levels(
        tuple(each.last_date for each in means),
        _dollars([float(each.rent) for each in means]),
        _dollars([float(each.reference) for each in means]),
    )


def _dollars(micros: Sequence[float]) -> NDArray[np.float64]:
    import numpy as np

    found: NDArray[np.float64] = np.array(micros, dtype=np.float64) / MICROS_PER_USD
    return found


def _rolling(levels: Levels, window: int) -> RollingPath:
    n = len(levels.dates) - 1
    if n < window:
        return RollingPath(window=window, reason=f"{max(n, 0)} changes, {window} needed for a window")
    fit = rolling_fit(*levels.changes, window)
    return RollingPath(
        window=window,
        dates=levels.dates[window:],
        ratios=tuple(_or_none(each) for each in fit.ratios),
        r_squared=tuple(_or_none(each) for each in fit.r_squared),
    )


def _or_none(value: np.float64) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN is the only value that differs from itself
