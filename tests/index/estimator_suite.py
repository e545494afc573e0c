"""What every estimator must do, inherited by one small test module per estimator.

A new estimator brings ``answers/<name>.toml`` and a class with ``estimator = "<name>"``.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS, evaluate
from rentmark.index.ballot import read_ballots
from rentmark.records import Refusal

from .making import DAY, benchmark

ENOUGH_CASES = 6
inherited = settings(suppress_health_check=[HealthCheck.differing_executors])
"""One property serves every estimator that inherits it; each draws its own examples."""
grid_prices = st.integers(1, 40).map(lambda quarters: quarters * 250_000)
weighed_votes = st.lists(st.tuples(grid_prices, st.integers(1, 6)), min_size=1, max_size=12).map(sorted)


def brute_force_quantile(votes: list[tuple[int, int]], level: Fraction) -> int:
    """The lowest price that stands at or beyond ``level`` when each vote is written out weight times."""
    written_out = [price for price, weight in votes for _ in range(weight)]
    return next(
        price
        for price in written_out
        if Fraction(sum(other <= price for other in written_out), len(written_out)) >= level
    )


class EstimatorSuite:
    """Promises of any estimator: exact answers, within its votes, scaling, order, monotony."""

    estimator: str

    def estimate(self, votes: list[tuple[int, int]]) -> Any:
        prices, weights = [price for price, _ in votes], [weight for _, weight in votes]
        return ESTIMATORS[self.estimator].estimate(prices, weights)

    def test_it_is_registered_under_its_name_and_says_where_its_rule_comes_from(self):
        registered = ESTIMATORS[self.estimator]
        assert registered.name == self.estimator
        assert len(registered.summary) > 20
        assert len(registered.source) > 20

    def test_the_answer_is_the_one_worked_out(self, answer):
        assert answer["source"], "an answer names who worked it out"
        value = ESTIMATORS[self.estimator].estimate(answer["prices"], answer["weights"])
        if "refusal" in answer:
            assert isinstance(value, Refusal)
            assert value.code == answer["refusal"]
            assert value.sentence
        else:
            assert value == answer["value"]

    @inherited
    @given(weighed_votes)
    def test_the_value_lies_within_the_votes(self, votes):
        assert votes[0][0] <= self.estimate(votes) <= votes[-1][0]

    @inherited
    @given(weighed_votes, st.integers(2, 1_000))
    def test_scaling_the_prices_scales_the_value(self, votes, factor):
        scaled = [(price * factor, weight) for price, weight in votes]
        assert self.estimate(scaled) == factor * self.estimate(votes)

    @inherited
    @given(weighed_votes, st.integers(-1_000_000, 10_000_000))
    def test_raising_all_prices_by_an_amount_raises_the_value_by_it(self, votes, quarters):
        shifted = [(price + 250_000 * quarters, weight) for price, weight in votes]
        assert self.estimate(shifted) == self.estimate(votes) + 250_000 * quarters

    @inherited
    @given(weighed_votes, st.integers(2, 1_000))
    def test_only_shares_of_the_weight_matter(self, votes, factor):
        assert self.estimate([(price, weight * factor) for price, weight in votes]) == self.estimate(votes)

    @inherited
    @given(weighed_votes, st.data())
    def test_a_higher_vote_never_lowers_the_value(self, votes, data):
        place = data.draw(st.integers(0, len(votes) - 1))
        raised = list(votes)
        raised[place] = (raised[place][0] + data.draw(grid_prices), raised[place][1])
        assert self.estimate(sorted(raised)) >= self.estimate(votes)

    @inherited
    @given(weighed_votes, st.randoms(use_true_random=False))
    def test_the_order_among_equal_prices_does_not_matter(self, votes, chance):
        shuffled = list(votes)
        chance.shuffle(shuffled)
        assert self.estimate(sorted(shuffled, key=lambda vote: vote[0])) == self.estimate(votes)

    @inherited
    @given(weighed_votes, st.integers(0, 2**32))
    def test_the_order_in_which_an_engine_returns_votes_does_not_matter(self, votes, seed):
        rules = benchmark(inputs=["trade"], weights="volume", estimator=self.estimator, vote=["observation"])
        shuffled = list(enumerate(votes))
        random.Random(seed).shuffle(shuffled)
        outcomes = [
            evaluate(rules, "trade", dict(read_ballots(votes_table(numbered), rules.methodology))[DAY])
            for numbered in (list(enumerate(votes)), shuffled)
        ]
        assert outcomes[0] == outcomes[1]
        assert outcomes[0].value_micros == self.estimate(votes)


def votes_table(numbered: list[tuple[int, tuple[int, int]]]) -> pa.Table:
    """Votes as an engine returns them: one trade of an invented seller each, weight in GPU-seconds."""
    rows = [
        {
            "fixing_date": DAY,
            "tier": "trade",
            "seller": f"seller-{number % 3}",
            "region": None,
            "vote_trade": number,
            "median_micros": price,
            "price_sum": price,
            "n_observations": 1,
            "gpu_seconds": weight,
            "venues": ["floor"],
            "simulated": False,
            "rights_unknown": False,
            "identity_xor": number,
            "content_xor": price,
        }
        for number, (price, weight) in numbered
    ]
    return pa.Table.from_pylist(rows)
