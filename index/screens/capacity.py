"""Capacity: under ``weights = "capacity"`` a vote whose offers state none can't be weighed, and is left out."""

from __future__ import annotations

from ..methodology import Methodology
from ..weights import stepped
from .base import Found, Screened, Sitting


def unstated_capacity(methodology: Methodology, sitting: Sitting) -> Found:
    """Votes without a stated number of available GPUs, or below the first step. Unknown is never a guess."""
    if methodology.weights != "capacity" or sitting.tier == "trade":
        return Found()
    steps = methodology.capacity_steps
    out = [
        Screened(b, "capacity_unstated", f"{b.seller} states {b.capacity or 'no'} GPUs as available")
        for b in sitting.ballots
        if b.capacity is None or stepped(b.capacity, steps) == 0
    ]
    return Found(tuple(out))
