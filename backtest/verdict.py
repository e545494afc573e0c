"""The verdict on whether this hedge would have covered the rent.

Decided from the interval of walk-forward effectiveness, never from a fit to the past it judges.
"Too short" and "nothing to hedge" are answers, not failures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .effectiveness import MINIMUM_CHANGES, Effectiveness
from .regressions import Regression

VerdictName = Literal["covers", "partly", "not shown", "made it worse", "too short", "nothing to hedge"]

COVERS_FROM = 0.5
MINIMUM_R_SQUARED = 0.2


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict and, where a rule beyond the interval decided it, that rule in words."""

    name: VerdictName
    because: str | None = None


def decide(
    judged: Effectiveness, monthly: Regression, *, monthly_change_count: int, rent_is_constant: bool
) -> Verdict:
    """Apply the rules of the verdict, in this order.

    A constant rent has *nothing to hedge*; fewer than 36 monthly changes (24 to learn, 12 to judge)
    are *too short*. Then the 95 % interval of walk-forward effectiveness: lower end ≥ 0.5 *covers*,
    lower end > 0 *partly*, upper end < 0 *made it worse*, else *not shown*. A monthly in-sample R²
    under 0.2 turns *covers* and *partly* into *not shown*.
    """
    if rent_is_constant:
        return Verdict("nothing to hedge")
    if monthly_change_count < MINIMUM_CHANGES:
        return Verdict("too short")
    low, high = judged.walk_forward_low, judged.walk_forward_high
    if low is None or high is None:
        return Verdict("not shown", judged.reason)
    if high < 0:
        return Verdict("made it worse")
    if low <= 0:
        return Verdict("not shown")
    if monthly.r_squared is None or monthly.r_squared < MINIMUM_R_SQUARED:
        shown = "not defined" if monthly.r_squared is None else f"{monthly.r_squared:.2f}"
        return Verdict("not shown", f"its monthly R² is {shown}, and {MINIMUM_R_SQUARED} is needed")
    return Verdict("covers" if low >= COVERS_FROM else "partly")
