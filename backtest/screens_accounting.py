"""Accounting screens of a hedge: cumulative dollar offset and a regression, at the lots really held.

They are *screens*: what practice looks at, not what a standard decides. ASC 815 (815-20-25) asks that a
hedge be "highly effective" and names no number; practice takes a dollar offset of 80 to 125 %, and a
regression with R² of at least 0.80, a slope within 0.80 to 1.25 and p under 0.05. IAS 39 (AG105) had 80 to
125 % as a bright line. IFRS 9 (6.4.1(c), B6.4.1 ff.) dropped it: there must be an economic relationship,
credit risk must not dominate it, and the hedge ratio must be the one really used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..records import MICROS_PER_USD
from .hedge_months import HedgeMonth
from .programme import ProgrammeMonth
from .sentences import Role

OFFSET_BETWEEN = (Fraction(4, 5), Fraction(5, 4))
LEAST_R_SQUARED = 0.80
MOST_P = 0.05
FEWEST_PERIODS = 30
"""Periods below which practice gives a regression no weight."""
WORDING = (
    "A screen, not a verdict of a standard. ASC 815 asks that a hedge be highly effective and names no number; "
    "practice takes 80 to 125 %. IAS 39 had 80 to 125 % as a bright line; IFRS 9 dropped it and asks for an economic "
    "relationship that credit risk does not dominate and a hedge ratio that is the one used."
)
"""What stands beside every screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetPeriod:
    """One month and everything up to it; offsets are futures gain over rent loss, None where the loss is 0."""

    month: str
    rent_change_micros: Fraction
    gain_micros: Fraction
    offset: Fraction | None
    cumulative: Fraction | None

    @property
    def passes(self) -> bool | None:
        """Whether the cumulative offset is within 80 to 125 %."""
        if self.cumulative is None:
            return None
        return OFFSET_BETWEEN[0] <= self.cumulative <= OFFSET_BETWEEN[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingScreens:
    """Both screens over the simulated months; None comes with a ``reason``.

    ``slope`` and ``r_squared`` are of rent changes on futures gains per GPU-hour at the lots held (a slope
    of 1 is a gain that matched the loss); ``p_value`` of the slope being 0 (Newey–West, as in the report).
    ``passes`` are None where the screen can't be applied.
    """

    periods: tuple[OffsetPeriod, ...]
    slope: float | None = None
    r_squared: float | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def offset_passes(self) -> bool | None:
        """Whether the cumulative offset ends within 80 to 125 %."""
        return self.periods[-1].passes if self.periods else None

    @property
    def regression_passes(self) -> bool | None:
        """Whether the regression meets every bound; None below 30 months."""
        if len(self.periods) < FEWEST_PERIODS or self.r_squared is None or self.slope is None:
            return None
        low, high = OFFSET_BETWEEN
        return (
            self.r_squared >= LEAST_R_SQUARED
            and low <= abs(self.slope) <= high
            and self.p_value is not None
            and self.p_value < MOST_P
        )

    def to_json(self) -> dict[str, Any]:
        """The screens with stable keys; ``reason`` stands beside a null."""
        last = self.periods[-1] if self.periods else None
        reasons = [] if self.reason is None else [self.reason]
        if last is not None and last.cumulative is None:
            reasons.append("the rent ended where it began, so there is nothing to offset")
        if 0 < len(self.periods) < FEWEST_PERIODS:
            reasons.append(f"{len(self.periods)} months, {FEWEST_PERIODS} needed for the regression screen")
        values: dict[str, Any] = {
            "months": len(self.periods),
            "wording": WORDING,
            "cumulative_offset": None if last is None else _number(last.cumulative),
            "offset_passes": self.offset_passes,
            "slope": self.slope,
            "r_squared": self.r_squared,
            "p_value": self.p_value,
            "regression_passes": self.regression_passes,
            "periods": [
                {
                    "month": each.month,
                    "offset": _number(each.offset),
                    "cumulative_offset": _number(each.cumulative),
                    "passes": each.passes,
                    "reason": None if each.offset is not None and each.cumulative is not None else _NOTHING,
                }
                for each in self.periods
            ],
        }
        if reasons:
            values["reason"] = "; ".join(reasons)
        return values


_NOTHING = "the rent did not change, so there is nothing to offset"


def accounting_screens(
    months: Sequence[HedgeMonth], programme: Sequence[ProgrammeMonth], role: Role
) -> AccountingScreens:
    """The screens over the months simulated, at entry prices as assumed or quoted (premium 0).

    A month's loss is its mean rent less the last rent before entry (a provider's: the other way round),
    its gain the futures P&L per GPU-hour rented at the lots held.
    """
    known: Mapping[str, HedgeMonth] = {each.month: each for each in months}
    sign = 1 if role == "buyer" else -1
    periods: list[OffsetPeriod] = []
    losses = gains = Fraction(0)
    for each in programme:
        loss = sign * known[each.month].rent_change
        gain = Fraction(each.pnl_rate_micros[0])
        losses, gains = losses + loss, gains + gain
        periods.append(
            OffsetPeriod(
                month=each.month,
                rent_change_micros=loss,
                gain_micros=gain,
                offset=None if loss == 0 else gain / loss,
                cumulative=None if losses == 0 else gains / losses,
            )
        )
    if not periods:
        return AccountingScreens(periods=(), reason="no month was simulated, so nothing was held to screen")
    return _with_regression(tuple(periods))


def _with_regression(periods: tuple[OffsetPeriod, ...]) -> AccountingScreens:
    import numpy as np

    if len(periods) < 4:
        return AccountingScreens(periods=periods, reason=f"{len(periods)} months, 4 needed for a line")
    gain = np.array([float(each.gain_micros / MICROS_PER_USD) for each in periods])
    loss = np.array([float(each.rent_change_micros / MICROS_PER_USD) for each in periods])
    if (gain == gain[0]).all():
        return AccountingScreens(periods=periods, reason="the futures gained the same every month")
    if (loss == loss[0]).all():
        return AccountingScreens(
            periods=periods, slope=0.0, reason="the rent lost the same every month, so R² is not defined"
        )
    from statsmodels.regression.linear_model import OLS

    from .intervals import newey_west_lag

    design = np.column_stack([np.ones_like(gain), gain])
    fitted = OLS(loss, design).fit(
        cov_type="HAC",
        cov_kwds={"maxlags": newey_west_lag(len(periods)), "use_correction": True},
        use_t=True,
    )
    p_value = float(fitted.pvalues[1])
    exact = not np.isfinite(p_value)
    return AccountingScreens(
        periods=periods,
        slope=float(fitted.params[1]),
        r_squared=float(fitted.rsquared),
        p_value=None if exact else p_value,
        reason="the line fits exactly, so its slope has no error" if exact else None,
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
