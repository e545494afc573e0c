"""Regressions of rent changes on reference changes: how far the reference carries the rent.

Ordinary least squares with an intercept. Standard errors are Newey & West's (1987) with Bartlett
weights, lag ``max(1, ⌊4(n/100)^(2/9)⌋)`` (Newey & West 1994), a small-sample correction n/(n − 2),
and critical values of Student's t with n − 2 degrees of freedom.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ..records import MICROS_PER_USD
from .coverage_notes import coverage_note
from .intervals import CONFIDENCE, MINIMUM_FOR_INTERVAL, fixed_b_interval, newey_west_lag
from .series import ChangeKind, Changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MINIMUM_CHANGES = 4
"""A line with an intercept needs three changes; a fourth leaves one to be wrong about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One regression. Ratios are pure numbers; what can't be estimated is None with a ``reason``.

    ``share_unchanged`` is the fraction of rent changes that are exactly 0. ``influential_date`` is
    the later end of the change that moves the ratio most when it is dropped. ``fixed_b_low`` and
    ``fixed_b_high`` are a second 95 % interval, wider and truer on short histories.
    """

    kind: ChangeKind
    n: int
    lag: int | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    fixed_b_low: float | None = None
    fixed_b_high: float | None = None
    r_squared: float | None = None
    ratio_without_most_influential: float | None = None
    influential_date: date | None = None
    share_unchanged: float | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The regression with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "ratio": self.ratio,
            "ratio_low": self.ratio_low,
            "ratio_high": self.ratio_high,
            "ratio_coverage": self.coverage_of("Newey–West"),
            "ratio_low_fixed_b": self.fixed_b_low,
            "ratio_high_fixed_b": self.fixed_b_high,
            "fixed_b_coverage": self.coverage_of("fixed-b"),
            "r_squared": self.r_squared,
            "n": self.n,
            "hac_lag": self.lag,
            "ratio_without_most_influential": self.ratio_without_most_influential,
            "influential_date": None if self.influential_date is None else self.influential_date.isoformat(),
            "share_unchanged": self.share_unchanged,
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values

    def coverage_of(self, interval: str) -> str | None:
        """How often such an interval held the truth in the study; None where there is no interval."""
        low = self.fixed_b_low if interval == "fixed-b" else self.ratio_low
        return None if low is None else coverage_note("ratio", interval, self.n)


def to_dollars(changes: Changes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rent and reference changes as floating dollars per GPU-hour."""
    import numpy as np

    rent = np.array([float(change / MICROS_PER_USD) for change in changes.rent], dtype=np.float64)
    reference = np.array([float(change / MICROS_PER_USD) for change in changes.reference], dtype=np.float64)
    return rent, reference


def regress(changes: Changes) -> Regression:
    """Regress rent changes on reference changes; see the module for the method."""
    n = len(changes)
    unchanged = None if n == 0 else sum(change == 0 for change in changes.rent) / n
    if n < MINIMUM_CHANGES:
        reason = f"{n} {changes.kind} changes, {MINIMUM_CHANGES} needed"
        return Regression(kind=changes.kind, n=n, share_unchanged=unchanged, reason=reason)
    if len(set(changes.reference)) == 1:
        reason = "the reference changed by the same amount every time, so no ratio can be estimated"
        return Regression(kind=changes.kind, n=n, share_unchanged=unchanged, reason=reason)
    lag = newey_west_lag(n)
    without, influential = _without_most_influential(changes)
    reasons: list[str] = []
    if without is None:
        reasons.append(
            f"without {influential} the reference does not vary, so all rests on that change and has no interval"
        )
    if len(set(changes.rent)) == 1:
        # A rent that never moves has ratio 0 exactly; R² would be 0/0.
        reasons.insert(0, "the rent changed by the same amount every time, so R² is not defined")
        fit: tuple[float, float | None, float | None, float | None] = (0.0, None, None, None)
    else:
        fit = _fit(changes, lag)
        if without is None:
            # The one change is fitted exactly, and its error would come out as zero.
            fit = (fit[0], None, None, fit[3])
    fixed_b = (None, None) if fit[1] is None or n < MINIMUM_FOR_INTERVAL else _fixed_b(changes)
    if fit[1] is not None and n < MINIMUM_FOR_INTERVAL:
        reasons.append(f"{n} changes, {MINIMUM_FOR_INTERVAL} needed for a fixed-b interval")
    return Regression(
        kind=changes.kind,
        n=n,
        lag=lag,
        ratio=fit[0],
        ratio_low=fit[1],
        ratio_high=fit[2],
        fixed_b_low=fixed_b[0],
        fixed_b_high=fixed_b[1],
        r_squared=fit[3],
        ratio_without_most_influential=without,
        influential_date=influential,
        share_unchanged=unchanged,
        reason="; ".join(reasons) or None,
    )


def _fit(changes: Changes, lag: int) -> tuple[float, float, float, float]:
    import numpy as np
    from scipy.stats import t as student
    from statsmodels.regression.linear_model import OLS

    rent, reference = to_dollars(changes)
    design = np.column_stack([np.ones_like(reference), reference])
    result = OLS(rent, design).fit(
        cov_type="HAC", cov_kwds={"maxlags": lag, "use_correction": True}, use_t=True
    )
    ratio = float(result.params[1])
    # An exact fit can leave a variance a rounding below zero, where conf_int would take its root.
    variance = max(0.0, float(result.cov_params()[1][1]))
    reach = float(student.ppf((1 + CONFIDENCE) / 2, result.df_resid)) * math.sqrt(variance)
    return ratio, ratio - reach, ratio + reach, float(result.rsquared)


def _fixed_b(changes: Changes) -> tuple[float, float]:
    found = fixed_b_interval(*to_dollars(changes))
    return found.low, found.high


def _without_most_influential(changes: Changes) -> tuple[float | None, date]:
    """The ratio without the change whose absence moves it most, and that change's date.

    Exact fractions, so that equal moves tie exactly (the earliest wins) and a reference that only
    moved once is seen: without that change there is no ratio at all.
    """
    n = len(changes)
    rent_mean = sum(changes.rent) / n
    reference_mean = sum(changes.reference) / n
    rent = [float(each - rent_mean) for each in changes.rent]
    reference = [float(each - reference_mean) for each in changes.reference]
    sxx = math.fsum(each * each for each in reference)
    sxy = math.fsum(x * y for x, y in zip(reference, rent, strict=True))
    ratio = sxy / sxx
    moves = Counter(changes.reference)
    best: tuple[float, float, date] | None = None
    for number, (x, y) in enumerate(zip(reference, rent, strict=True)):
        if len(moves) == 2 and moves[changes.reference[number]] == 1:
            return None, changes.dates[number]
        # Leaving one out of a centred sum: Sxx − x²·n/(n − 1), Sxy likewise (Welford's downdate).
        shrunk = n / (n - 1)
        dropped = (sxy - x * y * shrunk) / (sxx - x * x * shrunk)
        moved = abs(dropped - ratio)
        if best is None or moved > best[0]:
            best = (moved, dropped, changes.dates[number])
    assert best is not None
    return best[1], best[2]
