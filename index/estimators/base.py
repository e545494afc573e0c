"""What an estimator is: sorted integer votes and integer weights in, one value out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...records import Refusal


@dataclass(frozen=True, slots=True)
class Estimator:
    """A rule that turns votes into a value.

    ``estimate`` takes the votes in ascending order of price (micro-USD per GPU-hour) with an
    integer weight each, and returns micro-USD or a Refusal. It is exact, or quantises once.
    """

    name: str
    summary: str
    source: str
    estimate: Callable[[Sequence[int], Sequence[int]], int | Refusal]


def weighted_quantile(
    ordered: Sequence[int], weights: Sequence[int], numerator: int, denominator: int
) -> int:
    """The lowest price whose cumulative weight is at least numerator/denominator of the total.

    No averaging (Edgeworth's weighted median at one half; CF Benchmarks, BRR methodology: "the
    smallest j with Σ s_i ≥ ½ Σ s"). Exact in integers. Raises ValueError without positive weight.
    """
    total = sum(weights)
    if total <= 0:
        raise ValueError("a weighted quantile needs positive weight")
    cumulative = 0
    for price, weight in zip(ordered, weights, strict=True):
        cumulative += weight
        if cumulative * denominator >= total * numerator:
            return int(price)
    return int(ordered[-1])
