"""The bars of what a hedge left over: the five largest causes, the others, what is unexplained, and their sum."""

from __future__ import annotations

from ...drawing.svg import Frame, line, rect, svg, text
from ...records import MICROS_PER_USD
from ..attribution import Attribution
from ..report_model import HedgeReport
from ..wording import bill, per_hour
from .axes import watermark

WIDTH = 456
TOP_LINES = 5
ROW = 24


CHARACTER = 8


def amount(micros: int, attribution: Attribution) -> str:
    """A figure of an attribution in its unit."""
    return bill(micros) if attribution.is_amount else per_hour(micros)


def _digits(micros: int, attribution: Attribution) -> str:
    """A figure without its sign: what rounds to nothing is left to the other lines."""
    return amount(abs(micros), attribution)


def attribution_plot(report: HedgeReport) -> str:
    """T as a waterfall: each bar starts where the one above it ended, and the last is their sum.

    Empty where nothing was attributed. What the order of the causes decides is in the table of the next page.
    """
    attribution = None if report.rent_study is None else report.rent_study.attribution
    if attribution is None or not attribution.lines:
        return ""
    nothing = amount(0, attribution)
    shown = [each for each in attribution.largest(TOP_LINES) if _digits(each.micros, attribution) != nothing]
    parts = [(each.label, each.micros) for each in shown]
    rest = attribution.rest_micros(len(shown))
    if _digits(rest, attribution) != nothing:
        parts.append(("Other lines", rest))
    left = attribution.line("unexplained")
    parts.append(("Unexplained", left.micros))
    starts = [0]
    for _, micros in parts:
        starts.append(starts[-1] + micros)
    ends = [place / MICROS_PER_USD for place in starts]
    low, high = min(ends), max(ends)
    pad = (high - low) * 0.04 or 1.0
    height = 6 + ROW * (len(parts) + 1) + 6
    # Room for the longest figure in a wide system font.
    longest = max(
        len(amount(micros, attribution)) for micros in (*(m for _, m in parts), attribution.total_micros)
    )
    frame = Frame(92, WIDTH - 14 - CHARACTER * longest, 6, height - 6, low - pad, high + pad, 0.0, 1.0)
    body = [line(frame.x(0), frame.top, frame.x(0), frame.bottom, "mark")]
    said: list[str] = []
    for number, (label, micros) in enumerate(parts):
        middle = frame.top + ROW * (number + 0.5)
        one, two = sorted((frame.x(ends[number]), frame.x(ends[number + 1])))
        kind = "better" if micros < 0 else "worse"
        words = amount(micros, attribution)
        body.append(text(frame.left - 12, middle + 4, label, "name", "end"))
        body.append(rect(one, middle - 7, max(two - one, 1), 14, kind, title=f"{label}: {words}"))
        body.append(text(frame.right + 12, middle + 4, words, "figure"))
        said.append(f"{label} {words}")
    middle = frame.top + ROW * (len(parts) + 0.5)
    total = amount(attribution.total_micros, attribution)
    one, two = sorted((frame.x(0), frame.x(ends[-1])))
    body.append(text(frame.left - 12, middle + 4, "T", "name strong", "end"))
    body.append(rect(one, middle - 7, max(two - one, 1), 14, "total", title=f"T: {total}"))
    body.append(text(frame.right + 12, middle + 4, total, "figure strong"))
    body += watermark(frame, report)
    label = f"What the hedge left over, by cause: {'; '.join(said)}; in all {total}."
    return svg(WIDTH, height, label, body)
