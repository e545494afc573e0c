"""Static files: compressed once and answered from memory, and the grid's script only where a page has a grid."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

import dash_ag_grid as dag
import flask
from dash import Dash

from .guard import CALLBACKS
from .safety import PLOTLY

FOLDERS = ("/_dash-component-suites/", "/assets/", "/_favicon.ico")
MOST_FILES = 120
MOST_BYTES = 24 * 1024 * 1024
"""What kept files may take in all; an address may hold any query, so that there is no end of them."""
GRID = "dash_ag_grid"
WANTS_GRID = "wants_grid"
"""The name under which a page that has a grid says so, in `flask.g`."""
OF_CHARTS = (PLOTLY, "/_dash-component-suites/dash/dcc/async-graph.js")
"""What Dash asks for once a chart is drawn."""
ENCODINGS = ("br", "gzip")
"""How answers are compressed, the first that a browser knows."""
HERE = "http://127.0.0.1"
KEPT_HEADERS = ("Content-Type", "Content-Encoding", "Cache-Control", "ETag", "Last-Modified", "Vary")


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    headers: tuple[tuple[str, str], ...]


class StaticFiles:
    """Files as they were first answered, by address and by what the browser can unpack."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], _File] = {}

    def find(self) -> flask.Response | None:
        """The answer to the present request, where it is kept."""
        if not _is_file(flask.request):
            return None
        kept = self._kept.get(_key())
        if kept is None:
            return None
        answer = flask.Response(kept.body, headers=list(kept.headers))
        answer.make_conditional(flask.request)
        return answer

    def read_whole(self, answer: flask.Response) -> flask.Response:
        """Read a file that would be streamed: only so is it compressed."""
        if answer.status_code == HTTPStatus.OK and _is_file(flask.request):
            answer.direct_passthrough = False
            answer.get_data()
        return answer

    def keep(self, answer: flask.Response) -> flask.Response:
        """Keep an answer that is a whole file."""
        if answer.status_code == HTTPStatus.OK and _is_file(flask.request) and _key() not in self._kept:
            body = answer.get_data()
            headers = tuple((n, answer.headers[n]) for n in KEPT_HEADERS if n in answer.headers)
            with self._lock:
                held = sum(len(file.body) for file in self._kept.values())
                if len(self._kept) >= MOST_FILES or held + len(body) > MOST_BYTES:
                    self._kept.clear()
                if len(body) <= MOST_BYTES:
                    self._kept[_key()] = _File(body, headers)
        return answer


def serve_kept_files(server: flask.Flask, compress: Callable[[], None]) -> None:
    """Answer files from memory. To be called after the guard; ``compress`` sets up what compresses answers.

    Flask asks what was registered last first: a file is read whole, then compressed, then kept.
    """
    files = StaticFiles()
    server.before_request(files.find)
    server.after_request(files.keep)
    compress()
    server.after_request(files.read_whole)


def read_files_once(server: flask.Flask, headers: Mapping[str, str]) -> None:
    """Ask for every script and style of a page as a browser would, so that they are there when it does.

    ``headers`` are what lets a visitor in.
    """
    asked = {"Accept-Encoding": "gzip, br", **headers}
    browser = server.test_client()
    page = browser.get("/", base_url=HERE, headers=dict(headers)).get_data(as_text=True)
    for address in (*re.findall(r'(?:src|href)="(/[^"]+)"', page), *OF_CHARTS):
        browser.get(address, base_url=HERE, headers=asked)


def load_grid_late(app: Dash, server: flask.Flask) -> None:
    """Leave the grid's script, a third of all there is to load, out of the first page; a page with a grid brings it."""
    for resource in dag._js_dist:  # noqa: SLF001 - Dash knows no other way to say that a library is not needed at once
        if resource["relative_package_path"] == f"{GRID}.min.js":
            resource["dynamic"] = True
    address: list[str] = []

    @server.after_request
    def brought(answer: flask.Response) -> flask.Response:
        if flask.request.path != CALLBACKS or not flask.g.get(WANTS_GRID):
            return answer
        if not address:
            name = f"{GRID}.min.js"
            found = {"relative_package_path": name, "namespace": GRID}
            address.extend(app._collect_and_register_resources([found], False))  # noqa: SLF001 - as `get_dist` does
        told = json.dumps(
            [{"type": "_js_dist", "url": address[0]}]
        )  # as Dash writes a library to be loaded first
        answer.set_data(answer.get_data().rstrip()[:-1] + f',"dist":{told}}}'.encode())
        return answer


def _is_file(request: flask.Request) -> bool:
    return request.method == "GET" and request.path.startswith(FOLDERS) and "Range" not in request.headers


def _key() -> tuple[str, str]:
    request = flask.request
    return request.full_path, request.accept_encodings.best_match(ENCODINGS) or ""
