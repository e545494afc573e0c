"""A sparkline: inline SVG as a data address, steps, gaps left open. Fifty of them cost nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from dash import html
from dash.development.base_component import Component

from ..theme import PALETTES, Theme

WIDTH, HEIGHT, EDGE = 96, 20, 2


def spark(points: Sequence[Mapping[str, Any]], label: str, theme: Theme) -> Component | None:
    """Daily values as steps; None without a value. ``points`` hold ``date`` and ``value`` (a price string or null).

    ``label`` is what a screen reader says.
    """
    known = [(date.fromisoformat(p["date"]), float(p["value"])) for p in points if p["value"] is not None]
    if not known:
        return None
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<path d="{_path(known)}" fill="none" stroke="{PALETTES[theme].series[0]}" stroke-width="1.5"/></svg>'
    )
    return html.Img(
        src=f"data:image/svg+xml,{quote(svg)}", alt=label, width=WIDTH, height=HEIGHT, className="spark"
    )


def _path(known: Sequence[tuple[date, float]]) -> str:
    first, last = known[0][0], known[-1][0]
    low, high = min(v for _, v in known), max(v for _, v in known)
    days = (last - first).days + 1

    def across(day: int) -> float:
        return round(day / days * WIDTH, 1)

    def up(value: float) -> float:
        share = 0.5 if high == low else (value - low) / (high - low)
        return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE), 1)

    pieces, expected = [], None
    for day, value in known:
        offset = (day - first).days
        joint = "L" if offset == expected else "M"
        pieces.append(f"{joint}{across(offset)} {up(value)}H{across(offset + 1)}")
        expected = offset + 1
    return "".join(pieces)
