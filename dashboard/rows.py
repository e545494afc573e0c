"""The documented rows of the command line as pages and CSV read them, kept while the data stand."""

from __future__ import annotations

from typing import Any

from ..records import Fixing, RentmarkError
from ..workspace import (
    Workspace,
    change_story,
    explain_fixing,
    explanation_row,
    fixing_rows,
    market,
    panel_sellers,
    read_date,
    revision_rows,
)
from .reading import Reading
from .routing import SEEN_RECORDED, View

WORKED_OUT = "being worked out"
UNTOLD: dict[str, Any] = {"change": None, "changed": [], "entered": [], "left": [], "moved_it": []}
"""A story that could not be told."""
PATIENCE = 0.15
"""Seconds that a page waits for what is made in the background, before it is drawn without it."""


def view_key(view: View) -> str:
    """The name of the as-of view of an address: what answers are kept under."""
    as_of = view.as_of
    return "latest" if as_of is None else as_of.view


def benchmark_rows(reading: Reading, view: View, name: str) -> list[dict[str, Any]]:
    """The rows of `index show` for a benchmark at the view of an address. Raises RentmarkError."""
    as_of = view.as_of
    reading.view_made(name, as_of)
    return reading.kept(
        "rows", name, view_key(view), make=lambda workspace: fixing_rows(workspace, name, as_of=as_of)
    )


def explanation(reading: Reading, view: View, name: str, day: str) -> dict[str, Any]:
    """The answer of `index explain` for one date. Raises RentmarkError for what is no date or has no row."""
    as_of, wanted = view.as_of, read_date(day, "The date")
    reading.view_made(name, as_of)

    def made(workspace: Workspace) -> dict[str, Any]:
        told = explain_fixing(workspace, name, wanted, as_of=as_of)
        hours = workspace.configuration.benchmark(name).methodology.finality_hours
        return explanation_row(told, finality_hours=hours, now=workspace.store.now())

    return reading.kept("explanation", name, day, view_key(view), make=made)


def story(reading: Reading, view: View, name: str, day: str) -> dict[str, Any] | None:
    """Who moved a value since the day before it; None while that is worked out. Raises RentmarkError."""
    as_of, wanted = view.as_of, read_date(day, "The date")

    def made(workspace: Workspace) -> dict[str, Any]:
        reading.view_made(name, as_of)
        return change_story(workspace, name, wanted, as_of=as_of)

    return reading.kept_soon("story", name, wanted.isoformat(), view_key(view), make=made, patience=PATIENCE)


def revisions(reading: Reading, name: str) -> list[dict[str, Any]]:
    """The rows of `index revisions`: every row of the tape as it was appended."""
    return reading.kept("revisions", name, make=lambda workspace: revision_rows(workspace, name))


def market_now(reading: Reading, view: View, *, soon: bool = False) -> dict[str, Any]:
    """The answer of `market`; with ``soon``, stories not yet known are left out and made in the background."""
    as_of, key = view.as_of, view_key(view)
    if not soon:
        return reading.kept("market", key, make=lambda workspace: market(workspace, as_of=as_of))

    def known(fixing: Fixing) -> dict[str, Any] | None:
        day = fixing.date
        try:
            return reading.kept_soon(
                "story",
                fixing.benchmark,
                day.isoformat(),
                key,
                make=lambda workspace: change_story(workspace, fixing.benchmark, day, as_of=as_of),
            )
        except RentmarkError as error:
            return UNTOLD | {"sentence": error.sentence, "reason": error.sentence}

    board = reading.kept(
        "board",
        key,
        reading.background_rounds(),
        make=lambda workspace: market(workspace, as_of=as_of, story_of=known),
    )
    if any(row["n_changed_reason"] == WORKED_OUT for row in board["rows"]):
        reading.wait()
    return board


def views_missing(reading: Reading, view: View) -> tuple[int, int]:
    """How many benchmarks' views of the past are still being made, and of how many."""
    as_of = view.as_of
    names = reading.workspace().configuration.benchmarks
    missing = 0
    for name in names:
        try:
            missing += not reading.view_ready(name, as_of)
        except RentmarkError:
            continue  # its row on the board says why
    return missing, len(names)


def sellers(reading: Reading, view: View, name: str, day: str) -> dict[str, Any] | None:
    """The sellers behind a fixing, cheapest first; None while they are worked out. Raises RentmarkError."""
    as_of, wanted = view.as_of, read_date(day, "The date")

    def made(workspace: Workspace) -> dict[str, Any]:
        reading.view_made(name, as_of)
        return panel_sellers(workspace, name, wanted, as_of=as_of)

    return reading.kept_soon(
        "sellers", name, wanted.isoformat(), view_key(view), make=made, patience=PATIENCE
    )


def needed_sellers(reading: Reading, name: str) -> int:
    """How many sellers the methodology of a benchmark wants. Raises RentmarkError for an unknown benchmark."""
    return reading.workspace().configuration.benchmark(name).methodology.min_sellers


def as_of_flags(view: View) -> str:
    """The flags of the command line that show the same view of the past."""
    as_of = view.query.get("as_of")
    if not as_of:
        return ""
    return f" --as-of {as_of}" + ("" if view.query.get("seen") == SEEN_RECORDED else " --reconstructed")
