"""What a hedge report says of the user's own book: exposure, attribution, incidents, cost of output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .attribution import Attribution
from .book.cover import ExposureView
from .cost_view import CostView
from .incidents import RISKS, Incidents
from .wording import bill, per_hour

if TYPE_CHECKING:
    from .report_model import HedgeReport

ABSENT = {
    "exposure": "no hours are known, so there is no exposure to count",
    "attribution": "sub-indices need an archive, and none was at hand",
    "incidents": "no file of incidents was given",
    "cost_view": "no file of output figures was given",
}
"""Why a part of the study is absent where nothing better is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RentStudy:
    """The parts of a report that rest on the user's own files; each is None where it was not asked for."""

    exposure: ExposureView | None = None
    attribution: Attribution | None = None
    incidents: Incidents | None = None
    cost_view: CostView | None = None

    def not_covered_micros(self) -> tuple[int | None, ...]:
        """The money of each risk of ``NOT_COVERED``, in its order; None where nothing is stated."""
        if self.incidents is None:
            return tuple(None for _ in RISKS)
        return tuple(self.incidents.amount_micros(kinds) for kinds in RISKS)


def study_json(report: HedgeReport) -> tuple[dict[str, Any], dict[str, str]]:
    """The study's keys of a report's JSON, and the reasons of those that are null."""
    study = report.rent_study or RentStudy()
    values: dict[str, Any] = {
        "exposure": None if study.exposure is None else study.exposure.to_json(report),
        "attribution": None if study.attribution is None else study.attribution.to_json(),
        "incidents": None if study.incidents is None else study.incidents.to_json(),
        "cost_view": None if study.cost_view is None else study.cost_view.to_json(),
    }
    return values, {key: ABSENT[key] for key, value in values.items() if value is None}


def attribution_sentence(report: HedgeReport, found: Attribution) -> str | None:
    """The part of S2 that says what explains the difference; None where nothing was left over."""
    if not found.lines or found.total_micros == 0:
        return None
    left = found.line("unexplained").micros

    def said(micros: int) -> str:
        return bill(micros) if found.is_amount else per_hour(micros)

    total = said(found.total_micros)
    hedge = "the hedge" if found.method == report.method else "a hedge hour for hour"
    largest = found.largest(1)
    if not largest:
        return f"Of the {total} {hedge} left over, no cause that the data can tell explains anything."
    first = largest[0]
    return (
        f"Of what {hedge} left over, {first.label.lower()} explains {said(first.micros)} of {total};"
        f" {said(left)} is unexplained."
    )
