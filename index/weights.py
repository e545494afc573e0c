"""How much each vote weighs: integer shares, so that sums and quantiles are exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import lcm

from ..records import divide_half_even
from .methodology import Methodology


def integer_weights(
    methodology: Methodology, tier: str, sellers: Sequence[str], gpu_seconds: Sequence[int]
) -> list[int]:
    """Integer weights of votes given their sellers and traded GPU-seconds.

    ``seller``: 1 per seller, split over its votes (scaled to integers by the least common
    multiple). ``vote``: 1 per vote. ``volume``: GPU-seconds on the trade tier; a tier without
    volumes falls back to ``seller``.
    """
    if methodology.weights == "vote":
        return [1] * len(sellers)
    if methodology.weights == "volume" and tier == "trade":
        return list(gpu_seconds)
    per_seller = Counter(sellers)
    scale = lcm(*per_seller.values()) if per_seller else 1
    return [scale // per_seller[seller] for seller in sellers]


def largest_share(sellers: Sequence[str], weights: Sequence[int]) -> str | None:
    """Largest share of the weight held by one seller, six decimals, or None without weight."""
    total = sum(weights)
    if total == 0:
        return None
    held: Counter[str] = Counter()
    for seller, weight in zip(sellers, weights, strict=True):
        held[seller] += weight
    millionths = divide_half_even(max(held.values()) * 1_000_000, total)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06d}"
