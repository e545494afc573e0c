"""The data, `/data`. It answers: is it fresh, what was refused, may I use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ...records import RentmarkError
from ...workspace import Workspace, feed_rows, ledger_row, reject_sample, seller_rows
from ..failing import message
from ..formats import NONE, count, minute
from ..parts import Cell, command, csv_link, grid, link, table
from ..reading import Reading
from ..routing import Page, View
from ..rows import benchmark_rows, view_key
from ..states import badge

Row = Mapping[str, Any]
BATCHES_SHOWN, REJECTS_SHOWN = 50, 50
NO_DATA = "No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`."


def layout(view: View, reading: Reading) -> Component:
    """Freshness by benchmark and feed, alarms, batches, what was refused, sellers, rights."""
    as_of = view.as_of
    until = None if as_of is None or as_of.reconstructed else as_of.instant

    def ledger_of(workspace: Workspace) -> list[dict[str, Any]]:
        return [ledger_row(entry) for entry in workspace.store.ledger(as_of=until)]

    ledger = reading.kept("ledger", str(until), make=ledger_of)
    said = []
    if as_of is not None and as_of.reconstructed:
        said.append(
            message("Batches are listed as they are recorded here now; what was public then has no batches.")
        )
        ledger = []
    elif not ledger:
        said.append(message(NO_DATA if as_of is None else "Nothing was recorded here by then."))
    return html.Div([
        html.H1("Data"),
        *said,
        html.H2("Freshness"),
        _fresh(view, reading),
        *(_batches(view, ledger) if ledger else []),
        *(_rejects(reading) if ledger and as_of is None else []),
        *(_sellers(view, reading) if ledger else []),
        html.H2("Rights"),
        html.P("A source that forbids index use never enters; one whose rights are unknown is built, not published."),
        table(
            ["Feed", "Rights", "Licence", "Lag, h", "Complete", "Attribution"],
            [[row["feed"], _rights(row["rights"]), row["license"], row["lag_hours"], "yes" if row["complete_snapshot"] else "no",
              html.A(row["attribution"] or row["link"], href=row["link"], rel="noreferrer noopener") if row["link"] else row["attribution"]]
             for row in reading.kept("feeds", make=lambda _: feed_rows())],
            caption="Feeds and their rights", numbers=(3,), optional=(3, 4), wraps=(2, 5),
        ),
        command("rentmark feeds"),
    ])  # fmt: skip


def _rights(rights: str) -> Component:
    return badge(rights, {"forbidden": "bad", "unknown": "warn"}.get(rights, ""))


def _fresh(view: View, reading: Reading) -> Component:
    rows: list[list[Cell]] = []
    for name in reading.workspace().configuration.benchmarks:
        target = link(name, view.link_to("b", name))
        try:
            found = benchmark_rows(reading, view, name)
        except RentmarkError as error:
            rows.append([target, NONE, NONE, NONE, html.Span(error.sentence, className="muted")])
            continue
        last = found[-1]
        valued = next((row for row in reversed(found) if row["value"] is not None), None)
        rows.append([
            target, last["date"], last["status"], NONE if valued is None else valued["date"],
            minute(last["published_at"]) if last["published_at"] else "not published",
        ])  # fmt: skip
    if not rows:
        return message("rentmark.toml names no benchmark.")
    return table(
        ["Benchmark", "Last date", "Status", "Last value of", "Published"], rows,
        caption="How fresh each benchmark is", optional=(2,), wraps=(4,),
    )  # fmt: skip


def _batches(view: View, ledger: Sequence[Row]) -> list[Component]:
    alarms = [(row, each) for row in ledger for each in row["drift"]]
    latest = list(reversed(ledger))[:BATCHES_SHOWN]
    more = (
        f"The last {len(latest)} of {count(len(ledger))}; the CSV has all."
        if len(latest) < len(ledger)
        else ""
    )
    return [
        html.H2("Alarms"),
        html.Ul([
            html.Li([badge(each["level"], "bad" if each["level"] == "alarm" else "warn"), f" {row['origin_name']}: {each['sentence']}"])
            for row, each in reversed(alarms[-20:])
        ], className="plain")
        if alarms
        else html.P("No batch changed against those before it.", className="muted"),
        html.H2("Batches"),
        html.Div([csv_link(view, "data/batches.csv"), html.Span(more, className="muted")], className="row controls"),
        table(
            ["File", "Feed", "Recorded", "Records", "Accepted", "Rejected", "Duplicates", "Rights"],
            [
                [html.Span([row["origin_name"], f" refused: {row['reason']}" if row["refusal"] else ""]),
                 row["feed"], minute(row["recorded_at"]), count(row["records"]), count(row["accepted"]),
                 count(row["rejected"]), count(row["duplicates"]), row["rights"]]
                for row in latest
            ],
            caption="Batches, latest first", numbers=(3, 4, 5, 6), optional=(1, 6, 7),
        ),
        command("rentmark batches"),
    ]  # fmt: skip


def _rejects(reading: Reading) -> list[Component]:
    found = reading.kept("rejects", make=lambda workspace: reject_sample(workspace, REJECTS_SHOWN))
    total = sum(found["counts"].values())
    if not total:
        return [html.H2("Refused"), html.P("No record was refused.", className="muted")]
    return [
        html.H2("Refused"),
        table(["Reason", "Records"], [[reason, count(n)] for reason, n in found["counts"].items()],
              caption="Refused records by reason", numbers=(1,), narrow=True),
        html.Details([
            html.Summary(f"The first {min(total, REJECTS_SHOWN)} of {count(total)}"),
            html.Ul([html.Li(row["sentence"]) for row in found["rejects"]]),
        ]),
        command("rentmark rejects"),
    ]  # fmt: skip


def _sellers(view: View, reading: Reading) -> list[Component]:
    as_of = view.as_of
    until = None if as_of is None else as_of.instant
    rows = reading.kept("sellers", view_key(view), make=lambda workspace: seller_rows(workspace, until))
    if not rows:
        return []
    columns = [{"field": key, "headerName": key.replace("_", " ")} for key in rows[0]]
    return [html.H2(f"Sellers, {count(len(rows))}"), grid("data-sellers", rows, columns, height=320),
            command("rentmark sellers")]  # fmt: skip


PAGES = (Page("/data", "Data", layout, nav="Data", order=6),)
