"""One benchmark, `/b/ID`. It answers: where in history, who sets it, may I rely on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from dash import html
from dash.development.base_component import Component

from ...workspace import count_of, no_price_sentence
from ..charts import Series, step_chart
from ..days import chosen_row, stepper
from ..failing import message, pending
from ..formats import NONE, board_price, full_price
from ..moves import value_sentence, who_moved
from ..parts import (
    Cell,
    change,
    citation,
    command,
    copy_button,
    csv_link,
    link,
    picture_button,
    range_links,
    table,
)
from ..ranges import chosen_range
from ..reading import Reading
from ..routing import Page, View
from ..rows import PATIENCE, as_of_flags, benchmark_rows, needed_sellers, sellers, story
from ..states import badges, marks_of, status_badge

LISTED = 31
"""Days listed below the chart; the CSV has all."""
GAPS_LISTED = 5
Row = Mapping[str, Any]


def layout(view: View, reading: Reading) -> Component:
    """Value and who moved it, the step chart, the sellers."""
    name = view.parameters["name"]
    if not reading.view_ready(name, view.as_of, patience=PATIENCE):
        return html.Div([html.H1(name), pending("Working out what was known then …")])
    rows = benchmark_rows(reading, view, name)
    place, row = chosen_row(rows, view.query.get("day"), name)
    told = story(reading, view, name, row["date"])
    needed = needed_sellers(reading, name)
    return html.Div(
        [
            html.H1(name),
            _value(name, row, told, needed),
            html.Div(
                [
                    stepper(rows, place, lambda day: view.href(day=day)),
                    link(
                        f"Story of {row['date']}",
                        view.link_to("fixing", name, row["date"]),
                        classes="button primary story",
                    ),
                    copy_button(citation(row, name)),
                    copy_button("link", "Copy link"),
                    csv_link(view, f"b/{name}.csv"),
                ],
                className="row controls",
            ),
            _candidates(row),
            html.H2("Who moved it"),
            *who_moved(told),
            *_history(view, name, rows, row),
            *_gaps(view, name, rows, needed),
            html.Div(
                [
                    html.Div([*_sellers(view, reading, name, row), *_reliance(row)]),
                    html.Div(_days(view, name, rows, needed)),
                ],
                className="columns",
            ),
            command(
                f"rentmark index show {name}{as_of_flags(view)}\n"
                f"rentmark index explain {name} {row['date']}{as_of_flags(view)}"
            ),
        ]
    )


def _value(name: str, row: Row, told: Row | None, needed: int) -> Component:
    moved = None if told is None else told["change_percent"]
    since = None if told is None else told["previous_date"]
    return html.Div(
        [
            html.Div(
                [
                    html.Span(board_price(row["value"]), className="price"),
                    html.Span(" /GPU-h  ", className="unit"),
                    change(None if moved is None else moved / 100),
                    html.Span(f" since {since}" if since else "", className="muted"),
                ]
            ),
            html.Div(
                [
                    badges(row, needed),
                    html.Span(f" {row['date']} · {count_of(row['n_sellers'], 'seller')}", className="muted"),
                ]
            ),
            html.P(told["sentence"], className="headline", id="headline")
            if told
            else pending(value_sentence(name, row)),
        ]
    )


def _candidates(row: Row) -> Component | None:
    if row["state"] == "candidate" and not row["reconstructed"]:
        return message("Candidates only; these values may change.", "warn")
    return None


def _history(view: View, name: str, rows: Sequence[Row], row: Row) -> list[Component]:
    range_name, days = chosen_range(view, "3M")
    marks = " · ".join(text for text, _ in marks_of(row))
    return [
        html.H2(f"{name}, $/GPU-h, with p25–p75 and the number of sellers"),
        html.Div(
            [
                range_links(view, range_name),
                picture_button("benchmark-chart", f"{name} {marks}".strip(), f"{name}-{row['date']}"),
            ],
            className="row controls spread",
        ),
        step_chart(
            [Series(name, rows)],
            name="benchmark-chart",
            theme=view.theme,
            days=days,
            band=True,
            sellers=True,
            chosen=row["date"],
        ),
    ]


def _gaps(view: View, name: str, rows: Sequence[Row], needed: int) -> list[Component]:
    """Days without a price, said in words: the chart only leaves them out."""
    gaps = [row for row in rows if row["status"] == "GAP"]
    if not gaps:
        return []
    lines = [
        html.Li(
            [
                link(row["date"], view.link_to("fixing", name, row["date"])),
                " ",
                status_badge(row, needed),
                f" {_why(row, rows, needed)}",
            ]
        )
        for row in gaps[-GAPS_LISTED:]
    ]
    more = len(gaps) - len(lines)
    return [
        html.H2("Days without a price"),
        html.Ul(lines, className="plain"),
        html.P(f"and {more} more, in the CSV.", className="muted") if more else html.Span(),
    ]


def _why(row: Row, rows: Sequence[Row], needed: int) -> str:
    valued = [date.fromisoformat(r["date"]) for r in rows if r["status"] in ("OK", "THIN")]
    return no_price_sentence(date.fromisoformat(row["date"]), row["rule"], row["n_sellers"], needed, valued)


def _sellers(view: View, reading: Reading, name: str, row: Row) -> list[Component]:
    held = sellers(reading, view, name, row["date"])
    if held is None:
        return [html.H2(f"Sellers on {row['date']}"), pending("Being worked out …")]
    if not held["sellers"]:
        return []
    rows: list[list[Cell]] = [
        [
            s["seller"],
            s["price"],
            f"{s['rank']} of {len(held['sellers'])}",
            ("by " if s["since_or_earlier"] else "") + s["since"],
            "in, new" if s["came"] else "in",
        ]
        for s in held["sellers"]
    ]
    rows += [
        [s["seller"], f"was {s['last_price']}", NONE, NONE, f"out, last {s['last_date']}"]
        for s in held["out"]
    ]
    return [
        html.H2(f"Sellers on {row['date']}"),
        table(
            ["Seller", "$/GPU-h", "Rank", "At this price since", "In or out"],
            rows,
            caption=f"Sellers of {name} on {row['date']}, cheapest first",
            numbers=(1, 2),
            narrow=True,
        ),
    ]


def _reliance(row: Row) -> list[Component]:
    said = []
    if row["origin"] == "backcast":
        said.append(
            "Backcast: computed later from data that are public since; nobody could trade on it then."
        )
    if not row["settlement_grade"]:
        said.append("Not settlement grade: advertised prices only, or too few venues.")
    if row["state"] == "candidate":
        said.append("A candidate: not published, it may change.")
    if row["settlement_grade"] and row["state"] == "published":
        said.append("Settlement grade.")
    if row["simulated"]:
        said.append("Simulated: no seller exists.")
    if row["top_weight"] is not None:
        said.append(f"The largest share of one seller is {100 * row['top_weight']:.1f} %.")
    return [html.H2("May I rely on it"), html.Ul([html.Li(line) for line in said], className="plain")]


def _days(view: View, name: str, rows: Sequence[Row], needed: int) -> list[Component]:
    listed = list(reversed(rows[-LISTED:]))
    lines: list[list[Cell]] = [
        [
            link(row["date"], view.link_to("fixing", name, row["date"])),
            full_price(row["value"]),
            status_badge(row, needed),
            row["n_sellers"],
            NONE if row["p25"] is None else f"{row['p25']}–{row['p75']}",
        ]
        for row in listed
    ]
    more = f", the last {LISTED} of {len(rows)}" if len(rows) > LISTED else ""
    return [
        html.H2(f"Day by day{more}"),
        table(
            ["Date", "$/GPU-h", "Status", "Sellers", "p25–p75"],
            lines,
            caption=f"{name}, the last {len(listed)} days",
            numbers=(1, 3, 4),
            optional=(4,),
            narrow=True,
        ),
    ]


PAGES = (Page("/b/{name}", "Benchmark", layout),)
