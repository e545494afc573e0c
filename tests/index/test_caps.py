"""Weights and caps: exact shares, no group above its cap, and a refusal where that can't be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index import Ballot, evaluate
from rentmark.index.caps import Group, hold_caps
from rentmark.index.evaluation import Outcome
from rentmark.index.weights import SHARE_UNITS, integer_weights
from rentmark.records import Refusal

from .making import WINDOW, ballot, benchmark, in_order

NOISE = Fraction(1, 10**11)
"""Shares are counted in trillionths; so much may rounding add up to."""


def groups_of(kind: str, names: list[str], cap: Fraction, floor: Fraction = Fraction(0)) -> list[Group]:
    return [
        Group(kind, name, tuple(n for n, other in enumerate(names) if other == name), cap, floor)
        for name in sorted(set(names))
    ]


def held(weights: list[int], groups: list[Group]) -> list[Fraction]:
    made = hold_caps(weights, groups)
    assert not isinstance(made, Refusal)
    return made[0]


@pytest.mark.parametrize(
    ("weights", "cap", "shares"),
    [
        # worked by hand: what a capped seller gives up goes to the others in proportion
        ([50, 1, 1, 1], "3/10", ["3/10", "7/30", "7/30", "7/30"]),
        ([6, 3, 1], "1/2", ["1/2", "3/8", "1/8"]),
        ([8, 4, 2, 1], "1/4", ["1/4", "1/4", "1/4", "1/4"]),
        ([6, 3, 3], "1/2", ["1/2", "1/4", "1/4"]),
        # the second goes over its cap only once the first has been held
        ([60, 25, 10, 5], "2/5", ["2/5", "3/8", "3/20", "3/40"]),
        ([70, 22, 4, 4], "2/5", ["2/5", "2/5", "1/10", "1/10"]),
        ([1, 1], "1/1", ["1/2", "1/2"]),
    ],
)
def test_a_cap_is_held_exactly(weights, cap, shares):
    found = held(weights, groups_of("cap", [f"s{n}" for n in range(len(weights))], Fraction(cap)))
    assert found == [Fraction(share) for share in shares]


def test_too_few_sellers_for_a_cap_refuse_with_the_arithmetic():
    made = hold_caps([5, 1, 1], groups_of("cap", ["a", "b", "c"], Fraction(1, 4)))
    assert made == Refusal("cap_infeasible", "cap 1/4 × 3 groups < 1")


def test_caps_that_can_not_hold_together_refuse():
    sellers = groups_of("cap", ["a", "b", "c", "d"], Fraction(2, 5))
    venues = groups_of("cap_venue", ["v", "v", "v", "w"], Fraction(1, 2))
    # worked by hand: venue w has one seller, which may hold 2/5, and venue v may hold 1/2
    made = hold_caps([1, 1, 1, 1], [*sellers, *venues])
    assert isinstance(made, Refusal)
    assert made.code == "cap_infeasible"


def test_seller_and_venue_caps_hold_together():
    sellers = groups_of("cap", list("abcdef"), Fraction(3, 10))
    venues = groups_of("cap_venue", list("vvvwww"), Fraction(1, 2))
    shares = held([10, 1, 100, 1, 1, 3], [*sellers, *venues])
    # worked by hand: c and f at their cap, the rest of each venue by its weights: 10:1 and 1:1
    expected = [Fraction(2, 10) * Fraction(10, 11), Fraction(2, 110), Fraction(3, 10)]
    expected += [Fraction(1, 10), Fraction(1, 10), Fraction(3, 10)]
    assert all(abs(share - want) < NOISE for share, want in zip(shares, expected, strict=True))


def test_a_floor_lifts_a_small_seller():
    shares = held([97, 1, 1, 1], groups_of("cap", list("abcd"), Fraction(9, 10), Fraction(1, 40)))
    # Computable's floor of 2.5 %: three sellers at it leave 92.5 %, capped to 90 %, so the floor is not all they get
    assert abs(shares[0] - Fraction(9, 10)) < NOISE
    assert all(share >= Fraction(1, 40) - NOISE for share in shares)
    assert abs(sum(shares) - 1) < NOISE


weights_drawn = st.lists(st.integers(0, 100), min_size=1, max_size=9).filter(any)
caps_drawn = st.sampled_from(
    [Fraction(1, 5), Fraction(1, 4), Fraction(3, 10), Fraction(2, 5), Fraction(2, 3)]
)


@settings(deadline=None)
@given(weights_drawn, caps_drawn, caps_drawn, st.data())
def test_caps_hold_or_refuse_and_what_needs_no_cap_is_left_as_it_is(weights, cap, venue_cap, data):
    count = len(weights)
    sellers = [data.draw(st.sampled_from("abcdef")) for _ in range(count)]
    venues = [data.draw(st.sampled_from("vwxy")) for _ in range(count)]
    groups = [*groups_of("cap", sellers, cap), *groups_of("cap_venue", venues, venue_cap)]
    made = hold_caps(weights, groups)
    own = [Fraction(w, sum(weights)) for w in weights]
    over = [g for g in groups if sum(own[i] for i in g.members) > g.cap]
    if isinstance(made, Refusal):
        assert made.code == "cap_infeasible"
        assert over
        return
    shares, lines = made
    assert abs(sum(shares) - 1) < NOISE
    for group in groups:
        assert sum(shares[i] for i in group.members) <= group.cap + NOISE
    assert all((share == 0) == (weight == 0) for share, weight in zip(shares, weights, strict=True))
    assert bool(lines) == bool(over)
    if not over:
        assert shares == own


@given(weights_drawn, caps_drawn, st.integers(2, 1000))
def test_only_shares_of_the_weight_matter_to_a_cap(weights, cap, factor):
    groups = groups_of("cap", [f"s{n}" for n in range(len(weights))], cap)
    assert hold_caps(weights, groups) == hold_caps([w * factor for w in weights], groups)


def outcome(rules: Any, ballots: list[Ballot], tier: str = "listed") -> Outcome:
    return evaluate(rules, tier, in_order(ballots), WINDOW)


def shares_of(made: Outcome) -> dict[str, float]:
    found: dict[str, Fraction] = {}
    for vote in made.votes:
        found[vote.seller] = found.get(vote.seller, Fraction(0)) + Fraction(vote.weight, vote.total_weight)
    return {seller: round(float(share), 9) for seller, share in found.items()}


def test_a_seller_with_many_regions_under_weights_of_votes_is_held_to_its_cap():
    rules = benchmark(vote=["seller", "region"], weights="vote", cap=0.4, min_sellers=3, estimator="mean")
    ballots = [ballot("a", "1.00", region=f"r{n}") for n in range(8)] + [
        ballot("b", "2.00"),
        ballot("c", "3.00"),
    ]
    made = outcome(rules, ballots)
    assert shares_of(made) == {"a": 0.4, "b": 0.3, "c": 0.3}
    assert made.value_micros == 1_900_000
    (line,) = made.caps
    assert (line.kind, line.name, line.before, line.after) == ("cap", "a", "0.800000", "0.400000")


def test_a_cap_that_a_day_can_not_meet_is_a_gap_with_its_rule():
    rules = benchmark(cap=0.4, min_sellers=3, cap_aggregator=0.3)
    ballots = [ballot(s, "3.00", aggregators=("one",)) for s in "abc"]
    made = outcome(rules, ballots)
    assert made.refusal is not None
    assert made.refusal.code == "cap_infeasible"
    assert made.value_micros is None


def test_a_vote_without_an_aggregator_came_directly_and_is_under_no_such_cap():
    rules = benchmark(cap_aggregator=0.4, estimator="mean")
    ballots = [ballot(s, "2.00", aggregators=("one",)) for s in "abc"] + [ballot("d", "4.00")]
    made = outcome(rules, ballots)
    assert made.value_micros == 3_200_000  # worked by hand: 0.4·2 + 0.6·4
    assert made.caps[0].name == "one"


def traded(seller: str, buyer: str | None, price: str, gpu_hours: int, number: int) -> Ballot:
    return ballot(
        seller, price, tier="trade", gpu_seconds=3600 * gpu_hours, buyer=buyer, observation_id=number
    )


def test_a_buyer_and_a_seller_hold_no_more_than_their_share_of_trade():
    rules = benchmark(
        inputs=["trade"],
        vote=["observation"],
        weights="volume",
        estimator="volume_weighted_mean",
        max_trade_share=0.5,
    )
    trades = [
        traded("a", "x", "9.00", 90, 1),
        traded("a", "x", "9.00", 90, 2),
        traded("a", "y", "3.00", 10, 3),
        traded("b", "x", "3.00", 10, 4),
    ]
    made = outcome(rules, trades, "trade")
    assert made.value_micros == 6_000_000  # worked by hand: half at 9, half at 3
    assert [line.name for line in made.caps] == ["x from a"]


def test_a_trade_that_names_no_buyer_counts_to_the_unknown_buyer_of_its_seller():
    rules = benchmark(
        inputs=["trade"], vote=["observation"], weights="volume", estimator="mean", max_trade_share=0.5
    )
    made = outcome(
        rules, [traded("a", None, "9.00", 1, n) for n in range(8)] + [traded("b", "x", "3.00", 1, 9)], "trade"
    )
    assert made.value_micros == 6_000_000
    assert made.caps[0].name == "unknown buyer from a"


DAY_LONG = (0, 86_400_000_000)


def test_weight_falls_with_age_in_a_straight_line_over_the_window():
    rules = benchmark(recency=0.5, weights="vote").methodology
    hour = 3_600_000_000
    aged = [ballot(f"s{h}", instant=h * hour) for h in (0, 12, 24)]
    weights = integer_weights(rules, "listed", aged, DAY_LONG)
    # worked by hand (ComputePulse's published form: 1 → 0.5 over 24 hours): ½, ¾ and 1 of 2¼
    expected = [Fraction(2, 9), Fraction(3, 9), Fraction(4, 9)]
    assert all(abs(Fraction(w, SHARE_UNITS) - e) < NOISE for w, e in zip(weights, expected, strict=True))


def test_capacity_weighs_by_gpus_or_by_their_step():
    ballots = [ballot("a", capacity=8), ballot("b", capacity=120), ballot("c", capacity=5000)]
    plain = benchmark(weights="capacity").methodology
    stepped = benchmark(weights="capacity", capacity_steps=[[1, 1], [100, 2], [1000, 3]]).methodology
    assert integer_weights(plain, "listed", ballots, DAY_LONG) == [8, 120, 5000]
    # the 3/2/1 of capacity tiers
    assert integer_weights(stepped, "listed", ballots, DAY_LONG) == [1, 2, 3]


def test_in_a_pool_a_seller_weighs_by_tier_split_over_its_votes():
    rules = benchmark(
        inputs=["executable", "listed"],
        hierarchy="pool",
        weights="tier",
        tier_weights={"executable": 3, "listed": 1},
        vote=["seller", "region"],
    ).methodology
    ballots = [
        ballot("a", tier="executable"),
        ballot("a", region="r1"),
        ballot("a", region="r2"),
        ballot("b"),
    ]
    weights = integer_weights(rules, "pool", ballots, DAY_LONG)
    assert [Fraction(w, weights[3]) for w in weights] == [3, Fraction(1, 2), Fraction(1, 2), 1]
