"""Recursive residuals: each change against the line through all changes before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...records import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REGRESSORS = 2
"""The intercept and the reference."""
EXACT = 1e-18
"""Errors whose squares are less than this share of the rent's are rounding."""


def recursive_residuals(
    rent: NDArray[np.float64], reference: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int] | Refusal:
    """Standardised one-step errors of rent = a + b·reference (Brown, Durbin & Evans 1975, eq. 2).

    Works along the last axis and begins with the third change, or later where the reference had not
    varied before. Returns the errors and the position of the first; centred updates (Welford 1962).
    """
    import numpy as np

    n = rent.shape[-1]
    moved = np.flatnonzero((np.diff(reference, axis=-1) != 0).reshape(-1, n - 1).all(axis=0))
    if len(moved) == 0:
        return Refusal("no_variation", "the reference did not vary")
    first = max(REGRESSORS, int(moved[0]) + 2)
    if n - first < REGRESSORS + 1:
        return Refusal("no_variation", f"the reference first moved {n - first} changes before the end")
    x, y = reference[..., :first], rent[..., :first]
    mean_x, mean_y = x.mean(axis=-1), y.mean(axis=-1)
    off = x - mean_x[..., None]
    sxx = (off * off).sum(axis=-1)
    sxy = (off * y).sum(axis=-1)
    errors = np.empty((*rent.shape[:-1], n - first))
    for place in range(first, n):
        off_x = reference[..., place] - mean_x
        slope = sxy / sxx
        expected = mean_y + slope * off_x
        errors[..., place - first] = (rent[..., place] - expected) / np.sqrt(
            1 + 1 / place + off_x * off_x / sxx
        )
        mean_x = mean_x + off_x / (place + 1)
        sxx = sxx + off_x * (reference[..., place] - mean_x)
        sxy = sxy + (reference[..., place] - mean_x) * (rent[..., place] - mean_y)
        mean_y = mean_y + (rent[..., place] - mean_y) / (place + 1)
    if errors.ndim == 1 and float((errors * errors).sum()) <= EXACT * float((rent * rent).sum()):
        return Refusal(
            "no_variation", "the rent follows the reference exactly, so there is no error to add up"
        )
    return errors, first
