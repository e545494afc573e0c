"""The plots of the review's first page: level beside matched panel, reach of manipulation, movers, coverage, share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import log1p

from ...drawing.axes import backcast_ground, day_axis, dollars, value_axis, watermark
from ...drawing.svg import Frame, band, circle, line, rect, spread_labels, steps, svg, text, value_range
from ...records import MICROS_PER_USD, STATUSES_OBSERVED
from .attacks import DOWN, UP
from .coverage import CoverageDay
from .parallel import Parallel
from .review import Review
from .wording import count_of, percent, signed_percent

WIDE, HALF = 936, 456
ROW = 26
MOVERS = 8
CELL = 17
MARKS = {"THIN": "◐", "CARRIED": "↦", "GAP": "∅"}


def _usd(micros: float) -> float:
    return micros / MICROS_PER_USD


def _dates(days: Sequence[date]) -> tuple[float, float]:
    return float(days[0].toordinal()), float(days[-1].toordinal() + 1)


def _said(drawn: list[str], review: Review, frame: Frame) -> list[str]:
    """The plot with the mark that all of it carries."""
    return [*drawn, watermark(frame)] if any(d.fixing.simulated for d in review.days) else drawn


def _ground(review: Review, frame: Frame) -> list[str]:
    """The tinted ground up to the last backcast date; nothing where every value is live."""
    rows = [day.fixing for day in review.days]
    backcast = [row.date for row in rows if row.origin == "backcast"]
    if not backcast:
        return []
    live = [row.date for row in rows if row.origin == "live" and row.date > backcast[-1]]
    return backcast_ground(frame, min(live, default=None))


def level_plot(review: Review) -> str:
    """The value as printed, its quartiles, and where the chained matched panel stands."""
    seen = [d.fixing for d in review.days if d.fixing.status in STATUSES_OBSERVED]
    if not seen:
        return ""
    days, values = [f.date for f in seen], [_usd(f.value_micros or 0) for f in seen]
    moves = review.panels.moves if review.panels.matched is not None else ()
    matched_days = [move.after for move in moves]
    matched = [_usd(move.matched) for move in moves]
    banded = [f for f in seen if f.p25_micros is not None and f.p75_micros is not None]
    low, high = ([_usd(getattr(f, name) or 0) for f in banded] for name in ("p25_micros", "p75_micros"))
    x = _dates([review.first, review.last])
    frame = Frame(52, WIDE - 140, 22, 236, *x, *value_range([*values, *matched, *low, *high]))
    body = [*_ground(review, frame), *value_axis(frame), *day_axis(frame)]
    body.append(band(frame, [f.date for f in banded], low, high, "band"))
    body += [
        line(frame.x(d.toordinal()), frame.bottom - 7, frame.x(d.toordinal()), frame.bottom, "gap")
        for d in (day.fixing.date for day in review.days if day.fixing.status == "GAP")
    ]
    if matched:
        body.append(steps(frame, matched_days, matched, "second"))
    body.append(steps(frame, days, values, "first"))
    body += [
        circle(frame.x(f.date.toordinal() + 0.5), frame.y(_usd(f.value_micros or 0)), 3, "thin")
        for f in seen
        if f.status == "THIN"
    ]
    labels = [("value", values[-1], "first-name")]
    if matched:
        labels.append(("matched panel", matched[-1], "second-name"))
    places = spread_labels([frame.y(v) for _, v, _ in labels], 15, frame.top + 8, frame.bottom - 2)
    for (words, value, kind), place in zip(labels, places, strict=True):
        body.append(text(frame.right + 6, place + 4, f"{words} {value:.2f}", kind))
    return svg(WIDE, 264, "Value as printed beside the chained matched panel", _said(body, review, frame))


def reach_plot(review: Review) -> str:
    """How far each kind of actor gets, in logarithms: the median date as a bar, the worst as a line's end."""
    reaches = review.manipulation.reaches
    ends = [r.worst(way) for r in reaches for way in (UP, DOWN)]
    sizes = [abs(log1p(a.move)) for a in ends if a is not None]
    if not sizes:
        return ""
    far = max(sizes) * 1.45
    frame = Frame(150, HALF - 14, 8, 8 + ROW * len(reaches), -far, far, 0, 1)
    body = []
    for place, reach in enumerate(reaches):
        middle = frame.top + ROW * (place + 0.5)
        body.append(text(frame.left - 8, middle + 4, reach.label, "name", "end"))
        for way, kind in ((UP, "better"), (DOWN, "worse")):
            typical, worst = reach.median_move(way) or 0.0, reach.worst(way)
            left, right = sorted((frame.x(0), frame.x(log1p(typical))))
            body.append(rect(left, middle - 6, right - left, 12, kind))
            if worst is not None:
                end = frame.x(log1p(worst.move))
                body += [
                    line(frame.x(0), middle, end, middle, "whisker"),
                    line(end, middle - 5, end, middle + 5, "whisker"),
                ]
                anchor, gap = ("start", 4) if way == UP else ("end", -4)
                body.append(text(end + gap, middle + 4, signed_percent(worst.move, 0), "note", anchor))
    body.append(line(frame.x(0), frame.top, frame.x(0), frame.bottom, "zero"))
    return svg(
        HALF, int(frame.bottom) + 8, "How far a value can be moved, by whom", _said(body, review, frame)
    )


def movers_plot(review: Review) -> str:
    """Sellers by the moves that vanish without them."""
    held = [s for s in review.influence.sellers if s.n_moved_it][:MOVERS]
    if not held:
        return ""
    frame = Frame(110, HALF - 60, 8, 8 + ROW * len(held), 0, max(s.n_moved_it for s in held), 0, 1)
    body = []
    for place, seller in enumerate(held):
        middle = frame.top + ROW * (place + 0.5)
        body.append(text(frame.left - 8, middle + 4, _short(seller.seller), "name", "end"))
        body.append(rect(frame.left, middle - 7, frame.x(seller.n_moved_it) - frame.left, 14, "bar"))
        body.append(text(frame.x(seller.n_moved_it) + 5, middle + 4, f"{seller.n_moved_it}", "figure"))
    label = "Sellers by how many moves vanish without them"
    return svg(HALF, int(frame.bottom) + 8, label, _said(body, review, frame))


def _short(name: str) -> str:
    return name if len(name) <= 16 else name[:15] + "…"


def calendar_plot(review: Review) -> str:
    """Every date of the calendar by month, its state as a cell with the sellers in it."""
    months = review.coverage.months
    left = 62
    body = [
        text(left + (number - 0.5) * (CELL + 6), 12, f"{number}", "tick", "middle")
        for number in (1, 5, 10, 15, 20, 25, 30)
    ]
    for place, month in enumerate(months):
        top = 18 + place * (CELL + 3)
        body.append(text(left - 8, top + 12.5, month.month, "tick", "end"))
        for day in month.days:
            body += _cell(left + (day.date.day - 1) * (CELL + 6), top, day)
    height = 18 + len(months) * (CELL + 3) + 4
    return svg(left + 31 * (CELL + 6), height, "Coverage calendar: the status of every date", body)


def _cell(x: float, y: float, day: CoverageDay) -> list[str]:
    words = (
        f"{day.date}: {day.status}"
        + (f" {day.rule}" if day.rule else "")
        + f", {count_of(day.n_sellers, 'seller')}"
    )
    drawn = [rect(x, y, CELL + 5, CELL, f"cell {day.status}", title=words)]
    shown = MARKS.get(day.status, f"{day.n_sellers}")
    drawn.append(text(x + (CELL + 5) / 2, y + 12.5, shown, f"in-cell {day.status}", "middle"))
    return drawn


def share_plot(review: Review) -> str:
    """The largest share of one seller, venue and aggregator through time."""
    names = ("seller", "venue", "aggregator")
    lines = [
        (name, held.days, kind)
        for name, held, kind in zip(names, review.concentrations, ("first", "second", "third"), strict=True)
        if held.days and held.named
    ]
    if not lines:
        return ""
    x = _dates([review.first, review.last])
    top = max(day.top_share for _, days, _ in lines for day in days)
    frame = Frame(46, HALF - 82, 18, 168, *x, 0, min(1.0, top * 1.08) if top < 1 else 1.0)
    body = [*value_axis(frame, lambda v: percent(v, 0)), *day_axis(frame)]
    for _, days, kind in reversed(lines):
        body.append(steps(frame, [d.date for d in days], [d.top_share for d in days], kind))
    wanted = [frame.y(days[-1].top_share) for _, days, _ in lines]
    places = spread_labels(wanted, 14, frame.top + 4, frame.bottom)
    for (name, _, kind), place in zip(lines, places, strict=True):
        body.append(text(frame.right + 6, place + 4, name, f"{kind}-name"))
    return svg(HALF, 196, "Largest share of the weight through time", _said(body, review, frame))


def unchanged_plot(review: Review) -> str:
    """Of the sellers of both dates, how many changed their price, day by day."""
    days = review.stickiness.days
    if not days:
        return ""
    x = _dates([review.first, review.last])
    most = max(d.n_common - d.n_unchanged for d in days) or 1
    frame = Frame(46, HALF - 82, 18, 168, *x, 0, most * 1.1)
    body = [*value_axis(frame, lambda v: f"{v:.0f}" if v == round(v) else ""), *day_axis(frame)]
    width = frame.x(x[0] + 1) - frame.x(x[0])
    for day in days:
        changed = day.n_common - day.n_unchanged
        height = frame.bottom - frame.y(changed)
        words = f"{day.date}: {changed} of {day.n_common} changed"
        body.append(
            rect(
                frame.x(day.date.toordinal()),
                frame.bottom - height,
                max(width - 1, 0.6),
                height,
                "bar",
                title=words,
            )
        )
    body.append(text(frame.right + 6, frame.top + 10, f"of {days[-1].n_common}", "note"))
    return svg(HALF, 196, "How many sellers changed price each day", _said(body, review, frame))


def parallel_plot(review: Review, made: Parallel) -> str:
    """Both values of a parallel run."""
    both = [d for d in made.days if d.one_micros is not None and d.other_micros is not None]
    if not both:
        return ""
    days = [d.date for d in both]
    one, other = [_usd(d.one_micros or 0) for d in both], [_usd(d.other_micros or 0) for d in both]
    frame = Frame(52, WIDE - 150, 22, 196, *_dates([review.first, review.last]), *value_range([*one, *other]))
    body = [*value_axis(frame, dollars), *day_axis(frame)]
    body += [steps(frame, days, other, "second"), steps(frame, days, one, "first")]
    places = spread_labels([frame.y(one[-1]), frame.y(other[-1])], 15, frame.top + 8, frame.bottom - 2)
    for name, kind, place in zip((made.one, made.other), ("first-name", "second-name"), places, strict=True):
        body.append(text(frame.right + 6, place + 4, _short(name), kind))
    label = f"{made.other} beside {made.one}"
    return svg(WIDE, 224, label, _said(body, review, frame))


STYLE = """
svg .first{stroke:var(--s1);stroke-width:2.2;stroke-linecap:square}
svg .second{stroke:var(--s2);stroke-width:1.8;stroke-dasharray:6 3}
svg .third{stroke:var(--s3);stroke-width:2;stroke-dasharray:2 3}
svg .first-name{fill:var(--s1);font-weight:600;font-size:12px}
svg .second-name{fill:var(--s2);font-weight:600;font-size:12px}
svg .third-name{fill:var(--s3);font-weight:600;font-size:12px}
svg .band{fill:var(--s1);fill-opacity:.12}
svg .bar{fill:var(--s1);fill-opacity:.85}
svg .thin{fill:var(--bg);stroke:var(--s1);stroke-width:1.4}
svg .better{fill:var(--up);fill-opacity:.8}svg .worse{fill:var(--down);fill-opacity:.8}
svg .whisker{stroke:var(--text);stroke-width:1.2}
svg .cell{fill:var(--tint)}svg .cell.THIN,svg .cell.CARRIED{fill:var(--warn-tint)}svg .cell.GAP{fill:var(--bad-tint)}
svg .in-cell{font-size:10px;fill:var(--muted)}svg .in-cell.GAP{fill:var(--bad);font-weight:600}
svg .in-cell.THIN,svg .in-cell.CARRIED{fill:var(--warn);font-weight:600}
.verdict.met{--accent:var(--up)}.verdict.not-met{--accent:var(--warn)}
td.result{font-weight:600}
"""
"""The classes of these plots, in the colours of the page."""
