"""The basis is measured exactly, and its level is not taken for risk."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest import Stationarity
from rentmark.backtest.basis import basis_of, stationarity
from rentmark.records import Refusal

from .making import wander


def test_moments_and_percentiles_of_a_small_basis():
    found = basis_of([100_000, 200_000, 300_000, 400_000, 1_000_000])
    # mean 0.4; squared deviations .09 + .04 + .01 + 0 + .36 = .5, over n − 1 = 4: sd √0.125.
    assert (found.mean, found.n) == (0.4, 5)
    assert found.sd == pytest.approx(0.125**0.5)
    assert (found.p5, found.p50, found.p95) == (0.12, 0.3, 0.88)


def test_one_value_has_no_spread_and_none_has_no_moments():
    assert basis_of([5]).sd is None
    assert basis_of([5]).reason == "one value has no spread"
    assert basis_of([]).to_json()["mean"] is None
    assert basis_of([]).reason


def test_a_constant_premium_changes_the_level_and_not_the_spread():
    values = wander(50)
    plain, above = basis_of(values), basis_of([value + 2_000_000 for value in values])
    assert above.mean == pytest.approx(plain.mean + 2)
    assert above.sd == plain.sd


def test_white_noise_has_a_level_and_a_random_walk_has_none():
    noise = np.random.default_rng(1).normal(size=200)
    steady = stationarity([round(each * 1e6) for each in noise])
    walking = stationarity([round(each * 1e6) for each in np.cumsum(noise)])
    assert isinstance(steady, Stationarity)
    assert steady.stable
    assert not walking.stable


def test_what_cannot_be_tested_is_refused():
    assert isinstance(stationarity([1, 2, 3]), Refusal)
    assert isinstance(stationarity([7] * 40), Refusal)
    assert isinstance(stationarity(list(range(40))), Refusal)
    assert "too seldom" in stationarity([0] * 69 + [250_000]).sentence
