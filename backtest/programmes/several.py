"""Ratios of several instruments at once: least squares of rent changes on all their price changes.

``ΔS = α + Σ_i h_i ΔF_i + ε`` minimises the variance of the hedged change over all positions (Anderson
and Danthine 1981, "Cross hedging"). Instruments that move together can't be told apart: their ratios
would be large, of opposite signs and without meaning, so they are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...records import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_INFLATION = 10.0
"""Variance inflation above which a coefficient is not estimated (Marquardt 1970)."""


def several_ratios(
    names: Sequence[str], rent_changes: NDArray[np.float64], price_changes: NDArray[np.float64]
) -> tuple[float, ...] | Refusal:
    """The ratio of each instrument, in order; ``price_changes`` has shape (months, instruments), in dollars.

    Refused where one instrument did not vary, where there are too few months for a ratio each, or where
    one is explained by the others so far that its variance is inflated more than tenfold.
    """
    import numpy as np

    months, count = price_changes.shape
    if months < count + 3:
        return Refusal("too_short", f"{months} months known, {count + 3} needed for {count} instruments")
    still = [name for name, column in zip(names, price_changes.T, strict=True) if (column == column[0]).all()]
    if still:
        return Refusal("constant_reference", f"{still[0]} did not vary, so no ratio can be estimated")
    inflation = variance_inflation(price_changes)
    worst = int(np.argmax(inflation))
    if not inflation[worst] <= MOST_INFLATION:
        others = " and ".join(name for name in names if name != names[worst])
        how = f"{inflation[worst]:,.0f} times" if np.isfinite(inflation[worst]) else "without bound"
        return Refusal(
            "collinear",
            f"{names[worst]} moves with {others}: the variance of its ratio is inflated {how}, at most "
            f"{MOST_INFLATION:.0f} times is allowed; name one of them",
        )
    centred = price_changes - price_changes.mean(axis=0)
    found, *_ = np.linalg.lstsq(centred, rent_changes - rent_changes.mean(), rcond=None)
    return tuple(float(each) for each in found)


def variance_inflation(price_changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """``1 / (1 − R_i²)`` of each column regressed on the others; infinite where they explain it wholly.

    The diagonal of the inverse of the correlation matrix (Belsley, Kuh and Welsch 1980).
    """
    import numpy as np

    count = price_changes.shape[1]
    correlation = np.asarray(np.corrcoef(price_changes, rowvar=False)).reshape(count, count)
    if np.linalg.matrix_rank(correlation, tol=1e-12) < count:
        return np.full(count, np.inf)
    inflation: NDArray[np.float64] = np.diag(np.linalg.inv(correlation)).copy()
    return inflation
