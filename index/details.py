"""Details: what is published beside the level, and what later days will read, as sealed canonical JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..records import canonical_json, format_micros
from .ballot import Ballot
from .composition import matched_beside
from .hierarchy import Decision
from .methodology import Methodology
from .sampling import sampling_beside
from .screens.administered import unchanged_since
from .state import State
from .windows import Window


def details_of(
    methodology: Methodology,
    window: Window,
    decision: Decision,
    state: State,
    samples: Mapping[int, int | None],
) -> str | None:
    """The details of a fixing as canonical JSON text, or None where its rules publish nothing beside it.

    Prices are six-decimal strings. ``state`` is the digest of what the rules read of earlier fixings.
    """
    said: dict[str, Any] = {}
    outcome = decision.outcome
    if outcome is not None:
        said |= outcome.beside
        if outcome.pending_days:
            said["pending_days"] = outcome.pending_days
        left_out = Counter(s.rule for o in decision.tiers or (outcome,) for s in o.screened)
        if left_out:
            said["screened"] = dict(left_out)
    said |= _levels(decision)
    if samples:
        said["sampling"] = sampling_beside(samples)
    if methodology.reads_state:
        said["state"] = state.digest
    if methodology.remembers_votes:
        said["votes"] = {o.tier: _rows(o.standing) for o in decision.tiers}
        if methodology.screen is not None and methodology.screen.administered_days is not None:
            said["since"] = {o.tier: _since(o.tier, o.ballots, window, state) for o in decision.tiers}
    if methodology.matched_days is not None and outcome is not None:
        said |= matched_beside(methodology, outcome.tier, outcome.standing, window.date, state)
    return canonical_json(said).decode() if said else None


def _levels(decision: Decision) -> dict[str, Any]:
    """Each tier's level where more than one has one, and how far list prices stand above traded ones."""
    levels = decision.levels
    if len(levels) < 2:
        return {}
    said: dict[str, Any] = {"levels": {tier: format_micros(value) for tier, value in levels.items()}}
    if "listed" in levels and "trade" in levels:
        said["list_to_transacted"] = format_micros(levels["listed"] - levels["trade"])
    return said


def _rows(standing: Sequence[Ballot]) -> list[list[str | None]]:
    """The votes that stood, by name: seller, region, SKU, price."""
    return [[*b.id, format_micros(b.value_micros)] for b in sorted(standing, key=lambda b: repr(b.id))]


def _since(tier: str, ballots: Sequence[Ballot], window: Window, state: State) -> list[list[str | None]]:
    held = unchanged_since(window.date, tier, ballots, state)
    return [
        [*vote, format_micros(price), since.isoformat()]
        for vote, (price, since) in sorted(held.items(), key=lambda item: repr(item[0]))
    ]
