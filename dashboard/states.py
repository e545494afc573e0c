"""States: the badge of a fixing, always with text, and the marks of what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

SIGNS = {"OK": "", "THIN": "◐", "CARRIED": "↦", "GAP": "∅"}
PROVISIONAL = "provisional"
KINDS = {"OK": "", "THIN": "warn", "CARRIED": "dotted", "GAP": "bad"}


def badge(text: str, kind: str = "", title: str | None = None) -> Component:
    """A small labelled box. ``kind``: "", warn, bad, simulated, dashed, dotted."""
    return html.Span(text, className=f"badge {kind}".strip(), title=title)


def status_text(row: Mapping[str, Any], needed: int | None = None) -> str:
    """The text of a state: ``OK``, ``◐ THIN 4 sellers``, ``↦ CARRIED from 2026-07-04``, ``∅ GAP min_sellers 2<3``.

    ``needed`` is how many sellers the methodology wants, where the row does not say (``min_sellers``).
    """
    status = row["status"]
    if status is None:
        return "no data"
    sign = SIGNS[status]
    if status == "THIN":
        return f"{sign} THIN {_sellers(row['n_sellers'])}"
    if status == "CARRIED":
        return f"{sign} CARRIED from {row['carried_from']}"
    if status == "GAP":
        need = row.get("min_sellers") if needed is None else needed
        against = f" {row['n_sellers']}<{need}" if row["rule"] == "min_sellers" and need else ""
        return f"{sign} GAP {row['rule']}{against}"
    return str(status)


def status_badge(row: Mapping[str, Any], needed: int | None = None) -> Component:
    """The badge of a fixing's status."""
    status = row["status"]
    return badge(status_text(row, needed), "" if status is None else KINDS[status])


def marks_of(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What else must be said of a row, as (text, kind): candidate, backcast, simulated, reconstructed, revision."""
    found: list[tuple[str, str]] = []
    if row.get("simulated"):
        found.append(("SIMULATED", "simulated"))
    if row.get("reconstructed"):
        found.append(("RECONSTRUCTED", "simulated"))
    elif row.get("state") == "candidate":
        found.append(("CANDIDATE", "dashed"))
    if row.get("origin") == "backcast":
        found.append(("BACKCAST", ""))
    if row.get("finality") == "provisional":
        found.append((PROVISIONAL, "dashed"))
    if row.get("revision"):
        found.append((f"r{row['revision']}", ""))
    return found


def badges(row: Mapping[str, Any], needed: int | None = None, *, finality: bool = True) -> Component:
    """The status and every mark of a row, side by side; a board leaves out whether it is provisional."""
    marks = [(text, kind) for text, kind in marks_of(row) if finality or text != PROVISIONAL]
    return html.Span(
        [status_badge(row, needed), *(badge(text, kind) for text, kind in marks)], className="badges"
    )


def _sellers(number: int) -> str:
    return f"{number} seller" + ("" if number == 1 else "s")
