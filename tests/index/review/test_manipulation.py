"""Cost to manipulate: small panels worked by hand, and screens that hold what they should."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index.review.attacks import DOWN, UP, Search
from rentmark.index.review.days import outcome_of
from rentmark.index.review.manipulation import Reach, manipulation, spaced
from rentmark.index.review.wash import cheapest_wash, wash_trades

from tests.index.making import ballot, benchmark, in_order, usd
from tests.index.review.making import MEDIAN, days, trade, votes

VOLUME = {
    "inputs": ["trade"],
    "vote": ["observation"],
    "weights": "volume",
    "estimator": "volume_weighted_median",
}


def reaches(rules, *panel) -> dict[str, Reach]:
    return {reach.label: reach for reach in manipulation(rules, days(rules, list(panel))).reaches}


def test_one_seller_moves_a_median_to_the_next_vote_and_no_further():
    found = reaches(MEDIAN, votes(a="2.00", b="3.00", c="4.00"))["one seller"]
    up, down = found.worst(UP), found.worst(DOWN)
    # worked by hand: a or b beyond c makes c's 4.00 the middle; b or c below a makes a's 2.00 the middle
    assert (up.moved_micros, up.price_micros, up.names) == (usd("4.00"), usd("4.00"), ("a",))
    assert (down.moved_micros, down.price_micros, down.names) == (usd("2.00"), usd("2.00"), ("b",))
    assert up.move == pytest.approx(1 / 3)
    assert up.own_micros == usd("2.00")
    assert not found.unbounded


def test_two_that_collude_hold_a_median_of_three():
    found = reaches(MEDIAN, votes(a="2.00", b="3.00", c="4.00"))["two sellers colluding"]
    up = found.worst(UP)
    assert (up.moved_micros, up.price_micros) == (usd("30.00"), usd("30.00")), "the end of the grid"
    assert found.unbounded


def test_an_added_seller_draws_an_even_median_half_way():
    found = reaches(MEDIAN, votes(a="2.00", b="3.00", c="4.00"))
    up = found["1 added seller"].worst(UP)
    # the middle two are then 3.00 and 4.00; half of an odd sum of micro-dollars rounds to even, so one less is enough
    assert (up.moved_micros, up.price_micros, up.own_micros) == (usd("3.50"), usd("3.999999"), None)
    assert found["2 added sellers"].worst(DOWN).moved_micros == usd("2.00")


def test_how_many_added_sellers_a_move_takes():
    made = manipulation(MEDIAN, days(MEDIAN, [votes(a="2.00", b="3.00", c="3.20", d="3.20", e="9.00")]))
    needed = {(p.target, p.direction): p.fewest for p in made.puppets}
    # by hand, of 3.20 down: one makes the middle two 3.00 and 3.20 (-3.1 %), two make 3.00 the middle (-6.25 %),
    # four make 2.00 and 3.00 at most, so three: 2.50 (-21.9 %). Up: 3.20 stands twice, so one draws nothing and two
    # reach 3.20 again; the third makes the middle two 3.20 and 9.00
    assert needed == {
        (0.01, UP): 3,
        (0.05, UP): 3,
        (0.1, UP): 3,
        (0.01, DOWN): 1,
        (0.05, DOWN): 2,
        (0.1, DOWN): 3,
    }


def test_a_mean_has_no_bound():
    rules = benchmark(estimator="mean")
    found = reaches(rules, votes(a="2.00", b="3.00", c="4.00"))["one seller"]
    # from 4.00 or 2.00 to thirty dollars, a third of the way: 9 / 3 + (30 - 2) / 3
    assert found.worst(UP).moved_micros == usd("12.333333")
    assert found.unbounded


def test_all_sellers_of_a_venue_move_together():
    panel = in_order(
        [
            ballot("host-1", "2.00", venues=("market",)),
            ballot("host-2", "2.50", venues=("market",)),
            ballot("c", "3.00"),
            ballot("d", "4.00"),
            ballot("e", "5.00"),
        ]
    )
    found = reaches(MEDIAN, panel)
    up = found["one venue"].worst(UP)
    # c, d and e then stand below the two hosts: their dearest is the middle
    assert (up.names, up.moved_micros, up.own_micros) == (("market",), usd("5.00"), usd("2.25"))
    assert "one venue" not in reaches(MEDIAN, votes(a="1.00", b="2.00", c="3.00"))


def test_a_screen_holds_a_seller_to_the_last_price_it_lets_pass():
    rules = benchmark(estimator="mean", screen={"robust_z": "3"})
    panel = votes(a="2.90", b="2.95", c="3.00", d="3.05", e="3.10")
    day = days(rules, [panel])[0]
    attack = Search(rules, day).sellers()[0][2][0]

    def screened(price: int) -> bool:
        asked = in_order(
            ballot(b.seller, "1.00", value_micros=price if b.seller == attack.names[0] else b.value_micros)
            for b in panel
        )
        return attack.names[0] in {s.ballot.seller for s in outcome_of(rules, day, asked).screened}

    assert attack.direction == UP
    assert not screened(attack.price_micros)
    assert screened(attack.price_micros + 200), "a price a little further is screened"
    assert attack.move < 0.05, "without the screen it were 180 %"
    assert not attack.unbounded


def test_a_price_that_trips_a_gate_silences_the_value():
    rules = benchmark(max_dispersion="0.5")
    found = reaches(rules, votes(a="2.90", b="3.00", c="3.10"))["two sellers colluding"]
    assert (found.n_silenced, found.n_dates) == (1, 1)
    assert reaches(MEDIAN, votes(a="2.90", b="3.00", c="3.10"))["one seller"].n_silenced == 0


def test_a_date_without_a_value_is_not_asked():
    rules = benchmark(min_sellers=2)
    made = manipulation(rules, days(rules, [votes(a="1.00"), votes(a="1.00", b="2.00")]))
    assert (len(made.dates), made.n_dates) == (1, 1)
    assert manipulation(rules, days(rules, [votes(a="1.00")])).reaches == ()


def test_a_long_period_is_asked_on_evenly_spaced_dates():
    made = days(MEDIAN, [votes(a="1.00")] * 100)
    chosen = [day.fixing.date for day in spaced(made, 10)]
    assert len(chosen) == len(set(chosen)) == 10
    assert (chosen[0], chosen[-1]) == (made[0].fixing.date, made[-1].fixing.date)


def test_the_cheapest_wash_trade_of_a_hand_worked_day():
    rules = benchmark(**VOLUME)
    panel = in_order([trade("a", "2.00", 100, 1), trade("b", "2.50", 300, 2), trade("c", "3.00", 200, 3)])
    day = days(rules, [panel])[0]
    # 400 of 600 hours stand at 2.50 or less. Up a tenth, to 2.75: h hours there are the middle once 2 · 400 < 600 + h
    up = cheapest_wash(rules, day, 0.10, UP)
    assert (up.gpu_hours, up.price_micros, up.moved_micros) == (201, usd("2.75"), usd("2.75"))
    assert up.amount_micros == usd("552.75")
    # down a twentieth, to 2.375: 100 + h ≥ (600 + h) / 2 takes 400 hours at any price, and the lowest is the cheapest
    down = cheapest_wash(rules, day, 0.05, DOWN)
    assert (down.gpu_hours, down.price_micros, down.moved_micros) == (400, usd("0.2375"), usd("2.00"))
    assert down.amount_micros == usd("95.00")


def test_caps_can_put_a_wash_trade_out_of_reach():
    rules = benchmark(**VOLUME, cap="0.25", min_sellers=4)
    panel = in_order(
        trade(s, p, 100, n)
        for n, (s, p) in enumerate(zip("abcd", ("2.00", "2.40", "2.60", "3.00"), strict=True), 1)
    )
    day = days(rules, [panel])[0]
    # each of five sellers then holds a fifth to a quarter: half of the weight is never above the second
    assert cheapest_wash(rules, day, 0.5, UP) is None


def test_wash_trades_are_asked_of_volume_alone():
    assert wash_trades(MEDIAN, days(MEDIAN, [votes(a="1.00")])).reason.startswith("The value is not weighed")
    rules = benchmark(
        inputs=["trade", "listed"], vote=["observation"], weights="volume", estimator="volume_weighted_median"
    )
    listed = in_order([ballot("a", "1.00", observation_id=1)])
    assert (
        wash_trades(rules, days(rules, [listed])).reason
        == "No date of the period has a value made of trades."
    )


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 12), min_size=3))
def test_no_single_quote_beats_the_search(quarters):
    panel = in_order(ballot(s, "1.00", value_micros=250_000 * q) for s, q in quarters.items())
    day = days(MEDIAN, [panel])[0]
    attacks = {a.direction: a for a in Search(MEDIAN, day).sellers()[0][2]}
    value = day.fixing.value_micros
    highest = max([value, *(a.moved_micros for a in attacks.values())])
    lowest = min([value, *(a.moved_micros for a in attacks.values())])
    for seller in quarters:
        for price in (value // 10 + 1, value // 2, value, 2 * value, 3 * value + 1, 10 * value):
            asked = in_order(
                ballot(b.seller, "1.00", value_micros=price if b.seller == seller else b.value_micros)
                for b in panel
            )
            made = outcome_of(MEDIAN, day, asked).value_micros
            assert lowest <= made <= highest
    for attack in attacks.values():
        asked = in_order(
            ballot(
                b.seller,
                "1.00",
                value_micros=attack.price_micros if b.seller in attack.names else b.value_micros,
            )
            for b in panel
        )
        assert outcome_of(MEDIAN, day, asked).value_micros == attack.moved_micros
