"""What trades when, and at which prices: the board, the cycle, ticks and daily limits."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import (
    CONTRACTS,
    contract_months,
    counted_lots,
    front_month,
    listed_months,
    listing_refusal,
    price_limits,
    price_refusal,
    roll_date,
    spot_limit_first_day,
    spot_limit_holds,
)
from rentmark.records import Refusal

from .making import own_contract

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]


def refusal(found: Refusal | None) -> Refusal:
    assert found is not None
    return found


def test_the_front_month_is_this_month_until_its_last_trade():
    # May 2026 ends on a Sunday: GPU1 trades May until Friday the 29th
    assert front_month(CME, date(2026, 5, 29)) == "2026-05"
    assert front_month(CME, date(2026, 5, 30)) == "2026-06"
    assert listed_months(CME, date(2026, 5, 30))[0] == "2026-06"
    assert listed_months(CME, date(2026, 5, 30))[-1] == "2029-05"


def test_a_month_that_is_not_listed_is_named_with_those_that_are():
    said = refusal(listing_refusal(CME, "2031-01", date(2026, 8, 14)))
    assert said.code == "month_not_listed"
    assert said.sentence == (
        "cme-gpu1 2031-01 is not listed on 2026-08-14; 36 months are, 2026-08 to 2029-07."
    )
    assert listing_refusal(CME, "2029-07", date(2026, 8, 14)) is None
    assert refusal(listing_refusal(ICE, "2028-08", date(2026, 8, 14))).code == "month_not_listed"


def test_a_cycle_lists_only_its_months():
    quarterly = own_contract(listing_cycle=[3, 6, 9, 12], listing_months=4)
    assert contract_months(quarterly, "2026-08") == ("2026-09", "2026-12", "2027-03", "2027-06")
    assert front_month(quarterly, date(2026, 8, 14)) == "2026-09"
    said = refusal(listing_refusal(quarterly, "2026-10", date(2026, 8, 14)))
    assert said.code == "month_off_cycle"
    assert said.sentence == "own 2026-10 is not listed; it lists the months 3, 6, 9, 12 of a year."


def test_where_the_listing_is_unknown_no_later_month_is_refused():
    assert listing_refusal(own_contract(), "2040-01", date(2026, 8, 14)) is None


def test_a_contract_of_one_month_lists_the_front_one():
    single = own_contract(listing_months=1)
    assert listed_months(single, date(2026, 8, 14)) == ("2026-08",)


def test_the_spot_limit_begins_three_business_days_before_the_last_trade():
    # last trade Thursday 31 December 2026: 30, 29, 28
    assert spot_limit_first_day(CME, "2026-12") == date(2026, 12, 28)
    # last trade Monday 30 November; Thanksgiving is no business day: 27, 25, 24
    assert spot_limit_first_day(CME, "2026-11") == date(2026, 11, 24)
    assert not spot_limit_holds(CME, "2026-11", date(2026, 11, 23))
    assert spot_limit_holds(CME, "2026-11", date(2026, 11, 24))
    assert spot_limit_first_day(ICE, "2026-11") is None
    assert not spot_limit_holds(ICE, "2026-11", date(2026, 11, 30))


def test_a_roll_may_be_stated_in_business_days_before_the_last_trade():
    spec = own_contract(roll_business_days=5, calendar="XNYS", last_trade="last_business_day")
    # last trade Monday 30 November 2026: 27, 25, 24, 23, 20
    assert roll_date(spec, "2026-11") == date(2026, 11, 20)
    assert roll_date(own_contract(roll_business_days=2), "2026-11") == date(2026, 11, 28)


def test_a_diminishing_balance_counts_what_can_still_move():
    # August 2026 has 21 fixings; after the 15th business day, Friday the 21st, 6 are left
    assert counted_lots(CME, "2026-08", 7_000, date(2026, 8, 21)) == Fraction(7_000 * 6, 21)
    assert counted_lots(CME, "2026-08", -7_000, date(2026, 8, 21)) == -2_000
    assert counted_lots(CME, "2026-08", 7_000, date(2026, 8, 31)) == 0
    assert counted_lots(ICE, "2026-08", 7_000, date(2026, 8, 31)) == 7_000


@settings(deadline=None)
@given(ticks=st.integers(1, 4_000), beside=st.integers(1, 9_999))
def test_a_price_is_a_whole_number_of_ticks_above_zero(ticks, beside):
    assert price_refusal(CME, ticks * 10_000) is None
    assert refusal(price_refusal(CME, ticks * 10_000 + beside)).code == "off_tick"


@pytest.mark.parametrize("price", [0, -10_000])
def test_a_price_at_or_below_zero_is_refused(price):
    assert refusal(price_refusal(CME, price, "settle")).sentence.startswith("settle is ")


def test_an_off_tick_price_names_the_tick():
    assert refusal(price_refusal(CME, 3_125_000)).sentence == (
        "price is 3.125000, which is no multiple of the tick of cme-gpu1, 0.010000."
    )


def test_price_limits_stand_around_the_settlement_and_never_reach_zero():
    assert price_limits(CME, 3_000_000) is None
    limited = own_contract(daily_price_limit_micros=500_000)
    assert price_limits(limited, 3_000_000) == (2_500_000, 3_500_000)
    assert price_limits(limited, 400_000) == (5_000, 900_000)
