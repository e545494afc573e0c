"""Venue deviation: a venue that stands apart from the others is left out whole."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...records import format_micros, round_fraction
from ..ballot import Ballot
from ..estimators import weighted_quantile
from ..exact import exact
from ..methodology import Methodology
from .base import Found, Screened, Sitting, eliminate, middle_of, ratio_apart

FEWEST_VENUES = 3
"""Of two venues that differ nobody can say which one deviates."""


def deviating_venues(methodology: Methodology, sitting: Sitting) -> Found:
    """Venues whose level is more than ``venue_deviation`` from the median of venues, in ratio, either way.

    A venue's level is the volume-weighted median of its trades where volume weighs, else the plain
    median of its votes (CF Benchmarks, BRR methodology: 10 %). The furthest goes first, and the rest
    are measured again. A vote seen on several venues goes when all of them do.
    """
    screen = methodology.screen
    if screen is None or screen.venue_deviation is None:
        return Found()
    by_venue: dict[str, list[Ballot]] = {}
    for b in sitting.ballots:
        for venue in b.venues:
            by_venue.setdefault(venue, []).append(b)
    by_volume = methodology.weights == "volume" and sitting.tier == "trade"
    levels = {venue: level_of(ballots, by_volume=by_volume) for venue, ballots in sorted(by_venue.items())}
    limit = 1 + exact(screen.venue_deviation)

    def beyond(standing: Mapping[str, int]) -> dict[str, Fraction]:
        middle = middle_of(list(standing.values()))
        far = {venue: ratio_apart(Fraction(level), middle) for venue, level in standing.items()}
        return {venue: ratio for venue, ratio in far.items() if ratio > limit}

    gone = eliminate(levels, beyond, FEWEST_VENUES)
    out = [
        Screened(
            b,
            "venue_deviation",
            "; ".join(
                f"venue {v} at {format_micros(levels[v])} is {float(gone[v]):.4f} times off the median of venues"
                for v in b.venues
            ),
        )
        for b in sitting.ballots
        if b.venues and all(venue in gone for venue in b.venues)
    ]
    note = f"venue levels: {', '.join(f'{venue} {format_micros(level)}' for venue, level in levels.items())}"
    return Found(tuple(out), (note,))


def level_of(ballots: list[Ballot], *, by_volume: bool) -> int:
    """A venue's level in micro-USD, rounded once."""
    ordered = sorted(ballots, key=lambda b: b.order)
    seconds = [b.gpu_seconds for b in ordered]
    if by_volume and sum(seconds) > 0:
        return weighted_quantile([b.value_micros for b in ordered], seconds, 1, 2)
    return round_fraction(middle_of([b.value_micros for b in ordered]))
