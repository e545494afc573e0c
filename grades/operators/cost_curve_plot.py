"""The cost curve as a picture: bars as wide as capacity, as high as full cost, the cash part set off below."""

from __future__ import annotations

from ...records import format_micros
from .cost_curve import PERCENTS, Bar, CostCurve
from .drawing import Frame, figure, line, nice_ticks, px, rect, text

WIDTH, HEIGHT = 960, 460
LEAST_NAME_WIDTH = 13
"""Pixels below which a bar's name is left to hovering."""
LETTER = 6.2
"""Rough width of a letter in pixels."""


def dollars(micros: int) -> str:
    """An amount as short as it is exact: ``$2.50``, ``$0.003125``."""
    whole, _, decimals = format_micros(micros).partition(".")
    return f"${whole}.{decimals.rstrip('0').ljust(2, '0')}"


def cost_curve_svg(curve: CostCurve, *, price_micros: int | None = None, product: str | None = None) -> str:
    """Draw a curve as self-contained SVG text. The same curve gives the same bytes.

    Producers above ``price_micros`` are outlined. Both axes begin at 0. Raises ValueError for an empty curve.
    """
    if not curve.bars:
        raise ValueError(f"the {curve.basis} cost curve of {curve.date} holds no producer")
    highest = max(bar.producer.full_micros for bar in curve.bars)
    highest = max(highest, price_micros or 0, curve.bars[-1].cost_micros, 1)
    frame = Frame(64, WIDTH - 20, 64, HEIGHT - 56, float(curve.capacity), highest * 1.12)
    what = "full cost (C3)" if curve.basis == "full" else "cash cost (C1)"
    title = f"Cost curve by {what}, {curve.date}" + (f", {product}" if product else "")
    body = [
        text(frame.left, 24, title, "title"),
        text(
            frame.left,
            42,
            "width: capacity · height: full cost · lower part: cash cost" + _key(curve, price_micros),
            "note",
        ),
        *_axes(frame),
        *(part for bar in curve.bars for part in _bar(frame, bar)),
        *_percentiles(frame, curve),
        *_price(frame, curve, price_micros),
    ]
    return figure(WIDTH, HEIGHT, _told(curve, title, price_micros), body)


def _key(curve: CostCurve, price_micros: int | None) -> str:
    under = "" if price_micros is None else f" · outlined: {curve.basis} cost above the price"
    names = ", ".join(producer.name for producer in curve.unknown)
    return under + (f" · not drawn, {curve.basis} cost unknown: {names}" if names else "")


def _told(curve: CostCurve, title: str, price_micros: int | None) -> str:
    order = ", ".join(f"{bar.producer.name} {dollars(bar.cost_micros)}" for bar in curve.bars)
    price = "" if price_micros is None else f" Price {dollars(price_micros)}."
    return f"{title}. From the cheapest: {order}.{price}"


def _axes(frame: Frame) -> list[str]:
    drawn = []
    for value in nice_ticks(frame.y_high):
        height = frame.y(value)
        drawn.append(line(frame.left, height, frame.right, height, "grid"))
        drawn.append(text(frame.left - 6, height + 3.5, dollars(round(value)), anchor="end"))
    drawn.append(line(frame.left, frame.bottom, frame.right, frame.bottom, "axis"))
    for value in nice_ticks(frame.x_high):
        place = frame.x(value)
        drawn.append(line(place, frame.bottom, place, frame.bottom + 4, "axis"))
        drawn.append(text(place, frame.bottom + 16, f"{value:,g}", anchor="middle"))
    drawn.append(text(frame.right, frame.bottom + 46, "capacity, cumulative", "note", "end"))
    return drawn


def _bar(frame: Frame, bar: Bar) -> list[str]:
    producer = bar.producer
    left, right = frame.x(float(bar.capacity_from)), frame.x(float(bar.capacity_to))
    top = frame.y(producer.full_micros)
    cash = "unknown" if producer.cash_micros is None else dollars(producer.cash_micros)
    words = (
        f"{producer.name}: full {dollars(producer.full_micros)}, cash {cash}, capacity {float(producer.capacity):,g}, "
        f"rank {bar.rank}, percentile {float(bar.percentile):.1f}"
    )
    drawn = [rect(left, top, right - left, frame.bottom - top, "capital", title=words)]
    if producer.cash_micros is not None:
        below = frame.y(producer.cash_micros)
        drawn.append(rect(left, below, right - left, frame.bottom - below, "cash", title=words))
    drawn.append(rect(left, top, right - left, frame.bottom - top, "edge"))
    room, middle = right - left, (left + right) / 2
    if room >= len(producer.name) * LETTER:
        drawn.append(text(middle, top - 5, producer.name, "name", "middle"))
    elif room >= LEAST_NAME_WIDTH:
        drawn.append(text(middle + 4, top - 5, producer.name, "name", turn=True))
    return drawn


def _percentiles(frame: Frame, curve: CostCurve) -> list[str]:
    drawn = []
    for percent in PERCENTS:
        place = frame.x(float(curve.capacity) * percent / 100)
        drawn.append(line(place, frame.top, place, frame.bottom, "mark"))
        drawn.append(text(place, frame.bottom + 30, f"{percent} %", "note", "middle"))
    return drawn


def _price(frame: Frame, curve: CostCurve, price_micros: int | None) -> list[str]:
    if price_micros is None:
        return []
    height = frame.y(price_micros)
    drawn = [
        f'<rect class="under" x="{px(frame.x(float(bar.capacity_from)))}" y="{px(frame.y(bar.cost_micros))}" '
        f'width="{px(frame.x(float(bar.capacity_to)) - frame.x(float(bar.capacity_from)))}" '
        f'height="{px(frame.bottom - frame.y(bar.cost_micros))}"/>'
        for bar in curve.above(price_micros)
    ]
    drawn.append(line(frame.left, height, frame.right, height, "price"))
    drawn.append(text(frame.left + 4, height - 4, f"price {dollars(price_micros)}", "price-name"))
    return drawn
