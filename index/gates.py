"""Gates: what a day's votes must meet before a value is printed, and what marks it thin."""

from __future__ import annotations

from dataclasses import dataclass

from .methodology import Methodology

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Gate:
    """One question asked of a day's votes: the count found, the count needed, and whether it is met."""

    code: str
    found: int
    needed: int
    hard: bool

    @property
    def met(self) -> bool:
        """Whether the count found reaches the count needed."""
        return self.found >= self.needed


@dataclass(frozen=True, slots=True)
class Counts:
    """What the gates count on one day and tier. ``gpu_seconds`` is traded volume."""

    n_sellers: int
    n_votes: int
    n_observations: int
    n_venues: int
    gpu_seconds: int


def gates(methodology: Methodology, tier: str, counts: Counts) -> list[Gate]:
    """All gates of a methodology for one day, hard ones first, in the order they are reported.

    ``min_gpu_hours`` asks only of the trade tier, as other tiers have no volume. It finds whole hours,
    which reach a whole number exactly when the seconds do.
    """
    asked = [
        Gate("min_sellers", counts.n_sellers, methodology.min_sellers, hard=True),
        Gate("min_votes", counts.n_votes, methodology.min_votes, hard=True),
        Gate("min_observations", counts.n_observations, methodology.min_observations, hard=True),
        Gate("min_venues", counts.n_venues, methodology.min_venues, hard=True),
    ]
    if methodology.min_gpu_hours and tier == "trade":
        found = counts.gpu_seconds // SECONDS_PER_HOUR
        asked.append(Gate("min_gpu_hours", found, methodology.min_gpu_hours, hard=True))
    if methodology.thin_sellers is not None:
        asked.append(Gate("thin_sellers", counts.n_sellers, methodology.thin_sellers, hard=False))
    if methodology.thin_observations is not None:
        asked.append(
            Gate("thin_observations", counts.n_observations, methodology.thin_observations, hard=False)
        )
    return asked


def first_unmet(asked: list[Gate], *, hard: bool) -> Gate | None:
    """The first hard (or soft) gate that is not met, or None."""
    return next((gate for gate in asked if gate.hard == hard and not gate.met), None)
