"""The market board, `/`. It answers: what is the price, did it move, is the move real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ..charts import Series, spark, step_chart
from ..failing import message, pending
from ..formats import NONE, age, board_price, three_decimals
from ..forward import forward_board
from ..parts import Cell, change, command, copy_button, csv_link, link, picture_button, range_links, table
from ..ranges import chosen_range
from ..reading import Reading
from ..routing import Page, View
from ..rows import WORKED_OUT, as_of_flags, benchmark_rows, market_now, views_missing
from ..states import badges

COLUMNS = (
    "Benchmark",
    "Chip",
    "$/GPU-h",
    "Status",
    "1d",
    "30d",
    "Changed",
    "p25–p75",
    "Sellers",
    "90 d",
    "Age",
)
CHARTED = 5
WORKING = "…"


def layout(view: View, reading: Reading) -> Component:
    """Headline, board by chip, and a chart of at most five."""
    missing, of = views_missing(reading, view)
    if missing:
        told = f"Working out what was known then: {of - missing} of {of} benchmarks …"
        return html.Div([html.H1("Market"), pending(told)])
    board = market_now(reading, view, soon=True)
    rows: list[dict[str, Any]] = board["rows"]
    if not any(row["date"] for row in rows):
        return html.Div([html.H1("Market"), message(board["headline"])])
    drawn = _charted(view, rows)
    range_name, days = chosen_range(view, "3M")
    return html.Div(
        [
            html.H1("Market", className="hidden"),
            html.P(board["headline"], className="headline", id="headline"),
            html.Div(
                [
                    copy_button(board["headline"] + " Rentmark.", "Copy the headline"),
                    copy_button("link", "Copy link"),
                    csv_link(view, "market.csv"),
                ],
                className="row controls",
            ),
            _board(view, rows),
            html.H2(f"Levels, $/GPU-h: {', '.join(row['benchmark'] for row in drawn)}"),
            html.Div(
                [
                    range_links(view, range_name),
                    picture_button("board-chart", "Rentmark market", "rentmark-market"),
                ],
                className="row controls spread",
            ),
            step_chart(
                [
                    Series(row["benchmark"], benchmark_rows(reading, view, row["benchmark"], days=days))
                    for row in drawn
                ],
                name="board-chart",
                theme=view.theme,
                days=days,
            ),
            *forward_board(view, reading, rows),
            command(f"rentmark market{as_of_flags(view)}"),
        ]
    )


def _charted(view: View, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The lines drawn: those of `?compare=a,b`, else the first five with a value."""
    wanted = [name for name in view.query.get("compare", "").split(",") if name]
    known = [row for row in rows if row["date"] is not None]
    chosen = [row for row in known if row["benchmark"] in wanted] if wanted else known
    return chosen[:CHARTED]


def _board(view: View, rows: Sequence[Mapping[str, Any]]) -> Component:
    """One table, by chip."""
    return table(
        COLUMNS,
        [
            [link(str(row["benchmark"]), view.link_to("b", row["benchmark"])), row["chip"], *_line(view, row)]
            for row in rows
        ],
        caption="Latest values in $ per GPU-hour, by chip",
        numbers=(2, 4, 5, 6, 7, 8, 10),
        optional=(1, 7, 9),
    )


def _line(view: View, row: Mapping[str, Any]) -> list[Cell]:
    name = str(row["benchmark"])
    if row["date"] is None:
        return [NONE, html.Span(row["reason"], className="muted"), *[NONE] * 7]
    since = row["change_1d_from"]
    older = since is not None and row["previous_is_older"]
    return [
        link(board_price(row["value"]), view.link_to("fixing", name, row["date"])),
        badges(row, finality=False),
        html.Span(
            [change(row["change_1d"]), html.Span(f" since {since}", className="muted") if older else ""]
        ),
        change(row["change_30d"]),
        html.Span(_changed(row), className="pending" if _changed(row) == WORKING else ""),
        NONE if row["p25"] is None else f"{three_decimals(row['p25'])}–{three_decimals(row['p75'])}",
        row["n_sellers"],
        spark(row["spark"], f"{name}, 90 days", view.theme),
        age(row["age_days"]),
    ]


def _changed(row: Mapping[str, Any]) -> str:
    """``2 of 22 changed``, and who came or left."""
    if row["n_changed"] is None:
        return WORKING if row["n_changed_reason"] == WORKED_OUT else NONE
    moved = [f"{row[key]} {word}" for key, word in (("n_entered", "came"), ("n_left", "left")) if row[key]]
    return ", ".join([f"{row['n_changed']} of {row['n_sellers']} changed", *moved])


PAGES = (Page("/", "Market", layout, nav="Market", order=1),)
