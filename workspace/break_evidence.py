"""Evidence of what a step of the gap was caused by: the panel behind the reference, and a second source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from ..index import Ballot, Benchmark, Composition, composition
from ..index.composition import level_of
from ..records import STATUSES_OBSERVED, Refusal, RentmarkError
from .core import Workspace, open_engine
from .showing import fixings_for_use

if TYPE_CHECKING:
    from ..backtest.causes import PanelMove, PanelMoves, SecondSource


def panel_moves(workspace: Workspace, name: str, *, provider: str | None = None) -> PanelMoves:
    """Answers how the panel of a benchmark moved between two of its dates, with and without a provider.

    Votes are those that stood on each day, rebuilt from the archive under the rules of the later one.
    """
    prepared: dict[str, str] = {}

    def moved(before: date, after: date) -> PanelMove | Refusal:
        try:
            return _move(workspace, name, (before, after), provider, prepared)
        except RentmarkError as error:
            return Refusal("no_panel", f"the panel can't be rebuilt: {str(error).removesuffix('.')}")

    return moved


def _move(
    workspace: Workspace, name: str, dates: tuple[date, date], provider: str | None, prepared: dict[str, str]
) -> PanelMove | Refusal:
    from ..backtest.causes import PanelMove
    from ..index.review.days import outcome_of
    from .auditing import benchmark_of
    from .building import Reader
    from .review_days import days_behind

    before, after = dates
    shown = fixings_for_use(workspace, name)
    asked = [row for row in shown if row.date in dates]
    if [row.date for row in asked] != [before, after]:
        return Refusal("no_panel", f"{name} has no row on {before} or {after}")
    benchmark = benchmark_of(workspace, asked[-1])
    with open_engine(prepared=prepared) as engine:
        # which aggregators a vote came through tells nothing here, and few rows need no engine without it
        days = days_behind(workspace, Reader(workspace, engine), benchmark, asked, shown, aggregators=False)
    outcomes = [outcome_of(benchmark, day) for day in days]
    standing = [() if outcome is None else outcome.standing for outcome in outcomes]
    found = composition(benchmark, (before, standing[0]), (after, standing[1]))
    left, left_is = _without(benchmark, standing, provider)
    if isinstance(found, Refusal):
        return PanelMove(without_own=left, without_own_is=left_is, reason=found.sentence)
    return PanelMove(
        matched=_matched(benchmark, found, standing),
        matched_votes=len(found.common),
        without_own=left,
        without_own_is=left_is,
        reason=None if found.common else "no vote is in both days",
    )


def _matched(benchmark: Benchmark, found: Composition, standing: Sequence[Sequence[Ballot]]) -> float | None:
    """The move over the votes of both days, as a share of their own level before."""
    if found.price_micros is None:
        return None
    stayed = {ballot.id for ballot in standing[1]}
    before = level_of(benchmark.methodology, [ballot for ballot in standing[0] if ballot.id in stayed])
    return found.price_micros / before


def _without(
    benchmark: Benchmark, standing: Sequence[Sequence[Ballot]], provider: str | None
) -> tuple[float | None, str]:
    """The move of the panel without a provider, and what to call it."""
    if provider is None:
        return None, "the reference"
    kept = [[ballot for ballot in votes if ballot.seller != provider] for votes in standing]
    if not all(kept):
        return None, f"the reference, which has no vote but those of {provider}"
    before, after = (level_of(benchmark.methodology, votes) for votes in kept)
    return after / before - 1, f"the panel without {provider}"


def second_source(workspace: Workspace, name: str) -> SecondSource:
    """Another benchmark's values by date, as evidence beside the reference."""
    from ..backtest.causes import SecondSource

    rows = fixings_for_use(workspace, name)
    values = {
        row.date: row.value_micros
        for row in rows
        if row.status in STATUSES_OBSERVED and row.value_micros is not None
    }
    return SecondSource(name, values)


def read_days(texts: Sequence[str]) -> tuple[date, ...]:
    """Dates given on the command line; raises UsageError for what is none."""
    from ..records import UsageError, parse_date

    found = []
    for text in texts:
        try:
            found.append(parse_date(text))
        except ValueError:
            raise UsageError(f"--break-date {text} is not a date; write 2026-01-22.") from None
    return tuple(found)
