"""Axes and the marks a plot must carry: grid, ticks, a truncated axis, backcast ground, watermark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from ..report_model import HedgeReport
from .svg import Frame, line, month_ticks, nice_ticks, px, rect, text


def dollars(value: float) -> str:
    """A tick in dollars: cents below 100, whole thousands above 10,000."""
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size == 0:
        return "$0"
    if size >= 10_000:
        shown = f"{size / 1000:,.1f}".removesuffix(".0") + "k"
    elif size >= 100 or (size == round(size) and size >= 10):
        shown = f"{size:,.0f}"
    else:
        shown = f"{size:.2f}"
    return f"{sign}${shown}"


def value_axis(frame: Frame, write: Callable[[float], str] = dollars) -> list[str]:
    """Horizontal grid with values at the left; says so where the axis does not start at zero."""
    drawn: list[str] = []
    for value in nice_ticks(frame.y_low, frame.y_high):
        height = frame.y(value)
        drawn.append(line(frame.left, height, frame.right, height, "zero" if value == 0 else "grid"))
        drawn.append(text(frame.left - 6, height + 3.5, write(value), anchor="end"))
    if frame.y_low > 0:
        drawn.append(text(frame.left, frame.top - 6, f"axis from {write(frame.y_low)}", "note"))
    return drawn


def date_axis(frame: Frame) -> list[str]:
    """Months or years along the bottom."""
    first, last = date.fromordinal(int(frame.x_low)), date.fromordinal(int(frame.x_high))
    drawn = [line(frame.left, frame.bottom, frame.right, frame.bottom, "axis")]
    for day in month_ticks(first, last, about=int((frame.right - frame.left) / 80)):
        place = frame.x(day.toordinal())
        drawn.append(line(place, frame.bottom, place, frame.bottom + 4, "axis"))
        drawn.append(text(place, frame.bottom + 16, f"{day:%Y-%m}", anchor="middle"))
    return drawn


def ground(frame: Frame, report: HedgeReport) -> list[str]:
    """The tinted ground of backcast fixings, up to the date from which they are live."""
    if report.origin != "backcast":
        return []
    edge = frame.x_high if report.live_from is None else float(report.live_from.toordinal())
    right = frame.x(min(max(edge, frame.x_low), frame.x_high))
    drawn = [rect(frame.left, frame.top, right - frame.left, frame.bottom - frame.top, "backcast")]
    if report.live_from is not None and right < frame.right:
        drawn.append(line(right, frame.top, right, frame.bottom, "edge"))
        drawn.append(text(right - 4, frame.top + 11, f"live from {report.live_from}", "note", "end"))
    else:
        drawn.append(text(frame.right - 4, frame.top + 11, "backcast throughout", "note", "end"))
    return drawn


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
    if not report.simulated:
        return []
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    return [
        (
            f'<text class="watermark" x="{px(x)}" y="{px(y)}" text-anchor="middle"'
            f' dominant-baseline="middle" transform="rotate(-14 {px(x)} {px(y)})">SIMULATED</text>'
        )
    ]
