"""The coverage calendar: each month a row, each day a mark that is read without its colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

MARKS = {"OK": "■", "THIN": "◐", "CARRIED": "↦", "GAP": "∅"}
MONTHS_SHOWN = 24
DAYS = 31


def calendar(rows: Sequence[Mapping[str, Any]]) -> Component:
    """Months, latest first, with what each day has; the rules of the days without a value below."""
    months: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        months.setdefault(row["date"][:7], {})[int(row["date"][8:10])] = row
    shown = sorted(months, reverse=True)[:MONTHS_SHOWN]
    counts = {status: sum(row["status"] == status for row in rows) for status in MARKS}
    key = " · ".join(f"{MARKS[s]} {s} {n:,}" for s, n in counts.items() if n)
    return html.Div([
        html.P(f"{len(rows):,} dates: {key}.", className="muted"),
        html.Div(
            html.Table(
                [
                    html.Caption("Status of each day by month", className="hidden"),
                    html.Thead(html.Tr([html.Th("Month", scope="col"), *(_head(d) for d in range(1, DAYS + 1)),
                                        html.Th("With a value", scope="col")])),
                    html.Tbody([_month(month, months[month]) for month in shown]),
                ],
                className="calendar",
            ),
            className="scroll", tabIndex=0, role="region", **{"aria-label": "Coverage calendar"},
        ),
        html.P(_rules(rows), className="muted"),
        html.P(f"The last {MONTHS_SHOWN} of {len(months)} months; the CSV has all.", className="muted")
        if len(months) > MONTHS_SHOWN
        else html.Span(),
    ])  # fmt: skip


def _head(day: int) -> Component:
    return html.Th(day if day % 5 == 0 or day == 1 else "", scope="col", **{"aria-label": f"day {day}"})


def _month(month: str, days: Mapping[int, Mapping[str, Any]]) -> Component:
    valued = sum(row["value"] is not None for row in days.values())
    return html.Tr([
        html.Th(month, scope="row"),
        *(_day(days.get(day)) for day in range(1, DAYS + 1)),
        html.Td(f"{valued} of {len(days)}"),
    ])  # fmt: skip


def _day(row: Mapping[str, Any] | None) -> Component:
    if row is None:
        return html.Td("")
    rule = f", {row['rule']}" if row["rule"] else ""
    return html.Td(
        html.Span(MARKS[row["status"]], title=f"{row['date']} {row['status']}{rule}"),
        className=f"day-{row['status'].lower()}",
    )


def _rules(rows: Sequence[Mapping[str, Any]]) -> str:
    found: dict[str, int] = {}
    for row in rows:
        if row["value"] is None and row["rule"]:
            found[row["rule"]] = found.get(row["rule"], 0) + 1
    if not found:
        return "Every date has a value."
    listed = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return "Without a value by rule: " + ", ".join(f"{rule} {n:,}" for rule, n in listed) + "."
