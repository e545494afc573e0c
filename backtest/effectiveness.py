"""How much of the rent's swing a hedge takes away: in sample, and on months it had not seen.

``HE = 1 − Var(hedged)/Var(unhedged)`` (Ederington 1979), demeaned, on monthly changes with the
monthly ratio. It is a share of variance: 0.5 is only 29 % less swing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..records import Refusal
from .bootstrap import DRAWS, percentile, stationary_indices
from .coverage_notes import coverage_note
from .intervals import CONFIDENCE, bootstrap_t_share_interval
from .methods import RatioMethod
from .methods.base import Side
from .outcomes import Outcome, outcome_of
from .regressions import to_dollars
from .series import Changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEARNING_CHANGES = 24
JUDGING_MONTHS = 12
MINIMUM_CHANGES = LEARNING_CHANGES + JUDGING_MONTHS


@dataclass(frozen=True, slots=True, kw_only=True)
class Effectiveness:
    """Effectiveness of one method. Shares of variance; None comes with a ``reason``.

    ``ratios`` are the walk-forward ratios, one per out-of-sample month, each from earlier months
    alone. The swings are standard deviations of out-of-sample monthly changes in dollars per
    GPU-hour. ``walk_forward_low`` may be minus infinity: draws in which the rent stood still and
    the hedge did not. ``bootstrap_t_low`` and ``bootstrap_t_high`` are a second 95 % interval, truer
    on short histories; the verdict rests on the first.
    """

    method: str
    in_sample: float | None = None
    walk_forward: float | None = None
    walk_forward_low: float | None = None
    walk_forward_high: float | None = None
    bootstrap_t_low: float | None = None
    bootstrap_t_high: float | None = None
    out_of_sample_months: int = 0
    ratios: tuple[float, ...] = ()
    swing_unhedged: float | None = None
    swing_hedged: float | None = None
    outcome: Outcome | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The figures with stable keys; a null or an unbounded end comes with a ``reason``."""
        reason = self.reason
        values: dict[str, Any] = {"in_sample": self.in_sample, "walk_forward": self.walk_forward}
        for key in ("walk_forward_low", "walk_forward_high"):
            bound: float | None = getattr(self, key)
            if bound is not None and not math.isfinite(bound):
                note = f"{key} has no bound: in those draws the rent stands still and the hedge does not"
                reason, bound = (note if reason is None else f"{reason}; {note}"), None
            values[key] = bound
        values["walk_forward_coverage"] = self.coverage_of("percentile")
        values["walk_forward_low_bootstrap_t"] = self.bootstrap_t_low
        values["walk_forward_high_bootstrap_t"] = self.bootstrap_t_high
        values["bootstrap_t_coverage"] = self.coverage_of("bootstrap-t")
        values["out_of_sample_months"] = self.out_of_sample_months
        values["swing_unhedged"] = self.swing_unhedged
        values["swing_hedged"] = self.swing_hedged
        values["outcome"] = None if self.outcome is None else self.outcome.to_json()
        if reason is not None:
            values["reason"] = reason
        return values

    def coverage_of(self, interval: str) -> str | None:
        """How often such an interval held the truth in the study; None where there is no interval."""
        low = self.bootstrap_t_low if interval == "bootstrap-t" else self.walk_forward_low
        if low is None:
            return None
        return coverage_note("effectiveness", interval, self.out_of_sample_months + LEARNING_CHANGES)


def effectiveness(method: RatioMethod, changes: Changes, *, side: Side = "buyer") -> Effectiveness:
    """Judge a method on monthly changes, in sample and walking forward; ``side`` says which months are bad.

    Walk-forward: the ratio of each month is estimated from all earlier months, at least 24; every
    method is judged on the same months; below 12 such months there is no figure. The interval is the
    95 % percentile interval of the stationary bootstrap over the out-of-sample month pairs, with
    the ratios held.
    """
    rent, reference = to_dollars(changes)
    n = len(changes)
    if n < 2 or len(set(changes.rent)) == 1:
        why = "the rent did not vary" if n >= 2 else f"{n} monthly changes"
        return Effectiveness(method=method.name, reason=f"{why}, so there is no variance to reduce")
    months = max(0, n - LEARNING_CHANGES)
    whole = method.estimate(rent, reference)
    in_sample = None if isinstance(whole, Refusal) else _share(rent, rent - whole * reference)
    reasons = [whole.sentence] if isinstance(whole, Refusal) else []

    def answer(reason: str | None, **figures: Any) -> Effectiveness:
        said = "; ".join(reasons + ([reason] if reason else [])) or None
        return Effectiveness(
            method=method.name, in_sample=in_sample, out_of_sample_months=months, reason=said, **figures
        )

    if months < JUDGING_MONTHS:
        return answer(
            f"{months} out-of-sample months, {JUDGING_MONTHS} needed after {LEARNING_CHANGES} to learn from"
        )
    ratios: list[float] = []
    for seen in range(LEARNING_CHANGES, n):
        ratio = method.estimate(rent[:seen], reference[:seen])
        if isinstance(ratio, Refusal):
            return answer(f"after {seen} changes {ratio.sentence}")
        ratios.append(ratio)
    unhedged = rent[LEARNING_CHANGES:]
    hedged = unhedged - _array(ratios) * reference[LEARNING_CHANGES:]
    swings = {"swing_unhedged": _deviation(unhedged), "swing_hedged": _deviation(hedged)}
    if len(set(changes.rent[LEARNING_CHANGES:])) == 1:
        return answer("the rent did not vary in the out-of-sample months", ratios=tuple(ratios), **swings)
    shares = resampled_shares(unhedged, hedged)
    low, high = bounds(shares)
    second = bootstrap_t_share_interval(unhedged, hedged)
    return answer(
        None if second is not None else "too many resampled histories stand still for a bootstrap-t interval",
        walk_forward=_share(unhedged, hedged),
        walk_forward_low=low,
        walk_forward_high=high,
        bootstrap_t_low=None if second is None else second.low,
        bootstrap_t_high=None if second is None else second.high,
        ratios=tuple(ratios),
        outcome=outcome_of(unhedged, hedged, side, shares, DRAWS),
        **swings,
    )


def interval(
    unhedged: NDArray[np.float64], hedged: NDArray[np.float64], *, draws: int = DRAWS
) -> tuple[float, float]:
    """The 95 % percentile interval of HE over resampled month pairs."""
    return bounds(resampled_shares(unhedged, hedged, draws=draws))


def resampled_shares(
    unhedged: NDArray[np.float64], hedged: NDArray[np.float64], *, draws: int = DRAWS
) -> NDArray[np.float64]:
    """HE over resampled month pairs, ascending.

    A draw in which the rent stands still while the hedged rent moves counts as minus infinity; one
    in which neither moves says nothing and is left out.
    """
    import numpy as np

    indices = stationary_indices(len(unhedged), draws=draws)
    before, after = unhedged[indices], hedged[indices]
    # Exact zeros decide, not the rounding of a variance: equal months have no spread.
    stands = (before == before[:, :1]).all(axis=1)
    hedged_stands = (after == after[:, :1]).all(axis=1)
    variance = np.where(stands, 1.0, before.var(axis=1, ddof=1))
    shares = np.where(stands, -np.inf, 1 - after.var(axis=1, ddof=1) / variance)
    return np.sort(shares[~(stands & hedged_stands)])


def bounds(ordered: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the 95 % percentile interval of ascending values."""
    tail = (1 - CONFIDENCE) / 2
    return percentile(ordered, tail), percentile(ordered, 1 - tail)


def _array(values: list[float]) -> NDArray[np.float64]:
    import numpy as np

    return np.array(values, dtype=np.float64)


def _share(unhedged: NDArray[np.float64], hedged: NDArray[np.float64]) -> float:
    return float(1 - hedged.var(ddof=1) / unhedged.var(ddof=1))


def _deviation(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1))
