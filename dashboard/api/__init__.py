"""The read-only HTTP interface beside the pages: `/api/v1/`, its OpenAPI page, `/healthz` and `/metrics`.

Answers are the command line's JSON, text for text. May import workspace, records, and of the dashboard what
reads (`reading`), names failures (`failing`) and writes CSV (`downloads`).
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any, cast

import flask
from werkzeug.exceptions import HTTPException

from ...records import RentmarkError
from ..reading import Reading
from .answers import answered, error_answer, failed, json_text, refused
from .endpoints import ENDPOINTS, Endpoint
from .metrics import Metrics
from .openapi import PREFIX, document, page

__all__ = ["blueprint"]


def blueprint(reading: Reading, *, guarded: bool = False) -> flask.Blueprint:
    """Routes that answer programs. ``guarded`` says that a token is asked for."""
    routes = flask.Blueprint("api", __name__)
    metrics = Metrics(reading)
    routes.record_once(lambda state: metrics.watch(cast("flask.Flask", state.app)))
    for endpoint in ENDPOINTS:
        routes.add_url_rule(
            PREFIX + endpoint.rule, endpoint.name, partial(_answer, endpoint, reading), methods=["GET"],
            provide_automatic_options=False,
        )  # fmt: skip

    @routes.get(f"{PREFIX}/openapi.json")
    def openapi() -> flask.Response:
        return flask.Response(json_text(document(guarded=guarded)), content_type="application/json")

    @routes.get(f"{PREFIX}/")
    def about() -> flask.Response:
        return flask.Response(page(), content_type="text/html; charset=utf-8")

    @routes.get("/healthz")
    def healthz() -> tuple[dict[str, str], int]:
        standing = reading.standing()
        if standing.silent is not None:
            return {"status": "silent", "reason": standing.silent}, HTTPStatus.SERVICE_UNAVAILABLE
        return {"status": "ok"}, HTTPStatus.OK

    @routes.get("/metrics")
    def prometheus() -> flask.Response:
        body, content_type = metrics.text()
        return flask.Response(body, content_type=content_type)

    @routes.route("/api/", defaults={"_rest": ""}, methods=["GET"])
    @routes.route("/api/<path:_rest>", methods=["GET"])
    def unknown(_rest: str) -> flask.Response:
        return error_answer(
            HTTPStatus.NOT_FOUND, f"There is no {flask.request.path[:200]!r}; {PREFIX}/ lists what there is."
        )

    @routes.app_errorhandler(HTTPStatus.METHOD_NOT_ALLOWED)
    def not_allowed(error: HTTPException) -> Any:
        if not flask.request.path.startswith("/api/"):
            return error
        response = error_answer(
            HTTPStatus.METHOD_NOT_ALLOWED,
            f"{flask.request.method[:20]} is not answered here; the interface only reads.",
        )
        response.headers["Allow"] = "GET, HEAD"
        return response

    return routes


def _answer(endpoint: Endpoint, reading: Reading, **path: str) -> flask.Response:
    try:
        return answered(endpoint, reading, path)
    except RentmarkError as error:
        return refused(error, reading)
    except Exception as error:  # noqa: BLE001 - the boundary: a request fails, the server goes on
        return failed(error)
