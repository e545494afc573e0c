"""What the models of changing variances share: the scalar recursion, its search, the resampled target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..bootstrap import percentile, stationary_indices
from ..intervals import BOOTSTRAP_T_DRAWS, CONFIDENCE, block_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PERSISTENT = 0.9995
GRID_PERSISTENCE = (0.2, 0.6, 0.9, 0.97, 0.99)
GRID_SHARE = (0.02, 0.05, 0.15, 0.4)
"""Where the search for (a, b) starts: by a + b and by a / (a + b)."""


def filtered(
    products: NDArray[np.float64], target: NDArray[np.float64], a: float, b: float
) -> NDArray[np.float64]:
    """``M_t = (1 − a − b)·target + a·products_{t−1} + b·M_{t−1}`` from ``M_1 = target``.

    ``products`` has shape (n, 3): first squares, second squares, cross products. The answer has
    shape (n + 1, 3); its last row is the forecast after the last product.
    """
    import numpy as np
    from scipy.signal import lfilter

    start = target[None, :]
    pushed = np.concatenate([start, (1 - a - b) * target + a * products])
    # y_t = x_t + b·y_{t−1}, along time, with y_1 = target.
    found: NDArray[np.float64] = lfilter([1.0], [1.0, -b], pushed, axis=0)
    return found


def weight_of_target(n: int, a: float, b: float) -> float:
    """The weight of the target in the forecast: it enters ``filtered`` in a straight line."""
    return (1 - a - b) * (1 - b**n) / (1 - b) + b**n


def best_persistence(loss: Callable[[float, float], float]) -> tuple[float, float] | None:
    """(a, b) with the least loss over a ≥ 0, b ≥ 0, a + b < 1; None where the search did not settle.

    Searched over persistence a + b and the share of a in it, from the best point of a small grid.
    """
    import numpy as np
    from scipy.optimize import minimize

    def at(point: NDArray[np.float64]) -> float:
        persistence, share = float(point[0]), float(point[1])
        return loss(persistence * share, persistence * (1 - share))

    grid = [np.array([p, s]) for p in GRID_PERSISTENCE for s in GRID_SHARE]
    start = min(grid, key=at)
    found = minimize(
        at,
        start,
        method="Nelder-Mead",
        bounds=[(0.0, MOST_PERSISTENT), (0.0, 1.0)],
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 600},
    )
    if not found.success:
        return None
    persistence, share = float(found.x[0]), float(found.x[1])
    return persistence * share, persistence * (1 - share)


def resampled_targets(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of the products over stationary-bootstrap draws, shape (draws, 3)."""
    n = len(products)
    drawn = stationary_indices(n, draws=BOOTSTRAP_T_DRAWS, mean_block=block_length(n))
    found: NDArray[np.float64] = products[drawn].mean(axis=1)
    return found


def percentile_ends(ratios: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % percentile interval of resampled ratios."""
    import numpy as np

    ordered = np.sort(ratios)
    tail = (1 - CONFIDENCE) / 2
    return percentile(ordered, tail), percentile(ordered, 1 - tail)
