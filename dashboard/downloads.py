"""CSV of what a page shows: all of it, made by the server, with the names and texts of the command line's JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import flask

from ..records import RentmarkError, neutral
from ..workspace import ledger_row
from .reading import Reading
from .routing import View
from .rows import benchmark_rows, explanation, market_now


def downloads(reading: Reading) -> flask.Blueprint:
    """The routes of `/csv/`."""
    routes = flask.Blueprint("csv", __name__, url_prefix="/csv")

    @routes.get("/market.csv")
    def board() -> flask.Response:
        return csv_answer("market", market_now(reading, _view())["rows"])

    @routes.get("/b/<name>.csv")
    def benchmark(name: str) -> flask.Response:
        return csv_answer(name, benchmark_rows(reading, _view(), name))

    @routes.get("/fixing/<name>/<day>/<part>.csv")
    def fixing(name: str, day: str, part: str) -> flask.Response:
        told = explanation(reading, _view(), name, day)
        if part not in ("votes", "observations", "gates", "without_seller"):
            flask.abort(404)
        return csv_answer(f"{name}-{day}-{part}", told[part])

    @routes.get("/data/batches.csv")
    def batches() -> flask.Response:
        as_of = _view().as_of
        until = None if as_of is None else as_of.instant
        return csv_answer(
            "batches", [ledger_row(entry) for entry in reading.workspace().store.ledger(as_of=until)]
        )

    @routes.errorhandler(RentmarkError)
    def refused(error: RentmarkError) -> tuple[str, int, dict[str, str]]:
        return error.sentence + "\n", 404, {"Content-Type": "text/plain; charset=utf-8"}

    return routes


def _view() -> View:
    return View(flask.request.path, query=flask.request.args.to_dict())


def csv_answer(name: str, rows: Sequence[Mapping[str, Any]]) -> flask.Response:
    """Rows of the documented JSON as a file of CSV; the columns are the keys."""
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
    return flask.Response(
        csv_text(rows),
        mimetype="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{safe}.csv"'},
    )


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV: texts as they stand in the JSON, null as an empty cell, true and false, nested values as JSON."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_cells(columns, rows))
    return out.getvalue()


def _cells(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterable[list[str]]:
    for row in rows:
        yield [cell(row.get(column)) for column in columns]


def cell(value: object) -> str:
    """One value as a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return neutral(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
