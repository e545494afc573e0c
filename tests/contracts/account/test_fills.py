"""Orders filled at stated marks: never better than them, always said to be simulated, bad ones in a sentence."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, FeeSchedule
from rentmark.contracts.account import (
    AccountOrder,
    AccountRules,
    DayMark,
    fees_of,
    fill_order,
    fill_orders,
    fill_price,
)
from rentmark.records import Refusal, RentmarkError, UsageError

from tests.contracts.making import own_contract

from .made import days_from, make_view

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
DAY = date(2026, 8, 14)
KEY = ("cme-gpu1", "2026-10")
MARKS = {
    KEY: {
        date(2026, 8, 13): DayMark(settle_micros=3_000_000),
        DAY: DayMark(settle_micros=3_050_000, bid_micros=3_040_000, ask_micros=3_070_000),
    }
}


def order(**changes) -> AccountOrder:
    values = {"order_id": "A", "contract": "cme-gpu1", "month": "2026-10", "day": DAY, "lots": 1}
    return AccountOrder(**(values | changes))


def test_a_buyer_pays_the_ask_and_a_seller_takes_the_bid():
    bought, sold = (fill_order(CME, order(lots=lots), MARKS, AccountRules()) for lots in (2, -2))
    assert (bought.price_micros, bought.note) == (3_070_000, "simulated fill at the ask")
    assert (sold.price_micros, sold.note) == (3_040_000, "simulated fill at the bid")
    assert bought.simulated
    assert sold.simulated


def test_without_a_quote_the_mark_is_worsened_by_the_stated_ticks():
    rules = AccountRules.model_validate({"fills": {"slippage_ticks": 3}})
    bought, sold = (fill_order(CME, order(day=date(2026, 8, 13), lots=n), MARKS, rules) for n in (1, -1))
    assert (bought.price_micros, sold.price_micros) == (3_030_000, 2_970_000)
    assert bought.note == "simulated fill at the mark 3.000000 plus 3 ticks of slippage"


@given(mark=st.integers(1, 10**7), lots=st.sampled_from([-3, 3]), ticks=st.integers(0, 9))
def test_a_fill_stands_on_a_tick_and_never_flatters(mark, lots, ticks):
    price, _ = fill_price(CME, DayMark(settle_micros=mark), lots, ticks)
    assert price % CME.tick_micros == 0
    assert price >= CME.tick_micros
    if lots > 0:
        assert price >= mark + ticks * CME.tick_micros
    else:
        assert price <= max(mark - ticks * CME.tick_micros, CME.tick_micros)


def test_a_modelled_mark_says_so_in_the_fill():
    _, note = fill_price(CME, DayMark(settle_micros=3_000_000, modelled=True), 1, 1)
    assert note == "at the modelled mark 3.000000 plus 1 tick of slippage"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lots": 1.5}, "order A of 2026-08-14: lots is 1.5; lots of cme-gpu1 are whole numbers."),
        ({"lots": 0}, "lots is 0; leave the trade out."),
        ({"month": "2026-07"}, "order A of 2026-08-14: cme-gpu1 2026-07 traded until 2026-07-31"),
        ({"month": "2029-09"}, "cme-gpu1 2029-09 is not listed on 2026-08-14; 36 months are"),
        ({"day": date(2026, 8, 17)}, "cme-gpu1 2026-10 has no mark on 2026-08-17, a day with an order (A)"),
    ],
)
def test_an_order_that_can_not_be_filled_is_refused_in_a_sentence(changes, said):
    with pytest.raises(RentmarkError) as refused:
        fill_order(CME, order(**changes), MARKS, AccountRules())
    assert said in refused.value.sentence


def test_an_order_after_the_index_ceased_is_refused():
    view = make_view(dict.fromkeys(days_from(date(2026, 8, 1), 9), 3_000_000), ended_on=date(2026, 8, 9))
    with pytest.raises(RentmarkError, match="invented-list ceased on 2026-08-09: cme-gpu1 has no index"):
        fill_order(CME, order(), MARKS, AccountRules(), view)


def test_a_fill_outside_the_daily_price_limits_is_refused():
    spec = own_contract(tick_micros=10_000, daily_price_limit_micros=50_000, listing_months=12, chip="H100")
    key = ("own", "2026-10")
    marks = {key: MARKS[KEY]}
    filled = fill_order(spec, order(contract="own", lots=-1), marks, AccountRules())
    assert filled.price_micros == 3_040_000
    with pytest.raises(RentmarkError, match=r"outside the daily limits of own, 2\.950000 to 3\.050000"):
        fill_order(spec, order(contract="own"), marks, AccountRules())


def test_orders_are_filled_by_day_and_a_doubled_id_is_refused():
    specs = {"cme-gpu1": CME}
    two = [order(order_id="B"), order(order_id="A", day=date(2026, 8, 13))]
    filled = fill_orders(specs, two, MARKS, AccountRules(), {})
    assert [trade.trade_id for trade in filled] == ["A", "B"]
    with pytest.raises(UsageError, match="order A is given twice"):
        fill_orders(specs, [order(), order()], MARKS, AccountRules(), {})


def test_fees_are_the_accounts_own_then_the_contracts_and_unknown_ones_are_a_refusal():
    own = AccountRules.model_validate({"fees": {"ice-hpr": {"trade_micros": 7, "cash_settlement_micros": 9}}})
    assert fees_of(ICE, own) == FeeSchedule(trade_micros_per_lot=7, settlement_micros_per_lot=9)
    assert fees_of(CME, AccountRules()) == FeeSchedule(
        trade_micros_per_lot=5_500_000, settlement_micros_per_lot=1_350_000
    )
    unknown = fees_of(ICE, AccountRules())
    assert isinstance(unknown, Refusal)
