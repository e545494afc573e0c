"""The stationary bootstrap (Politis & Romano 1994): resampling months in blocks of random length.

The same draws, in the same order, as ``arch.bootstrap.StationaryBootstrap`` with an integer seed
(a test holds them equal), but evaluated for all draws at once and without that library's second of
import time.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEAN_BLOCK = 3
DRAWS = 10_000
SEED = 1


@lru_cache(maxsize=8)
def stationary_indices(
    n: int, *, draws: int = DRAWS, mean_block: int = MEAN_BLOCK, seed: int = SEED
) -> NDArray[np.int64]:
    """Draws of ``n`` positions each, shape (draws, n).

    A block starts anywhere with equal chance, goes on with probability 1 − 1/``mean_block``, and
    wraps around at the end. The answer is kept and can't be written to: every method is judged on
    the same draws.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    starts = np.empty((draws, n), dtype=np.int64)
    chances = np.empty((draws, n), dtype=np.float64)
    for draw in range(draws):
        starts[draw] = generator.integers(n, size=n)
        chances[draw] = generator.random(n)
    for position in range(1, n):
        goes_on = chances[:, position] > 1 / mean_block
        starts[:, position] = np.where(goes_on, (starts[:, position - 1] + 1) % n, starts[:, position])
    starts.setflags(write=False)
    return starts


def percentile(ordered: NDArray[np.float64], share: float) -> float:
    """Linear interpolation over ascending values (Hyndman & Fan 1996, definition 7).

    Unlike numpy's, it stays infinite, not NaN, where the values are.
    """
    position = (len(ordered) - 1) * share
    low = math.floor(position)
    part = position - low
    below = float(ordered[low])
    if part == 0 or not math.isfinite(below):
        return below
    return below + part * (float(ordered[low + 1]) - below)
