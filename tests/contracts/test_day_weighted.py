"""A fixing that stands for the days after it: Fridays weigh three, and the month begins with the one before."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import fixing_days, fixing_weights
from rentmark.records import day_start

from .making import ask, days_between, make_fixing, month_tape, own_contract, view_of

SPEC = own_contract(averaging="day_weighted", calendar="XNYS", last_trade="last_business_day")


def test_the_weights_of_august_2026_are_those_counted_by_hand():
    weights = fixing_weights(SPEC, "2026-08")
    # 1 and 2 August are a weekend: they take the fixing of Friday 31 July
    assert next(iter(weights)) == date(2026, 7, 31)
    assert weights[date(2026, 7, 31)] == 2
    assert [weights[date(2026, 8, day)] for day in (7, 14, 21, 28)] == [3, 3, 3, 3]
    assert weights[date(2026, 8, 31)] == 1
    assert sum(weights.values()) == 31


def test_a_holiday_adds_its_day_to_the_fixing_before():
    # Thanksgiving is Thursday 26 November 2026: Wednesday the 25th stands for it too
    weights = fixing_weights(SPEC, "2026-11")
    assert date(2026, 11, 26) not in weights
    assert weights[date(2026, 11, 25)] == 2
    # 1 November is a Sunday: Friday 30 October stands for it
    assert weights[date(2026, 10, 30)] == 1


def test_the_constructed_series_settles_where_worked_by_hand():
    days = [*days_between(date(2026, 8, 1), date(2026, 8, 31)), date(2026, 7, 31)]
    tape = {d: make_fixing(d, 3_000_000 + 10_000 * d.day) for d in days}
    done = ask(SPEC, "2026-08", tape)
    # Σ weight × day number: 2·31 + (3+4+5+6+3·7) + (10+11+12+13+3·14) + (17+18+19+20+3·21)
    # + (24+25+26+27+3·28) + 31 = 62 + 39 + 88 + 137 + 186 + 31 = 543; 543/31 = 17.516129..
    assert done.final_settlement_price_micros == 3_175_161
    assert sum(day.weight for day in done.days) == 1


def test_a_business_day_that_begins_the_month_needs_no_fixing_of_the_month_before():
    assert fixing_days(SPEC, "2026-07")[0] == date(2026, 7, 1)
    assert fixing_weights(SPEC, "2026-07")[date(2026, 7, 2)] == 4  # Independence Day observed, then a weekend


def test_in_the_month_the_weight_left_is_what_can_still_move():
    days = fixing_days(SPEC, "2026-08")
    now = day_start(date(2026, 8, 21)) + timedelta(days=1)
    done = ask(SPEC, "2026-08", month_tape(SPEC, "2026-08", 3_250_000), now=now)
    view = view_of(done)
    # known through Friday 21 August, which stands for the 22nd and 23rd: 8 of 31 days are left
    assert (view.known, view.remaining) == (16, 6)
    assert view.delta is not None
    assert float(view.delta) == pytest.approx(8 / 31)
    assert len(days) == 22


@settings(deadline=None, max_examples=60)
@given(year=st.integers(2001, 2049), number=st.integers(1, 12))
def test_every_day_of_a_month_is_stood_for_exactly_once(year, number):
    month = f"{year:04d}-{number:02d}"
    weights = fixing_weights(SPEC, month)
    first = date(year, number, 1)
    length = (date(year + number // 12, number % 12 + 1, 1) - first).days
    assert sum(weights.values()) == length
    assert min(weights.values()) >= 1
    assert sum(day < first for day in weights) <= 1
