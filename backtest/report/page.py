"""Rendering: a report and its page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...records import format_instant
from ..report_model import HedgeReport
from .first_page import facts, not_covered, pnl_words, strips, subtitle, tiles, title
from .style import STYLE
from .template import TEMPLATE

if TYPE_CHECKING:
    from jinja2 import Template


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(TEMPLATE)


def render_report(report: HedgeReport, *, command: str | None = None) -> str:
    """Write a report as one self-contained HTML page, readable without JavaScript.

    ``command`` is the command line that made it, printed at the foot of the first page. The same
    report gives the same bytes.
    """
    from markupsafe import Markup

    from .attribution_plot import attribution_plot
    from .price_plots import basis_plot, price_plot
    from .result_plots import effectiveness_plot, pnl_plot
    from .sections import sections

    plots = {
        # Our own SVG: every text in it was escaped where it was drawn.
        "effectiveness": Markup(effectiveness_plot(report)),  # noqa: S704
        "prices": Markup(price_plot(report)),  # noqa: S704
        "basis": Markup(basis_plot(report)),  # noqa: S704
        "pnl": Markup(pnl_plot(report)),  # noqa: S704
        "attribution": Markup(attribution_plot(report)),  # noqa: S704
    }
    return _template().render(
        title=title(report),
        subtitle=subtitle(report),
        as_of=format_instant(report.now),
        style=Markup(STYLE),  # noqa: S704
        strips=strips(report),
        verdict=report.verdict.name,
        verdict_class=report.verdict.name.replace(" ", "-"),
        sentences=report.sentences,
        tiles=tiles(report),
        plots=plots,
        states="".join(f" · {words}" for words in _states(report)),
        pnl_words=pnl_words(report),
        pnl_reason=report.entry.reason or "",
        not_covered=not_covered(report),
        facts=facts(report, command),
        sections=sections(report),
        notes=report.notes,
        attributions=report.attributions,
    )


def _states(report: HedgeReport) -> list[str]:
    """A key to the states that occur in the price plot."""
    found = {each.status for each in report.reference}
    words: list[str] = []
    if any(each.p25_micros is not None for each in report.reference):
        words.append("band p25–p75")
    if report.fixing_state == "candidate":
        words.append("candidates dashed")
    if "THIN" in found:
        words.append("◐ THIN")
    if "CARRIED" in found:
        words.append("↦ CARRIED dotted")
    if "GAP" in found:
        words.append("∅ GAP tick")
    return words
