"""Who moved it, as a sentence and a table: what changed, and the move had one seller not been there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from .failing import pending
from .formats import NONE, board_price, full_price
from .parts import Cell, table

SHOWN = 12
"""Sellers told of at most; the CSV of the fixing has all."""
MINUS = "−"


def who_moved(story: Mapping[str, Any] | None) -> list[Component]:
    """The lines and the table; a word while the story is worked out."""
    if story is None:
        return [pending("Being worked out …")]
    if story["change"] is None:
        return [move_lines(story)]
    return [move_lines(story), move_table(story)]


def value_sentence(name: str, row: Mapping[str, Any]) -> str:
    """What stands in place of the story while it is worked out."""
    return f"{name} is {board_price(row['value'])} on {row['date']}. Who moved it is being worked out …"


def move_table(story: Mapping[str, Any]) -> Component:
    """Sellers that changed, came or left, each with what is left of the move without it."""
    acted = [*story["changed"], *story["entered"], *story["left"]]
    if not acted:
        return html.P(
            (story["reason"] and NONE) or "No seller changed its price, came or left.", className="muted"
        )
    without = {row["seller"]: row for row in story["without_seller"]}
    order = {seller: place for place, seller in enumerate(without)}
    acted.sort(key=lambda row: order.get(row["seller"], len(order)))
    rows: list[list[Cell]] = []
    for row in acted[:SHOWN]:
        rest = without.get(row["seller"])
        rows.append(
            [
                row["seller"],
                f"{row['before'] or NONE} → {row['after'] or NONE}",
                {"it came": "came", "it left": "left"}.get(row["reason"] or "", "changed price"),
                NONE if rest is None else _pair(rest),
                NONE if rest is None else signed_price(rest["change"]),
            ]
        )
    marked = {n: "middle" for n, row in enumerate(acted[:SHOWN]) if row["seller"] in story["moved_it"]}
    return table(
        ["Seller", "Price", "What", "Value without it, both days", "Move without it"],
        rows,
        caption="Sellers that changed, came or left, and the move without each",
        numbers=(4,),
        marked=marked,
        narrow=True,
    )


def move_lines(story: Mapping[str, Any]) -> Component:
    """The move beside that of the matched panel, and how many sellers stayed."""
    if story["change"] is None:
        return html.P(f"No move: {story['reason']}.", className="muted")
    matched = story["matched_change"]
    told = signed_price(matched) if matched is not None else f"{NONE} ({story['matched_change_reason']})"
    lines = [
        _from_to(story) + f" Over the sellers of both days: {told}.",
        f"{story['n_unchanged']} of {story['n_sellers']} sellers did not change their price.",
    ]
    if story["rules_changed"]:
        lines.append("The rules changed between the two days; both are worked by the later ones.")
    return html.Div([html.P(line) for line in lines])


def _from_to(story: Mapping[str, Any]) -> str:
    before = f"{full_price(story['previous_value'])} on {story['previous_date']}"
    return f"{before} → {full_price(story['value'])}: {signed_price(story['change'])}."


def signed_price(price: str | None) -> str:
    """A move as `+0.135950` or `−0.004000`; absent is `—`."""
    if price is None:
        return NONE
    if price.startswith("-"):
        return MINUS + price[1:]
    return price if float(price) == 0 else f"+{price}"


def _pair(rest: Mapping[str, Any]) -> str:
    if rest["before"] is None or rest["after"] is None:
        return f"{NONE} ({rest['reason']})"
    return f"{rest['before']} → {rest['after']}"
