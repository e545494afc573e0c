"""Screens: votes left out before anything is averaged, each by a rule with its arithmetic in a sentence.

May import records. They are asked in one order, each of what the one before it left standing: stated
capacity, administered prices, venues, jumps, distance. Trades that are left out whatever they cost (wash,
affiliate, circular) never reach a vote: the panel drops them. A new screen is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ..ballot import Ballot
from ..methodology import Methodology
from ..state import State
from .administered import administered_prices
from .base import Found, Screened, Screening, Sitting
from .capacity import unstated_capacity
from .distance import robust_distance
from .jumps import uncorroborated_jumps
from .venues import deviating_venues

SCREENS = (unstated_capacity, administered_prices, deviating_venues, uncorroborated_jumps, robust_distance)
"""The screens in the order asked."""

__all__ = ["SCREENS", "Found", "Screened", "Screening", "Sitting", "screened"]


def screened(
    methodology: Methodology, tier: str, day: date, ballots: Sequence[Ballot], state: State
) -> Screening:
    """The votes that stand, those left out with their rule, and what each screen saw."""
    if methodology.screen is None and methodology.weights != "capacity":
        return Screening(tuple(ballots), (), ())
    standing = list(ballots)
    out: list[Screened] = []
    notes: list[str] = []
    for screen in SCREENS:
        found = screen(methodology, Sitting(tier, day, tuple(standing), state))
        gone = {id(s.ballot) for s in found.out}
        standing = [b for b in standing if id(b) not in gone]
        out += found.out
        notes += found.notes
    return Screening(tuple(standing), tuple(out), tuple(notes))
