"""The review's page: one self-contained HTML file with inline SVG, readable without a script or a network."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from ...drawing.style import STYLE as SHARED
from ...drawing.tables import SECTIONS
from ...records import format_instant
from .attacks import DOWN, UP
from .review import Review
from .verdict import verdict, verdict_word
from .wording import NONE, dates_of, number, percent, signed_percent

if TYPE_CHECKING:
    from jinja2 import Template

STRIPS = {
    "SIMULATED": "Prices here come from a simulated market, not a real one.",
    "RECONSTRUCTED": "Shows what was known at an earlier instant, rebuilt from sources loaded later.",
    "CANDIDATE": "Not published; these values may change.",
    "BACKCAST": "Fixings were computed after their time.",
}

TEMPLATE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{ title }}: {{ word }}</title>
<style>{{ style }}</style>
</head>
<body>
<main>
<header><b>Rentmark</b><span>as of {{ as_of }}</span></header>
{% for mark, words in strips %}<div class="strip {{ mark }}" role="note"><b>{{ mark }}</b><span>{{ words }}</span></div>
{% endfor %}
<h1>{{ title }}<small>{{ subtitle }}</small></h1>
<section class="verdict {{ word_class }}">
<div class="word">{{ word|upper }}</div>
{% for sentence in sentences %}<p{% if loop.first %} class="first"{% endif %}>{{ sentence }}</p>
{% endfor %}</section>
<div class="tiles">
{% for what, value, under in tiles %}<div class="tile"><div class="what">{{ what }}</div>
<div class="value"><span>{{ value }}</span></div><div class="under">{{ under }}</div></div>
{% endfor %}</div>
<h2>Value{{ " and matched panel" if matched }} <span>$/GPU-h · band p25–p75 of the votes{{ " · dashed: price effects alone, chained" if matched }}</span></h2>
{% if plots.level %}<figure>{{ plots.level }}</figure>{% else %}<p class="muted">— no date has a value</p>{% endif %}
<div class="pair">
<div><h2>Cost to manipulate <span>furthest move · bar: median date · line: worst · log scale</span></h2>
{% if plots.reach %}<figure>{{ plots.reach }}</figure>{% else %}<p class="muted">— no price of theirs moves it</p>{% endif %}</div>
<div><h2>Who moved it <span>moves that vanish without the seller, of {{ n_moves }}</span></h2>
{% if plots.movers %}<figure>{{ plots.movers }}</figure>{% else %}<p class="muted">— no move was made by one seller</p>{% endif %}</div>
</div>
<h2>Coverage <span>sellers behind each value · ◐ THIN · ↦ CARRIED · ∅ GAP</span></h2>
<figure>{{ plots.calendar }}</figure>
<div class="pair">
<div><h2>Concentration <span>largest share of the weight</span></h2>
{% if plots.share %}<figure>{{ plots.share }}</figure>{% else %}<p class="muted">— no date has a value</p>{% endif %}</div>
<div><h2>Stickiness <span>sellers that changed price since the date before</span></h2>
{% if plots.unchanged %}<figure>{{ plots.unchanged }}</figure>{% else %}<p class="muted">— no two dates have a seller in common</p>{% endif %}</div>
</div>
<dl class="facts">
{% for name, value in facts %}<dt>{{ name }}</dt><dd{% if loop.last %} class="mono"{% endif %}>{{ value }}</dd>
{% endfor %}</dl>
<div class="page">
"""
    + SECTIONS
    + """
{% if attributions %}<h2>Data</h2>
<ul>{% for attribution in attributions %}<li>{{ attribution }}</li>
{% endfor %}</ul>
{% endif %}</div>
</main>
</body>
</html>
"""
)


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_unbroken
    )
    return environment.from_string(TEMPLATE)


def _unbroken(value: object) -> object:
    """A percent sign stays on the line of its number. Markup of our own has none to mind."""
    return value.replace(" %", "\u00a0%") if type(value) is str else value


def render_review(
    review: Review,
    *,
    marks: Sequence[str],
    live_from: date | None,
    attributions: Sequence[str],
    made_at: datetime,
    command: str | None = None,
) -> str:
    """Write a review as one page. The same review gives the same bytes."""
    from markupsafe import Markup

    from . import plots as drawn
    from .sections import sections

    plots = {
        # our own SVG, whose text is escaped where it is drawn
        "level": Markup(drawn.level_plot(review)),  # noqa: S704
        "reach": Markup(drawn.reach_plot(review)),  # noqa: S704
        "movers": Markup(drawn.movers_plot(review)),  # noqa: S704
        "calendar": Markup(drawn.calendar_plot(review)),  # noqa: S704
        "share": Markup(drawn.share_plot(review)),  # noqa: S704
        "unchanged": Markup(drawn.unchanged_plot(review)),  # noqa: S704
    }
    benchmark, rules = review.benchmark, review.benchmark.methodology
    failed = any(check.result == "not met" for check in review.checks)
    return _template().render(
        title=f"Review: {benchmark.name}, {review.first} to {review.last}",
        subtitle=f"grade {benchmark.grade_name} · methodology {benchmark.methodology_name} {rules.version} · "
        f"{review.coverage.dates} fixing dates",
        as_of=format_instant(made_at.replace(microsecond=0)),
        style=Markup(SHARED + drawn.STYLE),  # noqa: S704
        strips=[(mark, _strip(mark, live_from)) for mark in marks],
        word=verdict_word(review),
        word_class="not-met" if failed else "met",
        sentences=verdict(review),
        tiles=tiles(review),
        plots=plots,
        matched=review.panels.matched is not None,
        n_moves=review.influence.n_moves,
        facts=[
            ("Evidence", review.replay.sentence),
            ("Methodology", f"{benchmark.methodology_name} {rules.version}, {benchmark.methodology_hash}"),
            ("Command", command or NONE),
        ],
        sections=sections(review, tuple(marks)),
        attributions=attributions,
    )


def _strip(mark: str, live_from: date | None) -> str:
    live = f" Live from {live_from}." if mark == "BACKCAST" and live_from is not None else ""
    return STRIPS[mark] + live


def tiles(review: Review) -> list[tuple[str, str, str]]:
    """Four headline figures: what, the figure, what stands under it."""
    covered, held = review.coverage, review.concentrations[0]
    observed = covered.counts["OK"] + covered.counts["THIN"]
    reach = next((r for r in review.manipulation.reaches if r.kind == "one seller"), None)
    ways = [] if reach is None else [a for a in (reach.worst(UP), reach.worst(DOWN)) if a is not None]
    worst = max(ways, key=lambda a: abs(a.move), default=None)
    sticky = review.stickiness
    return [
        (
            "Dates with a value",
            f"{observed} of {covered.dates}",
            f"{number(covered.median_sellers, 0)} sellers in the median, {covered.fewest_sellers or 0} at least",
        ),
        (
            "Largest seller",
            NONE if held.worst is None else percent(held.worst.top_share),
            "no value" if held.worst is None else f"of the weight, {held.worst.top} on {held.worst.date}",
        ),
        (
            "One seller moves it by",
            NONE if worst is None else signed_percent(worst.move),
            "at most" if worst is None else f"at most, {worst.names[0]} on {worst.date}",
        ),
        (
            "Prices unchanged",
            percent(sticky.share_unchanged),
            "from one date to the next"
            + ("" if sticky.implied_spell is None else f"; one stands {dates_of(sticky.implied_spell)}"),
        ),
    ]
