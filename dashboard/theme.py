"""Colours for what CSS does not reach: Plotly draws its own. The same tokens stand in `assets/rentmark.css`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Tokens of one theme. ``series`` differ under three kinds of colour blindness and by dash as well."""

    background: str
    panel: str
    text: str
    muted: str
    line: str
    neutral: str
    bad: str
    warn: str
    simulated: str
    series: tuple[str, ...]


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        background="#FFFFFF",
        panel="#F5F6F8",
        text="#15181D",
        muted="#5A6472",
        line="#D5D9DF",
        neutral="#EEF0F3",
        bad="#B3132B",
        warn="#8A5A00",
        simulated="#7A2E9E",
        series=("#0057A8", "#C8703F", "#0A9396", "#6A1B4D", "#4A470C"),
    ),
    "dark": Palette(
        background="#0F1318",
        panel="#171C23",
        text="#E8EBF0",
        muted="#9AA5B3",
        line="#343D49",
        neutral="#222932",
        bad="#FF7B8A",
        warn="#F0B429",
        simulated="#D29BF0",
        series=("#6CB4FF", "#FFB870", "#0E9484", "#FF4D94", "#8F8500"),
    ),
}
DASHES = ("solid", "dash", "longdash", "dashdot", "longdashdot")
"""Second sign of a series. Dotted is kept for CARRIED and MODELLED."""


def tinted(colour: str, share: float) -> str:
    """A token made translucent, as Plotly wants it: `rgba(…)`."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"
