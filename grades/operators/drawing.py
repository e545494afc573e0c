"""Small pieces the cost curve is drawn from: a frame, ticks, and SVG text. Pure: numbers in, text out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

STYLE = (
    ":root{--bg:#fff;--text:#15181d;--muted:#5a6472;--tint:#eef0f3;--rule:#d9dde3;--cash:#0057a8;"
    "--capital:#9cc0e2;--under:#c8703f;--price:#b3132b}"
    "@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--text:#e8ebf0;--muted:#9aa5b3;--tint:#222932;"
    "--rule:#313946;--cash:#6cb4ff;--capital:#2f4f70;--under:#ffb870;--price:#ff7b8a}}"
    "text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;fill:var(--text);"
    "font-variant-numeric:tabular-nums}"
    ".ground{fill:var(--bg)}.tick,.note{fill:var(--muted)}.title{font-size:14px;font-weight:600}"
    ".grid{stroke:var(--tint)}.axis{stroke:var(--rule)}.mark{stroke:var(--muted);stroke-dasharray:2 3}"
    ".price{stroke:var(--price);stroke-width:1.5;stroke-dasharray:6 4}.price-name{fill:var(--price);font-weight:600}"
    ".cash{fill:var(--cash)}.capital{fill:var(--capital)}.edge{fill:none;stroke:var(--bg)}"
    ".under{fill:none;stroke:var(--under);stroke-width:2}"
)
"""Colours for light and dark by preference; the file needs nothing beside it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The drawing area in pixels, and the values its right and top edges stand for; both axes begin at 0."""

    left: float
    right: float
    top: float
    bottom: float
    x_high: float
    y_high: float

    def x(self, value: float) -> float:
        """Horizontal position of a value."""
        return self.left + value / self.x_high * (self.right - self.left)

    def y(self, value: float) -> float:
        """Vertical position of a value."""
        return self.bottom - value / self.y_high * (self.bottom - self.top)


def px(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def nice_ticks(high: float, about: int = 5) -> list[float]:
    """Round values from 0 to ``high``, some ``about`` of them, at steps of 1, 2 or 5 · 10ᵏ."""
    if high <= 0:
        return [0.0]
    raw = high / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * power for unit in (1, 2, 5, 10) if unit * power >= raw * 0.999)
    return [number * step for number in range(math.floor(high / step + 1e-9) + 1)]


def text(
    x: float, y: float, words: str, kind: str = "tick", anchor: str = "start", *, turn: bool = False
) -> str:
    """A line of text; ``turn`` writes it upwards."""
    turned = f' transform="rotate(-90 {px(x)} {px(y)})"' if turn else ""
    return (
        f'<text class="{kind}" x="{px(x)}" y="{px(y)}" text-anchor="{anchor}"{turned}>{escape(words)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"/>'


def rect(x: float, y: float, width: float, height: float, kind: str, *, title: str | None = None) -> str:
    """A rectangle; ``title`` is what hovering shows."""
    box = f'<rect class="{kind}" x="{px(x)}" y="{px(y)}" width="{px(max(width, 0))}" height="{px(max(height, 0))}"'
    return f"{box}/>" if title is None else f"{box}><title>{escape(title)}</title></rect>"


def figure(width: int, height: int, label: str, body: Iterable[str]) -> str:
    """A self-contained SVG; ``label`` is what a reader who can't see it is told."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f" aria-label={quoteattr(label)}><title>{escape(label)}</title><style>{STYLE}</style>"
        f"{rect(0, 0, width, height, 'ground')}{''.join(body)}</svg>\n"
    )
