"""Operators, `/operators` and `/operators/NAME`. They answer: who is good, what does quality cost, who is under water."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from ...records import RentmarkError
from ...workspace import (
    ProducersFile,
    Workspace,
    cost_curve_of,
    operator_history,
    premiums_row,
    rating_premiums,
    ratings_view,
    ratings_view_row,
    sample_producers,
)
from ..failing import message
from ..formats import NONE, full_price, minute, signed_percent
from ..parts import Cell, command, drawing, link, table, text_field
from ..reading import Reading
from ..routing import Page, View
from ..rows import as_of_flags, view_key
from ..states import badge
from ..uploads import uploaded

SCHEME = "clustermax"
Row = Mapping[str, Any]


def layout(view: View, reading: Reading) -> Component:
    """The release in force, what its tiers cost, and the cost curve."""
    as_of = view.as_of
    parts: list[Component] = [html.H1("Operators")]
    try:
        row = reading.kept(
            "ratings", view_key(view),
            make=lambda workspace: ratings_view_row(ratings_view(workspace, scheme=SCHEME, as_of=as_of)),
        )  # fmt: skip
    except RentmarkError as error:
        parts.append(message(error.sentence))
    else:
        parts += _ratings(view, row)
        parts += _premiums(view, reading)
    parts += _curve_form(view)
    return html.Div(parts)


def _ratings(view: View, row: Row) -> list[Component]:
    tiers = ", ".join(f"{count} {word}" for word, count in row["tiers"].items() if count)
    return [
        html.P(f"{row['name']} {row['version']} of {row['published_on']}, by {row['publisher']}: {tiers}.",
               className="headline"),
        table(
            ["Operator", "Tier", "As written"],
            [[link(each["operator"], view.link_to("operators", each["operator"])),
              each["tier"] or badge("missing", "warn"), each["as_written"]] for each in row["ratings"]],
            caption="Operators and their tiers", narrow=True, optional=(2,),
        ),
        *(html.P(note, className="muted") for note in row["notes"]),
        command(f"rentmark operators list{as_of_flags(view)}"),
    ]  # fmt: skip


def _premiums(view: View, reading: Reading) -> list[Component]:
    """What a tier costs beside another on the same dates; each benchmark that has rated sellers."""
    if view.as_of is not None:
        return []
    found: list[Component] = [html.H2("What quality costs")]
    lines: list[list[Cell]] = []
    why: list[str] = []
    for name in reading.workspace().configuration.benchmarks:
        made = reading.kept_soon("premium", name, make=lambda workspace, name=name: _premium(workspace, name))  # type: ignore[misc]
        if made is None:
            why.append(f"{name}: being worked out.")
        elif "refused" in made:
            why.append(f"{name}: {made['refused']}")
        else:
            lines += [
                [name, each["tier"], made["reference"],
                 NONE if each["premium"] is None else signed_percent(each["premium"]),
                 NONE if each["premium_low"] is None else f"{signed_percent(each['premium_low'])} to {signed_percent(each['premium_high'])}",
                 each["dates"], len(each["sellers"]), each["premium_reason"]]
                for each in made["premiums"]
            ]  # fmt: skip
    if lines:
        found.append(table(
            ["Benchmark", "Tier", "Against", "Premium", "95 % interval", "Dates", "Sellers", "Why absent"], lines,
            caption="Premium by tier", numbers=(3, 5, 6), optional=(4, 5, 6), wraps=(7,),
        ))  # fmt: skip
    found += [html.P(sentence, className="muted") for sentence in why]
    return [
        *found,
        html.P(
            "Price is among what some schemes rate, so a premium by tier is partly circular.",
            className="muted",
        ),
    ]


def _premium(workspace: Workspace, name: str) -> dict[str, Any]:
    try:
        return premiums_row(rating_premiums(workspace, name, scheme=SCHEME, include_unstated=True))
    except RentmarkError as error:
        return {"refused": error.sentence}


def history_layout(view: View, reading: Reading) -> Component:
    """One operator through the releases."""
    name = view.parameters["name"]
    rows = reading.kept(
        "operator", name, make=lambda workspace: operator_history(workspace, name, scheme=SCHEME)
    )  # fmt: skip
    at = view.as_of
    known = [row for row in rows if at is None or row["published_on"] <= at.instant.date().isoformat()]
    return html.Div([
        html.H1(name),
        table(
            ["Published", "Version", "Tier", "As written", "Recorded"],
            [[row["published_on"], row["version"], row["tier"], row["as_written"], minute(row["recorded_at"])] for row in known],
            caption=f"Ratings of {name}", optional=(4,),
        )
        if known
        else message("No release had rated it by then."),
        link("All operators", view.link_to("operators"), classes="button"),
        command(f'rentmark operators history "{name}"'),
    ])  # fmt: skip


def _curve_form(view: View) -> list[Component]:
    return [
        html.H2("Cost curve"),
        html.P("Who is under water at a price? Give your file of producers, or look at the invented one."),
        html.Div(
            [
                text_field("operators-price", "Price, $ per unit of product", value=view.query.get("price", ""),
                              placeholder="2.50", w=220),
                html.Button("Show", id="operators-show", className="button primary", type="button"),
                dcc.Upload("Choose or drop a file of producers (.csv)", id="operators-upload", className="button upload",
                           accept=".csv", multiple=False),
            ],
            className="row fields",
        ),
        html.Div(id="operators-curve", role="region", **{"aria-label": "Cost curve", "aria-live": "polite"}),
        command("rentmark cost curve PRODUCERS.csv --price 2.50"),
    ]  # fmt: skip


def register(app: Dash, reading: Reading) -> None:
    """The curve at a price; an uploaded file stays in the page, the server forgets it with the answer."""
    del reading

    @app.callback(
        Output("operators-curve", "children"),
        Input("operators-show", "n_clicks"),
        Input("operators-price", "n_submit"),
        Input("operators-upload", "contents"),
        State("operators-upload", "filename"),
        State("operators-price", "value"),
    )
    def shown(*asked: Any) -> Any:
        contents, name, price = asked[2:]
        try:
            file = (
                sample_producers()
                if not contents
                else ProducersFile(*uploaded(contents, name or "producers.csv"))
            )
            row, svg = cost_curve_of(file, price=(price or "").strip() or None)
        except RentmarkError as error:
            return message(error.sentence, "bad")
        return _curve(row, svg, invented=file.invented)


def _curve(row: Row, svg: str, *, invented: bool) -> Component:
    full, price = row["full"], row["price"]
    under = set(full["under_water"])
    said = (
        "Give a price to see who is under water."
        if price is None
        else f"At {full_price(price)} a unit, {len(under)} of {len(full['producers'])} producers are under water"
        + (f": {100 * full['under_water_share']:.0f} % of the capacity." if under else ".")
    )
    return html.Div([
        html.Div(badge("INVENTED sample", "simulated")) if invented else html.Span(),
        html.P(said),
        drawing(svg, f"Full cost by cumulative capacity. {said}"),
        table(
            ["Producer", "Full cost, $", "Capacity", "Rank", "Under water"],
            [[each["producer"], each["cost"], f"{each['capacity']:,.0f}", each["rank"],
              NONE if price is None else "yes" if each["producer"] in under else "no"] for each in full["producers"]],
            caption="Producers from the cheapest", numbers=(1, 2, 3), narrow=True,
        ),
        *(html.P(note, className="muted") for note in row["notes"]),
    ])  # fmt: skip


PAGES = (
    Page("/operators", "Operators", layout, nav="Operators", order=5, register=register),
    Page("/operators/{name}", "Operator", history_layout),
)
