"""The frame around every page: header, search, as-of control, theme, strips, and the place of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from ..records import RentmarkError
from ..workspace import format_view
from .parts import text_field
from .reading import Reading
from .routing import SEEN_RECORDED, Page, View

POLL_MILLISECONDS = 4000
"""How often an open page asks whether something was committed, or whether a silent database is back."""

BUSY_MILLISECONDS = 1000
"""The same while something a page waits for is being made."""


def frame(pages: Sequence[Page], reading: Reading) -> Component:
    """The whole page before its content is known."""
    return dmc.MantineProvider(
        id="provider",
        theme={"fontFamily": "Inter, system-ui, sans-serif", "defaultRadius": 4, "primaryColor": "blue"},
        children=[
            dcc.Location(id="url", refresh="callback-nav"),
            dcc.Store(id="theme", storage_type="local"),
            dcc.Store(id="heads"),
            dcc.Store(id="view"),
            dcc.Store(id="drawn"),
            dcc.Interval(id="poll", interval=POLL_MILLISECONDS),
            html.Div(id="frame", children=_inside(pages, reading)),
        ],
    )


def _inside(pages: Sequence[Page], reading: Reading) -> list[Component]:
    return [
        html.A("Skip to the page", href="#main", className="skip"),
        html.Header(
            className="header",
            children=[
                html.A("Rentmark", href="/", className="brand", title="Market board"),
                html.Nav(id="nav", className="nav", **{"aria-label": "Pages"}),
                html.Div(className="tools", children=_tools(pages, reading)),
            ],
        ),
        html.Div(id="strips", role="status"),
        html.Div(id="trouble", role="status", className="strip strip-bad"),
        html.Div(id="writing", role="status", className="strip strip-warn"),
        html.Div(id="notice", role="alert", className="strip strip-bad"),
        html.Div(id="said", role="status", className="hidden"),
        html.Main(id="main", tabIndex=-1),
        html.Footer(
            "Rentmark computes rental benchmarks; it quotes no one and takes no orders. "
            "Keys: / search, ← → days."
        ),
    ]


def _tools(pages: Sequence[Page], reading: Reading) -> list[Component]:
    return [
        dmc.Select(
            id="search",
            className="search",
            placeholder="Search  /",
            searchable=True,
            clearable=False,
            data=places(pages, reading),
            nothingFoundMessage="No such benchmark or page",
            **{"aria-label": "Search benchmarks and pages"},
        ),
        html.Details(
            className="menu",
            children=[
                html.Summary("As of: latest ▾", id="as-of-button", className="button"),
                html.Div(_as_of_form(), className="menu-panel"),
            ],
        ),
        html.Button("Theme", id="theme-button", className="button", type="button", title="Light or dark"),
    ]


def _as_of_form() -> list[Component]:
    return [
        text_field(
            "as-of-text",
            "What was known on",
            description="A date (its midnight UTC) or 2026-08-01T16:00:00Z",
            placeholder="2026-08-01",
        ),
        dmc.Select(
            id="as-of-seen",
            label="Seen by",
            value="public",
            allowDeselect=False,
            comboboxProps={"withinPortal": False},
            data=[
                {"value": "public", "label": "what was public (reconstructed)"},
                {"value": SEEN_RECORDED, "label": "what was recorded here"},
            ],
        ),
        html.Div(
            className="row",
            children=[
                html.Button("Show", id="as-of-show", className="button primary", type="button"),
                html.Button("Latest", id="as-of-latest", className="button", type="button"),
            ],
        ),
    ]


def places(pages: Sequence[Page], reading: Reading) -> list[dict[str, Any]]:
    """What the search offers: the benchmarks of the workspace and the pages of the header."""
    try:
        names = list(reading.workspace().configuration.benchmarks)
    except RentmarkError:
        names = []
    navigated = sorted((p for p in pages if p.nav), key=lambda p: p.order)
    return [
        {"group": "Benchmarks", "items": [{"value": f"/b/{name}", "label": name} for name in names]},
        {"group": "Pages", "items": [{"value": p.pattern, "label": p.nav} for p in navigated]},
    ]


def navigation(pages: Sequence[Page], view: View, current: Page | None) -> list[Component]:
    """The words of the header, each keeping the as-of."""
    here = None if current is None else current.pattern.split("/")[1]
    return [
        dcc.Link(
            page.nav,
            href=view.href(page.pattern),
            className="here" if page.pattern.split("/")[1] == here else "",
        )
        for page in sorted((p for p in pages if p.nav), key=lambda p: p.order)
    ]


def strips(view: View, *, simulated: bool) -> list[Component]:
    """The strips over every page: a view of the past, a simulated market."""
    try:
        as_of = view.as_of
    except RentmarkError as error:
        return [html.Div(error.sentence, className="strip strip-bad")]
    made: list[Component] = []
    if as_of is not None:
        made.append(html.Div(format_view(as_of), className="strip strip-asof"))
    if simulated:
        made.append(
            html.Div(
                "SIMULATED market and clock: nothing here was traded.", className="strip strip-simulated"
            )
        )
    return made
