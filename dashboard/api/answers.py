"""Answers: the text of the command line's JSON or its rows as CSV, with an ETag; and errors as one sentence."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import flask

from ...records import RentmarkError, UsageError
from ...workspace import Workspace
from ..downloads import csv_text
from ..failing import failure_id
from ..reading import Reading
from .endpoints import Endpoint
from .parameters import BadParameterError, read_parameters

JSON_TYPE: Final = "application/json"
CSV_TYPE: Final = "text/csv"
log = logging.getLogger("rentmark.api")


@dataclass(frozen=True, slots=True)
class Written:
    """A body with its type and ETag, kept as long as the data stand."""

    body: bytes
    content_type: str
    etag: str


def json_text(value: Any) -> str:
    """A value as the command line prints it with ``--json``."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def answered(endpoint: Endpoint, reading: Reading, path: dict[str, str]) -> flask.Response:
    """The answer of one request. Raises RentmarkError with the remedy."""
    values = read_parameters(endpoint.asked, path, flask.request.args.to_dict(flat=False))
    wanted = values["format"] or "json"

    def make(workspace: Workspace) -> Written:
        row = endpoint.answer(workspace, values)
        text = json_text(row) if wanted == "json" else csv_text(row[endpoint.rows or ""])
        body = text.encode()
        etag = hashlib.sha256(body).hexdigest()[:32]
        return Written(body, JSON_TYPE if wanted == "json" else CSV_TYPE, etag)

    # What is provisional becomes final as time passes, without a commit: an answer is kept for an hour.
    hour = f"{reading.clock():%Y%m%d%H}"
    key = json.dumps(values, sort_keys=True)
    written = reading.kept("api", endpoint.name, key, hour, make=make)
    response = flask.Response(written.body, content_type=f"{written.content_type}; charset=utf-8")
    response.set_etag(written.etag)
    response.headers["Cache-Control"] = "no-cache"
    if wanted == "csv":
        name = "-".join((endpoint.name, *(str(v) for v in path.values())))
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
        response.headers["Content-Disposition"] = f'attachment; filename="{safe}.csv"'
    silent = reading.standing().silent
    if silent is not None:
        response.headers["Warning"] = f'110 rentmark "{silent}"'
    response.make_conditional(flask.request)
    return response


def refused(error: RentmarkError, reading: Reading) -> flask.Response:
    """A refusal: 400 for a parameter that can't be read, 409 for parameters that don't go together, 404 for what
    is not there, 503 while the data can't be read.
    """
    silent = reading.standing().silent
    if silent is not None:
        response = error_answer(HTTPStatus.SERVICE_UNAVAILABLE, silent)
        response.headers["Retry-After"] = "5"
        return response
    status = HTTPStatus.CONFLICT if isinstance(error, UsageError) else HTTPStatus.NOT_FOUND
    if isinstance(error, BadParameterError):
        status = HTTPStatus.BAD_REQUEST
    sentence = error.sentence.replace("--as-of", "as_of").replace("--reconstructed", "reconstructed")
    return error_answer(status, sentence)


def failed(error: Exception) -> flask.Response:
    """A defect: a sentence with an id; the log has the traceback under that id."""
    name = failure_id()
    log.error("request failed, id %s", name, exc_info=error)
    return error_answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"This request failed (id {name}).", name)


def error_answer(status: HTTPStatus, sentence: str, name: str | None = None) -> flask.Response:
    """An error as JSON: the sentence, and the id where the log knows more."""
    return flask.Response(
        json_text({"error": sentence, "id": name}), status=status, content_type=f"{JSON_TYPE}; charset=utf-8"
    )
