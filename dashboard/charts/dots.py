"""Votes as dots on one axis, the middle named: why a value is what it is, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from dash import dcc, html
from dash.development.base_component import Component

from ..theme import PALETTES, Theme, tinted


@dataclass(frozen=True, slots=True)
class Dot:
    """One vote: its seller, its price as a six-decimal string, whether it is a middle one or the one that moved."""

    seller: str
    price: str
    middle: bool = False
    moved: bool = False


def dots(
    votes: Sequence[Dot],
    *,
    name: str,
    theme: Theme,
    value: str | None,
    p25: str | None = None,
    p75: str | None = None,
    simulated: bool = False,
) -> Component:
    """All votes of a day on one price axis; equal prices are stacked. ``name`` is the chart's id."""
    palette = PALETTES[theme]
    heights: dict[str, int] = {}
    rows = []
    for vote in sorted(votes, key=lambda v: (float(v.price), v.seller)):
        heights[vote.price] = heights.get(vote.price, 0) + 1
        rows.append((vote, heights[vote.price]))
    figure = go.Figure()
    tallest = max(heights.values(), default=1)
    if p25 is not None and p75 is not None:
        figure.add_vrect(
            x0=float(p25),
            x1=float(p75),
            fillcolor=tinted(palette.series[0], 0.12),
            line_width=0,
            layer="below",
        )
    if value is not None:
        figure.add_vline(x=float(value), line={"color": palette.text, "width": 2})
        figure.add_annotation(
            x=float(value), y=1, yref="paper", yanchor="bottom", showarrow=False, text=f"<b>${value}</b>",
            font={"size": 13, "color": palette.text},
        )  # fmt: skip
    for kind, chosen, colour, symbol in (
        ("vote", [r for r in rows if not r[0].middle and not r[0].moved], palette.muted, "circle-open"),
        ("middle", [r for r in rows if r[0].middle], palette.series[0], "circle"),
        ("moved", [r for r in rows if r[0].moved and not r[0].middle], palette.series[1], "diamond"),
    ):
        figure.add_trace(
            go.Scatter(
                x=[float(v.price) for v, _ in chosen],
                y=[h for _, h in chosen],
                mode="markers",
                marker={"size": 10, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
                text=[f"{v.seller} ${v.price}" for v, _ in chosen],
                hovertemplate="%{text}<extra></extra>",
                meta=kind,
            )
        )
    level = None if value is None else float(value)
    for number, (vote, height) in enumerate(r for r in rows if r[0].middle or r[0].moved):
        left = level is not None and float(vote.price) <= level
        figure.add_annotation(
            x=float(vote.price), y=height, text=vote.seller, showarrow=True, arrowhead=0, arrowwidth=1,
            arrowcolor=palette.muted, ax=-36 if left else 36, ay=-24 - 18 * (number % 3),
            xanchor="right" if left else "left", font={"size": 12, "color": palette.text},
        )  # fmt: skip
    if simulated:
        figure.add_annotation(
            x=0.5, y=0.5, xref="paper", yref="paper", text="SIMULATED", showarrow=False,
            font={"size": 40, "color": tinted(palette.simulated, 0.28)}, name="watermark",
        )  # fmt: skip
    figure.update_layout(
        height=220,
        margin={"l": 16, "r": 16, "t": 32, "b": 36},
        paper_bgcolor=palette.background,
        plot_bgcolor=palette.background,
        font={"family": "Inter, system-ui, sans-serif", "color": palette.text, "size": 12},
        showlegend=False,
        hovermode="closest",
        dragmode=False,
        hoverlabel={"bgcolor": palette.panel, "bordercolor": palette.line, "font": {"color": palette.text}},
        xaxis={
            "tickprefix": "$",
            "tickformat": ".2f",
            "gridcolor": palette.line,
            "zeroline": False,
            "fixedrange": True,
            "title": {"text": "$/GPU-h", "font": {"color": palette.muted, "size": 12}},
            "tickfont": {"color": palette.muted},
        },
        yaxis={"visible": False, "range": [0, max(3.2, tallest + 1.6)], "fixedrange": True},
    )
    named = ", ".join(f"{v.seller} ${v.price}" for v, _ in rows if v.middle)
    return html.Div(
        id=name,
        className="chart chart-dots",
        role="img",
        **{"aria-label": f"{len(votes)} votes on a price axis; in the middle {named}"},
        children=dcc.Graph(
            figure=figure,
            config={"displayModeBar": False, "doubleClick": False, "responsive": True},
            style={"height": "220px"},
        ),
    )
