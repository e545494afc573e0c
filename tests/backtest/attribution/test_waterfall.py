"""The lines sum to T exactly in both orders, and a cause that is held constant is exactly 0."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.attribution import NAMED_LINES, HedgedPosition, Leg, add_up, take_apart
from rentmark.backtest.attribution.lines import HEDGE_LINES, RENT_LINES

hours = st.integers(0, 40).map(lambda n: Fraction(n * 250, 3))
prices = st.integers(-8, 8).map(lambda n: Fraction(n * 125_000, 2))
rates = st.integers(1, 16).map(lambda n: n * 250_000)
amounts = st.integers(-40, 40).map(lambda n: n * 250_001)


@st.composite
def legs(draw):
    names = draw(st.sets(st.sampled_from(RENT_LINES)))
    return Leg(
        name="a contract",
        planned_hours=draw(hours),
        actual_hours=draw(hours),
        bill_micros=draw(amounts),
        budget_rate_micros=draw(rates),
        exposure=draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)])),
        moves={name: draw(prices) for name in names},
    )


@st.composite
def positions(draw):
    names = draw(st.sets(st.sampled_from(HEDGE_LINES)))
    return HedgedPosition(
        settlement_move=draw(prices),
        day_count_hours=draw(hours),
        ratio_hours=draw(hours),
        held_hours=draw(hours),
        moves={name: draw(prices) for name in names},
        roll_micros=draw(amounts),
        fees_micros=abs(draw(amounts)),
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(legs(), min_size=1, max_size=3), positions())
def test_both_orders_sum_to_the_total_and_name_every_line(rented, position):
    found = take_apart("2026-08", rented, position)
    bill = sum(each.bill_micros for each in rented)
    budget = sum(each.budget_micros for each in rented)
    assert found.total_micros == bill - budget - position.pnl_micros
    for order in (found.forward, found.reverse):
        assert tuple(order) == (*NAMED_LINES, "unexplained")
        assert sum(order.values()) == found.total_micros
    assert found.forward["unexplained"] == found.reverse["unexplained"]


@settings(max_examples=80, deadline=None)
@given(st.lists(legs(), min_size=1, max_size=3), positions())
def test_what_is_held_constant_is_exactly_zero(rented, position):
    found = take_apart("2026-08", rented, position)
    for order in (found.forward, found.reverse):
        for name in RENT_LINES:
            if all(each.moves.get(name, 0) == 0 for each in rented):
                assert order[name] == 0
        for name in HEDGE_LINES:
            if position.moves.get(name, 0) == 0:
                assert order[name] == 0
        if position.held_hours == position.ratio_hours:
            assert order["rounding"] == 0
        if position.ratio_hours == position.day_count_hours:
            assert order["hedge_ratio"] == 0
        assert order["roll"] == -position.roll_micros
        assert order["fees"] == position.fees_micros


@settings(max_examples=60, deadline=None)
@given(st.lists(legs(), min_size=1, max_size=2), positions())
def test_a_provider_is_a_buyer_with_every_sign_turned(rented, position):
    turned = [
        Leg(
            name=each.name,
            planned_hours=-each.planned_hours,
            actual_hours=-each.actual_hours,
            bill_micros=-each.bill_micros,
            budget_rate_micros=each.budget_rate_micros,
            exposure=each.exposure,
            moves=each.moves,
        )
        for each in rented
    ]
    short = HedgedPosition(
        settlement_move=position.settlement_move,
        day_count_hours=-position.day_count_hours,
        ratio_hours=-position.ratio_hours,
        held_hours=-position.held_hours,
        moves=position.moves,
        roll_micros=-position.roll_micros,
        fees_micros=-position.fees_micros,
    )
    one, other = take_apart("2026-08", rented, position), take_apart("2026-08", turned, short)
    assert other.total_micros == -one.total_micros
    assert {name: -value for name, value in other.forward.items()} == one.forward  # half-even has no side


def test_a_month_worked_by_hand():
    """1,000 hours planned, 1,200 used; the own region fell 0.50 where the reference fell 0.20.

    Worked in docs/attribution.md: bill 1,200 × 2.50 = 3,000; budget 1,000 × 3.00 = 3,000; 9 lots of 100 hours lose
    900 × 0.20 = 180; T = 180.
    """
    leg = Leg(
        name="training",
        planned_hours=Fraction(1000),
        actual_hours=Fraction(1200),
        bill_micros=3_000_000_000,
        budget_rate_micros=3_000_000,
        moves={"region": Fraction(-300_000)},
    )
    position = HedgedPosition(
        settlement_move=Fraction(-200_000),
        day_count_hours=Fraction(1000),
        ratio_hours=Fraction(850),
        held_hours=Fraction(900),
    )
    found = take_apart("2026-08", [leg], position)
    assert found.total_micros == 180_000_000
    values = {name: value for name, value in found.forward.items() if value}
    assert values == {
        "volume": 560_000_000,  # 200 more hours at 2.80
        "region": -360_000_000,  # 1,200 × −0.30
        "hedge_ratio": -30_000_000,  # 150 hours not held did not lose 0.20
        "rounding": 10_000_000,  # 50 more hours in whole lots did
    }
    assert found.reverse["volume"] == 500_000_000  # at 2.50, after the region's move
    assert found.reverse["region"] == -300_000_000  # on the hours planned
    line = add_up([found], is_amount=True, reasons={}).line("volume")
    assert (line.low_micros, line.high_micros) == (500_000_000, 560_000_000)
