"""The volume-weighted median: the price at which half of the traded hours had changed hands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given

from .estimator_suite import EstimatorSuite, brute_force_quantile, weighed_votes


class TestVolumeWeightedMedian(EstimatorSuite):
    estimator = "volume_weighted_median"

    @given(weighed_votes)
    def test_it_is_the_quantile_of_the_hours_written_out(self, votes):
        assert self.estimate(votes) == brute_force_quantile(votes, Fraction(1, 2))

    @given(weighed_votes)
    def test_it_agrees_with_the_weighted_inverse_of_the_distribution_in_numpy(self, votes):
        # numpy's inverted_cdf with weights: the lowest value whose share of the weight is at least
        # the level. Small whole weights, so that its floating sums are exact.
        prices, weights = [price for price, _ in votes], [weight for _, weight in votes]
        assert self.estimate(votes) == np.quantile(prices, 0.5, weights=weights, method="inverted_cdf")

    @given(weighed_votes)
    def test_it_is_always_a_price_that_was_paid(self, votes):
        assert self.estimate(votes) in {price for price, _ in votes}
