"""Parts that several pages use: tables, links, buttons that copy, facts, grids of many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

import dash_ag_grid as dag
import dash_mantine_components as dmc
import flask
from dash import dcc, html
from dash.development.base_component import Component

from .formats import NONE, direction, signed_percent
from .routing import View

Cell: TypeAlias = Component | str | int | float | None
WIDE_OPEN = {"1M": 31, "3M": 92, "1Y": 366, "All": None}
"""The ranges of a chart, in days."""


def link(text: str, href: str, *, classes: str = "") -> Component:
    """A link inside the dashboard; the frame stays, the page changes."""
    return dcc.Link(text, href=href, className=classes)


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    caption: str,
    numbers: Sequence[int] = (),
    wraps: Sequence[int] = (),
    optional: Sequence[int] = (),
    marked: Mapping[int, str] | None = None,
    narrow: bool = False,
) -> Component:
    """A table a screen reader can walk: the first cell of a row is its heading.

    ``numbers`` are columns set to the right, ``optional`` are left out on a phone, ``wraps`` may break
    over lines. ``marked`` gives rows a class such as "middle". The caption is for screen readers.
    """

    def classes(index: int) -> str:
        names = [
            name
            for name, chosen in (("number", numbers), ("wrap", wraps), ("optional", optional))
            if index in chosen
        ]
        return " ".join(names)

    head = html.Tr([html.Th(c, scope="col", className=classes(i)) for i, c in enumerate(columns)])
    body = [
        html.Tr(
            [
                html.Th(_shown(cell), scope="row", className=classes(i))
                if i == 0
                else html.Td(_shown(cell), className=classes(i))
                for i, cell in enumerate(row)
            ],
            className=(marked or {}).get(number, ""),
        )
        for number, row in enumerate(rows)
    ]
    return html.Div(
        className="scroll",
        tabIndex=0,
        role="region",
        **{"aria-label": caption},
        children=html.Table(
            className="table narrow" if narrow else "table",
            children=[html.Caption(caption, className="hidden"), html.Thead(head), html.Tbody(body)],
        ),
    )


def text_field(name: str, label: str, **kept: Any) -> Component:
    """A line to type in. Enter and leaving it give its text together with the event.

    Without ``debounce`` the text follows a timer behind the key: on a busy machine Enter came first, and the
    answer was to an empty line.
    """
    return dmc.TextInput(id=name, label=label, debounce=True, **kept)


def drawing(svg: str, alt: str) -> Component:
    """A drawing of the library, as a picture; a phone scrolls along it, for its letters keep their size."""
    picture = html.Img(src="data:image/svg+xml," + quote(svg), alt=alt, className="drawing")
    return html.Div(picture, className="scroll", tabIndex=0, role="region", **{"aria-label": alt})


def grid(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[Mapping[str, Any]],
    *,
    height: int = 400,
) -> Component:
    """Many rows, drawn as they are scrolled to: sortable, filterable. ``name`` is its id."""
    if flask.has_request_context():
        flask.g.wants_grid = True  # its script comes along, see `static_files`
    return html.Div(
        className="grid",
        children=dag.AgGrid(
            id=name,
            rowData=[dict(row) for row in rows],
            columnDefs=[dict(column) for column in columns],
            columnSize="autoSize",
            defaultColDef={"sortable": True, "resizable": True, "filter": True},
            dashGridOptions={
                "enableCellTextSelection": True,
                "animateRows": False,
                "rowHeight": 28,
                "headerHeight": 28,
            },
            style={"height": f"{min(height, 28 * (len(rows) + 2) + 8)}px"},
        ),
    )


def facts(pairs: Sequence[tuple[str, Cell]]) -> Component:
    """Named facts, one a line."""
    return html.Dl(
        [item for name, value in pairs for item in (html.Dt(name), html.Dd(_shown(value)))], className="facts"
    )


def change(ratio: float | None) -> Component:
    """A move with its arrow, sign and colour of direction."""
    if not ratio:
        return html.Span(signed_percent(ratio))
    return html.Span(f"{direction(ratio)} {signed_percent(ratio)}", className="up" if ratio > 0 else "down")


def copy_button(text: str, label: str = "Copy with citation") -> Component:
    """A button that copies a text; ``text`` "link" copies the address."""
    return html.Button(label, className="button", type="button", **{"data-copy": text})


def csv_link(view: View, path: str) -> Component:
    """A link to the CSV of what the page shows, at the same as-of."""
    return html.A("CSV", href=view.href(f"/csv/{path}", theme=None), className="button", download="")


def picture_button(graph_id: str, title: str, file: str) -> Component:
    """A button that saves a chart as PNG; its marks are in the chart, ``title`` stands above it."""
    return html.Button(
        "PNG",
        className="button",
        type="button",
        **{"data-graph": graph_id, "data-title": title, "data-file": file},
    )


def range_links(view: View, chosen: str) -> Component:
    """1M 3M 1Y All, as links that keep the rest of the address."""
    return html.Div(
        className="row",
        role="group",
        **{"aria-label": "Range"},
        children=[
            link(name, view.href(range=name), classes="button chosen" if name == chosen else "button")
            for name in WIDE_OPEN
        ],
    )


def command(text: str) -> Component:
    """The command that prints the same, folded away."""
    return html.Details([html.Summary("Show the command"), html.Pre(text)])


def citation(row: Mapping[str, Any], name: str) -> str:
    """A value with what is needed to find it again: date, status, revision, marks, hashes."""
    value = "no value" if row["value"] is None else f"${row['value']} per GPU-hour"
    marks = [
        mark
        for mark, holds in (
            ("simulated", row["simulated"]),
            ("reconstructed", row["reconstructed"]),
            ("candidate", row["state"] == "candidate"),
            ("backcast", row["origin"] == "backcast"),
        )
        if holds
    ]
    said = f" ({', '.join(marks)})" if marks else ""
    return (
        f"{name} {row['date']}: {value}, {row['status']}, revision {row['revision']}{said}; "
        f"methodology {row['methodology_hash'][:12]}, inputs {row['input_digest'][:12]}. Rentmark."
    )


def _shown(cell: Cell) -> Cell:
    return NONE if cell in (None, "") else cell
