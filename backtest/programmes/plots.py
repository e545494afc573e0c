"""The drawings of a programme's page: monthly bills with and without it, and the account's cash by day."""

from __future__ import annotations

from datetime import date

from ...drawing.axes import date_axis, dollars, value_axis, watermark
from ...drawing.svg import Frame, band, line, spread_labels, steps, svg, text, value_range
from ...records import MICROS_PER_USD, month_bounds
from .figures import MonthResult
from .running import ProgrammeRun

WIDTH, HEIGHT = 936, 236


def bills_plot(run: ProgrammeRun, months: tuple[MonthResult, ...], *, simulated: bool) -> str:
    """Each month's bill without the programme and with it; a band over the entries that are assumed."""
    if not months:
        return ""
    days: list[date] = []
    bare: list[float] = []
    held: list[float] = []
    low: list[float] = []
    high: list[float] = []
    for each in months:
        first, last = month_bounds(each.month)
        for ordinal in range(first.toordinal(), last.toordinal() + 1):
            days.append(date.fromordinal(ordinal))
            bare.append(each.bill_micros / MICROS_PER_USD)
            held.append(each.hedged_bill_micros[0] / MICROS_PER_USD)
            low.append(min(each.hedged_bill_micros.values()) / MICROS_PER_USD)
            high.append(max(each.hedged_bill_micros.values()) / MICROS_PER_USD)
    frame = _frame(days, [*bare, *low, *high])
    body = [*value_axis(frame), *date_axis(frame)]
    if run.entry_is_assumed:
        body.append(band(frame, days, low, high, "band"))
    body.append(steps(frame, days, held, "modelled" if run.account.modelled_marks else "reference"))
    body.append(steps(frame, days, bare, "rent"))
    heights = spread_labels([frame.y(bare[-1]), frame.y(held[-1])], 30, frame.top, frame.bottom - 14)
    body.append(text(frame.right + 8, heights[0] + 2, "no hedge", "rent-name"))
    body.append(text(frame.right + 8, heights[0] + 15, dollars(bare[-1]), "tick"))
    body.append(text(frame.right + 8, heights[1] + 2, "hedged", "reference-name"))
    body.append(text(frame.right + 8, heights[1] + 15, dollars(held[-1]), "tick"))
    body += [watermark(frame)] if simulated else []
    label = f"Monthly amounts from {months[0].month} to {months[-1].month} without the programme and with it."
    return svg(WIDTH, HEIGHT, label, body)


def cash_plot(run: ProgrammeRun, *, simulated: bool) -> str:
    """Cash of the account in all by the end of each day, at each entry."""
    paths: dict[int, list[float]] = {}
    days: list[date] = []
    for premium, account in sorted(run.accounts.items()):
        days = [day.day for day in account.days]
        total, path = 0, []
        for day in account.days:
            total += day.cash_cents
            path.append(total / 100)
        paths[premium] = path
    if not days:
        return ""
    frame = _frame(days, [0.0, *(value for path in paths.values() for value in path)])
    body = [
        *value_axis(frame),
        *date_axis(frame),
        line(frame.left, frame.y(0), frame.right, frame.y(0), "zero"),
    ]
    # A day without a mark holds what was paid by the day before it.
    whole = [date.fromordinal(n) for n in range(days[0].toordinal(), days[-1].toordinal() + 1)]
    heights = spread_labels([frame.y(path[-1]) for path in paths.values()], 30, frame.top, frame.bottom - 14)
    for place, (premium, path) in enumerate(paths.items()):
        body.append(steps(frame, whole, _held(whole, days, path), "modelled" if premium == 0 else "aside"))
        name = "account" if len(paths) == 1 else f"entry {premium:+d} %".replace("-", "−").replace("+0", "0")
        body.append(
            text(frame.right + 8, heights[place] + 2, name, "reference-name" if premium == 0 else "tick")
        )
        body.append(text(frame.right + 8, heights[place] + 15, dollars(path[-1]), "tick"))
    body += [watermark(frame)] if simulated else []
    label = f"Cash of the account from {days[0]} to {days[-1]}, by entry price."
    return svg(WIDTH, HEIGHT, label, body)


def _held(whole: list[date], days: list[date], path: list[float]) -> list[float]:
    by_day = dict(zip(days, path, strict=True))
    found: list[float] = []
    for day in whole:
        found.append(by_day[day] if day in by_day else found[-1])
    return found


def _frame(days: list[date], values: list[float]) -> Frame:
    low, high = value_range(values)
    return Frame(64, WIDTH - 122, 22, HEIGHT - 24, days[0].toordinal(), days[-1].toordinal() + 1, low, high)
