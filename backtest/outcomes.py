"""What a walk-forward hedge did to the bad months: the worst one, the tail, and the chance that it hurt.

Monthly changes of the rent in months the ratio had not seen, with and without the hedge, in dollars per
GPU-hour; a buyer's bad months are rises, a provider's falls. The tail is the conditional value at risk
(Rockafellar and Uryasev 2000; for a whole and a part observation Acerbi and Tasche 2002, eq. 4.12) of
demeaned changes. It rests on ``tail_months`` months, often fewer than ten, so its interval is printed
beside it. The intervals and the chance come from the stationary bootstrap of the verdict, ratios held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .bootstrap import percentile, stationary_indices
from .intervals import CONFIDENCE
from .methods.base import Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TAIL_LEVEL = 0.95
"""The share of months that are no worse than the tail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Worst month and tail of out-of-sample monthly changes, in dollars per GPU-hour, bad upwards.

    ``cvar_reduction`` is 1 − hedged/unhedged with its 95 % interval; None comes with a ``reason``.
    ``probability_worse`` is the share of resampled histories in which the hedged variance was the larger.
    """

    months: int
    worst_unhedged: float
    worst_hedged: float
    cvar_unhedged: float
    cvar_hedged: float
    tail_months: float
    probability_worse: float
    cvar_reduction: float | None = None
    cvar_reduction_low: float | None = None
    cvar_reduction_high: float | None = None
    reason: str | None = None

    @property
    def worst_reduction(self) -> float | None:
        """1 − hedged/unhedged worst month; None where the worst month without the hedge was no rise."""
        return None if self.worst_unhedged <= 0 else 1 - self.worst_hedged / self.worst_unhedged

    def to_json(self) -> dict[str, Any]:
        """The figures with stable keys; ``reason`` stands beside a null."""
        reasons = [] if self.reason is None else [self.reason]
        if self.worst_reduction is None:
            reasons.append("no unseen month was a bad one, so there is no worst month to reduce")
        values: dict[str, Any] = {
            "worst_unhedged": self.worst_unhedged,
            "worst_hedged": self.worst_hedged,
            "worst_reduction": self.worst_reduction,
            "cvar_level": TAIL_LEVEL,
            "cvar_unhedged": self.cvar_unhedged,
            "cvar_hedged": self.cvar_hedged,
            "cvar_reduction": self.cvar_reduction,
            "cvar_reduction_low": self.cvar_reduction_low,
            "cvar_reduction_high": self.cvar_reduction_high,
            "tail_months": self.tail_months,
            "probability_worse": self.probability_worse,
        }
        if reasons:
            values["reason"] = "; ".join(reasons)
        return values


def outcome_of(
    unhedged: NDArray[np.float64],
    hedged: NDArray[np.float64],
    side: Side,
    shares: NDArray[np.float64],
    draws: int,
) -> Outcome:
    """The outcome of out-of-sample changes; ``shares`` are the resampled effectivenesses behind the verdict.

    The rent must have varied.
    """
    import numpy as np

    sign = 1.0 if side == "buyer" else -1.0
    before, after = sign * (unhedged - unhedged.mean()), sign * (hedged - hedged.mean())
    indices = stationary_indices(len(unhedged), draws=draws)
    resampled = [sign * each[indices] for each in (unhedged, hedged)]
    tails = [cvar(each - each.mean(axis=1, keepdims=True)) for each in resampled]
    known = tails[0] > 0
    reductions = np.sort(1 - tails[1][known] / tails[0][known])
    whole_before, whole_after = float(cvar(before)), float(cvar(after))
    bounded = whole_before > 0 and len(reductions) > 0
    edge = (1 - CONFIDENCE) / 2
    return Outcome(
        months=len(unhedged),
        worst_unhedged=float((sign * unhedged).max()),
        worst_hedged=float((sign * hedged).max()),
        cvar_unhedged=whole_before,
        cvar_hedged=whole_after,
        tail_months=round(len(unhedged) * (1 - TAIL_LEVEL), 10),
        probability_worse=float((shares < 0).mean()),
        cvar_reduction=1 - whole_after / whole_before if bounded else None,
        cvar_reduction_low=percentile(reductions, edge) if bounded else None,
        cvar_reduction_high=percentile(reductions, 1 - edge) if bounded else None,
        reason=None if bounded else "the tail without the hedge is not above zero, so it can't be reduced",
    )


def cvar(changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the worst (largest) ``1 − TAIL_LEVEL`` of the last axis, a part of a month counted in part."""
    import numpy as np

    n = changes.shape[-1]
    size = n * (1 - TAIL_LEVEL)
    weights = np.clip(size - np.arange(n), 0.0, 1.0)
    worst_first = -np.sort(-changes, axis=-1)
    tail: NDArray[np.float64] = worst_first @ weights / size
    return tail
