"""Hierarchy of inputs: which tier gives the value, how they blend, and what stands beside the level."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rentmark.index import Ballot, decide, make_fixing
from rentmark.records import Fixing

from .making import WINDOW, ballot, benchmark, in_order, usd

BOTH = {"inputs": ["trade", "listed"]}
VOTES = [
    ballot("a", "2.00", tier="trade", venues=("floor",)),
    ballot("b", "2.50", tier="trade", venues=("hall",)),
    ballot("a", "3.00"),
    ballot("b", "4.00"),
    ballot("c", "5.00"),
]


def fix(rules: Any, ballots: list[Ballot]) -> Fixing:
    return make_fixing(rules, WINDOW, in_order(ballots), archive_holds_day=True, reconstructed=False)


def details(fixing: Fixing) -> dict[str, Any]:
    return json.loads(fixing.details or "{}")


def test_a_waterfall_prints_the_best_tier_and_says_how_far_list_prices_stand_above_it():
    fixing = fix(benchmark(**BOTH), VOTES)
    assert (fixing.value_micros, fixing.tier) == (usd("2.25"), "trade")
    assert details(fixing) == {
        "levels": {"trade": "2.250000", "listed": "4.000000"},
        "list_to_transacted": "1.750000",
    }


def test_where_one_tier_has_a_value_there_is_no_spread():
    assert fix(benchmark(**BOTH), VOTES[2:]).details is None
    assert fix(benchmark(**BOTH, min_sellers=3), VOTES).details is None


def test_the_first_tier_alone_gives_the_value_and_no_other_steps_in():
    rules = benchmark(**BOTH, hierarchy="first")
    assert (fix(rules, VOTES).value_micros, fix(rules, VOTES).tier) == (usd("2.25"), "trade")
    alone = fix(rules, VOTES[2:])
    assert (alone.status, alone.rule, alone.tier, alone.n_votes) == ("GAP", "min_sellers", "trade", 0)


def test_a_blend_is_the_mean_of_the_levels_by_their_stated_shares():
    rules = benchmark(**BOTH, hierarchy="blend", blend={"trade": 0.75, "listed": 0.25})
    fixing = fix(rules, VOTES)
    # worked by hand: 0.75·2.25 + 0.25·4.00
    assert (fixing.value_micros, fixing.tier, fixing.n_sellers, fixing.n_votes) == (
        usd("2.6875"),
        "blend",
        3,
        5,
    )
    assert details(fixing)["list_to_transacted"] == "1.750000"
    # worked by hand: a holds ½ of the trades and ⅓ of the list, 0.75/2 + 0.25/3
    assert fixing.top_weight == "0.458333"
    assert fixing.settlement_grade


@pytest.mark.parametrize(
    ("kept", "value", "tier"), [(VOTES[:2], "2.25", "trade"), (VOTES[2:], "4.00", "listed")]
)
def test_a_blend_of_one_tier_is_that_tier(kept, value, tier):
    rules = benchmark(**BOTH, hierarchy="blend", blend={"trade": 0.75, "listed": 0.25})
    fixing = fix(rules, kept)
    assert (fixing.value_micros, fixing.tier) == (usd(value), tier)


def test_a_pool_weighs_the_votes_of_all_tiers_as_one():
    rules = benchmark(
        inputs=["executable", "listed"],
        hierarchy="pool",
        weights="tier",
        tier_weights={"executable": 3, "listed": 1},
        estimator="weighted_median",
    )
    votes = [ballot("a", "5.00", tier="executable"), ballot("b", "3.00"), ballot("c", "4.00")]
    fixing = fix(rules, votes)
    # worked by hand: 3.00 and 4.00 weigh 1 each, 5.00 weighs 3 of 5
    assert (fixing.value_micros, fixing.tier, fixing.n_sellers) == (usd("5.00"), "pool", 3)
    assert fix(rules, []).rule == "no_match"


def test_a_blend_that_no_tier_can_give_names_the_rule_of_the_last():
    rules = benchmark(**BOTH, hierarchy="blend", blend={"trade": 1, "listed": 1}, min_sellers=4)
    fixing = fix(rules, VOTES)
    assert (fixing.status, fixing.rule, fixing.tier) == ("GAP", "min_sellers", "listed")


def test_list_prices_alone_are_never_settlement_grade_however_they_are_joined():
    rules = benchmark(
        inputs=["executable", "listed"],
        hierarchy="pool",
        weights="tier",
        tier_weights={"executable": 3, "listed": 1},
    )
    listed = [ballot(s, "3.00", venues=(s,)) for s in "abc"]
    assert not fix(rules, listed).settlement_grade
    assert fix(rules, [*listed, ballot("d", "3.00", tier="executable", venues=("d",))]).settlement_grade


def test_what_each_tier_came_to_can_be_asked():
    decision = decide(benchmark(**BOTH), in_order(VOTES), WINDOW)
    assert decision.levels == {"trade": usd("2.25"), "listed": usd("4.00")}
    assert [o.tier for o in decision.tiers] == ["trade", "listed"]


def test_volume_weighted_percentiles_and_volume_are_published_beside_the_level():
    rules = benchmark(
        inputs=["trade"], vote=["observation"], weights="volume", estimator="volume_weighted_median"
    )
    trades = [
        ballot(f"s{n}", f"{n}.00", tier="trade", gpu_seconds=3600 * hours, observation_id=n)
        for n, hours in ((1, 1), (2, 49), (3, 49), (4, 1))
    ]
    fixing = fix(rules, trades)
    assert (fixing.value_micros, fixing.gpu_hours) == (usd("2.00"), 100.0)
    assert details(fixing)["percentiles"] == {
        "1": "1.000000",
        "25": "2.000000",
        "75": "3.000000",
        "99": "3.000000",
    }
