"""Three readings of a curve between its knots: Steffen's monotone spline, the chord, the chord of logarithms.

All take knots with strictly increasing ``x``. They are plain arithmetic on whatever numbers come in, so
that exact fractions go through unrounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise


def steffen_slopes(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """Slopes at the knots of a piecewise cubic that never leaves the range of neighbouring knots.

    Interior: Steffen (1990), "A simple method for monotonic interpolation in one dimension", Astronomy &
    Astrophysics 239, 443, equation 11 with the parabola's slope of equation 8. Ends: not Steffen's own but
    those of d3-shape's ``curveMonotoneX``, m₀ = (3s₀ − m₁)/2 and its mirror, which is what serving
    benchmark dashboards draw. Two knots give the chord. Raises ValueError for fewer than two knots, for
    lengths that differ and for ``x`` that does not increase.
    """
    _check(x, y)
    widths = [right - left for left, right in pairwise(x)]
    chords = [(above - below) / width for (below, above), width in zip(pairwise(y), widths, strict=True)]
    if len(chords) == 1:
        return [chords[0], chords[0]]
    inner = [
        _inner_slope(before, after, width, following)
        for (before, after), (width, following) in zip(pairwise(chords), pairwise(widths), strict=True)
    ]
    return [(3 * chords[0] - inner[0]) / 2, *inner, (3 * chords[-1] - inner[-1]) / 2]


def _inner_slope(before: float, after: float, width: float, following: float) -> float:
    parabola = (before * following + after * width) / (width + following)
    return (_sign(before) + _sign(after)) * min(abs(before), abs(after), abs(parabola) / 2)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def steffen(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """The spline's value at ``at``. Raises ValueError outside the knots' range."""
    slopes = steffen_slopes(x, y)
    left = _segment(x, at)
    width = x[left + 1] - x[left]
    t = (at - x[left]) / width
    value = (
        (2 * t**3 - 3 * t**2 + 1) * y[left]
        + (t**3 - 2 * t**2 + t) * width * slopes[left]
        + (3 * t**2 - 2 * t**3) * y[left + 1]
        + (t**3 - t**2) * width * slopes[left + 1]
    )
    # the curve stays between its knots; what is outside by a rounding of floats is put back
    return min(max(value, min(y[left], y[left + 1])), max(y[left], y[left + 1]))


def linear(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """The chord's value at ``at``. Raises ValueError outside the knots' range."""
    _check(x, y)
    left = _segment(x, at)
    return y[left] + (y[left + 1] - y[left]) * ((at - x[left]) / (x[left + 1] - x[left]))


def log_linear(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """The value on the chord of ln y. Raises ValueError outside the range and for y ≤ 0."""
    if min(y) <= 0:
        raise ValueError(f"log_linear needs values above 0, not {min(y)}")
    return math.exp(linear(x, [math.log(value) for value in y], at))


def _segment(x: Sequence[float], at: float) -> int:
    """Index of the knot at the left of ``at``; the last segment is closed."""
    if not x[0] <= at <= x[-1]:
        raise ValueError(f"{at} is outside the knots, {x[0]} to {x[-1]}")
    return max(i for i in range(len(x) - 1) if x[i] <= at)


def _check(x: Sequence[float], y: Sequence[float]) -> None:
    if len(x) != len(y):
        raise ValueError(f"{len(x)} places and {len(y)} values are not one curve")
    if len(x) < 2:
        raise ValueError(f"a curve needs two knots or more, not {len(x)}")
    if any(right <= left for left, right in pairwise(x)):
        raise ValueError("the places of the knots must increase")
