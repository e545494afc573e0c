"""Contracts, `/contracts`, `/contracts/ID` and `/contracts/ID/MONTH`. They answer: where will it settle, what is
open, is this mark real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ...records import RentmarkError
from ...workspace import Workspace, contract_lines, contract_rows, curve, settle_month, settlement_row
from ..failing import message
from ..formats import NONE, full_price
from ..parts import Cell, command, copy_button, facts, link, table
from ..reading import Reading
from ..routing import Page, View
from ..rows import as_of_flags, view_key
from ..states import badge

Row = Mapping[str, Any]
MONTHS_SHOWN = 12
NO_MARKS = "No futures marks; this curve is modelled."


def list_layout(view: View, reading: Reading) -> Component:
    """The contracts in a line each."""
    rows = reading.kept("contracts", make=lambda workspace: contract_rows(workspace.root))
    return html.Div([
        html.H1("Contracts"),
        html.P("Filed, announced or your own; each says whether it is listed."),
        table(
            ["Contract", "Exchange", "Chip", "Unit", "Tick, $", "Averaging", "Status"],
            [
                [link(row["contract"], view.link_to("contracts", row["contract"])), row["exchange"], row["chip"],
                 row["unit"], row["tick"], row["averaging"], row["status"]]
                for row in rows
            ],
            caption="Contracts", wraps=(3, 5, 6), optional=(1, 4, 5), numbers=(4,),
        ),
        command("rentmark contracts"),
    ])  # fmt: skip


def contract_layout(view: View, reading: Reading) -> Component:
    """One contract: its board of months on a benchmark, and each field with its source."""
    name = view.parameters["contract"]
    lines = reading.kept("contract", name, make=lambda workspace: contract_lines(workspace.root, name))
    benchmark = chosen_benchmark(view, reading, name)
    board = [] if benchmark is None else _board(view, reading, name, benchmark)
    return html.Div([
        html.H1(name),
        *_choice(view, reading, name, benchmark),
        *board,
        html.H2("Fields and their sources"),
        table(
            ["Field", "Value", "Standing", "Source"],
            [[line["field"], line["value"], line["standing"], line["source"]] for line in lines],
            caption=f"Fields of {name}", wraps=(1, 3), optional=(3,),
        ),
        command(f"rentmark contracts {name}"),
    ])  # fmt: skip


def month_layout(view: View, reading: Reading) -> Component:
    """One month: where it stands, what the rest must average, each day."""
    name, month = view.parameters["contract"], view.parameters["month"]
    benchmark = chosen_benchmark(view, reading, name)
    title = html.H1(f"{name} {month}")
    if benchmark is None:
        return html.Div([title, message(f"No published benchmark prices the chip of {name}.")])
    if view.as_of is not None:
        return html.Div([
            title,
            message("A settlement is worked out on all that is published now; choose As of: latest."),
            *_board(view, reading, name, benchmark),
        ])  # fmt: skip
    row = reading.kept(
        "settlement", name, month, benchmark,
        make=lambda workspace: settlement_row(settle_month(workspace, name, month, benchmark), explain=True),
    )  # fmt: skip
    price = row["final_settlement_price"] or row["indicative_price"]
    return html.Div([
        title,
        html.Div([html.Span(full_price(price), className="price"), html.Span(" /GPU-h ", className="unit"),
                  html.Span("final" if row["final_settlement_price"] else "indicative only", className="muted")])
        if price
        else html.Span(),
        html.Div(_badges(row), className="badges"),
        html.P(_headline(row), className="headline", id="headline"),
        html.P(f"Withheld: {row['reason']}", className="muted")
            if row["reason"] and row["reason"] not in row["sentence"]
            else html.Span(),
        html.Div([link(name, view.link_to("contracts", name, benchmark=benchmark), classes="button"),
                  copy_button(f"{name} {month} on {benchmark}: {row['sentence']} Rentmark.", "Copy with citation"),
                  copy_button("link", "Copy link")], className="row controls"),
        *_rest(row["in_month"]),
        *_board(view, reading, name, benchmark),
        html.H2("Days"),
        table(
            ["Date", "Fixing, $", "State", "Status", "Weight", "Origin", "Revision", "Why not"],
            [
                [link(day["date"], view.link_to("fixing", benchmark, day["date"])) if day["value"] else day["date"],
                 day["value"], day["state"], day["status"], f"{day['weight']:.6f}", day["origin"], day["revision"],
                 day["reason"]]
                for day in row["days"]
            ],
            caption=f"The fixing days of {month}", numbers=(1, 4, 6), optional=(5, 6), wraps=(7,),
        ),
        command(f"rentmark settle {name} {month} --benchmark {benchmark} --explain"),
    ])  # fmt: skip


def chosen_benchmark(view: View, reading: Reading, contract: str) -> str | None:
    """The benchmark of the address, else the first published one of the contract's chip."""
    rules = reading.workspace().configuration
    spec = rules.contract(contract)
    named = view.query.get("benchmark")
    if named:
        rules.benchmark(named)
        return named
    return next(
        (
            n
            for n in rules.benchmarks
            if not rules.benchmark(n).research and rules.benchmark(n).grade.chip == spec.chip
        ),
        None,
    )


def _choice(view: View, reading: Reading, name: str, benchmark: str | None) -> list[Component]:
    rules = reading.workspace().configuration
    chip = rules.contract(name).chip
    names = [
        n
        for n in rules.benchmarks
        if not rules.benchmark(n).research and rules.benchmark(n).grade.chip == chip
    ]
    if not names:
        return [message(f"No published benchmark prices {chip}, so {name} has no months here.")]
    links = [
        link(n, view.href(benchmark=n), classes="button chosen" if n == benchmark else "button")
        for n in names
    ]
    return [html.Div([html.Span("On", className="muted"), *links], className="row", role="group",
                     **{"aria-label": "Benchmark"})]  # fmt: skip


def _badges(row: Row) -> list[Component]:
    made = [badge(row["status"], "" if row["status"] == "settled" else "warn")]
    if row["proxy"]:
        made.append(badge(f"PROXY for {row['official_underlying']}", "warn"))
    made += [badge(word.upper(), "simulated" if word == "simulated" else "warn")
             for word in ("simulated", "reconstructed", "restated") if row[word]]  # fmt: skip
    return made + ([badge("BACKCAST")] if row["origin"] == "backcast" else [])


def _headline(row: Row) -> str:
    """``15 of 21 fixings known, average $x; the rest must average $y to settle at z``; else the settlement's sentence."""
    held = row["in_month"]
    if held is None or held["known_mean"] is None or not held["rest_must_average"]:
        return str(row["sentence"])
    target = held["rest_must_average"][0]
    return (
        f"{held['known']} of {held['total']} fixings known, average {full_price(held['known_mean'])}; the rest must average "
        f"{full_price(target['rest_average'])} to settle at {full_price(target['settle_at'])}."
    )


def _rest(held: Row | None) -> list[Component]:
    if held is None:
        return []
    return [
        html.H2("The rest of the month"),
        facts([
            ("Still to fix", f"{held['remaining']} of {held['total']}; {held['already_missing']} already missing"),
            ("On course for", held["on_course"]),
            ("Expectation", f"{full_price(held['expectation'])} (MODELLED: {held['expectation_model']})"
             if held["expectation"] else f"{NONE} ({held.get('reason', 'nothing is known yet')})"),
            ("Delta to the rest", NONE if held["delta"] is None else f"{held['delta']:.3f}"),
        ]),
        table(
            ["To settle at, $", "The rest must average, $", "In reach"],
            [[each["settle_at"], each["rest_average"], "yes" if each["reachable"] else "no"]
             for each in held["rest_must_average"]],
            caption="What the rest must average", numbers=(0, 1), narrow=True,
        ),
    ]  # fmt: skip


def _board(view: View, reading: Reading, name: str, benchmark: str) -> list[Component]:
    as_of = view.as_of

    def made(workspace: Workspace) -> dict[str, Any]:
        return curve(workspace, name, benchmark, as_of=as_of, months=MONTHS_SHOWN)

    try:
        board = reading.kept("curve", name, benchmark, view_key(view), MONTHS_SHOWN, make=made)
    except RentmarkError as error:
        return [html.H2("Months"), message(error.sentence)]
    marks = [
        badge(word.upper(), "simulated" if word == "simulated" else "warn")
        for word in ("simulated", "reconstructed")
        if board[word]
    ]
    proxy = [badge(f"PROXY for {board['official_underlying']}", "warn")] if board["proxy"] else []
    return [
        html.H2(f"Months on {benchmark}, $/GPU-h"),
        html.P(board["status"], className="muted"),
        html.Div([*marks, *proxy], className="badges"),
        html.P(f"{NO_MARKS} {board['no_carry']}") if not board["marks"] else html.Span(),
        table(
            ["Month", "Status", "Fixings", "Mark", "of", "Bid", "Ask", "Open", "Modelled", "Delta"],
            _month_rows(view, name, benchmark, board["rows"]),
            caption="Contract months", numbers=(2, 3, 5, 6, 7, 8, 9), optional=(4, 5, 6, 7, 9),
        ),
        command(f"rentmark curve {name} --benchmark {benchmark}{as_of_flags(view)}"),
    ]  # fmt: skip


def _month_rows(view: View, name: str, benchmark: str, rows: Sequence[Row]) -> list[list[Cell]]:
    return [
        [
            link(row["month"], view.link_to("contracts", name, row["month"], benchmark=benchmark)),
            row["status"], f"{row['fixings']} of {row['expected']}", row["mark"],
            html.Span([row["mark_date"] or NONE, " stale" if row["mark_stale"] else ""]), row["bid"], row["ask"],
            row["open_interest"],
            html.Span([row["modelled"] or NONE, " ", badge("MODELLED", "dotted") if row["modelled"] else ""]),
            f"{row['parallel_delta']:.3f}",
        ]
        for row in rows
    ]  # fmt: skip


PAGES = (
    Page("/contracts", "Contracts", list_layout, nav="Contracts", order=3),
    Page("/contracts/{contract}", "Contract", contract_layout),
    Page("/contracts/{contract}/{month}", "Contract month", month_layout),
)
