"""Paths in a few numbers a day: the mean and the percentiles over paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..curve.series import Floats

PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class FanRow:
    """One day over all paths, USD per GPU-hour; None where the benchmark prints nothing that day."""

    mean: float | None
    percentiles: tuple[float, ...] | None


def fan(prices: Floats) -> tuple[FanRow, ...]:
    """Mean and 5/25/50/75/95 % over the paths of each day, from shape (days, paths)."""
    rows = []
    for row in prices:
        if np.isnan(row).any():  # a day without a print has none on any path
            rows.append(FanRow(None, None))
        else:
            rows.append(FanRow(float(row.mean()), tuple(float(v) for v in np.percentile(row, PERCENTILES))))
    return tuple(rows)
