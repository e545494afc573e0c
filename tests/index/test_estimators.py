"""Every estimator through the base suite, the registry, and the weighted quantile beneath them."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS
from rentmark.index.estimators import Parameters, weighted_quantile

from .conftest import ANSWERS
from .estimator_suite import ENOUGH_CASES, EstimatorSuite, brute_force_quantile, weighed_votes
from .test_chains import TestMatchedChain as ChainTests
from .test_chains import TestTimeDummy as DummyTests
from .test_median import TestMedian as MedianTests
from .test_volume_weighted_median import TestVolumeWeightedMedian as VolumeTests

BY_SELLER = {"inputs": ["trade"], "vote": ["seller", "region"]}


class TestWeightedMedian(EstimatorSuite):
    estimator = "weighted_median"

    @given(weighed_votes)
    def test_it_is_the_quantile_of_the_votes_written_out_whatever_the_weights(self, votes):
        assert self.estimate(votes) == brute_force_quantile(votes, Fraction(1, 2))


class TestMean(EstimatorSuite):
    estimator = "mean"

    @given(weighed_votes)
    def test_it_is_the_mean_of_the_votes_written_out(self, votes):
        written_out = [price for price, weight in votes for _ in range(weight)]
        assert self.worked(votes).value == Fraction(sum(written_out), len(written_out))


class TestTrimmedMean(EstimatorSuite):
    estimator = "trimmed_mean"
    parameters = Parameters(tail=Fraction(1, 5))
    rules: ClassVar = {**EstimatorSuite.rules, "tail": 0.2}

    @given(weighed_votes)
    def test_it_is_the_mean_of_the_votes_written_out_five_times_without_the_ends(self, votes):
        written_out = [price for price, weight in votes for _ in range(5 * weight)]
        cut = len(written_out) // 5
        kept = written_out[cut : len(written_out) - cut]
        assert self.worked(votes).value == Fraction(sum(kept), len(kept))


class TestWinsorisedMean(EstimatorSuite):
    estimator = "winsorised_mean"
    parameters = Parameters(tail=Fraction(1, 5))
    rules: ClassVar = {**EstimatorSuite.rules, "tail": 0.2}

    @given(weighed_votes)
    def test_it_is_the_mean_of_the_votes_written_out_with_the_ends_drawn_in(self, votes):
        written_out = [price for price, weight in votes for _ in range(weight)]
        cut = len(written_out) // 5  # a tail holds whole votes only
        drawn = [written_out[cut]] * cut + written_out[cut : len(written_out) - cut]
        drawn += [written_out[-cut - 1]] * cut
        assert self.worked(votes).value == Fraction(sum(drawn), len(drawn))


class TestVolumeWeightedMean(EstimatorSuite):
    estimator = "volume_weighted_mean"


class TestPartitioned(EstimatorSuite):
    estimator = "partitioned_volume_weighted_median"
    parameters = Parameters(partitions=3)
    rules: ClassVar = {**EstimatorSuite.rules, "partitions": 3}

    @given(weighed_votes, st.integers(1, 10**9))
    def test_a_large_trade_moves_its_own_partition_alone(self, votes, seconds):
        single = Parameters(partitions=1)
        alone = ESTIMATORS["volume_weighted_median"]
        heavy = [(price, weight) for price, weight in votes]
        instants = tuple(range(len(votes)))
        more = {
            "instants": instants,
            "window": (0, len(votes)),
            "parameters": Parameters(partitions=len(votes)),
        }
        prices, weights = [p for p, _ in heavy], [w for _, w in heavy]
        apart = ESTIMATORS[self.estimator].estimate(prices, weights, **more)
        weights[0] += seconds
        assert ESTIMATORS[self.estimator].estimate(prices, weights, **more) == apart
        together = {"instants": instants, "window": (0, len(votes)), "parameters": single}
        assert ESTIMATORS[self.estimator].estimate(prices, weights, **together) == alone.estimate(
            prices, weights
        )


class TestCentralThirdMean(EstimatorSuite):
    estimator = "central_third_mean"
    parameters = Parameters(spread_floor=Fraction(3, 100))
    rules: ClassVar = {**BY_SELLER, "spread_floor": 0.03, "memory_days": 90}
    translates = False
    """A floor on the spread is a share of the price."""

    @given(st.integers(1, 40), st.integers(1, 40))
    def test_a_small_move_of_the_middle_vote_moves_it_little(self, low, step):
        # the plain median of two votes jumps by half a step when a third appears between; this does not
        prices = sorted([250_000 * low, 250_000 * (low + step)])
        before = self.worked([(price, 1) for price in prices]).value
        nudged = self.worked([(prices[0], 1), (prices[1] + 1, 1)]).value
        assert 0 <= nudged - before <= 1


class TestTwoStage(EstimatorSuite):
    estimator = "two_stage"
    rules: ClassVar = {**BY_SELLER}


class TestMeanOfMeans(EstimatorSuite):
    estimator = "mean_of_means"
    rules: ClassVar = {**BY_SELLER}


INHERITING = (
    MedianTests,
    VolumeTests,
    ChainTests,
    DummyTests,
    *(found for name, found in dict(globals()).items() if name.startswith("Test")),
)


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
