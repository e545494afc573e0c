"""Axes and the marks any plot may carry: grid, ticks, a truncated axis, a watermark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from .svg import Frame, line, month_ticks, nice_ticks, px, rect, text

FEWEST_MONTHS = 3
"""A plot of no more month ticks than this is labelled by day."""


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


def day_axis(frame: Frame) -> list[str]:
    """Days along the bottom where the months of a short plot would be too few ticks; else as ``date_axis``."""
    first, last = date.fromordinal(int(frame.x_low)), date.fromordinal(int(frame.x_high))
    if len(month_ticks(first, last, about=99)) > FEWEST_MONTHS:
        return date_axis(frame)
    drawn = [line(frame.left, frame.bottom, frame.right, frame.bottom, "axis")]
    every = max(1, round((last - first).days * 80 / (frame.right - frame.left) / 7)) * 7
    if (last - first).days < 2 * every:
        every = max(1, (last - first).days // 3)
    for ordinal in range(first.toordinal(), last.toordinal(), every):
        place = frame.x(ordinal)
        drawn.append(line(place, frame.bottom, place, frame.bottom + 4, "axis"))
        anchor = "start" if ordinal == first.toordinal() else "middle"
        drawn.append(text(place, frame.bottom + 16, f"{date.fromordinal(ordinal)}"[5:], anchor=anchor))
    return drawn


def backcast_ground(frame: Frame, live_from: date | None) -> list[str]:
    """The tinted ground of values that were computed after their time, up to the date from which they are live."""
    edge = frame.x_high if live_from is None else float(live_from.toordinal())
    right = frame.x(min(max(edge, frame.x_low), frame.x_high))
    drawn = [rect(frame.left, frame.top, right - frame.left, frame.bottom - frame.top, "backcast")]
    if live_from is not None and right < frame.right:
        drawn.append(line(right, frame.top, right, frame.bottom, "edge"))
        drawn.append(text(right - 4, frame.top + 11, f"live from {live_from}", "note", "end"))
    else:
        drawn.append(text(frame.right - 4, frame.top + 11, "backcast throughout", "note", "end"))
    return drawn


def watermark(frame: Frame, words: str = "SIMULATED") -> str:
    """A word across the plot that says what all of it is."""
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    return (
        f'<text class="watermark" x="{px(x)}" y="{px(y)}" text-anchor="middle"'
        f' dominant-baseline="middle" transform="rotate(-14 {px(x)} {px(y)})">{words}</text>'
    )
