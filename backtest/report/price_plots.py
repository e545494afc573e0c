"""The two plots of prices: rent beside the reference, and the gap between them."""

from __future__ import annotations

from ...drawing.svg import Frame, band, circle, line, rect, spread_labels, steps, svg, text, value_range
from ...records import MICROS_PER_USD
from ..report_model import HedgeReport
from ..wording import signed
from .axes import breaks, date_axis, ground, value_axis, watermark
from .break_plots import dated_breaks

WIDTH = 456
HEIGHT = 240
MANY_DOTS = 80
DENSE_DAYS = 400


def _usd(micros: int) -> float:
    return micros / MICROS_PER_USD


def price_plot(report: HedgeReport) -> str:
    """Rent and reference as steps, with the reference's p25–p75 band and its states."""
    rates = {day: _usd(rate) for day, rate in report.rent.rates.items()}
    days = list(rates)
    shown = [each for each in report.reference if days[0] <= each.date <= days[-1]]
    seen = [each for each in shown if each.status in ("OK", "THIN") and each.value_micros is not None]
    values = [_usd(each.value_micros or 0) for each in seen]
    banded = [each for each in seen if each.p25_micros is not None and each.p75_micros is not None]
    low = [_usd(each.p25_micros or 0) for each in banded]
    high = [_usd(each.p75_micros or 0) for each in banded]
    y_low, y_high = value_range([*rates.values(), *values, *low, *high])
    frame = Frame(
        46, WIDTH - 112, 22, HEIGHT - 24, days[0].toordinal(), days[-1].toordinal() + 1, y_low, y_high
    )
    body = [*ground(frame, report), *value_axis(frame), *date_axis(frame)]
    body.append(band(frame, [each.date for each in banded], low, high, "band"))
    dense = " dense" if len(days) > DENSE_DAYS else ""
    kind = ("reference candidate" if report.fixing_state == "candidate" else "reference") + dense
    body.append(steps(frame, [each.date for each in seen], values, kind))
    carried = [each for each in shown if each.status == "CARRIED" and each.value_micros is not None]
    body.append(
        steps(
            frame,
            [each.date for each in carried],
            [_usd(each.value_micros or 0) for each in carried],
            "carried",
        )
    )
    thin = [each for each in seen if each.status == "THIN"]
    if len(thin) <= MANY_DOTS:
        body += [
            circle(frame.x(each.date.toordinal() + 0.5), frame.y(_usd(each.value_micros or 0)), 1.8, "thin")
            for each in thin
        ]
    body += [
        line(
            frame.x(each.date.toordinal() + 0.5),
            frame.bottom,
            frame.x(each.date.toordinal() + 0.5),
            frame.bottom - 5,
            "gap",
        )
        for each in shown
        if each.status == "GAP"
    ]
    body.append(steps(frame, days, list(rates.values()), "rent" + dense))
    body += breaks(frame, report)
    body += watermark(frame, report)
    last_rent, last_reference = rates[days[-1]], values[-1]
    rent_name = "your rent" if report.role == "buyer" else "your price"
    heights = spread_labels([frame.y(last_rent), frame.y(last_reference)], 28, frame.top, frame.bottom - 14)
    for place, kind_of_name, name, value in (
        (heights[0], "rent-name", rent_name, last_rent),
        (heights[1], "reference-name", _short(report.benchmark), last_reference),
    ):
        body.append(text(frame.right + 10, place + 2, name, kind_of_name))
        body.append(text(frame.right + 10, place + 15, _label(value), "tick"))
    body += _hover(report, frame)
    label = (
        f"Rent and {report.benchmark} in dollars per GPU-hour from {days[0]} to {days[-1]}:"
        f" the rent went from ${rates[days[0]]:.4f} to ${last_rent:.4f},"
        f" the reference from ${values[0]:.4f} to ${last_reference:.4f}."
    )
    return svg(WIDTH, HEIGHT, label, body)


def _hover(report: HedgeReport, frame: Frame) -> list[str]:
    """An invisible column for each common date that names its figures when pointed at."""
    status = {each.date: each.status for each in report.reference}
    drawn: list[str] = []
    for place, each in enumerate(report.common):
        left = frame.x(each.date.toordinal())
        following = (
            report.common[place + 1].date.toordinal() if place + 1 < len(report.common) else frame.x_high
        )
        words = (
            f"{each.date}: rent ${_usd(each.rent_micros):.6f}, {report.benchmark} ${_usd(each.reference_micros):.6f}"
            f" {status[each.date]}, gap {signed(f'{_usd(each.basis_micros):.6f}')}"
        )
        drawn.append(
            rect(left, frame.top, frame.x(following) - left, frame.bottom - frame.top, "hover", title=words)
        )
    return drawn


def basis_plot(report: HedgeReport) -> str:
    """The gap, rent − fixing of the day, as steps around its mean."""
    days = [each.date for each in report.common]
    values = [_usd(each.basis_micros) for each in report.common]
    y_low, y_high = value_range([*values, 0.0])
    frame = Frame(
        46, WIDTH - 112, 22, HEIGHT - 24, days[0].toordinal(), days[-1].toordinal() + 1, y_low, y_high
    )
    body = [*ground(frame, report), *value_axis(frame), *date_axis(frame)]
    body.append(steps(frame, days, values, "gap-line"))
    mean = report.basis.mean
    assert mean is not None
    body.append(line(frame.left, frame.y(mean), frame.right, frame.y(mean), "mean"))
    heights = spread_labels([frame.y(mean), frame.y(values[-1])], 28, frame.top, frame.bottom - 14)
    body.append(text(frame.right + 10, heights[0] + 2, "mean", "tick"))
    body.append(text(frame.right + 10, heights[0] + 15, _label(mean), "tick"))
    body.append(text(frame.right + 10, heights[1] + 2, "last", "gap-name"))
    body.append(text(frame.right + 10, heights[1] + 15, _label(values[-1]), "tick"))
    body += breaks(frame, report)
    body += dated_breaks(frame, report)
    body += watermark(frame, report)
    label = (
        f"The gap between rent and {report.benchmark} in dollars per GPU-hour: mean {mean:.4f},"
        f" from {min(values):.4f} to {max(values):.4f}, last {values[-1]:.4f}."
    )
    return svg(WIDTH, HEIGHT, label, body)


def _label(dollars: float) -> str:
    return f"{'−' if dollars < 0 else ''}${abs(dollars):.4f}"


def _short(name: str) -> str:
    return name if len(name) <= 12 else name[:11] + "…"
