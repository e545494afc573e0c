"""Administered prices: a list price that has not moved for so long is set by office, not by the market."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ...records import format_micros
from ..ballot import Ballot
from ..estimators import VoteId
from ..methodology import Methodology
from ..state import State
from .base import Found, Screened, Sitting


def unchanged_since(
    day: date, tier: str, ballots: Sequence[Ballot], state: State
) -> dict[VoteId, tuple[int, date]]:
    """Each vote's price and since when it has had it, as far as the memory reaches."""
    found = {}
    for b in ballots:
        before = next(
            (r.since[tier][b.id] for r in reversed(state.recent) if b.id in r.since.get(tier, {})), None
        )
        same = before is not None and before[0] == b.value_micros
        found[b.id] = (b.value_micros, before[1] if before is not None and same else day)
    return found


def administered_prices(methodology: Methodology, sitting: Sitting) -> Found:
    """Votes of the list tier unchanged for ``administered_days`` or more.

    Sellers that the methodology names as administered are left out before, row by row.
    """
    screen = methodology.screen
    if screen is None or screen.administered_days is None or sitting.tier != "listed":
        return Found()
    since = unchanged_since(sitting.day, sitting.tier, sitting.ballots, sitting.state)
    out = []
    for b in sitting.ballots:
        days = (sitting.day - since[b.id][1]).days
        if days >= screen.administered_days:
            sentence = f"{b.seller} has listed {format_micros(b.value_micros)} for {days} days"
            out.append(Screened(b, "administered_price", sentence))
    return Found(tuple(out))
