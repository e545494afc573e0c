"""The story of one fixing, `/fixing/ID/DATE`. It answers: why this number, if one seller left, was it changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from ...workspace import count_of, votes_around
from ..charts import Dot, dots
from ..days import chosen_row, stepper
from ..failing import pending
from ..formats import NONE, count, full_price, minute
from ..moves import value_sentence, who_moved
from ..parts import (
    Cell,
    citation,
    command,
    copy_button,
    csv_link,
    facts,
    grid,
    link,
    picture_button,
    table,
)
from ..reading import Reading
from ..routing import Page, View
from ..rows import PATIENCE, as_of_flags, benchmark_rows, explanation_soon, needed_sellers, revisions, story
from ..states import badges

Row = Mapping[str, Any]
FUNNEL_END = "in"
NAMED_AT_MOST = 4
"""Middle votes named in the sentence; where more stand at one price the chart and the table have them."""


def layout(view: View, reading: Reading) -> Component:
    """Value, votes, gates and funnel; below them what would have been, what was left out, what was changed."""
    name, day = view.parameters["name"], view.parameters["date"]
    if not reading.view_ready(name, view.as_of, patience=PATIENCE):
        return html.Div([html.H1(name), pending("Working out what was known then …")])
    rows = benchmark_rows(reading, view, name)
    place, row = chosen_row(rows, day, name)
    told = explanation_soon(reading, view, name, day)
    moved = story(reading, view, name, day)
    needed = needed_sellers(reading, name)
    return html.Div(
        [
            html.H1(f"{name}, {day}"),
            html.Div(
                [
                    html.Span(full_price(row["value"]), className="price"),
                    html.Span(" /GPU-h", className="unit"),
                ]
            ),
            html.Div([badges(row, needed), html.Span(_rules(row), className="muted")]),
            html.P(moved["sentence"], className="headline", id="headline")
            if moved
            else pending(value_sentence(name, row)),
            html.Div(
                [
                    stepper(rows, place, lambda other: view.link_to("fixing", name, other)),
                    link(name, view.link_to("b", name, day=day), classes="button"),
                    copy_button(citation(row, name)),
                    copy_button("link", "Copy link"),
                ],
                className="row controls",
            ),
            *(
                [pending("Votes and gates are being worked out …")]
                if told is None
                else _above(view, row, told, moved)
            ),
            html.H2("Who moved it"),
            *who_moved(moved),
            *([] if told is None else [*_without(told, row), *_exclusions(view, name, day, told)]),
            *_revisions(view, reading, name, day),
            *([] if told is None else _digests(row, told)),
            command(f"rentmark index explain {name} {day} --all{as_of_flags(view)}"),
        ]
    )


def _above(view: View, row: Row, told: Row, moved: Row | None) -> list[Component]:
    """What made the number: votes, gates and funnel."""
    gates = html.Div([html.Div(_gates(told)), html.Div(_funnel(told))], className="columns")
    return [*_votes(view, row, told, moved), gates]


def _rules(row: Row) -> str:
    rule = f" · rule {row['rule']}" if row["rule"] else ""
    return f" {row['methodology']} {row['methodology_version']}, {row['tier'] or 'no'} tier{rule}"


def _votes(view: View, row: Row, told: Row, moved: Row | None) -> list[Component]:
    votes: list[Row] = told["votes"]
    name, middle = told["benchmark"], votes_around(votes, row["value"])
    if not votes:
        return [html.H2("No votes"), html.P(f"No observation entered: {row['rule']}.")]
    named = [f"{votes[i]['seller']} {full_price(votes[i]['value'])}" for i in middle]
    at = bool(middle) and votes[middle[0]]["value"] == row["value"]
    where = (
        f" The value is that of {', '.join(named)}."
        if at
        else f" The value lies between {' and '.join(named)}."
    )
    if not named or len(named) > NAMED_AT_MOST:
        where = ""
    movers = moved["moved_it"] if moved else []
    drawn = [
        Dot(v["seller"], v["value"], middle=i in middle, moved=v["seller"] in movers)
        for i, v in enumerate(votes)
    ]
    rows: list[list[Cell]] = [
        [
            html.Span([vote["seller"], html.Span(" middle", className="muted") if i in middle else ""]),
            vote["value"],
            f"{100 * vote['share']:.1f} %",
            vote["n_observations"],
            vote["region"] or vote["sku"] or "",
        ]
        for i, vote in sorted(enumerate(votes), key=lambda pair: (float(pair[1]["value"]), pair[1]["seller"]))
    ]
    ranked = sorted(range(len(votes)), key=lambda i: (float(votes[i]["value"]), votes[i]["seller"]))
    return [
        html.H2(f"{count_of(len(votes), 'vote')}, $/GPU-h."),
        html.P(f"{count_of(len(votes), 'vote')} of {count_of(row['n_sellers'], 'seller')}.{where}"),
        dots(
            drawn,
            name="votes-chart",
            theme=view.theme,
            value=row["value"],
            p25=row["p25"],
            p75=row["p75"],
            simulated=row["simulated"],
        ),
        html.Div(
            [
                csv_link(view, f"fixing/{name}/{row['date']}/votes.csv"),
                picture_button("votes-chart", f"{name} {row['date']} votes", f"{name}-{row['date']}-votes"),
            ],
            className="row controls",
        ),
        html.Details(
            [
                html.Summary("The votes as a table"),
                table(
                    ["Seller", "Vote", "Share", "Observations", "Region or SKU"],
                    rows,
                    caption=f"Votes of {name} on {row['date']}, cheapest first",
                    numbers=(1, 2, 3),
                    marked={place: "middle" for place, i in enumerate(ranked) if i in middle},
                    narrow=True,
                ),
            ]
        ),
    ]


def _gates(told: Row) -> list[Component]:
    lines: list[list[Cell]] = [
        [
            gate["rule"],
            "✓ met" if gate["met"] else "✗ not met",
            _plain(gate["found"]),
            f"{'at most' if gate['at_most'] else 'at least'} {_plain(gate['needed'])}",
            "no value" if gate["hard"] else "THIN",
        ]
        for gate in told["gates"]
    ]
    refusal = told["refusal"]
    return [
        html.H2("Gates"),
        table(
            ["Gate", "Met", "Found", "Needed", "Else"],
            lines,
            caption="Gates: what was asked and what was found",
            numbers=(2,),
            narrow=True,
        )
        if lines
        else html.P("No gate was reached: there was no vote.", className="muted"),
        html.P(f"Refused by {refusal['rule']}: {refusal['sentence']}.") if refusal else html.Span(),
    ]


def _funnel(told: Row) -> list[Component]:
    funnel: Mapping[str, int] = told["funnel"]
    total = sum(funnel.values())
    left = total
    lines: list[list[Cell]] = [["observations of the window", "", count(total)]]
    for rule, number in funnel.items():
        if rule != FUNNEL_END:
            left -= number
            lines.append([f"left out: {rule}", f"−{count(number)}", count(left)])
    lines.append(["in", "", count(funnel.get(FUNNEL_END, 0))])
    return [
        html.H2("Funnel"),
        table(
            ["Step", "Left out", "Left"],
            lines,
            caption="From the observations of the window to those that voted",
            numbers=(1, 2),
            narrow=True,
        ),
    ]


def _without(told: Row, row: Row) -> list[Component]:
    if not told["without_seller"]:
        return []
    lines: list[list[Cell]] = [
        [
            w["seller"],
            full_price(w["value"]) if w["value"] else f"{NONE} ({w['reason']})",
            _moved(w["value"], row["value"]),
        ]
        for w in sorted(told["without_seller"], key=lambda w: -_distance(w["value"], row["value"]))
    ]
    return [
        html.H2("If one seller had not been there"),
        html.Details(
            [
                html.Summary(
                    f"Most without {lines[0][0]}: {lines[0][1]}. All {count_of(len(lines), 'seller')}."
                ),
                table(
                    ["Without", "Value", "Against the value"],
                    lines,
                    caption="The value without each seller, through the same gates",
                    numbers=(1, 2),
                    narrow=True,
                ),
            ]
        ),
    ]


def _distance(value: str | None, against: str | None) -> float:
    if value is None or against is None:
        return float("inf")
    return abs(float(value) - float(against))


def _moved(value: str | None, against: str | None) -> str:
    if value is None or against is None:
        return NONE
    return f"{float(value) - float(against):+.6f}".replace("-", "−")


def _exclusions(view: View, name: str, day: str, told: Row) -> list[Component]:
    out = [row for row in told["observations"] if not row["in"]]
    kept = ("seller", "name_as_written", "price", "pricing", "region", "rule", "reason", "observed_at")
    return [
        html.H2("Observations"),
        html.P(
            [
                f"{count(len(told['observations']) - len(out))} in, {count(len(out))} left out, each with its rule. ",
                csv_link(view, f"fixing/{name}/{day}/observations.csv"),
            ]
        ),
        html.Details(
            [
                html.Summary("Observations left out"),
                grid(
                    "exclusions",
                    [{key: row[key] for key in kept} for row in out],
                    [{"field": key, "headerName": key.replace("_", " ")} for key in kept],
                ),
            ]
        )
        if out
        else html.Span(),
    ]


def _revisions(view: View, reading: Reading, name: str, day: str) -> list[Component]:
    if view.as_of is not None:
        return []
    found = revisions(reading, name, day)
    if not found:
        return [html.H2("Revisions"), html.P("Not published: a candidate, it may change.")]
    lines: list[list[Cell]] = [
        [
            f"r{row['revision']}",
            full_price(row["value"]),
            row["status"],
            minute(row["published_at"]),
            row["actor"],
            row["restatement_reason"] or "",
        ]
        for row in found
    ]
    return [
        html.H2("Revisions"),
        html.P("Never revised." if len(found) == 1 else f"Revised {len(found) - 1} times."),
        table(
            ["Revision", "Value", "Status", "Published", "By", "Why"],
            lines,
            caption=f"Revisions of {name} on {day}",
            numbers=(1,),
            wraps=(5,),
            narrow=True,
        ),
    ]


def _digests(row: Row, told: Row) -> list[Component]:
    def digest(text: str | None) -> Cell:
        return html.Span(text, className="digest") if text else NONE

    window = told["window"]
    return [
        html.H2("Times and digests"),
        facts(
            [
                ("window", f"{minute(window['start'])} to {minute(window['end'])}"),
                ("known by", minute(window["as_of"])),
                ("effective", minute(row["effective_at"])),
                ("published", minute(row["published_at"])),
                ("methodology", digest(row["methodology_hash"])),
                ("inputs", digest(row["input_digest"])),
                ("row before", digest(row["previous_digest"])),
                ("this row", digest(row["row_digest"])),
            ]
        ),
    ]


def _plain(number: float) -> str:
    return f"{number:g}" if number != int(number) else count(number)


PAGES = (Page("/fixing/{name}/{date}", "Fixing", layout),)
