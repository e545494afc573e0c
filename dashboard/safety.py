"""Headers that keep a page to itself, compression, and a plotly.js of a third of the size."""

from __future__ import annotations

import warnings
from pathlib import Path

import flask
from dash import Dash

PLOTLY = "/_dash-component-suites/plotly/package_data/plotly.min.js"
"""Where Dash asks for plotly.js, once a chart is drawn."""
CARTESIAN = Path(__file__).parent / "vendor" / "plotly-cartesian.min.js"
"""The same version without maps, 3-D and WebGL (MIT licence, beside it): 1.5 MB instead of 4.8."""


def serve_small_plotly(server: flask.Flask) -> None:
    """Answer with the small bundle; a test holds its version against the installed plotly."""

    @server.before_request
    def small() -> flask.Response | None:
        if flask.request.path != PLOTLY:
            return None
        answer = flask.send_file(CARTESIAN, mimetype="text/javascript", conditional=True, max_age=86_400)
        answer.direct_passthrough = False  # or it is not compressed
        return answer


def make_safe(app: Dash, server: flask.Flask) -> None:
    """Compress answers, and send the security headers with each."""
    from flask_compress import Compress

    server.config.setdefault("COMPRESS_ALGORITHM", ["br", "gzip"])
    server.config.setdefault("COMPRESS_BR_LEVEL", 4)
    server.config.setdefault("COMPRESS_LEVEL", 5)
    server.config.setdefault("COMPRESS_MIMETYPES", [
        "text/html", "text/css", "text/csv", "text/javascript", "application/javascript",
        "application/json", "image/svg+xml",
    ])  # fmt: skip
    Compress(server)
    policy: list[str] = []

    @server.after_request
    def add_headers(response: flask.Response) -> flask.Response:
        if not policy:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                policy.append(content_security_policy(app.csp_hashes()))
        headers = response.headers
        headers.setdefault("Content-Security-Policy", policy[0])
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        return response


def content_security_policy(script_hashes: list[str]) -> str:
    """Nothing from elsewhere. Inline scripts only those of Dash, by digest; inline styles are React's."""
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' " + " ".join(f"'{h.strip(chr(39))}'" for h in script_hashes),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )
