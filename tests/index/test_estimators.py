"""The registry of estimators and the weighted quantile beneath them."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS
from rentmark.index.estimators import weighted_quantile

from .conftest import ANSWERS
from .estimator_suite import ENOUGH_CASES, brute_force_quantile, weighed_votes
from .test_median import TestMedian as MedianTests
from .test_volume_weighted_median import TestVolumeWeightedMedian as VolumeTests

INHERITING = (MedianTests, VolumeTests)


def test_every_estimator_inherits_the_suite():
    assert {tests.estimator for tests in INHERITING} == set(ESTIMATORS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_has_an_answers_file_with_enough_cases(name):
    cases = tomllib.loads((ANSWERS / f"{name}.toml").read_text(encoding="utf-8"))["case"]
    assert len(cases) >= ENOUGH_CASES
    assert len({case["name"] for case in cases}) == len(cases)


@given(weighed_votes, st.integers(1, 20), st.integers(1, 20))
def test_a_weighted_quantile_is_that_of_the_votes_written_out(votes, a, b):
    numerator, denominator = min(a, b), max(a, b)
    prices, weights = [price for price, _ in votes], [weight for _, weight in votes]
    found = weighted_quantile(prices, weights, numerator, denominator)
    assert found == brute_force_quantile(votes, Fraction(numerator, denominator))


@given(weighed_votes, st.integers(1, 3))
def test_a_weighted_quartile_agrees_with_numpy(votes, quarters):
    # quarters and small whole weights are exact in floating numbers
    prices, weights = [price for price, _ in votes], [weight for _, weight in votes]
    theirs = np.quantile(prices, quarters / 4, weights=weights, method="inverted_cdf")
    assert weighted_quantile(prices, weights, quarters, 4) == theirs


@pytest.mark.parametrize(("prices", "weights"), [([], []), ([1], [0]), ([1, 2], [0, 0])])
def test_a_quantile_without_weight_is_refused(prices, weights):
    with pytest.raises(ValueError, match="a weighted quantile needs positive weight"):
        weighted_quantile(prices, weights, 1, 2)


def test_more_weights_than_prices_are_refused():
    with pytest.raises(ValueError, match="argument 2 is longer"):
        weighted_quantile([1], [1, 1], 9, 10)
