"""The documented rows of the command line as pages and CSV read them, kept while the data stand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

from ..records import RentmarkError
from ..workspace import (
    Recent,
    Workspace,
    change_story,
    explain_fixing,
    explanation_row,
    fixing_rows,
    known_story,
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
PATIENCE = 0.1
"""Seconds that a page waits for what is made in the background, before it is drawn without it."""
EXPLANATION_PATIENCE = 0.2
"""The same for the explanation of a fixing, without which its page says little."""


def view_key(view: View) -> str:
    """The name of the as-of view of an address: what answers are kept under."""
    as_of = view.as_of
    return "latest" if as_of is None else as_of.view


def benchmark_rows(
    reading: Reading, view: View, name: str, *, days: int | None = None
) -> list[dict[str, Any]]:
    """The rows of `index show` for a benchmark at the view of an address, or those of the last so many days.

    Raises RentmarkError.
    """
    as_of = view.as_of
    reading.view_made(name, as_of)
    return reading.kept(
        "rows",
        name,
        view_key(view),
        days,
        make=lambda workspace: fixing_rows(workspace, name, as_of=as_of, days=days),
    )


def explanation(reading: Reading, view: View, name: str, day: str) -> dict[str, Any]:
    """The answer of `index explain` for one date. Raises RentmarkError for what is no date or has no row."""
    wanted = read_date(day, "The date")
    reading.view_made(name, view.as_of)
    return reading.kept("explanation", name, day, view_key(view), make=_explained(view, name, wanted))


def explanation_soon(reading: Reading, view: View, name: str, day: str) -> dict[str, Any] | None:
    """The same; None while it is worked out, which takes longer where its query was never planned before."""
    wanted = read_date(day, "The date")
    reading.view_made(name, view.as_of)
    made = _explained(view, name, wanted)
    return reading.kept_soon(
        "explanation", name, day, view_key(view), make=made, patience=EXPLANATION_PATIENCE
    )


def _explained(view: View, name: str, day: date) -> Callable[[Workspace], dict[str, Any]]:
    as_of = view.as_of

    def made(workspace: Workspace) -> dict[str, Any]:
        told = explain_fixing(workspace, name, day, as_of=as_of)
        hours = workspace.configuration.benchmark(name).methodology.finality_hours
        return explanation_row(told, finality_hours=hours, now=workspace.store.now())

    return made


def story(reading: Reading, view: View, name: str, day: str) -> dict[str, Any] | None:
    """Who moved a value since the day before it; None while that is worked out. Raises RentmarkError."""
    as_of, wanted = view.as_of, read_date(day, "The date")

    def made(workspace: Workspace) -> dict[str, Any]:
        reading.view_made(name, as_of)
        return change_story(workspace, name, wanted, as_of=as_of)

    return reading.kept_soon("story", name, wanted.isoformat(), view_key(view), make=made, patience=PATIENCE)


def revisions(reading: Reading, name: str, day: str | None = None) -> list[dict[str, Any]]:
    """The rows of `index revisions`: every row of the tape as it was appended, or those of a day."""
    wanted = None if day is None else read_date(day, "The date")
    return reading.kept("revisions", name, day, make=lambda workspace: revision_rows(workspace, name, wanted))


def market_now(reading: Reading, view: View, *, soon: bool = False) -> dict[str, Any]:
    """The answer of `market`; with ``soon``, stories not yet known are left out and made in the background."""
    as_of, key = view.as_of, view_key(view)
    if not soon:
        return reading.kept("market", key, make=lambda workspace: market(workspace, as_of=as_of))

    def known(workspace: Workspace, end: Recent) -> dict[str, Any] | None:
        told = known_story(workspace, end)
        if told is not None:
            return told
        try:
            return reading.kept_soon(
                "story",
                end.last.benchmark,
                end.last.date.isoformat(),
                key,
                make=lambda opened: change_story(opened, end.last.benchmark, end.last.date, as_of=as_of),
            )
        except RentmarkError as error:
            return UNTOLD | {"sentence": error.sentence, "reason": error.sentence}

    board = reading.kept(
        "board",
        key,
        reading.background_rounds(),
        make=lambda workspace: market(workspace, as_of=as_of, story_of=partial(known, workspace)),
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
