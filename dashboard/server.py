"""The server: waitress, on this machine alone unless told otherwise."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from threading import Event, Thread

import flask

from ..records import RentmarkError
from ..workspace import explain_fixing, fixing_rows, open_for_reading, panel_sellers
from .app import create_app
from .failing import drawn_or_told
from .guard import LARGEST_BODY, Access
from .pages.market import layout
from .reading import READING, Reading
from .routing import View
from .static_files import read_files_once

THREADS = 8
UNWATCHED_SECONDS = 2.0
"""So long after the last request nobody is taken to be loading a page."""
LAST_SECONDS = 10.0
"""What work in the background is given to end when the server does."""
QUIET_PAUSE = 0.2
"""Seconds between two looks at whether somebody waits."""
LOOPBACK = "127.0.0.1"

OFTEN = (700, 10, 10)
"""How often Python looks for garbage in cycles by default; a command that ends soon looks less often."""


def serve(
    root: Path,
    *,
    database_url: str | None = None,
    host: str = LOOPBACK,
    port: int = 8050,
    token: str | None = None,
    user_header: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the dashboard of a workspace until interrupted.

    ``tell`` is given the address once it is open and the board was read once, so that the first visitor finds it;
    the stories of the board are read in the background from then on. Beyond loopback a ``token`` or the ``user_header`` of a
    reverse proxy is needed. Raises RentmarkError where there is no workspace or the port can't be used.
    """
    from waitress import create_server

    logging.basicConfig(level=logging.WARNING)
    open_for_reading(root, database_url=database_url).store.close()  # or the sentence of what is missing
    app = create_app(root, database_url=database_url, access=Access(host, token, user_header))
    known = {"Authorization": f"Bearer {token}"} if token else {}
    known |= {user_header: "rentmark"} if user_header else {}
    try:
        server = create_server(
            app.server,
            host=host,
            port=port,
            threads=THREADS,
            ident=None,
            max_request_body_size=LARGEST_BODY,
        )
    except OSError as error:
        raise RentmarkError(
            f"Port {port} of {host} can't be used: {error.strerror}; choose another with --port."
        ) from None
    reading: Reading = app.server.extensions[READING]
    ended = Event()
    preparing = Thread(target=_prepare, args=(reading, ended), name="rentmark-prepare", daemon=True)
    try:
        _warm(app.server, known)
        tell(f"http://{host}:{server.effective_port}/")
        preparing.start()
        server.run()
    except KeyboardInterrupt:
        return
    finally:
        server.close()
        ended.set()
        if preparing.is_alive():
            preparing.join(LAST_SECONDS)  # a thread within an engine must not outlive the interpreter
        reading.close(LAST_SECONDS)


def _warm(server: flask.Flask, headers: Mapping[str, str]) -> None:
    """Read the board and the scripts once, as a visitor would who is let in by these headers.

    The stories of the board go on in the background.
    """
    reading: Reading = server.extensions[READING]
    drawn_or_told("Market", lambda: layout(View("/"), reading))
    read_files_once(server, headers)
    _settle()


def _prepare(reading: Reading, ended: Event) -> None:
    """Explain the last fixing of each benchmark while nobody waits: later ones find their queries planned."""
    try:
        names = list(reading.workspace().configuration.benchmarks)
    except RentmarkError:
        return  # the pages say it
    for name in names:
        for ask in (explain_fixing, panel_sellers):
            while not reading.is_quiet(UNWATCHED_SECONDS):
                if ended.wait(QUIET_PAUSE):
                    return
            if ended.is_set():
                return
            try:
                workspace = reading.workspace()
                last = fixing_rows(workspace, name, days=1)[-1]
                ask(workspace, name, date.fromisoformat(last["date"]))
            except RentmarkError:
                break  # so does the page of this benchmark
    _settle()


def _settle() -> None:
    """Leave what is there for good, modules and tapes above all, out of later searches for garbage.

    A search takes a tenth of a second and more, in which no page is answered.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*OFTEN)
