"""Who moved it: each seller taken from both days, and the sentence that says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import ChangeStory, change_sentence, who_moved_it
from rentmark.records import Refusal

from tests.index.making import ballot, benchmark, in_order, usd
from tests.index.review.making import MEDIAN, days, trade, votes


def story(then, now, rules=MEDIAN) -> ChangeStory:
    told = who_moved_it(rules, *days(rules, [then, now]))
    assert isinstance(told, ChangeStory)
    return told


def test_a_seller_that_jumps_over_the_middle_moved_it():
    told = story(votes(a="2.00", b="2.50", c="3.00", d="3.40"), votes(a="2.00", b="3.90", c="3.00", d="3.40"))
    # worked by hand: 2.75 to 3.20; without b both days are 3.00
    assert (told.previous_micros, told.value_micros) == (usd("2.75"), usd("3.20"))
    assert told.moved_it == ("b",)
    first = told.without[0]
    assert (first.seller, first.before_micros, first.after_micros) == ("b", usd("3.00"), usd("3.00"))
    assert (told.n_sellers, told.n_unchanged, told.share_unchanged) == (4, 3, 0.75)
    assert [(s.seller, s.before_micros, s.after_micros) for s in told.changed] == [
        ("b", usd("2.50"), usd("3.90"))
    ]
    assert told.matched_micros == usd("0.45")
    assert change_sentence(told) == (
        "invented-h100 is $3.200, +16.4 % on the day. One seller (b) moved it; without it, unchanged."
    )


def test_who_comes_and_who_leaves_is_told_apart_from_prices():
    told = story(votes(a="2.00", b="3.00", c="4.00"), votes(b="3.00", c="4.00", d="5.00"))
    assert [s.seller for s in told.entered] == ["d"]
    assert [s.seller for s in told.left] == ["a"]
    assert told.changed == ()
    assert (told.value_micros, told.previous_micros, told.matched_micros) == (usd("4.00"), usd("3.00"), 0)
    # without a: 3.50 to 4.00; without d: 3.00 to 3.50
    assert {w.seller: w.change_micros for w in told.without} == {
        "a": usd("0.50"),
        "b": usd("1.50"),
        "c": usd("1.50"),
        "d": usd("0.50"),
    }
    assert [w.seller for w in told.without[:2]] == ["a", "d"], "those that acted stand first"
    assert change_sentence(told).endswith(
        "1 seller came and 1 left; no one of them alone: without a, +14.3 %."
    )


def test_without_a_seller_the_gate_may_refuse():
    rules = benchmark(min_sellers=2)
    told = story(votes(a="2.00", b="3.00"), votes(a="2.00", b="4.00"), rules)
    assert [(w.seller, w.change_micros, w.reason) for w in told.without] == [
        ("b", None, "min_sellers"),
        ("a", None, "min_sellers"),
    ]
    assert change_sentence(told).endswith("1 of 2 sellers changed price; without b, no value (min_sellers).")


@pytest.mark.parametrize(
    ("now", "ending"),
    [
        (
            votes(a="2.00", b="3.00", c="4.00"),
            "unchanged on the day. No seller changed its price, came or left.",
        ),
        (
            votes(a="2.00", b="3.00", c="4.50"),
            "unchanged on the day. 1 of 3 sellers changed price; the value stayed.",
        ),
        (
            votes(a="2.00", b="3.10", c="4.00"),
            "+3.3 % on the day. 1 of 3 sellers changed price; no one of them alone",
        ),
    ],
)
def test_the_sentence_says_what_happened(now, ending):
    said = change_sentence(story(votes(a="2.00", b="3.00", c="4.00"), now))
    if ending.endswith("alone"):
        assert said.endswith("One seller (b) moved it; without it, unchanged.")
    else:
        assert said.endswith(ending)


def test_a_move_over_a_gap_names_the_day_it_is_from():
    rules = benchmark(min_sellers=2)
    made = days(rules, [votes(a="2.00", b="3.00"), votes(a="2.00"), votes(a="2.00", b="4.00")])
    told = who_moved_it(rules, made[0], made[2])
    assert isinstance(told, ChangeStory)
    assert "+20.0 % since 2026-07-08" in change_sentence(told)
    refused = who_moved_it(rules, made[0], made[1])
    assert isinstance(refused, Refusal)
    assert refused.sentence == "invented-h100 has no value of its own on 2026-07-09"


def test_trades_of_a_seller_stand_as_their_mean_by_hours():
    rules = benchmark(
        inputs=["trade"], vote=["observation"], weights="volume", estimator="volume_weighted_median"
    )
    then = in_order([trade("a", "2.00", 100, 1), trade("b", "3.00", 50, 2)])
    now = in_order([trade("a", "2.00", 10, 3), trade("a", "3.00", 30, 4), trade("b", "3.00", 50, 5)])
    told = story(then, now, rules)
    assert [(s.seller, s.after_micros) for s in told.changed] == [("a", usd("2.75"))]
    assert told.n_unchanged == 1
    assert told.matched_micros is None
    assert told.matched_reason is not None


panels = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 12), min_size=1)


@given(panels, panels)
def test_a_seller_that_moved_it_acted_and_without_it_nothing_moves(then, now):
    made = [
        in_order(ballot(s, "1.00", value_micros=250_000 * q) for s, q in day.items()) for day in (then, now)
    ]
    told = story(*made)
    same = {s for s in then.keys() & now.keys() if then[s] == now[s]}
    assert told.n_unchanged == len(same)
    assert told.acted == (then.keys() | now.keys()) - same
    assert {w.seller for w in told.without} == then.keys() | now.keys()
    for seller in told.moved_it:
        assert seller in told.acted
        assert told.change_micros != 0
        rest = [[b for b in day if b.seller != seller] for day in made]
        again = who_moved_it(MEDIAN, *days(MEDIAN, rest)) if all(rest) else None
        assert isinstance(again, ChangeStory)
        assert again.change_micros == 0
    assert change_sentence(told).endswith(".")
