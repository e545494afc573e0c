"""The lines of a step chart, their band, tooltips and strip of sellers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import plotly.graph_objects as go

from ...workspace import count_of
from ..formats import signed_percent
from ..theme import DASHES, Palette, tinted
from .runs import runs_of
from .series import Row, Series, ends_of, noon


def add_band(figure: go.Figure, line: Series, colour: str) -> None:
    """One trace; each run of days with quartiles is a closed polygon of its own."""
    across: list[datetime | None] = []
    up: list[float | None] = []
    held = [r for r in line.rows if r["status"] in ("OK", "THIN") and r.get("p25") is not None]
    for run in runs_of(held):
        upper, lower = ends_of(run, "p75"), ends_of(run, "p25")
        corners = [*upper, *reversed(lower), upper[0]]
        across += [x for x, _ in corners] + [None]
        up += [y for _, y in corners] + [None]
    figure.add_trace(
        go.Scatter(
            x=across[:-1],
            y=up[:-1],
            mode="lines",
            line={"width": 0, "shape": "linear"},
            fill="toself",
            fillcolor=tinted(colour, 0.16),
            hoverinfo="skip",
            name="p25 to p75",
            meta="band",
        )
    )


def add_line(figure: go.Figure, line: Series, palette: Palette, number: int) -> None:
    """The steps of one line, a trace for each kind of state, with hollow dots for THIN and triangles for revisions."""
    colour = palette.series[number]
    drawn = [row for row in line.rows if row["value"] is not None]
    kinds = (
        ("own", [r for r in drawn if r["status"] != "CARRIED" and not _is_candidate(r)], DASHES[number]),
        ("candidate", [r for r in drawn if r["status"] != "CARRIED" and _is_candidate(r)], "dash"),
        ("carried", [r for r in drawn if r["status"] == "CARRIED"], "dot"),
    )
    for kind, rows, dash in kinds:
        if not rows:
            continue
        across: list[datetime | None] = []
        up: list[float | None] = []
        for run in runs_of(rows):
            points = ends_of(run, "value")
            across += [x for x, _ in points] + [None]
            up += [y for _, y in points] + [None]
        figure.add_trace(
            go.Scatter(
                x=across,
                y=up,
                mode="lines",
                line={
                    "color": colour,
                    "width": 2,
                    "dash": "dot" if line.modelled else dash,
                    "shape": "linear",
                },
                hoverinfo="skip",
                name=line.name,
                meta=f"line-{kind}",
            )
        )
    _add_tooltips(figure, line, drawn, colour)
    thin = [row for row in drawn if row["status"] == "THIN"]
    revised = [row for row in drawn if row.get("revision")]
    for rows, symbol, said in ((thin, "circle-open", "thin"), (revised, "triangle-up", "revised")):
        if rows:
            figure.add_trace(
                go.Scatter(
                    x=[noon(r) for r in rows],
                    y=[float(r["value"]) for r in rows],
                    mode="markers",
                    marker={
                        "symbol": symbol,
                        "size": 8,
                        "color": colour,
                        "line": {"width": 2, "color": colour},
                    },
                    hoverinfo="skip",
                    name=f"{line.name} {said}",
                    meta=said,
                )
            )


def _is_candidate(row: Row) -> bool:
    """Not yet published; a reconstructed view never is, and the frame says what it is."""
    return row.get("state") == "candidate" and not row.get("reconstructed")


def _add_tooltips(figure: go.Figure, line: Series, drawn: Sequence[Row], colour: str) -> None:
    """Date, value, status, sellers, p25 to p75 and change, at the middle of each day."""
    texts: list[str] = []
    before: float | None = None
    for row in drawn:
        value = float(row["value"])
        move = None if before is None else value / before - 1
        texts.append(
            f"<b>{row['date']}</b> {line.name}<br>${row['value']} · {row['status']}"
            + (f" · {count_of(row['n_sellers'], 'seller')}" if row.get("n_sellers") is not None else "")
            + (f"<br>p25–p75 {row['p25']}–{row['p75']}" if row.get("p25") is not None else "")
            + f"<br>change {signed_percent(move)}"
        )
        before = value if row["status"] in ("OK", "THIN") else before
    figure.add_trace(
        go.Scatter(
            x=[noon(r) for r in drawn],
            y=[float(r["value"]) for r in drawn],
            mode="markers",
            marker={"size": 9, "color": colour, "opacity": 0},
            text=texts,
            hovertemplate="%{text}<extra></extra>",
            name=line.name,
            meta="tooltips",
        )
    )


def add_sellers(figure: go.Figure, line: Series, palette: Palette) -> None:
    """The number of sellers each day, as bars on the axis below."""
    rows = [r for r in line.rows if r.get("n_sellers") is not None]
    figure.add_trace(
        go.Bar(
            x=[noon(r) for r in rows],
            y=[r["n_sellers"] for r in rows],
            width=24 * 3600 * 1000,
            marker={"color": tinted(palette.muted, 0.55), "line": {"width": 0}},
            hovertemplate="%{x|%Y-%m-%d}: %{y} sellers<extra></extra>",
            yaxis="y2",
            name="sellers",
            meta="sellers",
        )
    )
