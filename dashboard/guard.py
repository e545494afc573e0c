"""Who may ask: this machine alone by default; others with a token, or through a proxy that names them.

Threats and answers: a page elsewhere that makes a browser ask this server (the Host header is held against the
names it answers to, so a rebound name gets nothing; a request that changes or computes must come from this
origin); a stranger on the network (nothing is served beyond loopback without a token or a proxy); a large
body (refused by its length, before it is read).
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlsplit

import flask
from werkzeug.exceptions import HTTPException

from ..records import UsageError
from .failing import failed_sentence

COOKIE: Final = "rentmark_session"
SHORTEST_TOKEN: Final = 16
LARGEST_BODY: Final = 28 * 1024 * 1024
"""Bytes of a request: an upload of 20 MB as a page sends it, in base 64 (4/3), and its frame."""
SESSION_SECONDS: Final = 12 * 3600
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
CALLBACKS: Final = "/_dash-update-component"
OPEN_PATHS: Final = ("/login", "/healthz")
"""What is answered without a token: the form that asks for it, and whether the server lives."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is guarded.

    ``host`` is the address it listens on. ``token`` is asked for where there is one. ``user_header`` is the
    header in which a reverse proxy on this machine names who asks; a request without it is refused.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    user_header: str | None = None

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise UsageError(
                f"The token has {len(self.token)} characters; use at least {SHORTEST_TOKEN}, "
                'such as what `python3 -c "import secrets; print(secrets.token_urlsafe())"` prints.'
            )
        if self.user_header is not None and not is_loopback(self.host):
            raise UsageError(
                f"--user-header trusts whoever reaches {self.host}; "
                "listen on 127.0.0.1 and let the proxy pass requests on."
            )
        if not self.guarded and not is_loopback(self.host):
            raise UsageError(
                f"{self.host} can be reached by others; set a token with --token or RENTMARK_TOKEN, "
                "or listen on 127.0.0.1."
            )

    @property
    def guarded(self) -> bool:
        """Whether a request must say who it is from."""
        return self.token is not None or self.user_header is not None


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def guard(server: flask.Flask, access: Access) -> None:
    """Hold every request of a server against its access, before anything reads it."""
    server.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY

    @server.before_request
    def held() -> flask.Response | None:
        request = flask.request
        if (request.content_length or 0) > LARGEST_BODY:
            return plain(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The request has {request.content_length:,} bytes; the limit is {LARGEST_BODY:,}. Nothing was kept.",
            )
        if not access.guarded and host_name(request.host) not in LOCAL_NAMES:
            return plain(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"This server answers to localhost, not to {request.host[:100]!r}; serve it with a token for others.",
            )
        if request.method not in ("GET", "HEAD", "OPTIONS") and not is_own_origin(request):
            return plain(
                HTTPStatus.FORBIDDEN, "This request comes from another site; open the dashboard itself."
            )
        if request.path == CALLBACKS and request.method == "POST" and not is_callback(request):
            return plain(HTTPStatus.BAD_REQUEST, "This is no request of a page of the dashboard.")
        if access.user_header is not None and not request.headers.get(access.user_header, "").strip():
            return plain(HTTPStatus.UNAUTHORIZED, f"The proxy names nobody in {access.user_header}.")
        if access.token is None or request.path in OPEN_PATHS or is_known(request, access.token):
            return None
        if request.path.startswith(("/api", "/metrics", "/csv/", "/_")):
            refusal = plain(HTTPStatus.UNAUTHORIZED, "A token is needed: Authorization: Bearer TOKEN.")
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        return flask.redirect(f"/login?next={quote(request.full_path.rstrip('?'))}")  # type: ignore[return-value]

    @server.errorhandler(Exception)
    def failed(error: Exception) -> flask.Response:
        if isinstance(error, HTTPException):
            return plain(HTTPStatus(error.code or 500), f"{error.name}: {flask.request.path[:100]!r}.")
        return plain(HTTPStatus.INTERNAL_SERVER_ERROR, failed_sentence(error))

    if access.token is not None:
        _add_login(server, access.token)


def is_callback(request: flask.Request) -> bool:
    """Whether a body is what a page sends: an object that names its output and its inputs."""
    body = request.get_json(silent=True)
    return (
        isinstance(body, dict)
        and isinstance(body.get("output"), str)
        and isinstance(body.get("inputs"), list)
        and isinstance(body.get("changedPropIds", []), list)
        and isinstance(body.get("state", []), list)
    )


def is_known(request: flask.Request, token: str) -> bool:
    """Whether a request carries the token or a session made with it; compared in constant time."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode()):
        return True
    return hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), session_of(token).encode())


def session_of(token: str) -> str:
    """The value of the session cookie: the token is not in it."""
    return hmac.new(token.encode(), b"rentmark session", hashlib.sha256).hexdigest()


def host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_own_origin(request: flask.Request) -> bool:
    """Whether a request that sends something comes from this server's own pages, or from no page at all."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


def plain(status: HTTPStatus, sentence: str) -> flask.Response:
    """A refusal: its sentence; JSON where a program asked."""
    if flask.request.path.startswith("/api"):
        answer = flask.jsonify({"error": sentence, "id": None})
        answer.status_code = status
        return answer
    return flask.Response(sentence + "\n", status=status, content_type="text/plain; charset=utf-8")


def safe_next(text: str) -> str:
    """Where to go after the login: an address of this server, never another's."""
    split = urlsplit(text)
    inside = (
        not split.scheme and not split.netloc and text.startswith("/") and not text.startswith(("//", "/\\"))
    )
    return text if inside and text.isprintable() else "/"


def _add_login(server: flask.Flask, token: str) -> None:
    @server.route("/login", methods=["GET", "POST"])
    def login() -> flask.Response:
        wanted = safe_next(flask.request.values.get("next", "/"))
        given = flask.request.form.get("token", "") if flask.request.method == "POST" else None
        if given is not None and hmac.compare_digest(given.strip().encode(), token.encode()):
            answer: flask.Response = flask.redirect(wanted)  # type: ignore[assignment]
            answer.set_cookie(
                COOKIE, session_of(token), max_age=SESSION_SECONDS, httponly=True, samesite="Strict",
                secure=flask.request.is_secure,
            )  # fmt: skip
            return answer
        wrong = "" if given is None else '<p role="alert">This is not the token.</p>'
        status = HTTPStatus.OK if given is None else HTTPStatus.UNAUTHORIZED
        return flask.Response(_FORM.format(wanted=escape(wanted), wrong=wrong), status=status)


_FORM: Final = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Rentmark</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<style>:root{{color-scheme:light dark}}body{{font:14px/1.5 system-ui,sans-serif;max-width:360px;"
    "margin:64px auto;padding:0 16px}}input,button{{font:inherit;padding:8px;width:100%;box-sizing:border-box;"
    "margin-top:8px}}</style></head><body><main><h1>Rentmark</h1>{wrong}"
    '<form method="post" action="/login"><label for="token">Token</label>'
    '<input id="token" name="token" type="password" autocomplete="current-password" required>'
    '<input type="hidden" name="next" value="{wanted}"><button>Open</button></form></main></body></html>'
)
