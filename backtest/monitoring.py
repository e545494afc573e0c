"""Monitoring: a running sum of the hedge's errors against a bound it should never cross."""

from __future__ import annotations

import math
from collections.abc import Sequence

REGRESSORS = 2


def first_crossing(
    rent: Sequence[float], reference: Sequence[float], training: int, boundary: float
) -> tuple[int, float] | None:
    """The first change at which the CUSUM crosses its bound, and how far as a multiple of it.

    Recursive residuals (Brown, Durbin & Evans 1975, eq. 2) from change ``training`` + 1 on, divided by
    the residual standard deviation of the training span; bound ``√m·√(t(a² + ln t))`` at t = n/m
    (Chu, Stinchcombe & White 1996, eq. 7). Training goes on until it leaves an error to measure by. None
    where the bound is never crossed. Each step reads only changes up to its own.
    """
    mean_x = mean_y = sxx = sxy = syy = 0.0
    total, trained = 0.0, training
    sigma: float | None = None
    for n, (y, x) in enumerate(zip(rent, reference, strict=True)):
        if n >= training and sigma is None:
            sigma, trained = _sigma(n, sxx, sxy, syy), n
        if sigma is not None:
            off = x - mean_x
            error = (y - mean_y - sxy / sxx * off) / math.sqrt(1 + 1 / n + off * off / sxx)
            total += error / sigma
            t = (n + 1) / trained
            bound = math.sqrt(trained) * math.sqrt(t * (boundary + math.log(t)))
            if abs(total) >= bound:
                return n, abs(total) / bound
        off_x, off_y = x - mean_x, y - mean_y
        mean_x += off_x / (n + 1)
        mean_y += off_y / (n + 1)
        sxx += off_x * (x - mean_x)
        sxy += off_x * (y - mean_y)
        syy += off_y * (y - mean_y)
    return None


def _sigma(n: int, sxx: float, sxy: float, syy: float) -> float | None:
    """The residual standard deviation of n changes; None where the line fits them exactly."""
    if sxx <= 0:
        return None
    left = syy - sxy * sxy / sxx
    return math.sqrt(left / (n - REGRESSORS)) if left > 1e-12 * syy else None
