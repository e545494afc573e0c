"""The step chart: a day is drawn as [D, D+1), a gap as nothing, and every state as its own mark.

Never a spline. A band is one closed polygon for each run of days without a gap (Plotly's ``tonexty`` would
paint over gaps). Labels stand at the line ends. A truncated axis says where it begins.
"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from dash import dcc, html
from dash.development.base_component import Component

from ..formats import NONE
from ..theme import PALETTES, Palette, Theme, tinted
from .lines import add_band, add_line, add_sellers
from .marks import add_labels, add_marks
from .series import HALF_A_DAY, ONE_DAY, Series, start_of, within

STRIP = 0.13
"""Share of the height that the strip of seller counts takes."""
MOST_SERIES = 5
TICKS = 4


def step_chart(
    series: Sequence[Series],
    *,
    name: str,
    theme: Theme,
    days: int | None = None,
    band: bool = False,
    sellers: bool = False,
    chosen: str | None = None,
    unit: str = "$/GPU-h",
    height: int = 360,
) -> Component:
    """A chart of at most five lines. ``name`` is its id, ``days`` the range shown, counted from the last date.

    ``band`` (p25 to p75) and ``sellers`` (the strip below) are of the first line. ``chosen`` marks a date.
    Beside the chart a note names the axis's start; a table of the same rows is the page's own business.
    """
    figure = step_figure(
        series, theme=theme, days=days, band=band, sellers=sellers, chosen=chosen, unit=unit, height=height
    )
    return html.Div(
        id=name,
        className="chart",
        children=dcc.Graph(
            figure=figure,
            config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "responsive": True},
            style={"height": f"{height}px"},
        ),
        role="img",
        **{"aria-label": _said(series)},
    )


def step_figure(
    series: Sequence[Series],
    *,
    theme: Theme,
    days: int | None,
    band: bool,
    sellers: bool,
    chosen: str | None,
    unit: str,
    height: int,
) -> go.Figure:
    """The Plotly figure of a step chart."""
    palette = PALETTES[theme]
    shown = [Series(s.name, within(s.rows, days), s.modelled, s.proxy_for) for s in series[:MOST_SERIES]]
    figure = go.Figure()
    if band and shown:
        add_band(figure, shown[0], palette.series[0])
    for number, line in enumerate(shown):
        add_line(figure, line, palette, number)
    if sellers and shown:
        add_sellers(figure, shown[0], palette)
    low, high = _limits(shown, band=band)
    add_marks(figure, shown, palette)
    add_labels(figure, shown, palette, low, high)
    if chosen is not None:
        day = start_of(chosen)
        figure.add_vrect(
            x0=day, x1=day + ONE_DAY, fillcolor=tinted(palette.text, 0.12), line_width=0, layer="below"
        )
    _set_days(figure, shown)
    _lay_out(figure, palette, low, high, unit=unit, strip=sellers, height=height, labels=_margin(shown))
    return figure


def _set_days(figure: go.Figure, shown: Sequence[Series]) -> None:
    """The axis runs over the days there are and names some of them, none beyond."""
    days = sorted({row["date"] for line in shown for row in line.rows})
    if not days:
        return
    first, last = (start_of(day) for day in (days[0], days[-1]))
    step = max(1, -(-len(days) // TICKS))
    named = days[len(days) - 1 :: -step][::-1]
    texts = [
        f"{day[5:]}<br>{day[:4]}" if place == 0 or day[:4] != named[place - 1][:4] else day[5:]
        for place, day in enumerate(named)
    ]
    figure.update_xaxes(
        range=[first, last + ONE_DAY],
        tickvals=[start_of(day) + HALF_A_DAY for day in named],
        ticktext=texts,
    )


def _limits(shown: Sequence[Series], *, band: bool) -> tuple[float, float]:
    keys = ("value", "p25", "p75") if band else ("value",)
    found = [
        float(row[key])
        for number, line in enumerate(shown)
        for row in line.rows
        for key in (keys if number == 0 else ("value",))
        if row.get(key) is not None
    ]
    if not found:
        return 0.0, 1.0
    low, high = min(found), max(found)
    room = max((high - low) * 0.08, high * 0.01, 1e-6)
    return max(0.0, low - room), high + room


def _lay_out(
    figure: go.Figure,
    palette: Palette,
    low: float,
    high: float,
    *,
    unit: str,
    strip: bool,
    height: int,
    labels: int,
) -> None:
    start = f" · axis from ${low:.2f}" if low > 0 else ""
    figure.add_annotation(
        x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=6, showarrow=False,
        text=f"{unit}{start}", font={"size": 12, "color": palette.muted}, name="unit",
    )  # fmt: skip
    axis = {
        "gridcolor": palette.line,
        "linecolor": palette.line,
        "zeroline": False,
        "tickfont": {"size": 12, "color": palette.muted},
        "fixedrange": True,
    }
    figure.update_layout(
        height=height,
        margin={"l": 52, "r": labels, "t": 28, "b": 40},
        paper_bgcolor=palette.background,
        plot_bgcolor=palette.background,
        font={"family": "Inter, system-ui, sans-serif", "color": palette.text, "size": 12},
        showlegend=False,
        hovermode="closest",
        hoverdistance=40,
        bargap=0,
        dragmode=False,
        hoverlabel={
            "bgcolor": palette.panel,
            "bordercolor": palette.line,
            "font": {"color": palette.text, "size": 12},
        },
        xaxis={
            **axis,
            "showgrid": False,
            "autotickangles": [0, 90],  # upright only where a narrow window would lay one over another
            "anchor": "y2" if strip else "y",
        },
        yaxis={
            **axis,
            "range": [low, high],
            "tickprefix": "$",
            "tickformat": ".2f",
            "nticks": 6,
            "domain": [STRIP + 0.06, 1] if strip else [0, 1],
        },
    )
    if strip:
        figure.update_layout(
            yaxis2={**axis, "domain": [0, STRIP], "rangemode": "tozero", "nticks": 3, "showgrid": False}
        )


def _margin(shown: Sequence[Series]) -> int:
    longest = max((len(line.label) for line in shown), default=0) if len(shown) > 1 else 7
    return min(190, 30 + 7 * longest)


def _said(series: Sequence[Series]) -> str:
    """What a screen reader says of the chart; the figures are in the table beside it."""
    told = []
    for line in series[:MOST_SERIES]:
        known = [r for r in line.rows if r["value"] is not None]
        last = f"{known[-1]['date']} ${known[-1]['value']}" if known else NONE
        told.append(f"{line.label}, last {last}")
    return "Chart of daily steps: " + "; ".join(told)
