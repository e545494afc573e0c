"""The spline is Steffen's with d3's ends: hand values, monotone between its knots, never outside them."""

from __future__ import annotations

import math
import random
from fractions import Fraction as F
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import linear, log_linear, steffen, steffen_slopes

HAND_CASES = {
    # x = 0, 1, 3; y = 0, 2, 3: h = 1, 2; s = 2, 1/2; p₁ = (2·2 + ½·1)/3 = 3/2, so m₁ = 2·min(2, ½, ¾) = 1;
    # d3's ends m₀ = (3·2 − 1)/2 = 5/2 and m₂ = (3·½ − 1)/2 = 1/4
    "ends as d3 draws them": (
        [0, 1, 3],
        [0, 2, 3],
        [F(5, 2), 1, F(1, 4)],
        {F(1, 2): F(19, 16), F(2): F(43, 16)},
    ),
    # x = 0, 1, 2, 4; y = 0, 1, 3, 3: s = 1, 2, 0; p₁ = 3/2, half of it limits: m₁ = 2·¾; the flat chord makes m₂ = 0
    "interior slopes as Steffen limits them": (
        [0, 1, 2, 4],
        [0, 1, 3, 3],
        [F(3, 4), F(3, 2), 0, 0],
        {F(1, 2): F(13, 32), F(3, 2): F(35, 16), F(3): F(3)},
    ),
    "two knots are the chord": (
        [10, 30],
        [8, 2],
        [F(-3, 10)] * 2,
        {F(15): F(13, 2), F(10): F(8), F(30): F(2)},
    ),
    # a peak: the slope there is 0, and m₀ = 3·2/2 = 3
    "a peak stays the highest point": ([0, 1, 2], [0, 2, 1], [3, 0, F(-3, 2)], {F(1): F(2)}),
}


@pytest.mark.parametrize(("x", "y", "slopes", "values"), HAND_CASES.values(), ids=HAND_CASES)
def test_the_spline_has_the_values_worked_by_hand(x, y, slopes, values):
    exact_x, exact_y = [F(v) for v in x], [F(v) for v in y]
    assert steffen_slopes(exact_x, exact_y) == slopes
    for at, value in values.items():
        assert steffen(exact_x, exact_y, at) == value
        assert steffen([float(v) for v in x], [float(v) for v in y], float(at)) == pytest.approx(float(value))


def test_the_spline_is_monotone_and_inside_its_knots_on_ten_thousand_random_frontiers():
    draw = random.Random(4)
    for _ in range(10_000):
        knots = draw.randint(2, 8)
        x = sorted(draw.sample(range(1, 200), knots))
        y = sorted(
            (draw.choice((0.25, 1, 40, 400)) * draw.randint(1, 400) for _ in range(knots)), reverse=True
        )
        places = sorted({*(x[0] + (x[-1] - x[0]) * step / 16 for step in range(17)), *x})
        values = [steffen(x, y, at) for at in places]
        slack = 1e-9 * y[0]
        assert all(after <= before + slack for before, after in pairwise(values))
        assert y[-1] <= min(values)
        assert max(values) <= y[0]


GRID = st.integers(-40, 40).map(lambda quarter: quarter / 4)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_curve_leaves_the_two_knots_around_it_whatever_their_shape(data):
    x = sorted(data.draw(st.lists(GRID, min_size=2, max_size=7, unique=True)))
    y = data.draw(st.lists(GRID, min_size=len(x), max_size=len(x)))
    left = data.draw(st.integers(0, len(x) - 2))
    at = x[left] + (x[left + 1] - x[left]) * data.draw(st.integers(0, 8)) / 8
    low, high = min(y[left], y[left + 1]), max(y[left], y[left + 1])
    for read in (steffen, linear):
        assert low - 1e-12 <= read(x, y, at) <= high + 1e-12
    for place, value in zip(x, y, strict=True):
        assert steffen(x, y, place) == linear(x, y, place) == value


def test_the_chord_and_the_chord_of_logarithms():
    assert linear([0, 10], [100, 200], 2.5) == 125
    assert log_linear([0, 2], [100, 400], 1) == pytest.approx(200)
    assert log_linear([0, 1, 3], [8, 4, 1], 2) == pytest.approx(math.sqrt(4))


@pytest.mark.parametrize("read", [steffen, linear, log_linear])
def test_nothing_is_read_outside_the_knots(read):
    for at in (0.999, 3.001):
        with pytest.raises(ValueError, match="outside the knots"):
            read([1, 2, 3], [3, 2, 1], at)


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([1], [1], "needs two knots"),
        ([1, 2], [1], "are not one curve"),
        ([2, 1], [1, 2], "must increase"),
        ([1, 1], [1, 2], "must increase"),
    ],
)
def test_what_is_no_curve_is_said(x, y, said):
    with pytest.raises(ValueError, match=said):
        steffen_slopes(x, y)


def test_a_logarithm_of_zero_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        log_linear([1, 2], [1, 0], 1.5)
