"""Critical values at 5 %, each with where it comes from: a publication, or our own simulation at that n.

The simulation is ``proof/breaks_size.py``: the test's own code on its own null, quantiles kept in
``simulated.py`` with seed and runs. Between two simulated n the value is taken on the line in 1/n.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from .simulated import CRITICAL, CRITICAL_SEED, CRITICAL_SIMULATED_ON


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical value at 5 % and its source in words."""

    value: float
    source: str


def simulated_critical(table: str, n: int) -> Critical:
    """The simulated value of ``table`` at n; beyond the largest simulated n, that one's."""
    points = CRITICAL[table]
    sizes = sorted(points)
    place = bisect_left(sizes, n)
    if place == len(sizes):
        value, at = points[sizes[-1]], f"n = {sizes[-1]}"
    elif sizes[place] == n or place == 0:
        value, at = points[sizes[place]], f"n = {sizes[place]}"
    else:
        below, above = sizes[place - 1], sizes[place]
        share = (1 / n - 1 / above) / (1 / below - 1 / above)
        value = points[above] + share * (points[below] - points[above])
        at = f"n = {below} and {above}"
    return Critical(
        value, f"simulated at {at} (proof/breaks_size.py, seed {CRITICAL_SEED}, {CRITICAL_SIMULATED_ON})"
    )
