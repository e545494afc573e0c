"""F statistics of one split at every place: what Chow, Quandt–Andrews and Bai–Perron share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRIM = 0.15
"""Share of the sample that each side keeps (Andrews 1993)."""
LARGEST_F = 1e6
"""What stands for an F without bound: two sides without an error."""


def shortest_side(n: int, regressors: int, trim: float = TRIM) -> int:
    """``⌊trim·n⌋`` values, at least two more than coefficients, so that each side has an error to show."""
    return max(int(trim * n + 1e-9), regressors + 2)


def split_f_statistics(
    rent: NDArray[np.float64], reference: NDArray[np.float64] | None, side: int
) -> NDArray[np.float64]:
    """F of rent = a + b·reference (or = a) split before each place from ``side`` to n − ``side``.

    ``F = ((SSR − SSR₁ − SSR₂)/k) / ((SSR₁ + SSR₂)/(n − 2k))`` (Chow 1960), along the last axis. Sums
    are centred once, so that a level far from zero costs no figures. NaN where a side can't be fitted;
    ``LARGEST_F`` where both sides are fitted exactly, and at most that.
    """
    import numpy as np

    n = rent.shape[-1]
    y = rent - rent.mean(axis=-1, keepdims=True)
    k = 1 if reference is None else 2
    x = None if reference is None else reference - reference.mean(axis=-1, keepdims=True)
    ends = np.arange(side, n - side + 1)
    before = _squares_left(y, x, ends, backwards=False)
    after = _squares_left(y, x, n - ends, backwards=True)
    whole = _squares_left(y, x, np.array([n]), backwards=False)
    left = before + after
    scale = (y * y).sum(axis=-1, keepdims=True)
    tiny = left <= 1e-13 * scale
    gained = np.maximum(whole - left, 0.0) / k
    with np.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[np.float64] = gained / (np.where(tiny, 0.0, left) / (n - 2 * k))
    return np.minimum(found, LARGEST_F)


def _squares_left(
    y: NDArray[np.float64], x: NDArray[np.float64] | None, counts: NDArray[np.int64], *, backwards: bool
) -> NDArray[np.float64]:
    """Residual squares of the first (or last) ``counts`` values."""
    import numpy as np

    def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        ordered = values[..., ::-1] if backwards else values
        found: NDArray[np.float64] = np.cumsum(ordered, axis=-1)[..., counts - 1]
        return found

    sy, syy = sums(y), sums(y * y)
    if x is None:
        left: NDArray[np.float64] = syy - sy * sy / counts
        return np.maximum(left, 0.0)
    sx, sxx, sxy = sums(x), sums(x * x), sums(x * y)
    cxx = sxx - sx * sx / counts
    cxy = sxy - sx * sy / counts
    still = cxx <= 1e-13 * (x * x).sum(axis=-1, keepdims=True)
    explained = np.where(still, np.nan, cxy * cxy / np.where(still, 1.0, cxx))
    return np.maximum(syy - sy * sy / counts - explained, 0.0)
