"""Methodologies, `/methodology` and `/methodology/ID`. They answer: what are the rules, would they survive a bad day,
what would others print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ...records import RentmarkError
from ...workspace import Workspace, benchmark_statement, count_of
from ..comparing import comparison_form, register
from ..coverage import calendar
from ..failing import message
from ..formats import NONE
from ..parts import Cell, command, copy_button, csv_link, facts, link, table
from ..reading import Reading
from ..routing import Page, View
from ..rows import as_of_flags, benchmark_rows, revisions, view_key
from ..states import badge

Row = Mapping[str, Any]
REVISIONS_LISTED = 20
FOLDED = ("Every rule, as it is hashed",)
"""Sections of the statement that are folded away."""


def list_layout(view: View, reading: Reading) -> Component:
    """The benchmarks with their rules in a line each."""
    rules = reading.workspace().configuration
    rows: list[list[Cell]] = []
    for name in rules.benchmarks:
        benchmark = rules.benchmark(name)
        method = benchmark.methodology
        rows.append([
            link(name, view.link_to("methodology", name)), benchmark.grade_name,
            f"{benchmark.methodology_name} {method.version}", method.estimator, ", ".join(method.inputs),
            method.min_sellers, badge("RESEARCH", "dashed") if benchmark.research else NONE,
        ])  # fmt: skip
    if not rows:
        return html.Div([html.H1("Methodology"), message("rentmark.toml names no benchmark.")])
    return html.Div([
        html.H1("Methodology"),
        table(
            ["Benchmark", "Grade", "Methodology", "Estimator", "Inputs", "Least sellers", "Marks"], rows,
            caption="Benchmarks and their rules", numbers=(5,), optional=(1, 4, 6),
        ),
        command("rentmark index presets"),
    ])  # fmt: skip


def layout(view: View, reading: Reading) -> Component:
    """Rules in words, coverage, the largest seller, what was revised, and the comparison."""
    name = view.parameters["name"]
    workspace = reading.workspace()
    benchmark = workspace.configuration.benchmark(name)
    as_of = view.as_of
    said = reading.kept(
        "statement", name, view_key(view), make=lambda opened: benchmark_statement(opened, name, as_of=as_of)
    )
    return html.Div([
        html.H1(f"Methodology of {name}"),
        html.P(
            f"{benchmark.grade_name} by {said['methodology']} {said['methodology_version']}, "
            f"rules {said['methodology_hash'][:12]}", className="muted",
        ),
        html.Div(
            [link(name, view.link_to("b", name), classes="button"), copy_button("link", "Copy link"),
             csv_link(view, f"b/{name}.csv")],
            className="row controls",
        ),
        html.Div([*_words(said["sections"])], className="statement"),
        *_history(view, reading, name),
        html.H2("What would others print?"),
        comparison_form(view, reading, name),
        *_folded(said["sections"]),
        html.Details([html.Summary("Rules as TOML"), html.Pre(_toml(workspace, name))]),
        command(f"rentmark index statement {name}{as_of_flags(view)}"),
    ])  # fmt: skip


def _words(sections: Sequence[Row]) -> list[Component]:
    return [
        html.Section([html.H2(s["title"]), *(html.P(text) for text in s["sentences"]), *_rows(s)])
        for s in sections
        if s["title"] not in FOLDED
    ]


def _folded(sections: Sequence[Row]) -> list[Component]:
    return [
        html.Details([html.Summary(s["title"]), *(html.P(t) for t in s["sentences"]), *_rows(s)])
        for s in sections
        if s["title"] in FOLDED
    ]


def _rows(section: Row) -> list[Component]:
    if not section["rows"]:
        return []
    wraps = tuple(range(len(section["columns"])))
    return [table(section["columns"], section["rows"], caption=section["title"], wraps=wraps)]


def _history(view: View, reading: Reading, name: str) -> list[Component]:
    """Coverage, top share and revisions of what stands; a sentence where nothing is built."""
    try:
        rows = benchmark_rows(reading, view, name)
    except RentmarkError as error:
        return [html.H2("Coverage"), message(error.sentence)]
    return [
        html.H2("Coverage"),
        calendar(rows),
        html.H2("Largest seller"),
        facts(_shares(rows)),
        html.H2("Revisions"),
        _revised(revisions(reading, name) if view.as_of is None else []),
    ]


def _shares(rows: Sequence[Row]) -> list[tuple[str, Cell]]:
    held = [row for row in rows if row["top_weight"] is not None]
    if not held:
        return [("Share", f"{NONE} (no date has a value)")]
    last, most = held[-1], max(held, key=lambda row: (row["top_weight"], row["date"]))
    return [
        (
            "Latest",
            f"{100 * last['top_weight']:.1f} % of the weight on {last['date']}, {count_of(last['n_sellers'], 'seller')}",
        ),
        (
            "Highest",
            f"{100 * most['top_weight']:.1f} % on {most['date']}, {count_of(most['n_sellers'], 'seller')}",
        ),
    ]


def _revised(rows: Sequence[Row]) -> Component:
    changed = [row for row in rows if row["revision"]]
    if not changed:
        return html.P("Nothing was restated.", className="muted")
    return table(
        ["Date", "Revision", "$/GPU-h", "Published", "By", "Why"],
        [
            [
                row["date"],
                row["revision"],
                row["value"],
                row["published_at"],
                row["actor"],
                row["restatement_reason"],
            ]
            for row in changed[-REVISIONS_LISTED:]
        ],
        caption="Restated dates",
        numbers=(1, 2),
        wraps=(5,),
    )


def _toml(workspace: Workspace, name: str) -> str:
    """The three tables of rentmark.toml that make a benchmark, as they were read."""
    import json

    benchmark = workspace.configuration.benchmark(name)
    lines = [
        f"[benchmarks.{name}]",
        f'grade = "{benchmark.grade_name}"',
        f'methodology = "{benchmark.methodology_name}"',
    ]
    lines += ["", f"[methodologies.{benchmark.methodology_name}]"]
    for key, value in benchmark.methodology.model_dump(mode="json", exclude_defaults=True).items():
        lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines)


PAGES = (
    Page("/methodology", "Methodology", list_layout, nav="Methodology", order=2),
    Page("/methodology/{name}", "Methodology", layout, register=register, live=False),
)
