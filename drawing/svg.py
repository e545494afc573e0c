"""Small pieces every plot is drawn from: scales, ticks, steps, bands and labels, as SVG text.

Prices are drawn as steps: a day D spans [D, D + 1), so an isolated day shows and no line runs
across a gap. Colours come from the page's style sheet by class, so light, dark and print agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from xml.sax.saxutils import escape, quoteattr

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Frame:
    """The drawing area of a plot in pixels and the values its edges stand for."""

    left: float
    right: float
    top: float
    bottom: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        """Horizontal position of a value."""
        return self.left + (value - self.x_low) / (self.x_high - self.x_low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Vertical position of a value."""
        return self.bottom - (value - self.y_low) / (self.y_high - self.y_low) * (self.bottom - self.top)


def px(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def nice_ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round values inside [low, high], some ``about`` of them, at steps of 1, 2 or 5 · 10ᵏ."""
    span = high - low
    if span <= 0:
        return [low]
    raw = span / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * power for unit in (1, 2, 5, 10) if unit * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def value_range(values: Iterable[float], *, zero: bool = False) -> tuple[float, float]:
    """A padded range around values; from 0 when asked or when the values come near it."""
    listed = list(values)
    low, high = min(listed), max(listed)
    if low >= 0 and (zero or low < (high - low) * 0.6):
        low = 0.0
    pad = (high - low) * 0.06 or abs(high) * 0.05 or 1.0
    return (low if low == 0 else low - pad), high + pad


def text(x: float, y: float, words: str, kind: str = "tick", anchor: str = "start") -> str:
    """A line of text; ``kind`` is its class, ``anchor`` start, middle or end."""
    return f'<text class="{kind}" x="{px(x)}" y="{px(y)}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"/>'


def rect(x: float, y: float, width: float, height: float, kind: str, *, title: str | None = None) -> str:
    """A rectangle; ``title`` is what hovering shows."""
    box = f'<rect class="{kind}" x="{px(x)}" y="{px(y)}" width="{px(max(width, 0))}" height="{px(max(height, 0))}"'
    return f"{box}/>" if title is None else f"{box}><title>{escape(title)}</title></rect>"


def circle(x: float, y: float, radius: float, kind: str) -> str:
    """A dot."""
    return f'<circle class="{kind}" cx="{px(x)}" cy="{px(y)}" r="{px(radius)}"/>'


def polygon(points: Sequence[tuple[float, float]], kind: str) -> str:
    """A closed filled outline."""
    listed = " ".join(f"{px(x)},{px(y)}" for x, y in points)
    return f'<polygon class="{kind}" points="{listed}"/>'


def runs(days: Sequence[date]) -> list[tuple[int, int]]:
    """Half-open index ranges of days that follow each other without a gap."""
    found: list[tuple[int, int]] = []
    start = 0
    for number in range(1, len(days) + 1):
        if number == len(days) or days[number] - days[number - 1] != ONE_DAY:
            found.append((start, number))
            start = number
    return found


def steps(frame: Frame, days: Sequence[date], values: Sequence[float], kind: str) -> str:
    """A step line, broken at every gap; each day is drawn over [D, D + 1)."""
    parts: list[str] = []
    for start, stop in runs(days):
        parts.append(f"M{px(frame.x(days[start].toordinal()))} {px(frame.y(values[start]))}")
        for number in range(start, stop):
            if number > start and values[number] != values[number - 1]:
                parts.append(f"V{px(frame.y(values[number]))}")
            last_of_level = number + 1 == stop or values[number + 1] != values[number]
            if last_of_level:
                parts.append(f"H{px(frame.x(days[number].toordinal() + 1))}")
    return f'<path class="{kind}" d="{"".join(parts)}"/>'


def band(frame: Frame, days: Sequence[date], low: Sequence[float], high: Sequence[float], kind: str) -> str:
    """One closed polygon for each run of days without a gap."""
    drawn: list[str] = []
    for start, stop in runs(days):
        upper: list[tuple[float, float]] = []
        lower: list[tuple[float, float]] = []
        for number in range(start, stop):
            left, right = frame.x(days[number].toordinal()), frame.x(days[number].toordinal() + 1)
            upper += [(left, frame.y(high[number])), (right, frame.y(high[number]))]
            lower += [(left, frame.y(low[number])), (right, frame.y(low[number]))]
        drawn.append(polygon([*upper, *reversed(lower)], kind))
    return "".join(drawn)


def spread_labels(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move label positions apart by at least ``gap``, keeping their order and the bounds."""
    order = sorted(range(len(places)), key=lambda number: places[number])
    placed = list(places)
    for earlier, later in itertools.pairwise(order):
        placed[later] = max(placed[later], placed[earlier] + gap)
    ceiling = high
    for number in reversed(order):
        placed[number] = max(low, min(placed[number], ceiling))
        ceiling = placed[number] - gap
    return placed


def month_ticks(first: date, last: date, about: int) -> list[date]:
    """First days of months between two dates, at most some ``about`` of them."""
    months = (last.year - first.year) * 12 + last.month - first.month
    every = next((size for size in (1, 2, 3, 6, 12, 24) if months / size <= about), 60)
    found: list[date] = []
    for count in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        day = date(count // 12, count % 12 + 1, 1)
        if count % every == 0 and first <= day <= last:
            found.append(day)
    return found


def svg(width: int, height: int, label: str, body: Iterable[str]) -> str:
    """A figure that scales with the page; ``label`` is what a reader who can't see it is told."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(label)}'
        f' xmlns="http://www.w3.org/2000/svg"><title>{escape(label)}</title>{"".join(body)}</svg>'
    )
