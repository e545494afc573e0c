"""Stationary block bootstrap of the changes that really happened (Politis & Romano 1994).

Blocks start anywhere in the history, wrap around its end and have geometric lengths: each step goes
on to the next change with probability 1 − 1/b and starts a new block with 1/b. That is the law of
arch's ``StationaryBootstrap``; drawn here for many paths at once. The mean block length is arch's
``optimal_block_length`` (Politis & White 2004, corrected 2009) unless stated.
"""

from __future__ import annotations

import warnings

import numpy as np

from ...records import Refusal
from ..curve.series import FixingSeries, Floats, fitting_refusal
from .draws import Seed, generator

SHORTEST_BLOCK = 1.0


def bootstrap_changes(series: FixingSeries) -> Floats | Refusal:
    """The changes of the logarithm over single steps that a bootstrap draws from; those over gaps are left out."""
    refused = fitting_refusal(series, "the bootstrap")
    if refused is not None:
        return refused
    joined = np.diff(series.positions) == 1
    changes: Floats = np.diff(series.logs)[joined]
    return changes


def block_length(changes: Floats) -> float:
    """The mean block length that arch chooses for the stationary bootstrap, at least 1 and at most the history."""
    from arch.bootstrap import optimal_block_length

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # a history of ties divides by zero on its way and gets the shortest block
        found = float(optimal_block_length(changes)["stationary"].iloc[0])
    return min(max(found, SHORTEST_BLOCK), float(len(changes))) if np.isfinite(found) else SHORTEST_BLOCK


def simulate_bootstrap(
    changes: Floats, last_price: float, *, block: float, paths: int, days: int, seed: Seed
) -> Floats:
    """Prices in USD per GPU-hour, shape (days, paths), each a chain of blocks of actual changes.

    Raises ValueError for a mean block length below 1.
    """
    if not block >= 1:
        raise ValueError(f"a mean block length of {block} is not possible")
    random = generator(seed)
    count = len(changes)
    growth = np.exp(np.concatenate([changes, changes[:1]]))  # the wrap is read without a modulus
    restarts = random.random((days, paths)) < 1 / block
    starts = random.integers(0, count, (days, paths), dtype=np.int32)
    prices = np.empty((days, paths))
    place = starts[0]
    price = np.full(paths, float(last_price))
    factor = np.empty(paths)
    for day in range(days):
        if day:
            place += 1
            place[place == count] = 0
            np.copyto(place, starts[day], where=restarts[day])
        np.take(growth, place, out=factor)
        price *= factor
        prices[day] = price
    return prices
