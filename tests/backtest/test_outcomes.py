"""Bad months, tail and the chance that a hedge hurt: by hand, and by what must hold of any history."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.effectiveness import DRAWS, effectiveness, resampled_shares
from rentmark.backtest.methods import METHODS
from rentmark.backtest.outcomes import cvar, outcome_of

from tests.backtest.making import make_changes, wander

GRID = st.lists(st.integers(-4, 4).map(lambda step: step / 4), min_size=12, max_size=40)
DRAWN = 300


def judged(unhedged, hedged, side="buyer"):
    before, after = np.array(unhedged, dtype=float), np.array(hedged, dtype=float)
    return outcome_of(before, after, side, resampled_shares(before, after, draws=DRAWN), DRAWN)


def test_the_tail_counts_a_part_of_a_month_in_part():
    # 5 % of 40 months are 2: the mean of the worst two
    assert cvar(np.arange(40.0)) == pytest.approx(38.5)
    # 5 % of 30 months are 1.5: the worst whole, the next half, over 1.5 (Acerbi and Tasche 2002, eq. 4.12)
    assert cvar(np.arange(30.0)) == pytest.approx((29 + 0.5 * 28) / 1.5)
    # 5 % of 12 months are 0.6 of the worst
    assert cvar(np.arange(12.0)) == pytest.approx(11.0)


def test_the_tail_is_the_minimum_of_rockafellar_and_uryasev():
    """Another source: min over z of z + E[(x − z)⁺]/(1 − α), Rockafellar and Uryasev 2000, eq. 7."""
    changes = np.random.default_rng(5).standard_normal(53)
    smallest = min(z + np.maximum(changes - z, 0).mean() / 0.05 for z in changes)
    assert cvar(changes) == pytest.approx(smallest)


def test_a_buyer_fears_rises_and_a_provider_falls():
    unhedged = [0.0] * 18 + [1.0, -2.0]
    hedged = [0.0] * 18 + [0.25, -1.0]
    buyer, provider = judged(unhedged, hedged), judged(unhedged, hedged, "provider")
    assert (buyer.worst_unhedged, buyer.worst_hedged, buyer.worst_reduction) == (1.0, 0.25, 0.75)
    assert (provider.worst_unhedged, provider.worst_hedged, provider.worst_reduction) == (2.0, 1.0, 0.5)
    assert buyer.tail_months == 1.0


@settings(max_examples=25, deadline=None)
@given(unhedged=GRID, ratio=st.sampled_from([0.0, 0.5, 1.0]))
def test_a_hedge_in_proportion_reduces_every_figure_in_proportion(unhedged, ratio):
    if len(set(unhedged)) == 1:
        return
    found = judged(unhedged, [each * (1 - ratio) for each in unhedged])
    assert found.cvar_reduction == pytest.approx(ratio)
    assert found.cvar_reduction_low == pytest.approx(ratio)
    assert found.cvar_reduction_high == pytest.approx(ratio)
    assert found.probability_worse == 0
    if found.worst_reduction is not None:
        assert found.worst_reduction == pytest.approx(ratio)


def test_a_hedge_twice_the_size_the_wrong_way_round_made_it_worse_in_every_history():
    unhedged = np.random.default_rng(2).standard_normal(30)
    found = judged(unhedged, 3 * unhedged)
    assert found.probability_worse == 1
    assert found.cvar_reduction == pytest.approx(-2)


def test_months_that_were_never_bad_have_no_worst_month_to_reduce():
    found = judged([-1.0, -2.0] * 8, [-0.5, -1.0] * 8)
    assert found.worst_reduction is None
    assert "no unseen month was a bad one" in found.to_json()["reason"]


def test_the_report_carries_the_outcome_of_the_interval_it_prints():
    walk = wander(50)
    rent = [later - before for before, later in pairwise(walk)]
    other = wander(50, seed=11)
    reference = [later - before for before, later in pairwise(other)]
    found = effectiveness(METHODS["naive"], make_changes(rent, reference))
    shares = resampled_shares(
        np.array(rent[24:]) / 1e6, (np.array(rent[24:]) - np.array(reference[24:])) / 1e6, draws=DRAWS
    )
    assert found.outcome.probability_worse == pytest.approx(float((shares < 0).mean()))
    assert found.outcome.months == found.out_of_sample_months == 25
    assert set(found.to_json()["outcome"]) >= {"cvar_reduction", "probability_worse", "worst_reduction"}
