"""Lag betas for a rent that follows late (Dimson 1979): what the reference did before still counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal
from ..intervals import fixed_b_critical, fixed_b_truncation, long_run_sum
from .base import RatioMethod, require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAGS = 2
MINIMUM = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class LagBetas:
    """``betas[k]`` is what a rent answers k changes after the reference moved, in dollars per dollar.

    ``lead`` and ``lead_t`` are the answer *before* it moved and its t statistic, from a regression
    of their own: diagnostics only, a hint that the clocks of the two series are apart.
    """

    betas: tuple[float, ...]
    total: float
    low: float
    high: float
    lead: float
    lead_t: float


class Dimson(RatioMethod):
    """The sum of betas on the reference's present and last two changes (Dimson 1979, eq. 2, lags only)."""

    name: ClassVar[str] = "dimson"
    label: ClassVar[str] = f"Dimson, {LAGS} lags"
    minimum_changes: ClassVar[int] = MINIMUM
    interval_name: ClassVar[str] = "fixed-b, of the sum of betas"

    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The sum of the lag betas; refused below 24 changes or where lags can't be told apart."""
        found = lag_betas(rent_changes, reference_changes)
        return found if isinstance(found, Refusal) else found.total

    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The interval of the sum."""
        found = lag_betas(rent_changes, reference_changes)
        return found if isinstance(found, Refusal) else (found.low, found.high)

    def weights(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, ...] | Refusal:
        """The lag betas: month m holds ``Σ_k β_k · hours_{m+k}``."""
        found = lag_betas(rent_changes, reference_changes)
        return found if isinstance(found, Refusal) else found.betas


def lag_betas(
    rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64], lags: int = LAGS
) -> LagBetas | Refusal:
    """Regress rent changes on the reference's present and ``lags`` earlier changes, with an intercept."""
    missing = require(rent_changes, reference_changes, MINIMUM)
    if missing is not None:
        return missing
    plain = _fit(rent_changes, reference_changes, lags, leads=0)
    leading = _fit(rent_changes, reference_changes, lags, leads=1)
    if plain is None or leading is None:
        return Refusal("collinear", "the reference moved too seldom to tell its lags apart")
    coefficients, total, error, n = plain
    reach = fixed_b_critical(fixed_b_truncation(n) / n) * error
    lead, lead_error = leading[0][-1], leading[2]
    return LagBetas(
        betas=coefficients,
        total=total,
        low=total - reach,
        high=total + reach,
        lead=lead,
        lead_t=lead / lead_error if lead_error > 0 else 0.0,
    )


def _fit(
    rent: NDArray[np.float64], reference: NDArray[np.float64], lags: int, *, leads: int
) -> tuple[tuple[float, ...], float, float, int] | None:
    """Betas by lag (a lead comes last), their sum, the error of the sum (with a lead: of the lead), n.

    None where the columns are not independent.
    """
    import numpy as np

    n = len(rent) - lags - leads
    columns = [reference[lags - lag : lags - lag + n] for lag in range(lags + 1)]
    columns += [reference[lags + lead : lags + lead + n] for lead in range(1, leads + 1)]
    x = np.column_stack(columns)
    x = x - x.mean(axis=0)
    y = rent[lags : lags + n] - rent[lags : lags + n].mean()
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    inverse = np.linalg.inv(x.T @ x)
    betas = inverse @ x.T @ y
    wanted = np.zeros(x.shape[1])
    wanted[-1 if leads else slice(None)] = 1.0
    # The variance of a linear combination is the long-run variance of the combination of its scores.
    scores = (x @ inverse @ wanted) * (y - x @ betas)
    error = float(np.sqrt(long_run_sum(scores, fixed_b_truncation(n)) * n / (n - x.shape[1] - 1)))
    return tuple(float(each) for each in betas), float(betas[: lags + 1].sum()), error, n


def dimson_hours(betas: tuple[float, ...], hours_by_month: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """GPU-hours to hold in each month m: ``Σ_k β_k · hours_{m+k}``, signed as the hours are.

    Months are keys such as ``2026-08``. The rent of month m + k answers month m's reference with β_k,
    so the futures of month m carry it. A month beyond the known ones has no hours to hedge.
    """
    weights = [Fraction(beta) for beta in betas]
    found: dict[str, Fraction] = {}
    for month in hours_by_month:
        year, number = (int(part) for part in month.split("-"))
        total = Fraction(0)
        for lag, weight in enumerate(weights):
            later = year * 12 + number - 1 + lag
            total += weight * hours_by_month.get(f"{later // 12}-{later % 12 + 1:02d}", Fraction(0))
        found[month] = total
    return found
