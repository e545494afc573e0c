"""What stands over a step chart: gaps, backcast ground, changed rules, the watermark, names at the line ends."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ..formats import board_price
from ..theme import Palette, tinted
from .series import HALF_A_DAY, ONE_DAY, Row, Series, noon, start_of


def add_marks(figure: go.Figure, shown: Sequence[Series], palette: Palette) -> None:
    """Gaps as red ticks on the axis, backcast ground with its edge, rules that changed, a watermark."""
    rows = [row for line in shown for row in line.rows]
    for row in rows:
        if row["status"] == "GAP":
            figure.add_shape(
                type="line", x0=noon(row), x1=noon(row), y0=0, y1=0.03, yref="y domain",
                line={"color": palette.bad, "width": 3}, name=f"gap {row['date']}",
            )  # fmt: skip
    backcast = [r for r in rows if r.get("origin") == "backcast"]
    live = [r for r in rows if r.get("origin") == "live"]
    if backcast:
        start = start_of(min(r["date"] for r in backcast))
        end = start_of(max(r["date"] for r in backcast)) + ONE_DAY
        figure.add_vrect(x0=start, x1=end, fillcolor=tinted(palette.muted, 0.08), line_width=0, layer="below")
        first_live = min((r["date"] for r in live), default=None)
        text = "BACKCAST" if first_live is None else f"BACKCAST, live from {first_live}"
        figure.add_annotation(
            x=start, y=1, yref="y domain", xanchor="left", yanchor="top", text=text, showarrow=False,
            font={"size": 11, "color": palette.muted},
        )  # fmt: skip
    if any(r.get("simulated") for r in rows):
        figure.add_annotation(
            x=0.5, y=0.55, xref="paper", yref="paper", text="SIMULATED", showarrow=False,
            font={"size": 48, "color": tinted(palette.simulated, 0.28)}, name="watermark",
        )  # fmt: skip
    if shown:
        _add_rule_changes(figure, shown[0], palette)


def _add_rule_changes(figure: go.Figure, line: Series, palette: Palette) -> None:
    before = None
    for row in line.rows:
        now = row.get("methodology_hash")
        if before is not None and now is not None and now != before:
            day = start_of(row["date"])
            figure.add_vline(x=day, line={"color": palette.muted, "dash": "dash", "width": 1})
            figure.add_annotation(
                x=day, y=0.96, yref="y domain", xanchor="left", text=f"rules {row.get('methodology_version') or now[:6]}",
                showarrow=False, font={"size": 11, "color": palette.muted},
            )  # fmt: skip
        before = now or before


def add_labels(figure: go.Figure, shown: Sequence[Series], palette: Palette, low: float, high: float) -> None:
    """The names at the line ends, moved apart where the ends meet."""
    ends = []
    for number, line in enumerate(shown):
        last = next((r for r in reversed(line.rows) if r["value"] is not None), None)
        if last is not None:
            ends.append((float(last["value"]), number, line, last))
    ends.sort(key=lambda e: e[0])
    least, place = (high - low) * 0.07, None
    for value, number, line, last in ends:
        place = value if place is None else max(value, place + least)
        figure.add_annotation(
            x=noon(last) + HALF_A_DAY, y=place, xanchor="left", yanchor="middle", xshift=6, showarrow=False,
            text=_name_of(line, palette.series[number], number=len(shown), last=last),
            font={"size": 12, "color": palette.text},
        )  # fmt: skip


def _name_of(line: Series, colour: str, *, number: int, last: Row) -> str:
    """A square of the line's colour and its name; one line alone shows its last value instead."""
    if number == 1:
        return board_price(last["value"])
    return f'<span style="color:{colour}">■</span> {line.label}'
