"""The date stepper: one day back, one day on, by key or by link; chart points can't be reached by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ..records import RentmarkError
from .parts import link

Row = Mapping[str, Any]


def chosen_row(rows: Sequence[Row], day: str | None, name: str) -> tuple[int, Row]:
    """The row of a date and its place; the last one without a date. Raises RentmarkError for a date without a row."""
    if not day:
        return len(rows) - 1, rows[-1]
    for place, row in enumerate(rows):
        if row["date"] == day:
            return place, row
    raise RentmarkError(f"{name} has no row on {day}; rows run from {rows[0]['date']} to {rows[-1]['date']}.")


def stepper(rows: Sequence[Row], place: int, address: Callable[[str], str]) -> Component:
    """The dates before and after, as links the arrow keys press. ``address`` gives the page of a date."""
    made: list[Component] = []
    if place > 0:
        before = rows[place - 1]["date"]
        made.append(link(f"← {before}", address(before), classes="button step-back"))
    made.append(html.Strong(rows[place]["date"]))
    if place + 1 < len(rows):
        after = rows[place + 1]["date"]
        made.append(link(f"{after} →", address(after), classes="button step-on"))
    return html.Div(made, className="row stepper", role="group", **{"aria-label": "Day"})
