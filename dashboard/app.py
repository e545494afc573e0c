"""The app: the frame, the pages, and the one callback that draws whichever page the address names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import flask
from dash import ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update, set_props
from dash.development.base_component import Component

from ..records import RentmarkError
from .api import blueprint
from .downloads import downloads
from .failing import drawn_or_told, failed_sentence, message
from .guard import CALLBACKS, Access, guard
from .layout import BUSY_MILLISECONDS, POLL_MILLISECONDS, frame, navigation, strips
from .pages import pages_found
from .reading import READING, Reading
from .routing import Page, View, page_of, view_of
from .safety import make_safe, serve_small_plotly
from .static_files import WANTS_GRID, load_grid_late, serve_kept_files

INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rentmark</title>{%favicon%}{%css%}
</head>
<body>
{%app_entry%}
<noscript>The dashboard needs JavaScript. `rentmark market` prints the same board.</noscript>
<footer style="all: unset">{%config%}{%scripts%}{%renderer%}</footer>
</body>
</html>"""
LOADED_SECONDS = 2.0
"""So long after a page was asked for, open pages look again every second."""
OWN_PATHS = ("/_", "/assets/", "/api", "/healthz", "/metrics", "/csv/", "/login", "/report/")
"""Addresses that are no pages: Dash's own, files, the API, and CSV."""


def create_app(root: Path, *, database_url: str | None = None, access: Access | None = None) -> Dash:
    """The dashboard of a workspace as a Dash app; its Flask server is ``app.server``."""
    access = access or Access()
    reading = Reading(root, database_url=database_url)
    pages = pages_found()
    here = str(Path(__file__).parent)
    # A namespace package has no file that Flask could find its place by, so the place is given.
    server = flask.Flask("rentmark_dashboard", root_path=here, instance_path=here, static_folder=None)
    server.extensions[READING] = reading
    app = Dash(
        "rentmark_dashboard",
        server=server,
        assets_folder=str(Path(__file__).parent / "assets"),
        suppress_callback_exceptions=True,
        update_title="",
        title="Rentmark",
        index_string=INDEX,
        on_error=_say_failure,
    )
    app.layout = lambda: frame(pages, reading)
    _register_frame(app, pages, reading)
    for page in pages:
        if page.register is not None:
            page.register(app, reading)
    guard(server, access)
    server.register_blueprint(blueprint(reading, guarded=access.guarded))
    server.register_blueprint(downloads(reading))
    _answer_unknown_addresses(app, server, pages)
    serve_kept_files(server, lambda: make_safe(app, server))
    serve_small_plotly(server)
    load_grid_late(app, server)
    return app


def _register_frame(app: Dash, pages: tuple[Page, ...], reading: Reading) -> None:
    app.clientside_callback(
        ClientsideFunction("rentmark", "view"),
        Output("view", "data"),
        Output("provider", "forceColorScheme"),
        Input("url", "pathname"),
        Input("url", "search"),
        Input("theme", "data"),
        Input("heads", "data"),
    )
    app.clientside_callback(
        ClientsideFunction("rentmark", "toggle"),
        Output("theme", "data"),
        Input("theme-button", "n_clicks"),
        State("view", "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("main", "children"),
        Output("nav", "children"),
        Output("strips", "children"),
        Output("frame", "className"),
        Output("as-of-button", "children"),
        Output("drawn", "data"),
        Input("view", "data"),
        State("drawn", "data"),
    )
    def draw(asked: Mapping[str, Any] | None, drawn: Mapping[str, Any] | None) -> Any:
        if not asked:
            return (no_update,) * 6
        reading.page_asked()
        found = page_of(pages, str(asked.get("path") or "/"))
        page = None if found is None else found[0]
        view = view_of(asked, {} if found is None else found[1])
        same = {key: asked.get(key) for key in ("path", "search", "theme")}
        data = reading.data_token()
        if page is not None and drawn and drawn.get("same") == same and drawn.get("whole"):
            stands = drawn.get("data") == data and not drawn.get("waiting")
            if stands or not page.live:
                return (no_update,) * 6
        reading.forget_waiting()
        content, whole = drawn_page(page, view, reading)
        has_grid = bool(flask.g.pop(WANTS_GRID, False))
        known = bool(drawn and drawn.get("grid"))
        flask.g.wants_grid = has_grid and not known
        simulated = reading.is_simulated()
        return (
            html.Div(content, **{"data-page": view.href()}),
            navigation(pages, view, page),
            strips(view, simulated=simulated),
            "framed" if view.query.get("as_of") else "",
            f"As of: {view.query.get('as_of') or 'latest'} ▾",
            {
                "same": same,
                "whole": whole,
                "data": data,
                "waiting": reading.is_waiting(),
                "grid": has_grid or known,
            },
        )

    @app.callback(
        Output("heads", "data"),
        Output("trouble", "children"),
        Output("writing", "children"),
        Output("poll", "interval"),
        Input("poll", "n_intervals"),
        State("heads", "data"),
    )
    def poll(_: int | None, seen: str | None) -> Any:
        standing = reading.standing()
        told = "Another command is writing; you see the last committed values." if standing.writing else ""
        token = no_update if standing.token == seen else standing.token
        loading = not reading.is_quiet(LOADED_SECONDS)  # what a page waits for mostly comes within a second
        pause = BUSY_MILLISECONDS if loading or reading.is_busy() else POLL_MILLISECONDS
        return token, standing.silent or "", told, pause

    @app.callback(
        Output("url", "href"),
        Input("search", "value"),
        State("view", "data"),
        prevent_initial_call=True,
    )
    def go(place: str | None, asked: Mapping[str, Any] | None) -> Any:
        return view_of(asked or {}).href(place) if place else no_update

    @app.callback(
        Output("url", "search"),
        Output("as-of-text", "error"),
        Input("as-of-show", "n_clicks"),
        Input("as-of-latest", "n_clicks"),
        Input("as-of-text", "n_submit"),
        State("as-of-text", "value"),
        State("as-of-seen", "value"),
        State("view", "data"),
        prevent_initial_call=True,
    )
    def choose_as_of(
        _show: int, _latest: int, _submit: int, text: str | None, seen: str | None, asked: Mapping[str, Any]
    ) -> Any:
        view = view_of(asked)
        wanted = None if ctx.triggered_id == "as-of-latest" else (text or "").strip() or None
        kept = {k: v for k, v in view.query.items() if k not in ("as_of", "seen")}
        if wanted is not None:
            kept |= {"as_of": wanted} | ({"seen": "recorded"} if seen == "recorded" else {})
        chosen = View(view.path, view.theme, kept)
        try:
            _ = chosen.as_of
        except RentmarkError as error:
            return no_update, error.sentence.replace("--as-of ", "")
        return chosen.href().removeprefix(View(view.path).href()), None


def drawn_page(page: Page | None, view: View, reading: Reading) -> tuple[Component, bool]:
    """The content of one address, or the sentence that stands in its place."""
    if page is None:
        return html.Div([html.H1("No such page"), message(f"There is no page {view.path}.")]), True
    return drawn_or_told(page.title, lambda: page.layout(view, reading))


def _say_failure(error: Exception) -> None:
    """A callback failed: the frame says so, the page stays as it was."""
    sentence = error.sentence if isinstance(error, RentmarkError) else failed_sentence(error)
    set_props("notice", {"children": sentence})


def _answer_unknown_addresses(app: Dash, server: flask.Flask, pages: tuple[Page, ...]) -> None:
    reading: Reading = server.extensions[READING]

    @server.before_request
    def unknown() -> flask.Response | None:
        path = flask.request.path
        if path != CALLBACKS:  # the question of open pages every few seconds is no page being loaded
            reading.page_asked()
        if path.startswith(OWN_PATHS) or page_of(pages, path) is not None:
            return None
        return flask.Response(app.index(), status=404, mimetype="text/html")
