"""Percentiles of the weight, published beside a weighted median."""

from __future__ import annotations

from typing import Any

from ...records import format_micros
from .base import Slate, weighted_quantile

PERCENTILES = (1, 25, 75, 99)
"""Those that the Federal Reserve Bank of New York publishes beside the SOFR."""


def percentiles_beside(slate: Slate) -> dict[str, Any]:
    """The 1st, 25th, 75th and 99th percentiles of the weight, each a price that stands among the votes."""
    found = {
        str(percent): format_micros(weighted_quantile(slate.prices, slate.weights, percent, 100))
        for percent in PERCENTILES
    }
    return {"percentiles": found}
