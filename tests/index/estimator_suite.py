"""What every estimator must do, inherited by one small test class per estimator.

A new estimator brings ``answers/<name>.toml`` and a class with ``estimator = "<name>"``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, ClassVar

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS, Ballot, Step, evaluate
from rentmark.index.ballot import read_ballots
from rentmark.index.estimators import Earlier, Estimate, Parameters, Slate
from rentmark.records import Refusal, round_fraction

from .making import DAY, NOON, WINDOW, benchmark

ENOUGH_CASES = 6
inherited = settings(suppress_health_check=[HealthCheck.differing_executors])
"""One property serves every estimator that inherits it; each draws its own examples."""
grid_prices = st.integers(1, 40).map(lambda quarters: quarters * 250_000)
weighed_votes = st.lists(st.tuples(grid_prices, st.integers(1, 6)), min_size=1, max_size=12).map(sorted)
Votes = Sequence[tuple[int, int]]


def brute_force_quantile(votes: list[tuple[int, int]], level: Fraction) -> int:
    """The lowest price that stands at or beyond ``level`` when each vote is written out weight times."""
    written_out = [price for price, weight in votes for _ in range(weight)]
    return next(
        price
        for price in written_out
        if Fraction(sum(other <= price for other in written_out), len(written_out)) >= level
    )


def slate_of(case: dict[str, Any]) -> Slate:
    """What an estimator sees in a case of an answers file."""
    names = case.get("sellers", [])
    history = tuple(
        Earlier(
            date.fromisoformat(row["date"]),
            row.get("value"),
            {(seller, None, None): price for seller, price in row["votes"].items()},
        )
        for row in case.get("history", [])
    )
    return Slate(
        prices=tuple(case["prices"]),
        weights=tuple(case["weights"]),
        ids=tuple((name, None, None) for name in names),
        instants=tuple(case.get("instants", ())),
        window=tuple(case.get("window", (0, 0))),
        history=history,
        parameters=Parameters(
            tail=Fraction(case["tail"]) if "tail" in case else None,
            partitions=case.get("partitions"),
            spread_floor=Fraction(case["spread_floor"]) if "spread_floor" in case else None,
            splice=case.get("splice"),
            min_sellers=case.get("min_sellers", 1),
        ),
    )


def assert_steps_follow(steps: Sequence[Step]) -> None:
    """Each step comes out of its own terms, and a later one takes what an earlier one came to."""
    assert steps
    for step in steps:
        assert step.worked == step.result
        assert step.name


class EstimatorSuite:
    """Promises of any estimator: exact answers, within its votes, scaling, order, monotony.

    ``parameters`` and ``rules`` are what it needs to be asked at all; ``translates`` says that raising all
    prices by an amount raises the value by it. A vote's seller and its instant follow from its weight, so
    that votes keep theirs however they are ordered.
    """

    estimator: str
    parameters = Parameters()
    rules: ClassVar[dict[str, Any]] = {"inputs": ["trade"], "weights": "volume", "vote": ["observation"]}
    translates = True

    def slate(self, votes: Votes, like: Votes | None = None) -> Slate:
        """Votes as a slate; ``like`` are the votes whose sellers and instants they have."""
        names = [f"s{weight}" for _, weight in (like or votes)]
        return Slate(
            prices=tuple(price for price, _ in votes),
            weights=tuple(weight for _, weight in votes),
            ids=tuple((name, None, None) for name in names),
            instants=tuple(weight for _, weight in (like or votes)),
            window=(0, 10),
            parameters=self.parameters,
        )

    def estimate(self, votes: Votes, like: Votes | None = None) -> int:
        return round_fraction(self.worked(votes, like).value)

    def worked(self, votes: Votes, like: Votes | None = None) -> Estimate:
        made = ESTIMATORS[self.estimator].work(self.slate(votes, like))
        assert isinstance(made, Estimate)
        return made

    def test_it_is_registered_under_its_name_and_says_where_its_rule_comes_from(self):
        registered = ESTIMATORS[self.estimator]
        assert registered.name == self.estimator
        assert len(registered.summary) > 20
        assert len(registered.source) > 20

    def test_the_answer_is_the_one_worked_out(self, answer):
        assert answer["source"], "an answer names who worked it out"
        made = ESTIMATORS[self.estimator].work(slate_of(answer))
        if "refusal" in answer:
            assert isinstance(made, Refusal)
            assert made.code == answer["refusal"]
            assert made.sentence
            return
        assert isinstance(made, Estimate)
        assert round_fraction(made.value) == answer["value"]
        assert_steps_follow(made.steps)
        assert made.steps[-1].result == made.value
        if "percentiles" in answer:
            assert made.beside["percentiles"] == answer["percentiles"]

    @inherited
    @given(weighed_votes)
    def test_the_value_lies_within_the_votes(self, votes):
        assert votes[0][0] <= self.estimate(votes) <= votes[-1][0]

    @inherited
    @given(weighed_votes)
    def test_each_step_follows_from_its_own_terms_and_the_last_is_the_value(self, votes):
        made = self.worked(votes)
        short_way = ESTIMATORS[self.estimator].value
        if short_way is not None:
            assert short_way(self.slate(votes)) == made.value
        assert_steps_follow(made.steps)
        assert made.steps[-1].result == made.value

    @inherited
    @given(weighed_votes, st.integers(2, 1_000))
    def test_scaling_the_prices_scales_the_value(self, votes, factor):
        scaled = [(price * factor, weight) for price, weight in votes]
        assert self.worked(scaled).value == factor * self.worked(votes).value

    @inherited
    @given(weighed_votes, st.integers(-1_000_000, 10_000_000))
    def test_raising_all_prices_by_an_amount_raises_the_value_by_it(self, votes, quarters):
        if self.translates:
            shifted = [(price + 250_000 * quarters, weight) for price, weight in votes]
            assert self.worked(shifted).value == self.worked(votes).value + 250_000 * quarters

    @inherited
    @given(weighed_votes, st.integers(2, 1_000))
    def test_only_shares_of_the_weight_matter(self, votes, factor):
        heavier = [(price, weight * factor) for price, weight in votes]
        assert self.worked(heavier, like=votes).value == self.worked(votes).value

    @inherited
    @given(weighed_votes, st.data())
    def test_a_higher_vote_never_lowers_the_value(self, votes, data):
        place = data.draw(st.integers(0, len(votes) - 1))
        raised = list(votes)
        raised[place] = (raised[place][0] + data.draw(grid_prices), raised[place][1])
        assert self.worked(sorted(raised)).value >= self.worked(votes).value

    @inherited
    @given(weighed_votes, st.randoms(use_true_random=False))
    def test_the_order_among_equal_prices_does_not_matter(self, votes, chance):
        shuffled = list(votes)
        chance.shuffle(shuffled)
        assert self.worked(sorted(shuffled, key=lambda vote: vote[0])).value == self.worked(votes).value

    @inherited
    @given(weighed_votes, st.integers(0, 2**32))
    def test_the_order_in_which_an_engine_returns_votes_does_not_matter(self, votes, seed):
        rules = benchmark(estimator=self.estimator, **self.rules)
        shuffled = list(enumerate(votes))
        random.Random(seed).shuffle(shuffled)
        outcomes = [
            evaluate(rules, "trade", ballots_of(numbered, rules), WINDOW)
            for numbered in (list(enumerate(votes)), shuffled)
        ]
        assert outcomes[0] == outcomes[1]
        steps = outcomes[0].steps
        assert_steps_follow(steps)
        assert steps[-1].result == outcomes[0].value_micros


def ballots_of(numbered: Sequence[tuple[int, tuple[int, int]]], rules: Any) -> list[Ballot]:
    """Votes as the engine hands them on."""
    return dict(read_ballots(votes_table(numbered), rules.methodology))[DAY]


def votes_table(numbered: Sequence[tuple[int, tuple[int, int]]]) -> pa.Table:
    """Votes as an engine returns them: one trade of an invented seller each, weight in GPU-seconds."""
    rows = [
        {
            "fixing_date": DAY,
            "tier": "trade",
            "seller": f"seller-{number % 3}",
            "region": f"region-{number}",
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
            "last_observed_at": NOON + timedelta(minutes=number),
        }
        for number, (price, weight) in numbered
    ]
    return pa.Table.from_pylist(rows)
