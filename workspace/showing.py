"""Showing: the fixings that a reader or another use case is given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from ..records import Fixing, RentmarkError, format_instant
from .core import Workspace
from .views import LATEST, AsOf

if TYPE_CHECKING:
    from ..store.recent import Recent

NEAR_DAYS = 14
"""Where the last fixing and the one before it are looked for first; older ones are found by reading more."""


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


def recent_shown(
    workspace: Workspace, names: Sequence[str], *, days: int, as_of: AsOf | None = None
) -> dict[str, Recent | RentmarkError]:
    """The end of what `fixings_shown` gives of each benchmark, read in one go; or why there is nothing.

    ``days`` are calendar days up to the last date of each.
    """
    from ..store.recent import recent_candidates, recent_fixings, recent_of

    found: dict[str, Recent | RentmarkError] = {}
    if as_of is None:
        database = workspace.store.database
        found |= recent_fixings(database, names, days=days)
        loose = [name for name in names if name not in found]
        if loose:
            found |= recent_candidates(database, loose, LATEST, days=days)
    for name in names:
        if name not in found:
            try:
                found[name] = recent_of(fixings_shown(workspace, name, as_of=as_of), days=days)
            except RentmarkError as error:
                found[name] = error
    return found


def tape_ends(workspace: Workspace) -> dict[str, tuple[int, Fixing]]:
    """How many dates are published of each benchmark of rentmark.toml, and the last of them; none is absent."""
    from ..store.recent import dates_published, recent_fixings

    names, database = list(workspace.configuration.benchmarks), workspace.store.database
    dates = dates_published(database, names)
    return {
        name: (dates[name], end.last)
        for name, end in recent_fixings(database, names, days=NEAR_DAYS).items()
        if name in dates
    }


def last_fixings_shown(
    workspace: Workspace, name: str, *, days: int, as_of: AsOf | None = None
) -> list[Fixing]:
    """The rows of `fixings_shown` of the last so many calendar days, counted from the last row.

    Raises RentmarkError naming the remedy when there is nothing.
    """
    from ..store.recent import recent_fixings, tape_since

    if as_of is None:
        database = workspace.store.database
        held = recent_fixings(database, [name], days=NEAR_DAYS).get(name)
        if held is not None:
            return tape_since(database, name, held.last.date - timedelta(days=days - 1))
    rows = fixings_shown(workspace, name, as_of=as_of)
    first = rows[-1].date - timedelta(days=days - 1)
    return [row for row in rows if row.date >= first]


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
