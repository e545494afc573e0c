"""The marks a plot of the report must carry: backcast ground, changes of methodology, a watermark."""

from __future__ import annotations

from ...drawing.axes import backcast_ground, date_axis, dollars, value_axis
from ...drawing.axes import watermark as across
from ...drawing.svg import Frame, line, text
from ..report_model import HedgeReport

__all__ = ["breaks", "date_axis", "dollars", "ground", "value_axis", "watermark"]


def ground(frame: Frame, report: HedgeReport) -> list[str]:
    """The tinted ground of backcast fixings, up to the date from which they are live."""
    if report.origin != "backcast":
        return []
    return backcast_ground(frame, report.live_from)


def breaks(frame: Frame, report: HedgeReport) -> list[str]:
    """A labelled dashed vertical at each change of methodology."""
    drawn: list[str] = []
    for day, name in report.methodology_changes:
        place = frame.x(day.toordinal())
        drawn.append(line(place, frame.top, place, frame.bottom, "change"))
        drawn.append(text(place + 3, frame.top + 10, name, "note"))
    return drawn


def watermark(frame: Frame, report: HedgeReport) -> list[str]:
    """SIMULATED across the plot where anything in it is."""
    return [across(frame)] if report.simulated else []
