"""The median: plain where weights are equal, weighted where they differ."""

from __future__ import annotations

import statistics
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS

from .estimator_suite import EstimatorSuite, brute_force_quantile, grid_prices, weighed_votes

any_prices = st.integers(1, 20_000_000)


class TestMedian(EstimatorSuite):
    estimator = "median"

    @given(st.lists(any_prices, min_size=1, max_size=15).map(sorted), st.integers(1, 9))
    def test_equal_weights_give_the_median_of_the_standard_library_rounded_half_even(self, prices, weight):
        exact = statistics.median([Fraction(price) for price in prices])
        # round() of an exact fraction takes ties to even
        assert self.estimate([(price, weight) for price in prices]) == round(exact)

    @given(weighed_votes.filter(lambda votes: len({weight for _, weight in votes}) > 1))
    def test_unequal_weights_give_the_quantile_of_the_votes_written_out(self, votes):
        assert self.estimate(votes) == brute_force_quantile(votes, Fraction(1, 2))

    @given(st.lists(grid_prices, min_size=2, max_size=12).map(sorted), st.data())
    def test_a_seller_that_leaves_moves_it_no_further_than_the_neighbouring_vote(self, prices, data):
        leaving = data.draw(st.integers(0, len(prices) - 1))
        rest = prices[:leaving] + prices[leaving + 1 :]
        without = ESTIMATORS["median"].estimate(rest, [1] * len(rest))
        middle = len(prices) // 2
        if len(prices) % 2:
            lowest, highest = prices[max(middle - 1, 0)], prices[min(middle + 1, len(prices) - 1)]
        else:
            lowest, highest = prices[middle - 1], prices[middle]
        assert lowest <= without <= highest
