"""The rent desk, `/hedge`. It answers: would it have covered me, why not the rest, what cash."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
import flask
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from ...records import RentmarkError
from ...workspace import (
    RentFile,
    check_rent_file,
    contract_rows,
    judge_rent,
    method_rows,
    read_rent_upload,
    reading_of_rent,
    report_file,
    sample_rent,
    unit_options,
)
from ..failing import message
from ..following import follow, job_parts, working
from ..jobs import Held, Jobs
from ..parts import copy_button
from ..reading import Reading
from ..rent_view import judged, read_as
from ..routing import Page, View
from ..uploads import file_name, uploaded

NO_CONTRACT = "no contract: the month's mean fixing"
ROLES = (("buyer", "I rent (buyer)"), ("provider", "I rent out (provider)"))
REPORT_TYPES = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def layout(view: View, reading: Reading) -> Component:
    """The form; what was read and the report come below it."""
    if view.as_of is not None:
        return html.Div([
            html.H1("Hedge"),
            message("A hedge is judged on all that is known now; choose As of: latest."),
        ])  # fmt: skip
    workspace = reading.workspace()
    names = list(workspace.configuration.benchmarks)
    if not names:
        return html.Div([html.H1("Hedge"), message("rentmark.toml names no benchmark to hedge on.")])
    chosen = view.query.get("benchmark")
    return html.Div([
        html.H1("Hedge"),
        html.P("How much of your rent would a hedge have covered, and why not the rest?"),
        html.Div(
            [
                _select("hedge-benchmark", "Hedge on", [(n, n) for n in names], chosen if chosen in names else names[0]),
                _select("hedge-contract", "With", _contracts(reading), view.query.get("contract") or ""),
                _select("hedge-role", "Who you are", ROLES, view.query.get("role") or "buyer"),
                _select("hedge-method", "Ratio by", _methods(), view.query.get("method") or "ols"),
            ],
            className="row fields",
        ),
        html.Div(
            [
                dcc.Upload(
                    "Choose or drop a rent file (.csv, .parquet)", id="hedge-upload", className="button upload",
                    accept=".csv,.parquet", multiple=False,
                ),
                html.Button("Use the invented sample", id="hedge-sample", className="button", type="button"),
                copy_button("link", "Copy link"),
                html.Span("The rent file is not in this link.", className="muted"),
            ],
            className="row controls",
        ),
        html.P(
            "Columns: date, rate_usd_per_gpu_hour and, if you have them, gpu_hours; or invoices, or a rent book. The "
            "file stays in this server's memory for at most 30 minutes and is written nowhere.",
            className="muted",
        ),
        html.Div(id="hedge-told", role="alert", className="message-place"),
        html.Div(id="hedge-read"),
        html.Div(id="hedge-report", role="region", **{"aria-label": "Hedge report", "aria-live": "polite"}),
        dcc.Store(id="hedge-file"),
        dcc.Store(id="hedge-address"),
        *job_parts("hedge"),
    ])  # fmt: skip


def register(app: Dash, reading: Reading) -> None:
    """Read what was uploaded, ask, run, show; nothing is stored."""
    held, jobs = Held(), Jobs()
    _serve_reports(app.server, jobs)

    @app.callback(
        Output("hedge-file", "data"),
        Output("hedge-told", "children"),
        Output("hedge-report", "children", allow_duplicate=True),
        Input("hedge-upload", "contents"),
        State("hedge-upload", "filename"),
        prevent_initial_call=True,
    )
    def uploaded(contents: str | None, name: str | None) -> Any:
        if not contents:
            return no_update, no_update, no_update
        try:
            file = _decoded(contents, name or "rent.csv")
        except RentmarkError as error:
            return None, message(error.sentence, "bad"), None
        return held.put(file, len(file.payload)), None, None

    @app.callback(
        Output("hedge-file", "data", allow_duplicate=True),
        Output("hedge-told", "children", allow_duplicate=True),
        Output("hedge-report", "children", allow_duplicate=True),
        Input("hedge-sample", "n_clicks"),
        prevent_initial_call=True,
    )
    def sampled(clicks: int | None) -> Any:
        if not clicks:
            return no_update, no_update, no_update
        file = sample_rent()
        return held.put(file, len(file.payload)), None, None

    @app.callback(
        Output("hedge-read", "children"),
        Input("hedge-file", "data"),
        Input("hedge-benchmark", "value"),
        prevent_initial_call=True,
    )
    def read(token: str | None, benchmark: str) -> Any:
        file = held.get(token)
        if file is None:
            return None if not token else message("The file is no longer in memory; choose it again.", "warn")
        try:
            workspace = reading.workspace()
            own = read_rent_upload(workspace, file)
            return read_as(reading_of_rent(own), unit_options(workspace, own, benchmark))
        except RentmarkError as error:
            return message(error.sentence, "bad")

    @app.callback(
        output=[
            Output("hedge-job", "data"),
            Output("hedge-poll", "disabled"),
            Output("hedge-report", "children"),
        ],
        inputs={"clicks": Input("hedge-confirm", "n_clicks")},
        state={
            "unit": State("hedge-unit", "value"),
            "token": State("hedge-file", "data"),
            "benchmark": State("hedge-benchmark", "value"),
            "contract": State("hedge-contract", "value"),
            "role": State("hedge-role", "value"),
            "method": State("hedge-method", "value"),
        },
        prevent_initial_call=True,
    )
    def confirmed(
        *,
        clicks: int | None,
        unit: str | None,
        token: str,
        benchmark: str,
        contract: str,
        role: Any,
        method: str,
    ) -> Any:
        file = held.get(token)
        if not clicks or file is None:
            return no_update, no_update, no_update
        if unit == "":
            return no_update, no_update, message("Say which unit the rent is in first.", "warn")
        words = ["rentmark hedge", file.name, f"--benchmark {benchmark}"]
        words += [f"--contract {contract}"] if contract else []
        words += [f"--role {role}"] if role != "buyer" else []
        words += [f"--method {method}"] if method != "ols" else []
        words += [f"--unit {unit}"] if unit else []

        def work(tell: Any) -> Any:
            report = judge_rent(
                reading.workspace(), file, benchmark, contract=contract or None, role=role, method=method,
                unit=unit, tell=tell,
            )  # fmt: skip
            return report, " ".join(words)

        try:
            job = jobs.start(work)
        except RentmarkError as error:
            return no_update, no_update, message(error.sentence, "warn")
        return job, False, working("waiting")

    follow(
        app, jobs, "hedge", place="report", gone="This report is no longer in memory; run it again.",
        drawn=lambda made, name, theme: judged(made[0], made[1], name, theme),
    )  # fmt: skip

    app.clientside_callback(
        ClientsideFunction("hedge", "remember"),
        Output("hedge-address", "data"),
        Input("hedge-benchmark", "value"),
        Input("hedge-contract", "value"),
        Input("hedge-role", "value"),
        Input("hedge-method", "value"),
        prevent_initial_call=True,
    )


def _serve_reports(server: flask.Flask, jobs: Jobs) -> None:
    @server.get("/report/<name>.<kind>")
    def report(name: str, kind: str) -> flask.Response:
        job = jobs.find(name)
        if job is None or job.state != "done" or kind not in REPORT_TYPES:
            return flask.Response(
                "This report is no longer in memory; run it again.\n",
                status=404,
                content_type="text/plain; charset=utf-8",
            )
        made, words = job.result
        body = report_file(made, kind, command=words)
        headers = {"Content-Disposition": f'attachment; filename="hedge-report.{kind}"'}
        return flask.Response(body, content_type=REPORT_TYPES[kind], headers=headers)


def _decoded(contents: str, name: str) -> RentFile:
    """The file that a page sent. Raises RentmarkError for another type or too many bytes."""
    check_rent_file(file_name(name), len(contents) * 3 // 4)
    return RentFile(*uploaded(contents, name))


def _select(name: str, label: str, choices: Any, value: str) -> Component:
    known = [word for word, _ in choices]
    return dmc.Select(
        id=name, label=label, data=[{"value": word, "label": words} for word, words in choices],
        value=value if value in known else known[0], allowDeselect=False, searchable=len(known) > 8, w=280,
    )  # fmt: skip


def _contracts(reading: Reading) -> list[tuple[str, str]]:
    rows = reading.kept("contracts", make=lambda workspace: contract_rows(workspace.root))
    return [("", NO_CONTRACT), *((row["contract"], f"{row['contract']} ({row['status']})") for row in rows)]


def _methods() -> list[tuple[str, str]]:
    return [(row["method"], row["label"]) for row in method_rows()]


PAGES = (Page("/hedge", "Hedge", layout, nav="Hedge", order=4, register=register, live=False),)
