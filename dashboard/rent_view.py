"""What the rent desk shows: how a file was read, the question of its unit, progress, and the judged rent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from ..workspace import report_first_page
from .failing import message
from .formats import NONE, full_price
from .parts import command, drawing, facts, table

MONTHS_SHOWN = 24
MONTH_KEYS = (
    "month",
    "last_rent",
    "rent_mean",
    "entry_price",
    "settlement_price",
    "lots",
    "bill",
    "hedged_bill",
)


def read_as(row: Mapping[str, Any], asked: Mapping[str, Any] | None) -> Component:
    """``We read your file as …``, with what was refused, the question of the unit, and the button that confirms."""
    if not row["days"]:
        return html.Div([
            message(f"No row of {row['name']} could be read: {row['rows_refused']} of {row['rows_read']} refused.", "bad"),
            _refused(row),
        ])  # fmt: skip
    hours = NONE if row["gpu_hours"] is None else f"{row['gpu_hours']:,.0f} GPU-hours"
    kind = (
        "a rent book"
        if row["book"]
        else "rates by day"
        if row["kind"] == "rates"
        else "invoices, spread over their days"
    )
    return html.Div(
        [
            html.H2(f"We read your file as: {row['name']}, {kind}"),
            facts([
                ("Rows", f"{row['rows_used']:,} of {row['rows_read']:,} used, {row['rows_refused']:,} refused"),
                ("Days", f"{row['days']:,}, {row['first_date']} to {row['last_date']}"),
                ("Rate, $/GPU-h", (f"median {full_price(row['median_rate'])}, from {full_price(row['lowest_rate'])} "
                                  f"to {full_price(row['highest_rate'])}")),
                ("Hours", hours if row["gpu_hours"] is not None else f"{hours} (none stated: figures are per GPU-hour)"),
            ]),
            *(html.P(note, className="muted") for note in row["notes"]),
            _refused(row),
            _question(asked),
            html.Button("That is my rent; judge it", id="hedge-confirm", className="button primary", type="button"),
        ],
        className="panel",
    )  # fmt: skip


def _question(asked: Mapping[str, Any] | None) -> Component:
    """``Median rate 312, reference 3.1: [cents] [per 8-GPU node] [correct]?``; hidden where nothing is in doubt."""
    answers = ["correct"] if asked is None else list(asked["answers"])
    return html.Div(
        dmc.RadioGroup(
            dmc.Group([dmc.Radio(_unit_words(a), value=a) for a in answers]),
            id="hedge-unit",
            label="Unit of the rent" if asked is None else f"{asked['question']}: is the rent",
            value=None if asked is None else "",
        ),
        className="hidden-whole" if asked is None else "question",
    )


def _unit_words(answer: str) -> str:
    size = answer.partition(":")[2]
    return f"per {size}-GPU node" if size else answer


def _refused(row: Mapping[str, Any]) -> Component:
    if not row["refused"]:
        return html.Div()
    more = row["rows_refused"] - len(row["refused"])
    listed = [html.Li(sentence) for sentence in row["refused"]]
    return html.Div([html.Ul(listed), html.P(f"… and {more:,} more.", className="muted") if more > 0 else ""])


def judged(report: Any, words: str, job: str, theme: Literal["light", "dark"]) -> Component:
    """The judged rent: verdict first, then tiles, drawings, months, and the files of the report."""
    page = report_first_page(report, theme=theme)
    row = report.to_json()
    return html.Div([
        *(html.Div([html.B(mark), f" {said}"], className=f"strip strip-{_strip(mark)}") for mark, said in page.strips),
        html.P(page.sentences[0], className="headline", id="hedge-verdict"),
        html.P(f"VERDICT: {page.verdict.upper()}", className="verdict-word"),
        *(html.P(sentence) for sentence in page.sentences[1:]),
        html.Div([_tile(tile) for tile in page.tiles], className="tiles"),
        html.Div(
            [html.A(kind.upper(), href=f"/report/{quote(job)}.{kind}", className="button", download="")
             for kind in ("html", "json", "csv", "xlsx")],
            className="row controls",
        ),
        *(
            html.Figure([html.Figcaption(drawn.title), drawing(drawn.svg, _alt(drawn.svg, drawn.title))])
            for drawn in page.drawings
        ),
        html.H2("Not covered"),
        html.Ul([html.Li(f"{what} {amount}".strip()) for what, amount in page.not_covered]),
        html.H2("Months"),
        _months(row),
        command(words),
    ])  # fmt: skip


def _strip(mark: str) -> str:
    return "simulated" if mark == "SIMULATED" else "warn"


def _tile(tile: Any) -> Component:
    value = [html.Span(tile.before)]
    if tile.after:
        value.append(html.Span(f" → {tile.after}"))
    return html.Div(
        [html.Div(tile.what, className="muted"), html.Div(value, className="tile-value"),
         html.Div(tile.under, className="muted")],
        className="tile panel",
    )  # fmt: skip


def _months(row: Mapping[str, Any]) -> Component:
    months = row["months"][-MONTHS_SHOWN:]
    keys = [key for key in MONTH_KEYS if any(each.get(key) is not None for each in months)]
    return table(
        [key.replace("_", " ") for key in keys],
        [[each[key] for key in keys] for each in months],
        caption="The hedge month by month",
        numbers=tuple(range(1, len(keys))),
    )


def _alt(svg: str, title: str) -> str:
    """What the drawing says of itself to a screen reader, else its title."""
    _, found, rest = svg.partition('aria-label="')
    return rest.partition('"')[0] if found else title
