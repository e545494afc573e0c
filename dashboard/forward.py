"""The forward board below the market: each contract's next months on a benchmark of its chip, marks or a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from ..records import RentmarkError
from ..workspace import Workspace, curve
from .formats import NONE, board_price
from .parts import Cell, link, table
from .reading import Reading
from .routing import View
from .rows import view_key
from .states import badge

MONTHS = 3
NO_MARKS = "No futures marks; this curve is modelled."


def forward_board(view: View, reading: Reading, rows: Sequence[Mapping[str, Any]]) -> list[Component]:
    """The board, or nothing where no contract has a published benchmark of its chip."""
    lead = {
        row["chip"]: str(row["benchmark"]) for row in reversed(rows) if row["date"] and not row["research"]
    }
    specs = [s for s in reading.workspace().configuration.contracts.values() if s.period == "month"]
    pairs = [(spec.id, lead[spec.chip], spec.official_underlying) for spec in specs if spec.chip in lead]
    if not pairs:
        return []
    lines, modelled = [], True
    for contract, benchmark, official in pairs:
        made = _curve(view, reading, contract, benchmark)
        lines.append(_line(view, contract, benchmark, official, made))
        modelled = modelled and not (made or {}).get("marks")
    return [
        html.H2("Forward, $/GPU-h"),
        html.P(NO_MARKS) if modelled else html.Span(),
        table(
            ["Contract", "On", "Front month", "Next", "Third", "Status"],
            lines,
            caption="Forward board: the next three months of each contract",
            numbers=(2, 3, 4),
            optional=(5,),
        ),
    ]


def _curve(view: View, reading: Reading, contract: str, benchmark: str) -> dict[str, Any] | None:
    as_of = view.as_of

    def made(workspace: Workspace) -> dict[str, Any]:
        try:
            return curve(workspace, contract, benchmark, as_of=as_of, months=MONTHS)
        except RentmarkError as error:
            return {"refused": error.sentence}

    return reading.kept_soon("curve", contract, benchmark, view_key(view), MONTHS, make=made)


def _line(
    view: View, contract: str, benchmark: str, official: str, made: Mapping[str, Any] | None
) -> list[Cell]:
    target = link(contract, view.link_to("contracts", contract))
    if made is None:
        return [target, benchmark, *[html.Span("…", className="pending")] * MONTHS, "being worked out"]
    if "refused" in made:
        return [target, benchmark, NONE, NONE, NONE, html.Span(made["refused"], className="muted")]
    on = html.Span(
        [benchmark, " ", badge("PROXY", title=f"for {official}") if made["proxy"] else ""], className="badges"
    )
    cells = [_price(row) for row in made["rows"][:MONTHS]]
    return [target, on, *cells, *[NONE] * (MONTHS - len(cells)), made["status"]]


def _price(row: Mapping[str, Any]) -> Component:
    kind = badge("MODELLED", "dotted") if row["mark"] is None else badge("mark")
    return html.Span([f"{row['month']} {board_price(row['mark'] or row['modelled'])} ", kind])
