"""Composition: how much of a move is prices, how much is who came and who left, and what these leave."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import Ballot, Composition, build_fixings, composition
from rentmark.records import Refusal

from .making import DAY, LATER, ballot, benchmark, in_order, usd, windows_for

NEXT = DAY + timedelta(days=1)
MEDIAN = benchmark()


def votes(**prices: str) -> list[Ballot]:
    return in_order(ballot(seller, price) for seller, price in prices.items())


def move(then: list[Ballot], now: list[Ballot], rules: Any = MEDIAN) -> Composition:
    made = composition(rules, (DAY, then), (NEXT, now))
    assert isinstance(made, Composition)
    return made


def test_a_seller_that_comes_moves_the_level_and_no_price():
    made = move(votes(a="2.00", b="3.00", c="4.00"), votes(a="2.00", b="3.00", c="4.00", d="9.00"))
    assert (made.change_micros, made.price_micros, made.entry_micros, made.exit_micros) == (
        usd("0.50"),
        0,
        usd("0.50"),
        0,
    )
    assert (made.residual_micros, made.entered, made.left, made.movers) == (0, ("d",), (), ())


def test_a_seller_that_leaves_moves_the_level_and_no_price():
    made = move(votes(a="2.00", b="3.00", c="4.00"), votes(a="2.00", b="3.00"))
    assert (made.change_micros, made.exit_micros, made.price_micros) == (-usd("0.50"), -usd("0.50"), 0)
    assert made.left == ("c",)


def test_effects_are_measured_alone_and_what_they_leave_is_shown():
    made = move(votes(a="1.00", b="2.00", c="3.00"), votes(b="5.00", c="3.00", d="9.00"))
    # worked by hand: levels 2 and 5; b and c alone go from 2.50 to 4; with d added to the day before 2.50; without a 2.50
    assert made.change_micros == usd("3.00")
    assert (made.price_micros, made.entry_micros, made.exit_micros) == (usd("1.50"), usd("0.50"), usd("0.50"))
    assert made.residual_micros == usd("0.50")
    assert [(m.name, m.change_micros) for m in made.movers] == [("b", usd("3.00"))]


def test_days_without_a_vote_in_common_have_no_price_effect():
    made = move(votes(a="1.00"), votes(b="2.00"))
    assert (made.price_micros, made.exit_micros, made.entry_micros) == (None, None, usd("0.50"))
    assert made.residual_micros == usd("0.50")


def test_a_level_is_by_the_estimator_and_the_weights_of_the_benchmark():
    rules = benchmark(estimator="trimmed_mean", tail=0.25)
    made = move(
        votes(a="1.00", b="2.00", c="3.00", d="9.00"), votes(a="1.00", b="4.00", c="3.00", d="9.00"), rules
    )
    assert (made.level_before_micros, made.level_after_micros) == (usd("2.50"), usd("3.50"))
    chained = benchmark(estimator="matched_chain", memory_days=9)
    assert move(votes(a="1.00", b="3.00"), votes(a="1.00", b="5.00"), chained).change_micros == usd("1.00")


@pytest.mark.parametrize(
    ("rules", "then", "now", "code"),
    [
        (benchmark(vote=["observation"]), votes(a="1.00"), votes(a="1.00"), "votes_not_matched"),
        (MEDIAN, [], votes(a="1.00"), "no_votes"),
        (MEDIAN, votes(a="1.00"), [], "no_votes"),
        (MEDIAN, votes(a="1.00"), [ballot("a", tier="trade")], "tier_changed"),
        (MEDIAN, votes(a="1.00"), [ballot("a"), ballot("a", tier="trade")], "several_tiers"),
    ],
)
def test_what_can_not_be_taken_apart_says_why(rules, then, now, code):
    made = composition(rules, (DAY, then), (NEXT, now))
    assert isinstance(made, Refusal)
    assert made.code == code
    assert made.sentence


panels = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 40), min_size=1)


@given(panels, panels)
def test_the_parts_and_the_residual_add_up_to_the_move(then, now):
    days = [
        in_order(ballot(s, "1.00", value_micros=250_000 * q) for s, q in day.items()) for day in (then, now)
    ]
    made = move(*days)
    parts = (made.price_micros or 0) + made.entry_micros + (made.exit_micros or 0) + made.residual_micros
    assert parts == made.change_micros
    if set(then) == set(now):
        assert (made.price_micros, made.entry_micros, made.exit_micros) == (made.change_micros, 0, 0)
    if all(now[s] == q for s, q in then.items() if s in now):
        assert made.price_micros in (0, None)
        assert made.movers == ()
    assert len(made.common) + len(made.entered) == len(now)
    assert len(made.common) + len(made.left) == len(then)


def test_the_matched_move_is_published_beside_the_level():
    rules = benchmark(matched_days=3)
    panel: dict[date, list[Ballot]] = {
        DAY: votes(a="2.00", b="3.00"),
        NEXT: votes(a="2.00", b="3.00", c="9.00"),
        DAY + timedelta(days=3): votes(b="3.50", c="9.00"),
    }
    windows = windows_for(rules, DAY, DAY + timedelta(days=4), LATER)
    made = build_fixings(
        rules, panel, windows, archive_holds=lambda _: False, published={}, reconstructed=False
    )
    said = [json.loads(f.details or "{}").get("matched") for f in made]
    assert said == [
        None,
        {"since": "2026-07-08", "change": "0.000000", "votes": 2},
        None,
        {"since": "2026-07-09", "change": "0.250000", "votes": 2},
        None,
    ]
    # the level jumped by 0.50 on the second day, because a dear seller came
    assert [f.value_micros for f in made[:2]] == [usd("2.50"), usd("3.00")]
