"""Rolling ratios and R²: what each window of changes alone would have said, for every window at once.

Sums over windows are differences of cumulative sums, begun anew every ``BLOCK`` windows and centred on
the first value of each block: rounding can't pile up, price levels far from zero lose no figures, and no
value depends on a later one, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 256
"""Windows between two new beginnings: 1,024 would let a walk err by 1e-10, 256 costs no time and errs by 2e-12."""


@dataclass(frozen=True, slots=True)
class RollingFit:
    """Slope and R² of every full window, by its last element: length n − window + 1.

    A slope is NaN where the reference stands still within the window, an R² also where the rent does.
    """

    window: int
    ratios: NDArray[np.float64]
    r_squared: NDArray[np.float64]


def rolling_ratios(
    rent: NDArray[np.float64], reference: NDArray[np.float64], window: int
) -> NDArray[np.float64]:
    """The OLS slope, with an intercept, of every full window. Raises ValueError for a window below 2."""
    import numpy as np

    return np.concatenate(
        [_slopes(x, y, window)[0].ravel() for x, y in _blocks(rent, reference, window)] or [np.empty(0)]
    )


def rolling_fit(rent: NDArray[np.float64], reference: NDArray[np.float64], window: int) -> RollingFit:
    """Slope and R² of every full window. Raises ValueError for a window below 2."""
    import numpy as np

    ratios, shares = [np.empty(0)], [np.empty(0)]
    for x, y in _blocks(rent, reference, window):
        slopes, sxy = _slopes(x, y, window)
        spread = _spread(y, y, window)
        still = _still(y, window)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(still, np.nan, slopes * sxy / np.where(still, 1.0, spread))
        ratios.append(slopes.ravel())
        shares.append(np.clip(share, 0.0, 1.0).ravel())
    return RollingFit(window=window, ratios=np.concatenate(ratios), r_squared=np.concatenate(shares))


def _blocks(
    rent: NDArray[np.float64], reference: NDArray[np.float64], window: int
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """(reference, rent) cut into rows that give ``BLOCK`` windows each, and what is left over as one row."""
    import numpy as np

    if window < 2:
        raise ValueError(f"window is {window}; it must be at least 2")
    count = len(reference) - window + 1
    if count < 1:
        return []
    length = BLOCK + window - 1
    whole = count // BLOCK

    def cut(values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        rows = []
        if whole:
            rows.append(np.lib.stride_tricks.sliding_window_view(values, length)[: whole * BLOCK : BLOCK])
        if count % BLOCK:
            rows.append(values[None, whole * BLOCK :])
        return [row - row[:, :1] for row in rows]

    return list(zip(cut(reference), cut(rent), strict=True))


def _slopes(
    x: NDArray[np.float64], y: NDArray[np.float64], window: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slopes and centred cross products, row by row."""
    import numpy as np

    sum_x = _sums(x, window)
    cross = _sums(x * y, window) - sum_x * _sums(y, window) / window
    spread = _sums(x * x, window) - sum_x * sum_x / window
    still = _still(x, window)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: NDArray[np.float64] = cross / spread
    found[still] = np.nan
    return found, cross


def _spread(x: NDArray[np.float64], y: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    found: NDArray[np.float64] = _sums(x * y, window) - _sums(x, window) * _sums(y, window) / window
    return found


def _sums(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    import numpy as np

    running = np.cumsum(values, axis=1)
    sums = running[:, window - 1 :].copy()
    sums[:, 1:] -= running[:, :-window]
    return sums


def _still(values: NDArray[np.float64], window: int) -> NDArray[np.bool_]:
    """Where all values of a window are equal: exact, where a rounded spread could not tell."""
    import numpy as np

    steps = np.cumsum(values[:, 1:] != values[:, :-1], axis=1, dtype=np.int32)
    changes = steps[:, window - 2 :].copy()
    changes[:, 1:] -= steps[:, : -(window - 1)]
    found: NDArray[np.bool_] = changes == 0
    return found
