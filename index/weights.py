"""How much each vote weighs: integer shares, so that sums and quantiles are exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from ..records import Refusal, round_fraction
from .ballot import Ballot
from .caps import CapLine, Group, hold_caps
from .exact import exact
from .methodology import Methodology

SHARE_UNITS = 10**12
"""Weights that a cap, a floor or an age has made uneven are counted in trillionths of the whole."""


def integer_weights(
    methodology: Methodology, tier: str, ballots: Sequence[Ballot], window: tuple[int, int]
) -> list[int]:
    """Integer weights of votes before any cap. ``window`` is in microseconds since 1970 UTC.

    ``seller``: 1 per seller, split over its votes (scaled to integers by the least common multiple).
    ``vote``: 1 per vote. ``volume``: GPU-seconds on the trade tier. ``capacity``: GPUs stated as available,
    or their step, on the other tiers. ``tier``: what a seller's votes of that tier weigh together. A tier
    that has no volume or no capacity falls back to ``seller``. ``recency`` then lets weight fall, in a
    straight line over the age of a vote, from all of it at the end of the window to that share at its start.
    """
    if methodology.weights == "vote":
        weights = [1] * len(ballots)
    elif methodology.weights == "volume" and tier == "trade":
        weights = [b.gpu_seconds for b in ballots]
    elif methodology.weights == "capacity" and tier != "trade":
        weights = [stepped(b.capacity or 0, methodology.capacity_steps) for b in ballots]
    else:
        votes_of = Counter((b.tier, b.seller) for b in ballots)
        scale = lcm(*votes_of.values()) if votes_of else 1
        of_tier = {str(name): weight for name, weight in (methodology.tier_weights or {}).items()}
        weights = [scale // votes_of[b.tier, b.seller] * of_tier.get(b.tier, 1) for b in ballots]
    if methodology.recency is None:
        return weights
    aged = exact(methodology.recency)
    start, end = window
    return trillionths(
        weight * (aged + (1 - aged) * Fraction((b.instant or start) - start, end - start))
        for b, weight in zip(ballots, weights, strict=True)
    )


def stepped(capacity: int, steps: Sequence[tuple[int, int]] | None) -> int:
    """The weight of a capacity in GPUs: itself, or that of the highest step it reaches; 0 below the first."""
    if steps is None:
        return capacity
    return max((weight for size, weight in steps if capacity >= size), key=lambda w: w, default=0)


def trillionths(weights: Iterable[Fraction]) -> list[int]:
    """Weights as whole trillionths of their sum, each rounded half-even; zeros where there is no weight."""
    held = list(weights)
    total = sum(held, Fraction(0))
    if total <= 0:
        return [0] * len(held)
    return [round_fraction(weight / total * SHARE_UNITS) for weight in held]


def capped_weights(
    methodology: Methodology, ballots: Sequence[Ballot], weights: Sequence[int]
) -> tuple[list[int], tuple[CapLine, ...]] | Refusal:
    """Weights that hold every cap of the methodology, with a line for each cap that bound, or the refusal."""
    groups = cap_groups(methodology, ballots)
    if not groups or sum(weights) <= 0:
        return list(weights), ()
    held = hold_caps(weights, groups)
    if isinstance(held, Refusal):
        return held
    shares, lines = held
    return (trillionths(shares) if lines else list(weights)), lines


def cap_groups(methodology: Methodology, ballots: Sequence[Ballot]) -> list[Group]:
    """The groups of votes that caps speak of, in the order pair, seller, venue, aggregator, each by name.

    A vote seen on several venues counts with each. A trade without a stated buyer counts as one with the
    unknown buyer of its seller. A vote without an aggregator came directly and is under no such cap.
    """

    def gathered(
        kind: str, cap: str | None, names: Sequence[Sequence[str]], floor: str | None = None
    ) -> list[Group]:
        if cap is None and floor is None:
            return []
        members: dict[str, list[int]] = {}
        for place, held in enumerate(names):
            for name in held:
                members.setdefault(name, []).append(place)
        most, least = exact(cap or "1"), exact(floor or "0")
        return [
            Group(kind, name, tuple(places), most, least, covering=all(names))
            for name, places in sorted(members.items())
        ]

    pairs = [[f"{b.buyer or 'unknown buyer'} from {b.seller}"] if b.tier == "trade" else [] for b in ballots]
    return [
        *gathered("max_trade_share", methodology.max_trade_share, pairs),
        *gathered("cap", methodology.cap, [[b.seller] for b in ballots], methodology.weight_floor),
        *gathered("cap_venue", methodology.cap_venue, [list(b.venues) for b in ballots]),
        *gathered("cap_aggregator", methodology.cap_aggregator, [list(b.aggregators) for b in ballots]),
    ]


def six_decimals(share: Fraction) -> str:
    """A share as text with six decimals, half-even."""
    millionths = round_fraction(share * 1_000_000)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06d}"
