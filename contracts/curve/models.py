"""What a fitted model says of later fixings: expectations day by day, and how much of spot reaches them.

Every expectation here is a model's. Fitted on fixings alone it is an expectation, not a price: the
premium a future carries over it is not identified, because GPU-hours can't be stored and no position
in them can be held against the future (no cash-and-carry).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np

from .series import FixingSeries, Floats

UNIDENTIFIED = "expectation, premium unidentified"
"""What a curve fitted on fixings alone is called wherever it is printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A parameter with its 95 % interval; an open end is None. ``unit`` says what it counts."""

    name: str
    value: float
    low: float | None
    high: float | None
    unit: str


class ForwardModel(Protocol):
    """A model fitted on the fixings known on one day."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""

    @property
    def label(self) -> str:
        """What it is and what it was fitted on."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Its parameters."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know before using it."""

    def expected(self, days: Sequence[date]) -> Floats:
        """Expected fixings in USD per GPU-hour on later days, shape (days,)."""

    def spot_delta(self, days: Sequence[date]) -> Floats:
        """How much of a move of the last fixing reaches the expectation of each later day, shape (days,)."""


@dataclass(frozen=True)
class FlatModel:
    """Every later fixing equals the last one known: a martingale, and the model to beat."""

    series: FixingSeries
    name: str = "flat"
    label: str = "flat: every later fixing equals the last one known"

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """It has none."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the last fixing rests on."""
        return ()

    def expected(self, days: Sequence[date]) -> Floats:
        """The last fixing, on every day."""
        return np.full(len(days), self.series.prices[-1])

    def spot_delta(self, days: Sequence[date]) -> Floats:
        """All of it."""
        return np.ones(len(days))


def weighted_mean(values: Floats, weights: Sequence[int]) -> float:
    """Σ w·v / Σ w of a month's days."""
    return float(np.average(values, weights=np.array(weights, dtype=np.float64)))
