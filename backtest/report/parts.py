"""The first page of a report in its parts, for a screen that sets them itself."""

from __future__ import annotations

from dataclasses import dataclass

from ...drawing.standalone import Theme, standalone
from ..report_model import HedgeReport
from .first_page import Tile, not_covered, pnl_words, strips, subtitle, tiles, title
from .style import STYLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One drawing: its name, what it shows, and a standalone SVG."""

    name: str
    title: str
    svg: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPage:
    """What the first page says and draws, in its order."""

    title: str
    subtitle: str
    strips: tuple[tuple[str, str], ...]
    verdict: str
    sentences: tuple[str, ...]
    tiles: tuple[Tile, ...]
    drawings: tuple[Drawing, ...]
    not_covered: tuple[tuple[str, str], ...]


def first_page(report: HedgeReport, *, theme: Theme = "light") -> FirstPage:
    """The first page of a report; drawings in the colours of a theme. What can't be drawn is left out."""
    from .attribution_plot import attribution_plot
    from .price_plots import basis_plot, price_plot
    from .result_plots import effectiveness_plot, pnl_plot

    made = (
        ("effectiveness", "Effectiveness by method, with 95 % intervals", effectiveness_plot(report)),
        ("prices", "Rent and reference, $/GPU-h", price_plot(report)),
        ("basis", "The gap: rent − fixing of the day, $/GPU-h", basis_plot(report)),
        ("attribution", "What the hedge left over, by cause", attribution_plot(report)),
        ("pnl", f"Futures P&L by entry price, {pnl_words(report)}", pnl_plot(report)),
    )
    return FirstPage(
        title=title(report),
        subtitle=subtitle(report),
        strips=tuple(strips(report)),
        verdict=report.verdict.name,
        sentences=tuple(report.sentences),
        tiles=tuple(tiles(report)),
        drawings=tuple(
            Drawing(name=name, title=words, svg=standalone(svg, STYLE, theme))
            for name, words, svg in made
            if svg
        ),
        not_covered=tuple(not_covered(report)),
    )
