"""Methods compared on the same unseen months, corrected for having looked at several.

The loss of a method in a month is its squared demeaned hedged change, so the mean loss is the variance it
left; not hedging is one of the methods. Two questions, both answered by the stationary bootstrap through
arch: does *any* method beat not hedging (the test of superior predictive ability, Hansen 2005, consistent
p value), and *which* methods can't be told from the best one (the model confidence set, Hansen, Lunde and
Nason 2011)? The best of several methods picked afterwards looks better than it is; these p values know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..records import Refusal
from .bootstrap import MEAN_BLOCK, SEED
from .effectiveness import LEARNING_CHANGES, Effectiveness
from .regressions import to_dollars
from .series import Changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNHEDGED = "none"
"""The name under which not hedging is compared."""
SET_SIZE = 0.10
"""The set holds the best method with this chance of missing it (Hansen, Lunde and Nason 2011, table 5)."""
REPETITIONS = 2_000
FEWEST_MONTHS = 12
SAME = 1e-3
"""Losses this near to each other, relative to their size, are one method's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodComparison:
    """The comparison over ``months`` unseen months; None comes with a ``reason``.

    ``spa_p_value``: small where some method beats not hedging. ``set_p_values`` by name, ``none`` among them:
    a name is in the set where it is above 0.10. ``losses`` are mean squared demeaned changes, dollars² per
    GPU-hour².
    """

    months: int
    losses: Mapping[str, float]
    spa_p_value: float | None = None
    set_p_values: Mapping[str, float] | None = None
    reason: str | None = None

    @property
    def in_set(self) -> tuple[str, ...]:
        """Names that can't be told from the best one; empty where nothing was compared."""
        return tuple(name for name, p in (self.set_p_values or {}).items() if p > SET_SIZE)

    @property
    def best(self) -> str | None:
        """The name with the least loss."""
        return min(self.losses, key=lambda name: self.losses[name]) if self.losses else None

    def to_json(self) -> dict[str, Any]:
        """The comparison with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "months": self.months,
            "losses": dict(self.losses),
            "best": self.best,
            "spa_p_value": self.spa_p_value,
            "set_p_values": None if self.set_p_values is None else dict(self.set_p_values),
            "in_set": list(self.in_set),
            "set_size": SET_SIZE,
            "repetitions": REPETITIONS,
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values


def compare_methods(
    unhedged: NDArray[np.float64], hedged: Mapping[str, NDArray[np.float64]]
) -> MethodComparison | Refusal:
    """Compare hedged changes by name, each over the same months as ``unhedged``, in dollars per GPU-hour.

    Refused below 12 months, and where nothing was hedged. Methods whose losses are the same every month, to
    a thousandth, are compared once and answered alike: a rounding is no difference to be found significant.
    """
    import numpy as np

    n = len(unhedged)
    if n < FEWEST_MONTHS:
        return Refusal("too_short", f"{n} unseen months, {FEWEST_MONTHS} needed to compare methods")
    if not hedged:
        return Refusal("no_methods", "no method has a walk-forward ratio, so there is nothing to compare")
    changes = {UNHEDGED: unhedged, **hedged}
    losses = {name: (each - each.mean()) ** 2 for name, each in changes.items()}
    means = {name: float(each.mean()) for name, each in losses.items()}
    twins: dict[str, str] = {}
    distinct: dict[str, NDArray[np.float64]] = {}
    for name, each in losses.items():
        same = next(
            (other for other, kept in distinct.items() if np.allclose(kept, each, rtol=SAME, atol=SAME**2)),
            None,
        )
        twins[name] = same or name
        if same is None:
            distinct[name] = each
    if len(distinct) < 2:
        return MethodComparison(
            months=n, losses=means, reason="every method left the rent as it was, so none can be told apart"
        )
    names = list(distinct)
    columns = np.column_stack([distinct[name] for name in names])
    p_values = _confidence_set(columns)
    return MethodComparison(
        months=n,
        losses=means,
        spa_p_value=_superior(columns[:, 0], columns[:, 1:]),
        set_p_values={name: p_values[names.index(twins[name])] for name in losses},
    )


def compare_on(changes: Changes, judged: Mapping[str, Effectiveness]) -> MethodComparison:
    """Compare judged methods on the unseen months of monthly changes; a refusal becomes a reason."""
    import numpy as np

    rent, reference = to_dollars(changes)
    unhedged = rent[LEARNING_CHANGES:]
    hedged = {
        name: unhedged - np.array(each.ratios) * reference[LEARNING_CHANGES:]
        for name, each in judged.items()
        if each.walk_forward is not None
    }
    found = compare_methods(unhedged, hedged)
    if isinstance(found, Refusal):
        return MethodComparison(months=len(unhedged), losses={}, reason=found.sentence)
    return found


def _superior(benchmark: NDArray[np.float64], models: NDArray[np.float64]) -> float:
    """The consistent p value of Hansen's test that nothing beats the benchmark."""
    from arch.bootstrap import SPA

    test = SPA(benchmark, models, block_size=MEAN_BLOCK, reps=REPETITIONS, seed=SEED)
    test.compute()
    return float(test.pvalues["consistent"])


def _confidence_set(losses: NDArray[np.float64]) -> list[float]:
    """The p value of each column of losses, in their order."""
    from arch.bootstrap import MCS

    found = MCS(losses, size=SET_SIZE, block_size=MEAN_BLOCK, reps=REPETITIONS, seed=SEED)
    found.compute()
    by_place = found.pvalues["Pvalue"]
    return [float(by_place.loc[place]) for place in range(losses.shape[1])]
