"""Margin: modelled by history or by a stated proxy, exact, and never from what was not known yet."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import (
    Change,
    HeldMonth,
    historical_margin,
    joint_changes,
    margin_requirement,
    proxy_margin,
    proxy_micros_per_lot,
    published_margin,
)
from rentmark.contracts.account.rules import MarginRules
from rentmark.records import Refusal

from tests.contracts.making import own_contract

from .made import days_from, make_view

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
RULES = MarginRules()
DAY = date(2026, 8, 14)


def held(spec=CME, month="2026-09", lots=1, mark=2_810_000, unit=730, share=Fraction(1)) -> HeldMonth:
    return HeldMonth(
        spec=spec, month=month, lots=lots, unit_gpu_hours=unit, mark_micros=mark, remaining_share=share
    )


def change(number: int, first: int, last: int, contract: str = "cme-gpu1") -> Change:
    day = date(2026, 1, 1) + timedelta(days=number)
    return Change(day, day + timedelta(days=2), {contract: (first, last)})


def test_the_proxy_is_about_110_dollars_a_lot_for_99_percent_over_two_days():
    # 2.81 × 730 × 26 % × √(2/252) × 2.326348 = 110.532989; the market notes say "about $110"
    assert proxy_micros_per_lot(held(), RULES) == 110_532_989


def test_the_proxy_counts_only_what_has_not_fixed_and_adds_up_without_offsets():
    half = proxy_micros_per_lot(held(share=Fraction(1, 2)), RULES)
    assert isinstance(half, int)
    assert abs(2 * half - 110_532_989) <= 1
    both = proxy_margin([held(lots=3), held(month="2026-10", lots=-3)], RULES)
    assert not isinstance(both, Refusal)
    assert both.initial_cents == -(-6 * 110_532_989 // 10_000)
    assert both.modelled
    assert "floor" in both.sentence


def test_a_chip_without_a_stated_volatility_has_no_proxy():
    answer = proxy_margin([held(spec=own_contract(chip="MI300X"))], RULES)
    assert isinstance(answer, Refusal)
    assert "MI300X" in answer.sentence


def test_a_contract_that_publishes_its_margin_is_not_modelled():
    spec = own_contract(initial_margin_micros=500_000_000, maintenance_margin_micros=450_000_000)
    answer = published_margin([held(spec=spec, lots=-4)], RULES)
    assert not isinstance(answer, Refusal)
    assert (answer.initial_cents, answer.maintenance_cents, answer.modelled) == (200_000, 180_000, False)
    silent = published_margin([held(spec=own_contract(initial_margin_micros=500_000_000))], RULES)
    assert not isinstance(silent, Refusal)
    assert silent.maintenance_cents == 45_000  # 90 % of initial where the contract states none


def test_the_historical_margin_is_the_loss_at_the_quantile_worked_by_hand():
    # a hundred changes of −1 … −100 basis points of 2.00; at 99 % the 99th smallest loss: −99 bp
    changes = [change(n, 2_000_000, 2_000_000 - 200 * n) for n in range(1, 101)]
    answer = historical_margin([held(lots=5, mark=3_000_000)], changes, RULES)
    assert not isinstance(answer, Refusal)
    # 5 × 730 × 3.00 × 0.0099 = 108.405
    assert answer.initial_cents == 10_841  # rounded up
    assert answer.maintenance_cents == 9_757  # 90 %, rounded up
    assert answer.lines[0].amount_micros == 108_405_000
    assert "that from 2026-04-10 to 2026-04-12" in answer.sentence
    short = historical_margin([held(lots=-5, mark=3_000_000)], changes, RULES)
    assert not isinstance(short, Refusal)
    assert short.initial_cents == 0  # a short position gains on every one of these


def test_too_few_changes_for_the_quantile_are_refused():
    changes = [change(n, 2_000_000, 1_900_000) for n in range(99)]
    answer = historical_margin([held()], changes, RULES)
    assert isinstance(answer, Refusal)
    assert answer.sentence == "historical margin needs 100 changes at 99 %, 99 are known"
    enough = historical_margin([held()], changes, MarginRules(quantile=Decimal("0.98")))
    assert not isinstance(enough, Refusal)


def test_a_calendar_spread_at_equal_marks_needs_no_historical_margin_and_an_uneven_one_the_difference():
    changes = [change(n, 2_000_000, 1_900_000) for n in range(100)]
    even = historical_margin([held(lots=4), held(month="2026-10", lots=-4)], changes, RULES)
    assert not isinstance(even, Refusal)
    assert even.initial_cents == 0
    uneven = historical_margin(
        [held(lots=4, mark=3_000_000), held(month="2026-10", lots=-4, mark=2_500_000)], changes, RULES
    )
    assert not isinstance(uneven, Refusal)
    # 4 × 730 × (3.00 − 2.50) × 5 % = 73.00
    assert uneven.initial_cents == 7_300
    assert [line.amount_micros for line in uneven.lines] == [438_000_000, -365_000_000]


GRID = st.integers(1, 40).map(lambda quarter: quarter * 250_000)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(GRID, min_size=40, max_size=70),
    lots=st.lists(st.integers(-5, 5), min_size=1, max_size=3),
    percent=st.integers(60, 97),
)
def test_at_least_the_stated_share_of_changes_loses_no_more_than_the_margin(values, lots, percent):
    changes = [change(n, first, last) for n, (first, last) in enumerate(pairwise(values))]
    legs = [held(month=f"2026-{9 + n:02d}", lots=size) for n, size in enumerate(lots)]
    rules = MarginRules(quantile=Decimal(percent) / 100)
    answer = historical_margin(legs, changes, rules)
    if isinstance(answer, Refusal):
        assert len(changes) * (100 - percent) < 100
        return
    losses = [-sum(leg.change_micros(*each.values["cme-gpu1"]) for leg in legs) for each in changes]
    covered = sum(loss <= answer.initial_cents * 10_000 for loss in losses)
    assert 100 * covered >= percent * len(losses)
    # and not more than needed: a cent less would cover a smaller share
    if answer.initial_cents > 0:
        less = sum(loss <= (answer.initial_cents - 1) * 10_000 for loss in losses)
        assert 100 * less < percent * len(losses)


def test_methods_are_asked_in_order_and_the_answer_says_why_earlier_ones_gave_none():
    answer = margin_requirement([held()], RULES, views={}, day=DAY)
    assert not isinstance(answer, Refusal)
    assert answer.method == "proxy"
    assert [refused.code for refused in answer.refused] == ["margin_not_published", "no_benchmark"]
    nothing = margin_requirement([held(spec=own_contract(chip="L4"))], RULES, views={}, day=DAY)
    assert isinstance(nothing, Refusal)
    assert nothing.sentence.startswith("No margin: own publishes no margin; ")
    flat = margin_requirement([held(lots=0)], RULES, views={}, day=DAY)
    assert not isinstance(flat, Refusal)
    assert flat.initial_cents == 0


def test_margin_on_a_day_never_sees_a_later_fixing():
    days = days_from(date(2026, 1, 1), 240)
    calm = {day: 3_000_000 + 1_000 * (number % 5) for number, day in enumerate(days)}
    crash = {**calm, **{day: 500_000 for day in days if day > DAY}}
    one = margin_requirement([held()], RULES, views={"cme-gpu1": make_view(calm)}, day=DAY)
    two = margin_requirement([held()], RULES, views={"cme-gpu1": make_view(crash)}, day=DAY)
    assert one == two
    assert not isinstance(one, Refusal)
    assert one.method == "historical"
    assert one.changes == (DAY - days[0]).days + 1 - 2


def test_two_benchmarks_are_replayed_on_their_common_dates():
    days = days_from(date(2026, 3, 1), 30)
    first = make_view(dict.fromkeys(days, 3000000))
    second = make_view({day: 4_000_000 for day in days if day.day % 2}, spec=ICE)
    changes = joint_changes([first, second], date(2026, 4, 15), horizon=2, limit=500)
    common = [day for day in days if day.day % 2]
    assert [(each.first, each.last) for each in changes] == list(zip(common, common[2:], strict=False))
    assert set(changes[0].values) == {"cme-gpu1", "ice-hpr"}


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_only_the_last_changes_count(limit):
    view = make_view(dict.fromkeys(days_from(date(2026, 3, 1), 30), 3000000))
    changes = joint_changes([view], date(2026, 4, 15), horizon=2, limit=limit)
    assert len(changes) == min(limit, 28)
    assert changes[-1].last == date(2026, 3, 30)


def test_on_a_simulated_index_of_known_volatility_history_and_proxy_agree():
    # simulated: 2,000 independent normal steps of 26 % a year; the proxy states the same 26 %
    generator = random.Random(5)
    value, values = 3.0, {}
    for day in days_from(date(2020, 1, 1), 2_000):
        value *= math.exp(generator.gauss(0, 0.26 / math.sqrt(252)))
        values[day] = round(value * 1_000_000)
    rules = MarginRules(lookback_changes=2_000)
    leg = held(lots=100)
    views = {"cme-gpu1": make_view(values)}
    found = {
        method: margin_requirement([leg], rules, views=views, day=date(2026, 8, 14), methods=[method])
        for method in ("historical", "proxy")
    }
    historical, proxy = found["historical"], found["proxy"]
    assert not isinstance(historical, Refusal)
    assert not isinstance(proxy, Refusal)
    assert historical.initial_cents == pytest.approx(proxy.initial_cents, rel=0.12)
