"""A ratio is what the data say it is, with an interval that allows for autocorrelation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rentmark.backtest import regress
from rentmark.backtest.regressions import newey_west_lag
from scipy import stats

from .making import make_changes, wander

# Hull, Options, Futures, and Other Derivatives, minimum-variance hedge ratio: monthly changes of the
# price of jet fuel (ΔS) and of the heating oil futures (ΔF), as the table prints them.
HULL_FUTURES = "21 35 -46 1 44 -29 -26 -29 48 -6 -36 -11 19 -27 29"
HULL_SPOT = "29 20 -44 8 26 -19 -10 -7 43 11 -36 -18 9 -32 23"


def from_table(text):
    return [Fraction(int(each) * 1000) for each in text.split()]


def test_hulls_jet_fuel_hedge_is_reproduced():
    found = regress(make_changes(from_table(HULL_SPOT), from_table(HULL_FUTURES)))
    # Golden: Hull's table, to four decimals as recomputed from it: ratio .7777, correlation .9284, R² .8619.
    # (The book prints .778 and .928 from the same rounded changes.)
    assert found.ratio == pytest.approx(0.7777, abs=5e-5)
    assert math.sqrt(found.r_squared) == pytest.approx(0.9284, abs=5e-5)
    assert found.r_squared == pytest.approx(0.8619, abs=5e-5)
    assert found.n == 15


@pytest.mark.parametrize(("n", "lag"), [(4, 1), (14, 2), (38, 3), (100, 4), (188, 4), (500, 5)])
def test_the_lag_follows_newey_and_west(n, lag):
    assert newey_west_lag(n) == lag


def test_the_interval_is_newey_west_written_out():
    """Bartlett weights, n/(n − 2), Student's t: the textbook sums, without a library."""
    rent = np.diff(np.array(wander(61, seed=3))) / 1e6
    reference = np.diff(np.array(wander(61, seed=5))) / 1e6
    n, lag = len(rent), newey_west_lag(len(rent))
    design = np.column_stack([np.ones(n), reference])
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ rent
    scores = design * (rent - design @ beta)[:, None]
    meat = scores.T @ scores
    for shift in range(1, lag + 1):
        cross = scores[shift:].T @ scores[:-shift]
        meat += (1 - shift / (lag + 1)) * (cross + cross.T)
    error = math.sqrt((bread @ meat @ bread * n / (n - 2))[1, 1])
    reach = stats.t.ppf(0.975, n - 2) * error
    found = regress(make_changes([round(x * 1e6) for x in rent], [round(x * 1e6) for x in reference]))
    assert found.ratio == pytest.approx(beta[1])
    assert (found.ratio_low, found.ratio_high) == (
        pytest.approx(beta[1] - reach),
        pytest.approx(beta[1] + reach),
    )


def test_a_known_ratio_is_found():
    reference = [250_000, -500_000, 750_000, 250_000, -250_000, 1_000_000]
    found = regress(make_changes([each // 2 + 100_000 for each in reference], reference))
    assert found.ratio == pytest.approx(0.5)
    assert found.r_squared == pytest.approx(1.0)
    assert found.share_unchanged == 0.0


def test_the_change_that_carries_the_ratio_is_named():
    changes = make_changes(
        [0, 0, 1_000_000, 0, 0, 250_000], [250_000, -250_000, 2_000_000, 250_000, -250_000, 0]
    )
    found = regress(changes)
    assert found.influential_date == changes.dates[2]
    keep = [0, 1, 3, 4, 5]
    slope = np.polyfit([0.25, -0.25, 0.25, -0.25, 0.0], [0, 0, 0, 0, 0.25], 1)[0]
    assert len(keep) == 5
    assert found.ratio_without_most_influential == pytest.approx(slope, abs=1e-9)
    assert found.share_unchanged == pytest.approx(4 / 6)


def test_a_reference_that_moved_once_leaves_nothing_without_that_change():
    found = regress(make_changes([0, 500_000, 0, 0], [0, 1_000_000, 0, 0]))
    assert found.ratio == pytest.approx(0.5)
    assert found.ratio_without_most_influential is None
    assert (found.ratio_low, found.ratio_high) == (None, None)
    assert "does not vary" in found.reason


def test_a_constant_reference_has_no_ratio_and_says_why():
    found = regress(make_changes([1, 2, 3, 4, 5], [7, 7, 7, 7, 7]))
    assert (found.ratio, found.ratio_low, found.r_squared) == (None, None, None)
    assert found.share_unchanged == 0.0
    assert "reference" in found.reason
    assert found.to_json()["reason"] == found.reason


def test_a_constant_rent_has_ratio_zero_and_no_r_squared():
    found = regress(make_changes([0] * 6, [1, 2, 3, 5, 8, 13]))
    assert (found.ratio, found.r_squared, found.share_unchanged) == (0.0, None, 1.0)
    assert found.ratio_without_most_influential == 0.0
    assert "R²" in found.reason


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_changes_are_refused(n):
    found = regress(make_changes(list(range(n)), list(range(n))))
    assert (found.ratio, found.n) == (None, n)
    assert f"{n} monthly changes" in found.reason


GRID = st.integers(-6, 6).map(lambda quarter: quarter * 250_000)
PAIRS = st.lists(st.tuples(GRID, GRID), min_size=5, max_size=30)


@given(PAIRS, st.sampled_from([2, 3, -1, -4]))
def test_scaling_the_rent_scales_the_ratio_and_leaves_r_squared(pairs, factor):
    rent, reference = [a for a, _ in pairs], [b for _, b in pairs]
    assume(len(set(reference)) > 1)
    assume(len(set(rent)) > 1)
    plain = regress(make_changes(rent, reference))
    scaled = regress(make_changes([factor * each for each in rent], reference))
    assert scaled.ratio == pytest.approx(factor * plain.ratio, abs=1e-9)
    assert scaled.r_squared == pytest.approx(plain.r_squared, abs=1e-9)
    assert scaled.share_unchanged == plain.share_unchanged


@given(PAIRS)
def test_dropping_any_change_moves_the_ratio_no_further_than_the_one_named(pairs):
    rent, reference = [a for a, _ in pairs], [b for _, b in pairs]
    assume(len(set(reference)) > 1)
    found = regress(make_changes(rent, reference))
    assume(found.ratio_without_most_influential is not None)
    moved = abs(found.ratio_without_most_influential - found.ratio)
    for number in range(len(pairs)):
        x = np.delete(np.array(reference, dtype=float), number)
        y = np.delete(np.array(rent, dtype=float), number)
        centred = x - x.mean()
        assert abs(centred @ (y - y.mean()) / (centred @ centred) - found.ratio) <= moved + 1e-7
