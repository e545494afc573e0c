"""The plots of results: effectiveness by method, P&L by entry price, bills and variation by day."""

from __future__ import annotations

import math
from datetime import date

from ...drawing.svg import (
    Frame,
    band,
    circle,
    line,
    polygon,
    rect,
    spread_labels,
    steps,
    svg,
    text,
    value_range,
)
from ...records import MICROS_PER_USD, month_bounds
from ..methods import METHODS
from ..programme import PREMIUMS_PERCENT
from ..report_model import HedgeReport
from ..wording import NONE, bill, number, per_hour
from .axes import date_axis, dollars, value_axis, watermark

WIDTH = 936
FLOORS = (-0.25, -0.5, -1.0, -2.0)
"""Where the effectiveness axis may be cut: what lies below is named, not drawn."""


def interval_words(value: float | None, low: float | None, high: float | None) -> str:
    """``HE −0.45 (−6.65 to 0.03)``."""
    if value is None or low is None or high is None:
        return NONE
    lower = number(low) if math.isfinite(low) else "no bound"
    return f"HE {number(value)} ({lower} to {number(high)})"


def effectiveness_plot(report: HedgeReport) -> str:
    """Walk-forward HE by method as bars with 95 % intervals; in sample as a hollow dot."""
    row, top = 38, 28
    height = top + row * len(report.effectiveness) + 30
    floor = _floor(report)
    frame = Frame(112, WIDTH - 196, top, height - 30, floor, 1.0, 0.0, 1.0)
    body: list[str] = []
    below = [(value, "") for value in (-2.0, -1.0, -0.5) if value >= floor]
    for value, name in (*below, (0.0, "no help"), (0.5, "29 % less swing"), (1.0, "all of it")):
        place = frame.x(value)
        body.append(line(place, frame.top, place, frame.bottom, "mark" if value in (0.0, 0.5) else "grid"))
        body.append(text(place, frame.bottom + 16, number(value, 1), anchor="middle"))
        body.append(text(place, frame.top - 8, name, "note", "middle"))
    said: list[str] = []
    for place_number, (name, each) in enumerate(report.effectiveness.items()):
        middle = frame.top + row * (place_number + 0.5)
        strong = name == report.method
        body.append(
            text(frame.left - 12, middle + 4, METHODS[name].label, "name strong" if strong else "name", "end")
        )
        words = interval_words(each.walk_forward, each.walk_forward_low, each.walk_forward_high)
        if (
            each.walk_forward is not None
            and each.walk_forward_low is not None
            and each.walk_forward_high is not None
        ):
            body += _bar(
                frame, middle, each.walk_forward, (each.walk_forward_low, each.walk_forward_high), words
            )
        if each.in_sample is not None:
            place = frame.x(max(each.in_sample, floor))
            if each.in_sample < floor:
                body.append(_arrow(place - 5, middle))
            body.append(circle(place, middle, 4.5, "in-sample"))
        body.append(text(frame.right + 14, middle - 1, "not judged" if words == NONE else words, "figure"))
        body.append(text(frame.right + 14, middle + 14, f"in sample {number(each.in_sample)}", "note"))
        said.append(f"{METHODS[name].label}: walk-forward {words}, in sample {number(each.in_sample)}")
    body += watermark(frame, report)
    return svg(WIDTH, height, "Hedge effectiveness by method. " + "; ".join(said) + ".", body)


def _arrow(x: float, y: float) -> str:
    """Points left of ``x``: it goes on below the axis."""
    return polygon([(x - 8, y), (x, y - 5), (x, y + 5)], "arrow")


def _floor(report: HedgeReport) -> float:
    """The nearest cut that still shows every point; intervals may run below it."""
    points = [
        value for each in report.effectiveness.values() for value in (each.walk_forward, each.in_sample)
    ]
    lowest = min((value for value in points if value is not None), default=0.0)
    return next((floor for floor in FLOORS if lowest >= floor), FLOORS[-1])


def _bar(frame: Frame, middle: float, value: float, interval: tuple[float, float], words: str) -> list[str]:
    low, high = interval
    zero, end = frame.x(0), frame.x(max(value, frame.x_low))
    drawn = [
        rect(
            min(zero, end), middle - 9, abs(end - zero), 18, "better" if value >= 0 else "worse", title=words
        )
    ]
    left, right = frame.x(max(low, frame.x_low)), frame.x(max(high, frame.x_low))
    drawn.append(line(left, middle, right, middle, "whisker"))
    drawn.append(line(right, middle - 5, right, middle + 5, "whisker"))
    if low >= frame.x_low:
        drawn.append(line(left, middle - 5, left, middle + 5, "whisker"))
    else:
        # The interval goes on below the axis: an arrow, and the figure stands at the right.
        drawn.append(_arrow(left, middle))
    return drawn


def pnl_plot(report: HedgeReport) -> str:
    """Profit and loss of the futures had every month been entered below, at or above the assumed price."""
    pnl = report.entry.pnl_micros
    if pnl is None:
        return ""
    row, top, width = 32, 4, 456
    height = top + row * len(pnl) + 8
    values = {premium: pnl[premium] / MICROS_PER_USD for premium in PREMIUMS_PERCENT}
    reach = max(abs(value) for value in values.values()) or 1.0
    frame = Frame(206, width - 78, top, height - 8, -reach, reach, 0.0, 1.0)
    body = [line(frame.x(0), frame.top, frame.x(0), frame.bottom, "mark")]
    said: list[str] = []
    for place_number, premium in enumerate(PREMIUMS_PERCENT):
        middle = frame.top + row * (place_number + 0.5)
        value = values[premium]
        words = bill(pnl[premium]) if report.entry.is_amount else per_hour(pnl[premium])
        entered = "at the assumed price" if premium == 0 else f"{premium:+d} %".replace("-", "−")
        end = frame.x(value)
        body.append(text(0, middle + 4, entered, "name"))
        body.append(
            rect(
                min(frame.x(0), end),
                middle - 8,
                abs(end - frame.x(0)),
                16,
                "better" if value >= 0 else "worse",
                title=words,
            )
        )
        outside = end + 6 if value >= 0 else end - 6
        body.append(text(outside, middle + 4, words, "figure", "start" if value >= 0 else "end"))
        said.append(f"{entered} {words}")
    body += watermark(frame, report)
    return svg(width, height, "Futures profit and loss by entry price: " + "; ".join(said) + ".", body)


def bills_plot(report: HedgeReport) -> str:
    """Each simulated month's bill without the hedge, and with it at the three entry prices."""
    programme = report.programme
    if not programme:
        return ""
    days: list[date] = []
    bare: list[float] = []
    held: list[float] = []
    low: list[float] = []
    high: list[float] = []
    for each in programme:
        first, last = month_bounds(each.month)
        hedged = each.hedged_rate_micros if each.hedged_bill_micros is None else each.hedged_bill_micros
        unhedged = each.rate_micros if each.bill_micros is None else each.bill_micros
        for ordinal in range(first.toordinal(), last.toordinal() + 1):
            days.append(date.fromordinal(ordinal))
            bare.append(unhedged / MICROS_PER_USD)
            held.append(hedged[0] / MICROS_PER_USD)
            low.append(min(hedged.values()) / MICROS_PER_USD)
            high.append(max(hedged.values()) / MICROS_PER_USD)
    y_low, y_high = value_range([*bare, *low, *high])
    frame = Frame(56, WIDTH - 122, 22, 212, days[0].toordinal(), days[-1].toordinal() + 1, y_low, y_high)
    body = [*value_axis(frame), *date_axis(frame)]
    body.append(band(frame, days, low, high, "band"))
    body.append(steps(frame, days, held, "modelled"))
    body.append(steps(frame, days, bare, "rent"))
    heights = spread_labels([frame.y(bare[-1]), frame.y(held[-1])], 30, frame.top, frame.bottom - 14)
    noun = "bill" if report.role == "buyer" else "revenue"
    body.append(text(frame.right + 8, heights[0] + 2, "no hedge", "rent-name"))
    body.append(text(frame.right + 8, heights[0] + 15, dollars(bare[-1]), "tick"))
    body.append(text(frame.right + 8, heights[1] + 2, "hedged", "reference-name"))
    body.append(text(frame.right + 8, heights[1] + 15, f"{dollars(held[-1])}, modelled", "tick"))
    body += watermark(frame, report)
    label = (
        f"Monthly {noun} from {programme[0].month} to {programme[-1].month} without the hedge and with it;"
        " the band spans entry prices 10 % below to 10 % above the assumed one."
    )
    return svg(WIDTH, 236, label, body)


def margin_plot(report: HedgeReport) -> str:
    """The variation account by day at the three entry prices, on modelled marks."""
    margin = report.margin
    if margin is None:
        return ""
    paths = {p: [value / MICROS_PER_USD for value in path] for p, path in margin.variation_micros.items()}
    y_low, y_high = value_range([0.0, *(value for path in paths.values() for value in path)])
    days = list(margin.days)
    frame = Frame(56, WIDTH - 122, 22, 212, days[0].toordinal(), days[-1].toordinal() + 1, y_low, y_high)
    body = [*value_axis(frame), *date_axis(frame)]
    heights = spread_labels([frame.y(path[-1]) for path in paths.values()], 30, frame.top, frame.bottom - 14)
    for place, (premium, path) in zip(heights, paths.items(), strict=True):
        body.append(steps(frame, days, path, "modelled" if premium == 0 else "modelled aside"))
        name = "assumed entry" if premium == 0 else f"entry {premium:+d} %".replace("-", "−")
        body.append(text(frame.right + 8, place + 2, name, "reference-name" if premium == 0 else "tick"))
        body.append(text(frame.right + 8, place + 15, dollars(path[-1]), "tick"))
    body += watermark(frame, report)
    draws = ", ".join(f"{p:+d} %: {bill(v)}" for p, v in margin.peak_draw_micros.items())
    return svg(WIDTH, 236, f"Modelled variation account by day. Largest draw by entry price: {draws}.", body)
