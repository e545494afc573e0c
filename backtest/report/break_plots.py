"""Breaks drawn: dated lines on the gap, and what each rolling window said."""

from __future__ import annotations

from datetime import date

from ...drawing.svg import Frame, line, px, spread_labels, svg, text, value_range
from ..report_model import HedgeReport
from ..wording import number, signed
from .axes import date_axis, value_axis, watermark
from .result_plots import WIDTH

PLOT_HEIGHT = 196


def dated_breaks(frame: Frame, report: HedgeReport) -> list[str]:
    """A labelled vertical at each shift of the gap that BIC believes; an ``≈`` where it only describes."""
    drawn: list[str] = []
    mark = "≈ " if report.breakdown.descriptive else ""
    for row, day in enumerate(report.breakdown.dates):
        place = frame.x(day.toordinal())
        late = place > (frame.left + frame.right) / 2
        drawn.append(line(place, frame.top, place, frame.bottom, "break"))
        height = frame.bottom - 6 - 11 * (row % 3)
        words, anchor = f"{mark}break {day}", "end" if late else "start"
        drawn.append(text(place + (-3 if late else 3), height, words, "note", anchor))
    return drawn


def rolling_plot(report: HedgeReport) -> str:
    """The ratio and R² of each window of changes, at the horizon of single dates where there is one."""
    paths = report.breakdown.rolling
    path = next((each for each in paths.values() if each.dates), None)
    if path is None:
        return ""
    ratios = [(d, r) for d, r in zip(path.dates, path.ratios, strict=True) if r is not None]
    shares = [(d, r) for d, r in zip(path.dates, path.r_squared, strict=True) if r is not None]
    if not ratios or not shares:
        return ""
    y_low, y_high = value_range([0.0, 1.0, *(value for _, value in ratios)])
    frame = Frame(
        56,
        WIDTH - 122,
        22,
        PLOT_HEIGHT - 24,
        path.dates[0].toordinal(),
        path.dates[-1].toordinal() + 1,
        y_low,
        y_high,
    )
    body = [*value_axis(frame, lambda value: signed(f"{value:.1f}")), *date_axis(frame)]
    for kind, points in (("reference", shares), ("rent", ratios)):
        body.append(_held(frame, points, kind))
    heights = spread_labels(
        [frame.y(ratios[-1][1]), frame.y(shares[-1][1])], 30, frame.top, frame.bottom - 14
    )
    for height, kind, name, value in (
        (heights[0], "rent-name", "ratio", ratios[-1][1]),
        (heights[1], "reference-name", "R²", shares[-1][1]),
    ):
        body.append(text(frame.right + 8, height + 2, name, kind))
        body.append(text(frame.right + 8, height + 15, number(value), "tick"))
    body += watermark(frame, report)
    label = (
        f"Rolling hedge ratio and R² over {path.window} changes from {path.dates[0]} to {path.dates[-1]}:"
        f" the ratio lay between {number(min(v for _, v in ratios))} and {number(max(v for _, v in ratios))},"
        f" last {number(ratios[-1][1])}; R² last {number(shares[-1][1])}."
    )
    return svg(WIDTH, PLOT_HEIGHT, label, body)


def _held(frame: Frame, points: list[tuple[date, float]], kind: str) -> str:
    """A step line in which each value holds until the next one: windows end on common dates only."""
    path = f"M{px(frame.x(points[0][0].toordinal()))} {px(frame.y(points[0][1]))}"
    for day, value in points[1:]:
        path += f"H{px(frame.x(day.toordinal()))}V{px(frame.y(value))}"
    return f'<path class="{kind}" d="{path}H{px(frame.right)}"/>'
