"""The position beside the exposure, month by month: what it covers, and what it only adds as risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..csv_cells import SECONDS_PER_HOUR
from ..report_model import HedgeReport
from .exposure import MonthExposure


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCover:
    """One month's exposure and position in signed GPU-hours, positive for a rent that is paid.

    ``excess_hours`` are held beyond the exposure, or on its other side. Up to half a lot is what
    whole lots leave; more than that adds risk.
    """

    month: str
    exposed_hours: Fraction
    held_hours: Fraction
    lots: int | None
    unit_gpu_hours: int | None

    @property
    def excess_hours(self) -> Fraction:
        """Hours held that no exposure answers, without sign."""
        direction = 1 if self.exposed_hours >= 0 else -1
        if self.held_hours * direction < 0:
            return abs(self.held_hours)
        return max(Fraction(0), abs(self.held_hours) - abs(self.exposed_hours))

    @property
    def adds_risk(self) -> bool:
        """Whether the excess is more than rounding to whole lots."""
        rounding = Fraction(self.unit_gpu_hours or 0, 2)
        return self.excess_hours > rounding

    @property
    def sentence(self) -> str | None:
        """What to know of a position that adds risk; None for any other."""
        if not self.adds_risk:
            return None
        what = "hours" if self.lots is None else f"{abs(self.lots):,} lots"
        if self.held_hours * self.exposed_hours < 0:
            return f"{self.month}: the {what} held stand against the exposure and add to its risk."
        return (
            f"{self.month}: {float(self.excess_hours):,.0f} GPU-hours of the {what} held are above the"
            f" {abs(float(self.exposed_hours)):,.0f} exposed; they add risk."
        )

    def to_json(self) -> dict[str, Any]:
        """The month with its documented keys."""
        row: dict[str, Any] = {
            "month": self.month,
            "exposed_gpu_hours": float(self.exposed_hours),
            "held_gpu_hours": float(self.held_hours),
            "lots": self.lots,
            "excess_gpu_hours": float(self.excess_hours),
            "adds_risk": self.adds_risk,
        }
        reasons = [self.sentence] if self.sentence else []
        if self.lots is None:
            reasons.append("no contract was named, so the position is in GPU-hours")
        if reasons:
            row["reason"] = "; ".join(reasons)
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureView:
    """The exposure of every contract by month, and the simulated positions beside it."""

    contracts: tuple[MonthExposure, ...]
    cover: tuple[MonthCover, ...]

    @property
    def above(self) -> tuple[MonthCover, ...]:
        """The months whose position adds risk."""
        return tuple(each for each in self.cover if each.adds_risk)

    def to_json(self, report: HedgeReport) -> dict[str, Any]:
        """The view with its documented keys."""
        return {
            "contracts": [each.to_json(report.role) for each in self.contracts],
            "months": [each.to_json() for each in self.cover],
            "months_above_exposure": len(self.above),
        }


def exposure_view(report: HedgeReport, contracts: Sequence[MonthExposure]) -> ExposureView:
    """The simulated positions of a report beside the exposure they were sized by."""
    sign = 1 if report.role == "buyer" else -1
    found = []
    for each in report.programme:
        if each.hedged_seconds is None or report.exposure is None:
            continue
        planned = report.exposure[each.month].planned_seconds
        found.append(
            MonthCover(
                month=each.month,
                exposed_hours=Fraction(sign * planned, SECONDS_PER_HOUR),
                held_hours=Fraction(each.hedged_seconds, SECONDS_PER_HOUR),
                lots=each.lots,
                unit_gpu_hours=each.unit_gpu_hours,
            )
        )
    return ExposureView(contracts=tuple(contracts), cover=tuple(found))
