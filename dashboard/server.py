"""The server: waitress, on this machine alone unless told otherwise."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import flask

from ..records import RentmarkError
from ..workspace import open_for_reading
from .app import create_app
from .guard import LARGEST_BODY, Access
from .reading import READING, Reading
from .routing import View
from .rows import market_now

THREADS = 8
LOOPBACK = "127.0.0.1"


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

    ``tell`` is given the address once it is open; then the stories of the board are read in the background,
    so that the first visitor finds them. Beyond loopback a ``token`` or the ``user_header`` of a
    reverse proxy is needed. Raises RentmarkError where there is no workspace or the port can't be used.
    """
    from waitress import create_server

    logging.basicConfig(level=logging.WARNING)
    open_for_reading(root, database_url=database_url).store.close()  # or the sentence of what is missing
    app = create_app(root, database_url=database_url, access=Access(host, token, user_header))
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
    tell(f"http://{host}:{server.effective_port}/")
    Thread(target=_warm, args=(app.server,), name="rentmark-warm", daemon=True).start()
    try:
        server.run()
    except KeyboardInterrupt:
        return
    finally:
        server.close()


def _warm(server: flask.Flask) -> None:
    """Read the board once, as a visitor would."""
    reading: Reading = server.extensions[READING]
    try:
        market_now(reading, View("/"), soon=True)
    except RentmarkError:
        return  # the page says it when it is asked for
