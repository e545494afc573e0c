"""The ratio beside a pull back to a common level (Engle & Granger 1987; Ghosh 1993 for hedges)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from ..intervals import fixed_b_critical, fixed_b_truncation, long_run_sum
from .base import RatioMethod, require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MINIMUM = 24
SIZE = 0.05
EXACT = 1e-12


class ErrorCorrection(RatioMethod):
    """``ΔS_t = a + h·ΔF_t + γ·(S − α − δF)_{t−1} + φ·ΔS_{t−1} + ψ·ΔF_{t−1}``, in two steps.

    The levels are the changes added up; their unknown start is in α. Refused where rent and
    reference show no common level to return to (Engle–Granger at 5 %): then there is no error to
    correct, and OLS on changes is the model.
    """

    name: ClassVar[str] = "error-correction"
    label: ClassVar[str] = "error correction"
    minimum_changes: ClassVar[int] = MINIMUM
    interval_name: ClassVar[str] = "fixed-b, the common level held"
    reads_levels: ClassVar[bool] = True

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """h, the answer to the reference's present change."""
        found = _fit(rent_changes, reference_changes)
        return found if isinstance(found, Refusal) else found[0]

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The interval of h, with the common level held at its estimate (it converges faster)."""
        found = _fit(rent_changes, reference_changes)
        if isinstance(found, Refusal):
            return found
        ratio, error, n = found
        reach = fixed_b_critical(fixed_b_truncation(n) / n) * error
        return ratio - reach, ratio + reach


def _fit(rent: NDArray[np.float64], reference: NDArray[np.float64]) -> tuple[float, float, int] | Refusal:
    import numpy as np
    from statsmodels.regression.linear_model import OLS
    from statsmodels.tsa.stattools import coint

    missing = require(rent, reference, MINIMUM)
    if missing is not None:
        return missing
    if bool((rent == rent[0]).all()):
        return Refusal("constant_rent", "the rent did not vary, so there is no error to correct")
    levels = np.concatenate([[0.0], np.cumsum(rent)])
    reference_levels = np.concatenate([[0.0], np.cumsum(reference)])
    common = OLS(levels, np.column_stack([np.ones_like(levels), reference_levels])).fit()
    gap = common.resid
    if float(gap @ gap) <= EXACT * float(common.centered_tss):
        return float(common.params[1]), 0.0, len(rent)  # an exact line: nothing is left to correct
    p_value = float(coint(levels, reference_levels)[1])
    if not p_value < SIZE:
        return Refusal(
            "no_common_level",
            f"rent and reference show no common level to return to (Engle–Granger p {p_value:.2f})",
        )
    # Row t: the change t, the gap before it, and the changes before that.
    design = np.column_stack([np.ones(len(rent) - 1), reference[1:], gap[1:-1], rent[:-1], reference[:-1]])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return Refusal("collinear", "the reference moved too seldom to tell its lags from the gap")
    fitted = OLS(rent[1:], design).fit()
    n = len(rent) - 1
    influence = (design @ fitted.normalized_cov_params)[:, 1] * fitted.resid
    variance = float(long_run_sum(influence, fixed_b_truncation(n))) * n / (n - design.shape[1])
    return float(fitted.params[1]), float(np.sqrt(variance)), n
