"""Showing: the fixings that a reader or another use case is given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from ..records import Fixing, RentmarkError, format_instant
from .core import Workspace
from .views import LATEST, AsOf


def fixings_shown(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> list[Fixing]:
    """What `show` prints: the tape, or candidates where nothing is published or the view was built apart.

    With ``as_of`` alone the tape is filtered by ``published_at``; a reconstructed view reads its own
    candidates. Raises RentmarkError naming the remedy when there is nothing.
    """
    workspace.configuration.benchmark(name)
    store = workspace.store
    if as_of is None:
        rows = store.tape(name) or store.candidates(name, LATEST)
        if rows:
            return rows
        if not store.ledger():
            raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
        raise RentmarkError(f"Data is in, nothing is built. Run `rentmark index build {name}`.")
    rows = [] if as_of.reconstructed else store.tape(name, as_of=as_of.instant)
    rows = rows or store.candidates(name, as_of.view)
    if not rows:
        flags = f"--as-of {format_instant(as_of.instant)}" + (
            " --reconstructed" if as_of.reconstructed else ""
        )
        raise RentmarkError(
            f"Nothing was known of {name} then. Run `rentmark index build {name} {flags}` to build it."
        )
    return rows


def fixings_for_use(workspace: Workspace, name: str) -> list[Fixing]:
    """Fixings that `hedge` reads: the tape; for a research benchmark, its candidates.

    Raises RentmarkError naming `index build` when there are none.
    """
    benchmark = workspace.configuration.benchmark(name)
    rows = workspace.store.candidates(name, LATEST) if benchmark.research else workspace.store.tape(name)
    if not rows:
        flag = "" if benchmark.research else " --publish"
        raise RentmarkError(f"{name} has no fixings to use; run `rentmark index build {name}{flag}` first.")
    return rows


def shown_row(
    workspace: Workspace, name: str, *, as_of: AsOf | None = None, last: int | None = None
) -> dict[str, Any]:
    """The documented JSON of `index show`: rows, what is held, and the announced end, as of then."""
    from .governing import cessation_row, hold_rows, open_holds
    from .rulebook import cessation

    fixings = fixings_shown(workspace, name, as_of=as_of)
    return {
        "benchmark": name,
        "rows": finality_rows(workspace, name, fixings[-last:] if last else fixings, as_of=as_of),
        "held": hold_rows(open_holds(workspace, name, as_of=as_of)),
        "cessation": cessation_row(cessation(workspace, name, as_of)),
    }


def finality_rows(
    workspace: Workspace, name: str, fixings: Sequence[Fixing], *, as_of: AsOf | None = None
) -> list[dict[str, Any]]:
    """Fixing rows, each provisional or final as it was at the instant of the view."""
    from .rows import fixing_row
    from .rulebook import finality_hours

    now = workspace.store.now() if as_of is None else as_of.instant
    return [fixing_row(f, finality_hours=finality_hours(workspace, name, f), now=now) for f in fixings]


def explained_row(workspace: Workspace, name: str, day: date, *, as_of: AsOf | None = None) -> dict[str, Any]:
    """The documented JSON of `index explain`."""
    from .auditing import explain_fixing
    from .rows import explanation_row
    from .rulebook import finality_hours

    told = explain_fixing(workspace, name, day, as_of=as_of)
    now = workspace.store.now() if as_of is None else as_of.instant
    return explanation_row(told, finality_hours=finality_hours(workspace, name, told.fixing), now=now)
