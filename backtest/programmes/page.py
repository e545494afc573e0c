"""A programme's page: one self-contained HTML file with inline SVG, readable without a script or a network."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...drawing.tables import SECTIONS
from ...records import MICROS_PER_CENT, format_instant
from ..report.style import STYLE
from ..wording import NONE, bill, number, percent, signed
from .figures import MonthResult, actual_lots, break_even_premium, month_results, total_micros
from .page_sections import sections
from .plots import bills_plot, cash_plot
from .running import ProgrammeRun
from .telling import cross_hedge, notes

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{ title }}</title>
<style>{{ style }}</style>
</head>
<body>
<main>
<header><b>Rentmark</b><span>as of {{ as_of }}</span></header>
{% for mark, words in strips %}<div class="strip {{ mark }}" role="note"><b>{{ mark }}</b><span>{{ words }}</span></div>
{% endfor %}
<h1>{{ title }}<small>{{ subtitle }}</small></h1>
<div class="tiles">
{% for what, value, under in tiles %}<div class="tile"><div class="what">{{ what }}</div>
<div class="value"><span>{{ value }}</span></div><div class="under">{{ under }}</div></div>
{% endfor %}</div>
<h2>Monthly {{ noun }}, with and without <span>$ · band: entries −10 to +10 % where they are assumed</span></h2>
{% if plots.bills %}<figure>{{ plots.bills }}</figure>{% else %}<p class="muted">— nothing was held in a month with a rent</p>{% endif %}
<h2>Cash of the account <span>$ paid in all by day: variation, fees, interest</span></h2>
{% if plots.cash %}<figure>{{ plots.cash }}</figure>{% else %}<p class="muted">— nothing was traded</p>{% endif %}
<dl class="facts">
{% for name, value in facts %}<dt>{{ name }}</dt><dd{% if loop.last %} class="mono"{% endif %}>{{ value }}</dd>
{% endfor %}</dl>
<div class="page">
"""
    + SECTIONS
    + """<h2>Notes</h2>
<ul>{% for note in notes %}<li>{{ note }}</li>
{% endfor %}</ul>
</div>
</main>
</body>
</html>
"""
)


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(TEMPLATE)


def render_programme(run: ProgrammeRun, *, command: str | None = None) -> str:
    """Write a run as one page. The same run gives the same bytes."""
    from markupsafe import Markup

    months = month_results(run)
    rules = run.programme
    simulated = _simulated(run)
    plots = {
        # our own SVG, whose text is escaped where it is drawn
        "bills": Markup(bills_plot(run, months, simulated=simulated)),  # noqa: S704
        "cash": Markup(cash_plot(run, simulated=simulated)),  # noqa: S704
    }
    plural = "s" if rules.months_ahead > 1 else ""
    return _template().render(
        title=f"Hedge programme: {run.name}, {run.role}, {run.plan.book.name}",
        subtitle=(
            f"{rules.style}, {rules.months_ahead} month{plural} ahead · {rules.method} ratios estimated"
            f" {rules.reestimate} · {float(rules.fraction) * 100:g} % of the exposure"
        ),
        as_of=format_instant(run.now.replace(microsecond=0)),
        style=Markup(STYLE),  # noqa: S704
        strips=strips(run),
        tiles=_tiles(run, months),
        noun="bill" if run.role == "buyer" else "revenue",
        plots=plots,
        facts=[
            ("Rules", f"{run.name}, SHA-256 {rules.rules_hash}"),
            ("Rent file", f"{run.plan.book.name}, SHA-256 {run.plan.book.digest}"),
            ("Command", command or NONE),
        ],
        sections=sections(run, months, tuple(mark for mark, _ in strips(run))),
        notes=notes(run),
    )


def _simulated(run: ProgrammeRun) -> bool:
    return run.plan.book.simulated or any(each.view.simulated for each in run.instruments)


def strips(run: ProgrammeRun) -> list[tuple[str, str]]:
    """The marks that hold for the whole run, each with what it means."""
    found = []
    if _simulated(run):
        found.append(("SIMULATED", "Prices here come from a simulated market, not a real one."))
    if any(each.view.backcast for each in run.instruments):
        found.append(("BACKCAST", "Fixings were computed after their time."))
    proxies = [
        f"{each.view.benchmark} for {each.spec.official_underlying}"
        for each in run.instruments
        if each.view.benchmark != each.spec.official_benchmark
    ]
    crosses = [words for each in run.instruments if (words := cross_hedge(run, each)) is not None]
    if proxies or crosses:
        found.append(("PROXY", f"{'; '.join([*proxies, *crosses])}."))
    if run.account.modelled_marks:
        found.append(
            ("MODELLED", "Days without a settlement are marked flat: every remaining fixing as the last one.")
        )
    return found


def _tiles(run: ProgrammeRun, months: tuple[MonthResult, ...]) -> list[tuple[str, str, str]]:
    """Four headline figures: what, the figure, what stands under it."""
    totals = {premium: total_micros(account) for premium, account in run.accounts.items()}
    if run.entry_is_assumed:
        even = break_even_premium(run)
        under = " / ".join(bill(totals[premium]) for premium in sorted(totals))
        profit = (
            "Break-even entry",
            NONE if even is None else percent(even),
            f"against the last fixing; P&L {under} at −10/0/+10 %",
        )
    else:
        profit = ("Futures P&L", bill(totals[0]), "at stated settlements, after fees and interest")
    found = actual_lots(run, months)
    swing = (
        "Swing at the lots held, sd",
        NONE
        if found.swing_unhedged is None
        else f"{number(found.swing_unhedged, 4)} → {number(found.swing_hedged, 4)}",
        found.reason or f"$/GPU-h, {found.months} settled months; R² {number(found.r_squared)}",
    )
    peaks = [each.peak_draw_cents * MICROS_PER_CENT for _, each in sorted(run.accounts.items())]
    cash = (
        "Most cash put in",
        bill(run.account.peak_draw_cents * MICROS_PER_CENT),
        (f"{bill(peaks[0])} to {bill(peaks[-1])} by entry; " if len(peaks) > 1 else "")
        + f"{len(run.account.calls)} calls, margin modelled unless published",
    )
    traded = sum(abs(order.lots) for order in run.orders)
    refused = sum(order.refused is not None for order in run.orders)
    lots = (
        "Lots traded",
        signed(f"{traded:,}"),
        f"on {len([d for d in run.decisions if any(o.lots for o in d.orders)])} days; {refused} orders refused",
    )
    return [profit, swing, cash, lots]
