"""Effectiveness is judged on months the ratio had not seen, with an interval that says how sure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest import METHODS, effectiveness
from rentmark.backtest.bootstrap import percentile, stationary_indices
from rentmark.backtest.effectiveness import interval

from .making import make_changes, wander


def changes_of(count, rent_seed=3, reference_seed=5):
    rent = np.diff(np.array(wander(count + 1, seed=rent_seed)))
    reference = np.diff(np.array(wander(count + 1, seed=reference_seed)))
    return make_changes([int(x) for x in rent], [int(x) for x in reference])


def test_the_draws_are_those_of_the_arch_library():
    """Golden: arch.bootstrap.StationaryBootstrap with the same seed and mean block."""
    from arch.bootstrap import StationaryBootstrap

    ours = stationary_indices(14, draws=50)
    theirs = StationaryBootstrap(3, np.arange(14), seed=1)
    drawn = [data[0][0] for data in theirs.bootstrap(50)]
    assert (ours == np.array(drawn)).all()


def test_blocks_last_three_months_on_average_and_wrap_around():
    indices = stationary_indices(14, draws=2_000)
    follows = (indices[:, 1:] - indices[:, :-1]) % 14 == 1
    # A block goes on with chance 2/3, and a new one may start on the next month by luck, 1/3 · 1/14.
    assert follows.mean() == pytest.approx(2 / 3 + 1 / 42, abs=0.01)
    assert ((indices[:, :-1] == 13) & (indices[:, 1:] == 0)).any()


def test_walk_forward_uses_only_earlier_months_and_judges_every_method_on_the_same_ones():
    changes = changes_of(40)
    rent = np.array([float(each) for each in changes.rent])
    reference = np.array([float(each) for each in changes.reference])
    ratios = [np.polyfit(reference[:seen], rent[:seen], 1)[0] for seen in range(24, 40)]
    hedged = rent[24:] - np.array(ratios) * reference[24:]
    found = effectiveness(METHODS["ols"], changes)
    assert found.ratios == pytest.approx(ratios)
    assert found.walk_forward == pytest.approx(1 - hedged.var(ddof=1) / rent[24:].var(ddof=1))
    naive = effectiveness(METHODS["naive"], changes)
    bare = rent[24:] - reference[24:]
    assert naive.walk_forward == pytest.approx(1 - bare.var(ddof=1) / rent[24:].var(ddof=1))
    assert found.out_of_sample_months == naive.out_of_sample_months == 16
    assert found.swing_unhedged == pytest.approx(rent[24:].std(ddof=1) / 1e6)
    assert found.swing_hedged == pytest.approx(hedged.std(ddof=1) / 1e6)


def test_in_sample_ols_effectiveness_is_r_squared():
    """Ederington (1979): equal to R² only in sample and only at the minimum-variance ratio."""
    from rentmark.backtest import regress

    changes = changes_of(40)
    assert effectiveness(METHODS["ols"], changes).in_sample == pytest.approx(regress(changes).r_squared)


@pytest.mark.parametrize(("count", "months"), [(10, 0), (24, 0), (30, 6), (35, 11)])
def test_below_twelve_unseen_months_there_is_no_figure(count, months):
    found = effectiveness(METHODS["ols"], changes_of(count))
    assert (found.walk_forward, found.walk_forward_low, found.walk_forward_high) == (None, None, None)
    assert found.out_of_sample_months == months
    assert found.in_sample is not None
    assert found.reason == f"{months} out-of-sample months, 12 needed after 24 to learn from"


def test_the_twelfth_unseen_month_gives_the_figure():
    assert effectiveness(METHODS["ols"], changes_of(36)).walk_forward is not None


def test_a_perfect_hedge_takes_everything():
    reference = [int(each) for each in np.diff(np.array(wander(41, seed=9)))]
    found = effectiveness(METHODS["ols"], make_changes([each * 2 for each in reference], reference))
    assert found.walk_forward == pytest.approx(1.0)
    assert found.walk_forward_low == pytest.approx(1.0)


def test_a_rent_that_stood_still_has_no_variance_to_reduce():
    found = effectiveness(METHODS["ols"], make_changes([0] * 40, list(range(40))))
    assert (found.in_sample, found.walk_forward) == (None, None)
    assert "did not vary" in found.reason


def test_a_rent_that_stood_still_in_the_unseen_months_is_not_judged():
    rent = [250_000 * (number % 3) for number in range(24)] + [0] * 16
    found = effectiveness(METHODS["naive"], make_changes(rent, list(range(40))))
    assert found.in_sample is not None
    assert found.walk_forward is None
    assert "out-of-sample" in found.reason


def test_a_reference_that_stood_still_while_learning_gives_no_ols_ratio():
    changes = make_changes([int(x) for x in range(40)], [0] * 30 + list(range(10)))
    found = effectiveness(METHODS["ols"], make_changes([x % 5 for x in range(40)], list(changes.reference)))
    assert found.walk_forward is None
    assert "after 24 changes the reference did not vary" in found.reason


def test_a_draw_in_which_only_the_hedge_moves_counts_against_it_without_bound():
    unhedged = np.array([0.0] * 13 + [1.0])
    low, high = interval(unhedged, unhedged - np.arange(14.0))
    assert low == -math.inf
    assert math.isfinite(high)


def test_an_unbounded_end_is_null_in_json_with_the_reason():
    rent = [250_000 * (number % 3) for number in range(24)] + [0] * 13 + [250_000]
    row = effectiveness(
        METHODS["naive"], make_changes(rent, [250_000 * ((7 * n) % 5) for n in range(38)])
    ).to_json()
    assert row["walk_forward_low"] is None
    assert "no bound" in row["reason"]


def test_percentiles_interpolate_and_stay_infinite():
    values = np.array([-math.inf, -math.inf, 0.0, 1.0, 3.0])
    assert percentile(values, 0.0) == -math.inf
    assert percentile(values, 0.1) == -math.inf
    assert percentile(values, 0.625) == pytest.approx(0.5)
    assert percentile(values, 1.0) == 3.0


GRID = st.integers(-6, 6).map(lambda quarter: quarter * 250_000)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(GRID, GRID), min_size=36, max_size=42))
def test_the_interval_is_in_order_and_never_above_one(pairs):
    found = effectiveness(METHODS["naive"], make_changes([a for a, _ in pairs], [b for _, b in pairs]))
    if found.walk_forward is None:
        assert found.reason
        return
    assert found.walk_forward_low <= found.walk_forward_high <= 1.0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(GRID, GRID), min_size=38, max_size=38), st.lists(st.tuples(GRID, GRID), max_size=6))
def test_later_months_change_no_earlier_walk_forward_ratio(pairs, later):
    def ratios(rows):
        found = effectiveness(METHODS["ols"], make_changes([a for a, _ in rows], [b for _, b in rows]))
        return found.ratios

    earlier = ratios(pairs)
    assert ratios(pairs + later)[: len(earlier)] == earlier
