"""The three accounts: every day sums to zero, cash never drifts, the total is exact."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import (
    ACCOUNTS,
    CONTRACTS,
    ContractSpec,
    FeeSchedule,
    FinalSettlement,
    Ledger,
    Order,
    daily_ledger,
    fee_schedule,
    unit_gpu_hours,
)
from rentmark.records import RentmarkError, UsageError, cents_from_micros

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
START = date(2026, 8, 3)
FINAL_DAY = date(2026, 9, 1)
GRID = st.integers(1, 40).map(lambda quarter: quarter * 250_000)
ODD = st.integers(1, 10_000_000)


@st.composite
def histories(draw: Any) -> Any:
    """Orders on up to twelve days, marks on all of them, prices with ties or down to a micro-dollar."""
    prices = draw(st.sampled_from([GRID, ODD]))
    days = [START + timedelta(days=n) for n in range(draw(st.integers(1, 12)))]
    settles = {day: draw(prices) for day in days}
    if draw(st.booleans()):
        settles[FINAL_DAY] = draw(prices)  # a daily settlement on the day of the final one
    orders = draw(
        st.lists(
            st.builds(
                Order,
                day=st.sampled_from(days),
                lots=st.integers(-50, 50).filter(bool),
                price_micros=prices,
            ),
            max_size=12,
        )
    )
    fees = st.builds(
        FeeSchedule,
        trade_micros_per_lot=st.sampled_from([0, 5_000, 900_000, 3_650_000, 1_234_567]),
        settlement_micros_per_lot=st.sampled_from([0, 5_000, 1_350_000, 7]),
    )
    return orders, settles, draw(prices), draw(fees), draw(fees)


def written(spec: ContractSpec, history: Any, *, final: bool = True) -> Ledger:
    orders, settles, price, long_fees, short_fees = history
    return daily_ledger(
        spec,
        "2026-08",
        orders,
        settles,
        modelled_marks=True,
        final=FinalSettlement(day=FINAL_DAY, price_micros=price) if final else None,
        long_fees=long_fees,
        short_fees=short_fees,
    )


@settings(max_examples=200, deadline=None)
@given(history=histories(), spec=st.sampled_from([CME, ICE]))
def test_the_three_accounts_sum_to_zero_every_day_in_micro_dollars_and_in_cents(history, spec):
    ledger = written(spec, history)
    for days in zip(*(ledger.accounts[name].days for name in ACCOUNTS), strict=True):
        assert len({day.day for day in days}) == 1
        assert sum(day.amount_micros for day in days) == 0
        assert sum(day.balance_micros for day in days) == 0
        assert sum(day.cash_cents for day in days) == 0
        assert sum(day.cash_total_cents for day in days) == 0
        assert sum(day.position_lots for day in days) == 0


@settings(max_examples=200, deadline=None)
@given(history=histories(), spec=st.sampled_from([CME, ICE]))
def test_the_final_total_is_final_price_less_entry_times_unit_times_lots_to_the_micro_dollar(history, spec):
    ledger = written(spec, history)
    orders, _, final_price, long_fees, short_fees = history
    unit = unit_gpu_hours(spec, "2026-08")
    gain = sum((final_price - order.price_micros) * unit * order.lots for order in orders)
    traded = sum(abs(order.lots) for order in orders)
    held = abs(sum(order.lots for order in orders))
    paid_long = traded * long_fees.trade_micros_per_lot + held * long_fees.settlement_micros_per_lot
    paid_short = traded * short_fees.trade_micros_per_lot + held * short_fees.settlement_micros_per_lot
    assert ledger.long.balance_micros == gain - paid_long
    assert ledger.short.balance_micros == -gain - paid_short
    assert ledger.exchange.balance_micros == paid_long + paid_short


@settings(max_examples=200, deadline=None)
@given(history=histories(), spec=st.sampled_from([CME, ICE]))
def test_balances_are_the_sums_of_their_lines_and_every_line_can_be_redone(history, spec):
    ledger = written(spec, history)
    for account in ledger.accounts.values():
        assert account.balance_micros == sum(line.amount_micros for line in account.lines)
        assert account.cash_total_cents == sum(day.cash_cents for day in account.days)
        for line in account.lines:
            assert line.account == account.name
            if line.fee_micros_per_lot is None:
                prices_and_unit = (line.price_to_micros, line.price_from_micros, line.unit_gpu_hours)
                price_to, price_from, unit = (value or 0 for value in prices_and_unit)
                assert None not in prices_and_unit
                assert line.amount_micros == (price_to - price_from) * unit * line.lots
            else:
                assert abs(line.amount_micros) == line.fee_micros_per_lot * line.lots


@settings(max_examples=200, deadline=None)
@given(history=histories(), spec=st.sampled_from([CME, ICE]))
def test_cash_paid_is_the_exact_total_rounded_however_many_days_it_took(history, spec):
    ledger = written(spec, history)
    moved = paid = 0
    for day in ledger.long.days:
        moved += sum(line.amount_micros for line in day.lines if line.fee_micros_per_lot is None)
        paid += sum(line.amount_micros for line in day.lines if line.fee_micros_per_lot is not None)
        assert day.cash_total_cents == cents_from_micros(moved) + cents_from_micros(paid)
        # two streams, each within half a cent
        assert abs(day.cash_total_cents * 10_000 - day.balance_micros) <= 10_000


@settings(deadline=None)
@given(history=histories(), spec=st.sampled_from([CME, ICE]))
def test_without_a_final_settlement_the_total_is_marked_to_the_last_price(history, spec):
    ledger = written(spec, history, final=False)
    orders, settles, _, long_fees, _ = history
    unit = unit_gpu_hours(spec, "2026-08")
    mark = settles[max(settles)]
    gain = sum((mark - order.price_micros) * unit * order.lots for order in orders)
    fees = sum(abs(order.lots) for order in orders) * long_fees.trade_micros_per_lot
    assert ledger.long.balance_micros == gain - fees
    if orders:
        assert ledger.long.days[-1].position_lots == sum(order.lots for order in orders)


@settings(deadline=None)
@given(history=histories())
def test_the_order_in_which_orders_are_handed_in_changes_no_balance(history):
    orders, *rest = history
    forward, backward = written(ICE, (orders, *rest)), written(ICE, (orders[::-1], *rest))
    for name in ACCOUNTS:
        ours, theirs = forward.accounts[name].days, backward.accounts[name].days
        assert [d.balance_micros for d in ours] == [d.balance_micros for d in theirs]
        assert [d.cash_cents for d in ours] == [d.cash_cents for d in theirs]


def test_two_days_worked_by_hand():
    member, non_member = fee_schedule(CME, "member"), fee_schedule(CME, "non_member")
    assert isinstance(member, FeeSchedule)
    assert isinstance(non_member, FeeSchedule)
    ledger = daily_ledger(
        CME,
        "2026-08",
        [Order(day=START, lots=5, price_micros=3_100_000)],
        {START: 3_120_000, START + timedelta(days=1): 3_090_000},
        modelled_marks=False,
        final=FinalSettlement(day=FINAL_DAY, price_micros=3_111_111),
        long_fees=member,
        short_fees=non_member,
    )
    first, second, last = ledger.long.days
    # 5 × 730 × 0.02 = 73.00 less 5 × 3.65 = 18.25
    assert (first.amount_micros, first.cash_cents) == (54_750_000, 5_475)
    # 5 × 730 × −0.03 = −109.50
    assert (second.amount_micros, second.cash_cents) == (-109_500_000, -10_950)
    # 5 × 730 × 0.021111 = 77.05515 less 5 × 0.90 = 4.50
    assert (last.amount_micros, last.position_lots) == (72_555_150, 0)
    # 73.00 − 109.50 + 77.05515 = 40.55515, paid as 40.56 less 22.75 of fees
    assert ledger.long.cash_total_cents == 4_056 - 2_275
    assert ledger.exchange.balance_micros == 5 * (3_650_000 + 5_500_000 + 900_000 + 1_350_000)
    # the low was after the second day: 54.75 − 109.50
    assert ledger.long.peak_draw_cents == 5_475
    assert [line.explanation for line in ledger.long.lines] == [
        "2026-08-03 long: variation on lots traded today, 5 lots × 730 GPU-hours × (3.120000 − 3.100000) = 73.000000",
        "2026-08-03 long: trade fee, 5 lots × 3.650000 paid to exchange = -18.250000",
        "2026-08-04 long: variation on lots held, 5 lots × 730 GPU-hours × (3.090000 − 3.120000) = -109.500000",
        "2026-09-01 long: final settlement, 5 lots × 730 GPU-hours × (3.111111 − 3.090000) = 77.055150",
        "2026-09-01 long: cash settlement fee, 5 lots × 0.900000 paid to exchange = -4.500000",
    ]
    assert "received from long" in ledger.exchange.lines[0].explanation


def test_a_trade_on_the_day_of_the_final_settlement_is_marked_at_the_final_price():
    ledger = daily_ledger(
        CME,
        "2026-08",
        [Order(day=date(2026, 8, 31), lots=1, price_micros=3_000_000)],
        {},
        modelled_marks=False,
        final=FinalSettlement(day=date(2026, 8, 31), price_micros=3_010_000),
    )
    assert ledger.long.balance_micros == 7_300_000


def test_marks_before_the_first_order_are_left_out_and_no_order_is_an_empty_ledger():
    settles = {START: 3_000_000, START + timedelta(days=1): 3_100_000}
    ledger = daily_ledger(
        CME,
        "2026-08",
        [Order(day=START + timedelta(days=1), lots=1, price_micros=3_100_000)],
        settles,
        modelled_marks=True,
    )
    assert [day.day for day in ledger.long.days] == [START + timedelta(days=1)]
    empty = daily_ledger(CME, "2026-08", [], settles, modelled_marks=True)
    assert (empty.long.days, empty.long.balance_micros, empty.long.cash_total_cents) == ((), 0, 0)
    assert empty.long.peak_draw_cents == 0


def test_an_account_that_only_gains_has_no_draw():
    ledger = daily_ledger(
        CME,
        "2026-08",
        [Order(day=START, lots=1, price_micros=3_000_000)],
        {START: 3_010_000},
        modelled_marks=True,
    )
    assert (ledger.long.peak_draw_cents, ledger.short.peak_draw_cents) == (0, 730)


def bad_order(**changes: Any) -> Order:
    return Order(**{"day": START, "lots": 1, "price_micros": 3_000_000, **changes})


@pytest.mark.parametrize(
    ("order", "final", "error", "sentence"),
    [
        (Order(day=START, lots=0, price_micros=1), None, UsageError, "for 0 lots; leave it out"),
        (
            bad_order(lots=1.5),
            None,
            UsageError,
            "lots = 1.5; it must be a whole number",
        ),
        (bad_order(lots=True), None, UsageError, "lots = True"),
        (bad_order(price_micros=3.1), None, UsageError, "price_micros = 3.1"),
        (Order(day=START, lots=1, price_micros=-1), None, UsageError, "above zero"),
        (
            Order(day=FINAL_DAY, lots=1, price_micros=1),
            None,
            UsageError,
            "after the last trade of cme-gpu1 2026-08",
        ),
        (
            Order(day=START + timedelta(days=2), lots=1, price_micros=1),
            START,
            UsageError,
            "after the final settlement of 2026-08-03",
        ),
        (
            Order(day=START + timedelta(days=2), lots=1, price_micros=1),
            None,
            RentmarkError,
            "no settlement price that day; add one for 2026-08-05",
        ),
    ],
)
def test_bad_orders_are_refused_in_one_sentence(order, final, error, sentence):
    closing = None if final is None else FinalSettlement(day=final, price_micros=3_000_000)
    with pytest.raises(error, match=sentence):
        daily_ledger(CME, "2026-08", [order], {START: 3_000_000}, modelled_marks=True, final=closing)


def test_a_mark_after_the_final_settlement_is_refused():
    with pytest.raises(UsageError, match="the settlement price of 2026-08-04 is after the final settlement"):
        daily_ledger(
            CME,
            "2026-08",
            [Order(day=START, lots=1, price_micros=3_000_000)],
            {START: 3_000_000, START + timedelta(days=1): 3_000_000},
            modelled_marks=True,
            final=FinalSettlement(day=START, price_micros=3_000_000),
        )
