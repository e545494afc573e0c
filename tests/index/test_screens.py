"""Screens: a wild vote is out by rule whichever side it is on, and taking it away changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index import Ballot, build_fixings, evaluate
from rentmark.index.evaluation import Outcome
from rentmark.records import Fixing

from .making import DAY, LATER, WINDOW, ballot, benchmark, in_order, usd, windows_for

NAMES = [f"s{number:02d}" for number in range(12)]
MAD = benchmark(estimator="mean", screen={"robust_z": 3.5})


def of(prices: list[str], **changes: Any) -> list[Ballot]:
    return in_order(ballot(name, price, **changes) for name, price in zip(NAMES, prices, strict=False))


def outcome(rules: Any, ballots: list[Ballot], tier: str = "listed") -> Outcome:
    return evaluate(rules, tier, in_order(ballots), WINDOW)


def left_out(made: Outcome) -> dict[str, str]:
    return {s.ballot.seller: s.rule for s in made.screened}


def test_four_votes_at_three_dollars_and_one_at_a_million_print_three_with_the_mean():
    made = outcome(MAD, of(["3.00", "3.00", "3.00", "3.00", "1000000.00"]))
    assert made.value_micros == usd("3.000000")
    assert left_out(made) == {"s04": "robust_distance"}
    # without the screen they print what no seller asks: 1,000,012 / 5
    assert outcome(benchmark(estimator="mean"), of(["3.00"] * 4 + ["1000000.00"])).value_micros == usd(
        "200002.4"
    )


@pytest.mark.parametrize(
    ("prices", "out"),
    [
        # worked by hand: in logarithms a third of a price is as far as three times it
        (["3.00"] * 4 + ["9.00"], {"s04"}),
        (["3.00"] * 4 + ["1.00"], {"s04"}),
        (["3.00"] * 4 + ["6.00"], set()),
        (["3.00"] * 4 + ["1.50"], set()),
        (["3.00"] * 4 + ["6.000001"], {"s04"}),
        (["3.00"] * 4 + ["1.499999"], {"s04"}),
        (["3.00"] * 3 + ["0.01", "900.00"], {"s03", "s04"}),
        (["3.00", "3.00"], set()),
    ],
)
def test_where_more_than_half_are_equal_a_ratio_band_decides_both_ways(prices, out):
    assert set(left_out(outcome(MAD, of(prices)))) == out


@pytest.mark.parametrize(
    ("cheap", "dear", "out"), [("0.30", "30.00", True), ("0.50", "18.00", False), ("1.50", "6.00", False)]
)
def test_the_cheap_tail_is_defended_like_the_dear_one(cheap, dear, out):
    # worked by hand: 2, 2.25, 3, 4, 4.5 mirror one another around 3 in logarithms, as cheap and dear do; with
    # either the centre is ln 3 ± 0.144 and the MAD 0.347, so that 3.5 z is 1.80: ln 10 − 0.144 = 2.16, ln 6 − 0.144 = 1.65
    near = ["2.00", "2.25", "3.00", "4.00", "4.50"]
    for wild in (cheap, dear):
        assert ("s05" in left_out(outcome(MAD, of([*near, wild])))) == out


def test_a_floor_keeps_votes_of_a_quiet_day_in():
    # worked by hand: MAD of 3.00, 3.00, 3.01, 3.02 and 3.09 is under half a percent, the floor of 2 % allows 7.2 %
    prices = ["3.00", "3.00", "3.01", "3.02", "3.09"]
    assert left_out(outcome(MAD, of(prices))) == {}
    low = benchmark(estimator="mean", screen={"robust_z": 3.5, "floor": 0.0001})
    assert left_out(outcome(low, of(prices))) == {"s04": "robust_distance"}


def test_gates_count_what_stands_and_not_what_was_screened():
    made = outcome(benchmark(min_sellers=5, screen={"robust_z": 3.5}), of(["3.00"] * 4 + ["900.00"]))
    assert made.refusal is not None
    assert (made.refusal.code, made.refusal.sentence) == ("min_sellers", "min_sellers 4<5")


def test_on_panels_made_to_be_difficult_one_later_screened_vote_seldom_holds_another_out():
    # worked out once over 9,254 panels: 1.4 %; docs/estimators.md says so
    chance, panels, shifted = Random(1), 0, 0
    for _ in range(3_000):
        quarters = [
            chance.choice([chance.randint(10, 14), chance.randint(1, 60)])
            for _ in range(chance.randint(3, 11))
        ]
        ballots = in_order(
            ballot(n, "1.00", value_micros=250_000 * q) for n, q in zip(NAMES, quarters, strict=False)
        )
        made = outcome(MAD, ballots)
        panels += bool(made.screened)
        without = ([b for b in ballots if b is not s.ballot] for s in made.screened)
        shifted += any(outcome(MAD, rest).value_micros != made.value_micros for rest in without)
    assert panels > 1_000
    assert shifted / panels < 0.03


prices_on_grid = st.lists(st.integers(1, 60), min_size=1, max_size=11)


@settings(deadline=None)
@given(prices_on_grid)
def test_without_all_screened_votes_or_without_the_first_the_value_is_the_same(quarters):
    ballots = in_order(
        ballot(n, "1.00", value_micros=250_000 * q) for n, q in zip(NAMES, quarters, strict=False)
    )
    made = outcome(MAD, ballots)
    gone = [s.ballot for s in made.screened]
    survivors = outcome(MAD, [b for b in ballots if b not in gone])
    assert survivors.value_micros == made.value_micros
    assert survivors.screened == ()
    assert survivors.votes == made.votes
    # screens take out the furthest first, so the first of the list
    if gone and sum(b.value_micros == gone[0].value_micros for b in gone) == 1:
        again = outcome(MAD, [b for b in ballots if b is not gone[0]])
        assert (again.value_micros, again.votes) == (made.value_micros, made.votes)


@settings(deadline=None)
@given(prices_on_grid, st.integers(2, 50))
def test_a_screen_is_blind_to_the_unit_of_prices(quarters, factor):
    votes = [250_000 * q for q in quarters]
    asked = [
        in_order(ballot(n, "1.00", value_micros=v * f) for n, v in zip(NAMES, votes, strict=False))
        for f in (1, factor)
    ]
    assert left_out(outcome(MAD, asked[0])) == left_out(outcome(MAD, asked[1]))


def on_floors(levels: dict[str, list[str]]) -> list[Ballot]:
    return in_order(
        ballot(f"{venue}-{n}", price, venues=(venue,))
        for venue, prices in levels.items()
        for n, price in enumerate(prices)
    )


VENUES = benchmark(screen={"venue_deviation": 0.1})


def test_a_venue_apart_from_the_others_is_left_out_whole():
    made = outcome(VENUES, on_floors({"a": ["3.00", "3.10"], "b": ["3.05"], "c": ["3.60", "3.00", "3.70"]}))
    # worked by hand: levels 3.05, 3.05 and 3.60; the median is 3.05 and 3.60 is 18 % above it
    assert set(left_out(made).values()) == {"venue_deviation"}
    assert {seller[0] for seller in left_out(made)} == {"c"}
    cheap = outcome(VENUES, on_floors({"a": ["3.00"], "b": ["3.00"], "c": ["2.70"]}))
    assert set(left_out(cheap)) == {"c-0"}
    at_the_border = outcome(VENUES, on_floors({"a": ["3.00"], "b": ["3.00"], "c": ["3.30"]}))
    assert left_out(at_the_border) == {}


def test_of_two_venues_nobody_can_say_which_one_deviates():
    assert left_out(outcome(VENUES, on_floors({"a": ["3.00"], "b": ["9.00"]}))) == {}


def test_a_vote_seen_on_several_venues_goes_only_when_all_of_them_do():
    both = ballot("d", "3.00", venues=("b", "c"))
    made = outcome(VENUES, [*on_floors({"a": ["3.00"], "b": ["3.00"], "c": ["9.00", "9.00"]}), both])
    assert set(left_out(made)) == {"c-0", "c-1"}


def test_the_level_of_a_venue_goes_by_volume_where_volume_weighs():
    rules = benchmark(
        inputs=["trade"], vote=["observation"], weights="volume", screen={"venue_deviation": 0.1}
    )
    votes = [
        ballot("a", "3.00", venues=("a",), tier="trade", gpu_seconds=60, observation_id=1),
        ballot("b", "3.00", venues=("b",), tier="trade", gpu_seconds=60, observation_id=2),
        ballot("c", "3.00", venues=("c",), tier="trade", gpu_seconds=900, observation_id=3),
        ballot("c", "9.00", venues=("c",), tier="trade", gpu_seconds=60, observation_id=4),
        ballot("c", "9.10", venues=("c",), tier="trade", gpu_seconds=60, observation_id=5),
    ]
    assert left_out(outcome(rules, votes, "trade")) == {}


def test_a_capacity_that_is_not_stated_is_not_guessed():
    rules = benchmark(weights="capacity", capacity_steps=[[10, 1], [100, 3]])
    votes = [
        ballot("a", "3.00", capacity=100),
        ballot("b", "2.00", capacity=10),
        ballot("c", "9.00"),
        ballot("d", "1.00", capacity=9),
    ]
    made = outcome(rules, votes)
    assert left_out(made) == {"c": "capacity_unstated", "d": "capacity_unstated"}
    assert [(v.seller, v.weight) for v in made.votes] == [("b", 1), ("a", 3)]


# Rules that follow a seller from day to day.


def day(number: int) -> date:
    return DAY + timedelta(days=number)


def build(rules: Any, panel: list[dict[str, str]], **more: Any) -> list[Fixing]:
    ballots = {
        day(n): in_order(ballot(s, price) for s, price in votes.items())
        for n, votes in enumerate(panel)
        if votes
    }
    windows = windows_for(rules, DAY, day(len(panel) - 1), LATER)
    held = more or {"published": {}}
    return build_fixings(rules, ballots, windows, archive_holds=lambda _: False, reconstructed=False, **held)


def standing(fixing: Fixing) -> int:
    return fixing.n_votes


JUMP = benchmark(screen={"jump": {"move": 0.25, "others": 2, "others_move": 0.1, "wait_days": 3}})
STILL = {"a": "3.00", "b": "3.00", "c": "3.00", "d": "3.00"}


def test_a_lone_jump_waits_and_is_taken_when_it_stays():
    jumped = {**STILL, "a": "4.00"}
    fixings = build(JUMP, [STILL, jumped, jumped, jumped, jumped])
    # the last vote of a that stood is of day 0, out of the memory of three days on day 4
    assert [f.n_votes for f in fixings] == [4, 3, 3, 3, 4]
    assert '"screened":{"jump_uncorroborated":1}' in (fixings[1].details or "")


@pytest.mark.parametrize(
    ("others", "stands"),
    [
        ({"b": "3.30", "c": "3.30"}, True),
        ({"b": "3.30"}, False),
        ({"b": "3.30", "c": "3.29"}, False),
        ({"b": "2.70", "c": "2.70"}, False),
    ],
    ids=["two moved along", "one did", "one not far enough", "the other way"],
)
def test_a_jump_is_borne_out_by_two_others_that_moved_the_same_way_by_a_tenth(others, stands):
    fixings = build(JUMP, [STILL, {**STILL, "a": "4.00", **others}])
    assert fixings[1].n_votes == (4 if stands else 3)


def test_a_fall_by_more_than_a_fifth_is_as_far_as_a_rise_by_a_quarter():
    assert build(JUMP, [STILL, {**STILL, "a": "2.40"}])[1].n_votes == 4
    assert build(JUMP, [STILL, {**STILL, "a": "2.39"}])[1].n_votes == 3
    assert build(JUMP, [STILL, {**STILL, "a": "3.75"}])[1].n_votes == 4
    assert build(JUMP, [STILL, {**STILL, "a": "3.76"}])[1].n_votes == 3


def test_others_may_follow_later():
    jumped = {**STILL, "a": "4.00"}
    followed = {**jumped, "b": "3.30", "c": "3.40"}
    assert [f.n_votes for f in build(JUMP, [STILL, jumped, followed, followed])] == [4, 3, 4, 4]


def test_a_new_seller_has_nothing_to_jump_from():
    assert build(JUMP, [STILL, {**STILL, "e": "9.00"}])[1].n_votes == 5


def test_a_jump_is_measured_against_what_was_published():
    built = build(JUMP, [STILL])
    sealed = (built[0].details or "").replace('["a",null,null,"3.000000"]', '["a",null,null,"4.000000"]')
    published = replace(built[0], details=sealed, published_at=LATER)
    jumped = {**STILL, "a": "4.00"}
    assert build(JUMP, [STILL, jumped], published={DAY: published})[1].n_votes == 4


ADMINISTERED = benchmark(screen={"administered_days": 3})


def test_a_list_price_that_has_not_moved_for_so_long_is_left_out_until_it_does():
    panel = [{"a": "3.00", "b": f"3.{n}0"} for n in range(5)] + [{"a": "2.90", "b": "3.90"}]
    assert [f.n_votes for f in build(ADMINISTERED, panel)] == [2, 2, 2, 1, 1, 2]


def test_a_day_without_the_seller_does_not_make_its_price_new():
    panel = [{"a": "3.00", "b": "3.00"}, {"b": "3.10"}, {"b": "3.20"}, {"a": "3.00", "b": "3.30"}]
    assert [f.n_votes for f in build(ADMINISTERED, panel)] == [2, 1, 1, 1]


@pytest.mark.parametrize("rules", [JUMP, ADMINISTERED], ids=["jump", "administered"])
def test_what_a_later_day_reads_is_sealed_with_the_fixing(rules):
    whole = build(rules, [STILL, {**STILL, "a": "4.00"}, STILL, {**STILL, "b": "2.00"}])
    published = {f.date: replace(f, published_at=LATER, origin="backcast") for f in whole[:3]}
    again = build(rules, [{}, {}, {}, {**STILL, "b": "2.00"}], published=published)
    assert again[3] == whole[3]
