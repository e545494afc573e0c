"""From rows to votes: exact medians and means, one vote per key, and how much each weighs."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import evaluate
from rentmark.index.evaluation import weigh
from rentmark.index.weights import integer_weights, six_decimals

from .making import WINDOW, ballot, benchmark, in_order, offer, trade, usd

FEW = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)
SPAN = (0, 86_400_000_000)
"""A window of a day in microseconds."""


def weights_of(rules, tier, sellers, seconds=None):
    """The weights of one vote each of these sellers."""
    hours = seconds or [0] * len(sellers)
    held = [ballot(s, tier=tier, gpu_seconds=n) for s, n in zip(sellers, hours, strict=True)]
    return integer_weights(rules, tier, held, SPAN)


def share_of_the_largest(sellers, weights):
    """What a fixing of votes with these weights prints as its top weight."""
    rules = benchmark(inputs=["trade"], weights="volume")
    held = [ballot(s, tier="trade", gpu_seconds=w) for s, w in zip(sellers, weights, strict=True)]
    share = evaluate(rules, "trade", held, WINDOW).top_share
    return None if share is None else six_decimals(share)


@pytest.mark.parametrize(
    ("prices", "median"),
    [
        ((2_000_000, 2_000_001), 2_000_000),
        ((2_000_001, 2_000_002), 2_000_002),
        ((1, 2), 2),
        ((2, 3), 2),
        ((0, 1), 0),
        ((3, 4, 5), 4),
        ((1, 2, 3, 1_000_000), 2),
        ((8_999_999_999_999, 9_000_000_000_000), 9_000_000_000_000),
    ],
)
def test_a_seller_votes_its_median_with_half_a_micro_dollar_to_even(world, prices, median):
    # worked by hand: an even count averages the middle two, and one half goes to the even neighbour
    rows = [offer(sku=f"k{place}", price_micros=price) for place, price in enumerate(prices)]
    (vote,) = world(rows).ballots(benchmark()).popitem()[1]
    assert vote.value_micros == median
    assert vote.n_observations == len(prices)


@pytest.mark.parametrize(
    ("prices", "mean"),
    [
        ((1, 2), 2),
        ((2, 3), 2),
        ((1, 1, 2), 1),
        ((1, 2, 2), 2),
        ((1, 1, 1, 2, 2, 2), 2),
        ((3_000_000, 3_000_001, 3_000_003), 3_000_001),
        ((9_000_000_000_000, 9_000_000_000_000, 9_000_000_000_001), 9_000_000_000_000),
    ],
)
def test_a_seller_votes_its_mean_divided_once_half_even(world, prices, mean):
    # worked by hand: sum / count, ties to even
    rows = [offer(sku=f"k{place}", price_micros=price) for place, price in enumerate(prices)]
    (vote,) = world(rows).ballots(benchmark(seller_statistic="mean")).popitem()[1]
    assert vote.value_micros == mean


REGIONAL = [
    offer(seller="alpha", region="eu-1", price_micros=usd("2.00")),
    offer(seller="alpha", region="us-1", price_micros=usd("3.00")),
    offer(seller="alpha", region="us-1", sku="k1", price_micros=usd("4.00")),
    offer(seller="beta", region="us-1", price_micros=usd("5.00")),
    offer(seller="beta", region=None, price_micros=usd("6.00")),
]


def test_by_default_a_seller_has_one_vote_over_all_its_regions(world):
    votes = world(REGIONAL).ballots(benchmark()).popitem()[1]
    assert [(b.seller, b.region, b.value_micros) for b in votes] == [
        ("alpha", None, usd("3.00")),
        ("beta", None, usd("5.50")),
    ]


def test_by_region_a_seller_has_one_vote_in_each_and_one_where_none_is_stated(world):
    rules = benchmark(vote=["seller", "region"])
    votes = world(REGIONAL).ballots(rules).popitem()[1]
    assert [(b.seller, b.region, b.value_micros) for b in votes] == [
        ("alpha", "eu-1", usd("2.00")),
        ("alpha", "us-1", usd("3.50")),
        ("beta", "us-1", usd("5.00")),
        ("beta", None, usd("6.00")),
    ]
    fixing = world(REGIONAL).fixing(rules)
    assert (fixing.n_sellers, fixing.n_votes, fixing.n_observations) == (2, 4, 5)


def test_by_observation_each_one_votes(world):
    rules = benchmark(vote=["observation"])
    votes = world(REGIONAL).ballots(rules).popitem()[1]
    assert [b.value_micros for b in votes] == [usd(f"{price}.00") for price in (2, 3, 4, 5, 6)]
    assert {b.observation_id for b in votes} == {row["observation_id"] for row in REGIONAL}
    fixing = world(REGIONAL).fixing(rules)
    assert (fixing.n_sellers, fixing.n_votes, fixing.n_observations) == (2, 5, 5)


def test_a_vote_carries_the_hours_of_its_trades_and_an_offer_carries_none(world):
    rows = [trade("t1", gpu_seconds=3_600), trade("t2", gpu_seconds=1), offer(seller="beta")]
    votes = world(rows).ballots(benchmark(inputs=["trade", "listed"])).popitem()[1]
    assert {b.seller: b.gpu_seconds for b in votes} == {"alpha": 3_601, "beta": 0}


def test_a_seller_votes_apart_in_each_tier(world):
    rows = [
        offer(),
        offer(tier="executable", sku="k1", price_micros=usd("2.00")),
        trade(price_micros=usd("1.00")),
    ]
    votes = world(rows).ballots(benchmark(inputs=["trade", "executable", "listed"])).popitem()[1]
    assert [(b.tier, b.value_micros) for b in votes] == [
        ("trade", usd("1.00")),
        ("executable", usd("2.00")),
        ("listed", usd("3.00")),
    ]


def test_a_vote_says_when_anything_behind_it_is_simulated_or_of_unknown_rights(world):
    rows = [
        offer(),
        offer(sku="k1", simulated=True),
        offer(seller="beta"),
        offer(seller="beta", sku="k1", rights="unknown"),
    ]
    votes = world(rows).ballots(benchmark()).popitem()[1]
    assert [(b.seller, b.simulated, b.rights_unknown) for b in votes] == [
        ("alpha", True, False),
        ("beta", False, True),
    ]


@given(FEW)
def test_a_seller_weighs_one_split_over_its_votes(sellers):
    weights = weights_of(benchmark().methodology, "listed", sellers)
    share = Fraction(1, len(set(sellers)))
    for seller in set(sellers):
        held = sum(w for s, w in zip(sellers, weights, strict=True) if s == seller)
        assert Fraction(held, sum(weights)) == share
    assert all(
        w == lcm(*(sellers.count(s) for s in sellers)) // sellers.count(v)
        for v, w in zip(sellers, weights, strict=True)
    )


@given(FEW)
def test_weights_of_votes_are_one_each(sellers):
    assert weights_of(benchmark(weights="vote").methodology, "listed", sellers, [9] * len(sellers)) == [
        1
    ] * len(sellers)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 10**9)), min_size=1, max_size=8))
def test_weights_of_volume_are_gpu_seconds_on_trades_and_sellers_elsewhere(votes):
    sellers, seconds = [seller for seller, _ in votes], [number for _, number in votes]
    rules = benchmark(inputs=["trade", "listed"], weights="volume").methodology
    assert weights_of(rules, "trade", sellers, seconds) == seconds
    plain = weights_of(benchmark().methodology, "listed", sellers, seconds)
    assert weights_of(rules, "listed", sellers, seconds) == plain


def test_no_votes_have_no_weights():
    assert weights_of(benchmark().methodology, "listed", []) == []
    assert share_of_the_largest([], []) is None
    assert share_of_the_largest(["alpha"], [0]) is None


@pytest.mark.parametrize(
    ("sellers", "weights", "share"),
    [
        (["a"], [5], "1.000000"),
        (["a", "b"], [1, 1], "0.500000"),
        (["a", "b", "c"], [1, 1, 1], "0.333333"),
        (["a", "b", "c"], [2, 2, 1], "0.400000"),
        (["a", "b", "a"], [1, 2, 2], "0.600000"),
        (["a", "b"], [2, 1], "0.666667"),
        # one 128th is 0.0078125: exactly half a millionth, which goes to the even neighbour
        ([f"s{number}" for number in range(128)], [1] * 128, "0.007812"),
        (["a", *(f"s{number}" for number in range(125))], [3, *[1] * 125], "0.023438"),
    ],
)
def test_the_largest_share_is_that_of_a_seller_to_six_decimals_half_even(sellers, weights, share):
    assert share_of_the_largest(sellers, weights) == share


def test_seller_weights_keep_a_seller_of_many_votes_from_deciding():
    regions = [ballot("alpha", "1.00", region=f"r{number}") for number in range(9)]
    ballots = in_order([*regions, ballot("beta", "3.00"), ballot("gamma", "5.00")])
    by_seller = evaluate(benchmark(vote=["seller", "region"]), "listed", ballots, WINDOW)
    by_vote = evaluate(benchmark(vote=["seller", "region"], weights="vote"), "listed", ballots, WINDOW)
    assert (by_seller.value_micros, by_vote.value_micros) == (usd("3.00"), usd("1.00"))
    assert {v.weight for v in by_seller.votes if v.seller == "alpha"} == {1}
    assert {v.weight for v in by_seller.votes if v.seller != "alpha"} == {9}


def test_volume_weights_let_the_hours_decide():
    ballots = in_order(
        [
            ballot("alpha", "2.00", tier="trade", gpu_seconds=3_600),
            ballot("beta", "3.00", tier="trade", gpu_seconds=3_600),
            ballot("gamma", "4.00", tier="trade", gpu_seconds=7_201),
        ]
    )
    rules = benchmark(inputs=["trade"], weights="volume", estimator="volume_weighted_median")
    assert evaluate(rules, "trade", ballots, WINDOW).value_micros == usd("4.00")
    assert evaluate(benchmark(inputs=["trade"]), "trade", ballots, WINDOW).value_micros == usd("3.00")


def test_a_weighed_vote_shows_its_share_of_the_whole():
    votes, _, _ = weigh(
        benchmark().methodology, "listed", in_order([ballot("alpha"), ballot("beta", "2.00")]), SPAN
    )
    assert [(v.seller, v.weight, v.total_weight, v.venues) for v in votes] == [
        ("beta", 1, 2, 1),
        ("alpha", 1, 2, 1),
    ]
