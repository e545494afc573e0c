"""Packages of legs: strips, spreads, stack-and-roll, each by hand and against the ledger."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, hours_in_month, last_trade_date
from rentmark.contracts.account import AccountRules, DayMark, explain_profit, fill_orders, run_account
from rentmark.contracts.legs import (
    calendar_spread,
    inter_grade_spread,
    package_orders,
    price_package,
    stack_and_roll,
    strip,
)
from rentmark.records import RentmarkError, UsageError

from tests.contracts.making import own_contract

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
B200 = own_contract(
    unit_rule="fixed", fixed_gpu_hours=730, unit_gpus=..., tick_micros=10_000, calendar="XNYS"
)
DAY = date(2026, 8, 14)
RULES = AccountRules.model_validate({"fills": {"slippage_ticks": 0}})


def marked(**by_month: int) -> dict:
    """Settlements of one day: ``cme_gpu1_2026_09=3_000_000``."""
    book = {}
    for name, price in by_month.items():
        contract, month = name[:-8].replace("_", "-"), f"{name[-7:-3]}-{name[-2:]}"
        book[contract, month] = {DAY: DayMark(settle_micros=price)}
    return book


def test_a_strip_is_priced_at_the_gpu_hour_weighted_mean_of_its_months():
    package = strip(ICE, "2026-09", 3, 2)
    assert [(leg.month, leg.lots, leg.unit_gpu_hours) for leg in package.legs] == [
        ("2026-09", 2, 720), ("2026-10", 2, 744), ("2026-11", 2, 720),
    ]  # fmt: skip
    priced = price_package(
        package, marked(ice_hpr_2026_09=3_000_000, ice_hpr_2026_10=2_900_000, ice_hpr_2026_11=2_800_000), DAY
    )
    assert priced.price == Fraction(720 * 3_000_000 + 744 * 2_900_000 + 720 * 2_800_000, 2_184)
    assert priced.price_micros == 2_900_000
    assert priced.worth_micros == 2 * 2_184 * 2_900_000


def test_a_calendar_spread_is_near_less_far_and_moves_only_with_their_difference():
    package = calendar_spread(CME, "2026-09", "2026-12", 5)
    assert [leg.lots for leg in package.legs] == [5, -5]
    assert package.residual_gpu_hours == 0
    priced = price_package(package, marked(cme_gpu1_2026_09=3_000_000, cme_gpu1_2026_12=2_750_000), DAY)
    assert (priced.price_micros, priced.worth_micros) == (250_000, 5 * 730 * 250_000)
    shifted = price_package(package, marked(cme_gpu1_2026_09=3_400_000, cme_gpu1_2026_12=3_150_000), DAY)
    assert shifted.price == priced.price


def test_an_inter_grade_spread_has_as_many_gpu_hours_or_as_much_money_in_each_leg():
    even = inter_grade_spread(CME, B200, "2026-09", 7)
    assert [leg.lots for leg in even.legs] == [7, -7]
    money = inter_grade_spread(CME, B200, "2026-09", 7, hours_ratio=Fraction(3_000_000, 5_250_000))
    assert [leg.lots for leg in money.legs] == [7, -4]  # 7 × 3.00 / 5.25 = 4
    hours = inter_grade_spread(CME, ICE, "2026-09", 72)
    assert [leg.lots for leg in hours.legs] == [72, -73]  # 72 × 730 / 720
    assert hours.residual_gpu_hours == 0
    priced = price_package(even, marked(cme_gpu1_2026_09=3_000_000, own_2026_09=5_250_000), DAY)
    assert (priced.price_micros, priced.worth_micros) == (-2_250_000, 7 * 730 * -2_250_000)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: strip(CME, "2026-09", 3, 0), "a strip of 0 lots is none"),
        (lambda: strip(CME, "2026-09", 37, 1), "37 months of cme-gpu1 were asked for and 36 are listed"),
        (lambda: calendar_spread(CME, "2026-09", "2026-09", 1), "has no far month; name a later one."),
        (lambda: calendar_spread(CME, "2026-9", "2026-10", 1), "is not a month"),
        (lambda: calendar_spread(CME, "2026-09", "2026-10", 1.5), "a calendar spread of 1.5 lots is none"),
        (
            lambda: inter_grade_spread(CME, CME, "2026-09", 1),
            "against itself is none; name another contract.",
        ),
        (
            lambda: inter_grade_spread(CME, B200, "2026-09", 1, hours_ratio=Fraction(1, 3)),
            "1 lots of cme-gpu1 are less than half a lot of own; take more lots.",
        ),
    ],
)
def test_a_package_that_is_none_is_refused_in_a_sentence(make, said):
    with pytest.raises(UsageError) as refused:
        make()
    assert said in refused.value.sentence


def test_a_leg_without_a_mark_names_the_leg_and_the_day():
    with pytest.raises(
        RentmarkError, match="cme-gpu1 2026-12 has no mark on 2026-08-14, a day with a calendar spread"
    ):
        price_package(calendar_spread(CME, "2026-09", "2026-12", 1), marked(cme_gpu1_2026_09=3_000_000), DAY)


def test_a_package_dealt_by_its_legs_costs_what_it_was_priced_at():
    book = marked(cme_gpu1_2026_09=3_000_000, cme_gpu1_2026_12=2_750_000)
    package = calendar_spread(CME, "2026-09", "2026-12", 5)
    trades = fill_orders({"cme-gpu1": CME}, package_orders(package, DAY, "S"), book, RULES, {})
    assert [(trade.trade_id, trade.strategy) for trade in trades] == [
        ("S-1", "calendar-spread"),
        ("S-2", "calendar-spread"),
    ]
    account = run_account({"cme-gpu1": CME}, trades, book, name="n", rules=RULES)
    priced = price_package(package, book, DAY)
    paid = sum(trade.price_micros * trade.lots * 730 for trade in trades)
    assert paid == priced.worth_micros
    assert account.long.balance_micros == -10 * 5_500_000  # only fees: filled at the marks


# --- stack and roll ---------------------------------------------------------------------------------------

MONTHS = ["2026-09", "2026-10", "2026-11"]
ROLLS = [last_trade_date(CME, month) for month in MONTHS]  # 30 Sep, 30 Oct, 30 Nov


def book_of(prices: dict[tuple[str, date], int], contract: str = "cme-gpu1") -> dict:
    book: dict = {}
    for (month, day), price in prices.items():
        book.setdefault((contract, month), {})[day] = DayMark(settle_micros=price)
    return book


END = date(2026, 11, 16)
PRICES = {
    ("2026-09", DAY): 3_000_000,
    ("2026-09", ROLLS[0]): 3_100_000,
    ("2026-10", ROLLS[0]): 3_050_000,
    ("2026-10", ROLLS[1]): 2_900_000,
    ("2026-11", ROLLS[1]): 2_950_000,
    ("2026-11", END): 3_000_000,
}


def roll(**changes):
    asked = {
        "first_month": "2026-09", "lots": 10, "start": DAY, "end": END, "marks": book_of(PRICES), "rules": RULES,
    }  # fmt: skip
    return stack_and_roll(CME, **(asked | changes))


def test_roll_yield_stands_on_its_own_line_worked_by_hand():
    stack = roll()
    assert [(step.day, step.near, step.far) for step in stack.rolls] == [
        (ROLLS[0], "2026-09", "2026-10"),
        (ROLLS[1], "2026-10", "2026-11"),
    ]
    # 10 × 730 × (3.10 − 3.05) = 365.00 and 10 × 730 × (2.90 − 2.95) = −365.00
    assert [step.roll_yield_micros for step in stack.rolls] == [365_000_000, -365_000_000]
    assert stack.roll_yield_micros == 0
    # the near month's own move from roll to roll: 3.00 → 3.10 → 2.90 → 3.00
    assert stack.price_move_micros == 0
    assert stack.slippage_micros == 0
    assert stack.fees_micros == -60 * 5_500_000
    # (3.10 − 3.00) + (2.90 − 3.05) + (3.00 − 2.95) = 0
    assert stack.total_micros == -330_000_000
    assert "3.100000 into 2026-10 at 3.050000" in stack.rolls[0].sentence


def test_slippage_has_its_own_line_and_roll_trades_are_marked():
    rules = AccountRules.model_validate({"fills": {"slippage_ticks": 2}})
    stack = roll(rules=rules)
    assert stack.slippage_micros == -6 * 10 * 730 * 20_000
    assert [trade.strategy for trade in stack.trades] == ["stack", "roll", "roll", "roll", "roll", "stack"]
    assert all(trade.simulated for trade in stack.trades)


def test_the_ledger_books_what_the_parts_add_up_to():
    stack = roll(rules=AccountRules.model_validate({"fills": {"slippage_ticks": 1}}))
    account = run_account({"cme-gpu1": CME}, stack.trades, book_of(PRICES), name="n", rules=RULES)
    assert account.long.balance_micros == stack.total_micros
    assert account.positions == {}
    profit = explain_profit(account, {})
    # on their day the four roll trades cost a tick each against the marks
    assert profit.parts["roll"] == -4 * 10 * 730 * 10_000
    assert profit.unexplained_micros == 0


def test_a_missing_mark_on_a_roll_day_raises_with_the_day_named():
    for month, day in (("2026-10", ROLLS[0]), ("2026-09", ROLLS[0])):
        prices = {key: price for key, price in PRICES.items() if key != (month, day)}
        with pytest.raises(RentmarkError, match=f"{month} has no mark on {day}, a day with the roll"):
            roll(marks=book_of(prices))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lots": 0}, "a stack of 0 lots is none"),
        ({"lots": 1.5}, "a stack of 1.5 lots is none"),
        ({"end": DAY}, "holds nothing; give a later end."),
        ({"first_month": "2026-08", "start": date(2026, 8, 31)}, "rolls on 2026-08-31, not after the start"),
        ({"first_month": "2035-01"}, "cme-gpu1 2035-01 is not listed on 2026-08-14"),
        ({"end": date(2049, 1, 4)}, "is more than 120 months after 2026-09; end the stack earlier."),
    ],
)
def test_a_stack_that_can_not_stand_is_refused_in_a_sentence(changes, said):
    with pytest.raises(UsageError) as refused:
        roll(**changes)
    assert said in refused.value.sentence


def test_rolls_can_be_earlier_than_the_last_trade():
    early = {"2026-09": date(2026, 9, 23), "2026-10": date(2026, 10, 23)}
    prices = {
        ("2026-09", DAY): 3_000_000,
        ("2026-09", early["2026-09"]): 3_000_000,
        ("2026-10", early["2026-09"]): 3_000_000,
        ("2026-10", early["2026-10"]): 3_000_000,
        ("2026-11", early["2026-10"]): 3_000_000,
        ("2026-11", END): 3_000_000,
    }
    stack = roll(marks=book_of(prices), roll_business_days=5)
    assert [step.day for step in stack.rolls] == list(early.values())


GRID = st.integers(1, 40).map(lambda quarter: quarter * 250_000)


@settings(max_examples=60, deadline=None)
@given(
    prices=st.lists(GRID, min_size=6, max_size=6),
    lots=st.sampled_from([-7, 1, 12]),
    keep=st.sampled_from(["lots", "gpu_hours"]),
)
def test_the_parts_are_the_ledgers_total_whatever_the_prices_and_the_units(prices, lots, keep):
    book = book_of(dict(zip(PRICES, prices, strict=True)), "ice-hpr")
    stack = stack_and_roll(
        ICE, first_month="2026-09", lots=lots, start=DAY, end=END, marks=book, rules=RULES, keep=keep
    )
    account = run_account({"ice-hpr": ICE}, stack.trades, book, name="n", rules=RULES)
    assert stack.total_micros == account.long.balance_micros
    assert stack.fees_micros is None
    hours = [trade.lots * hours_in_month(trade.month) for trade in stack.trades if trade.lots * lots > 0]
    if keep == "gpu_hours":
        assert all(abs(each - lots * 720) <= 372 for each in hours)
    else:
        assert [trade.lots for trade in stack.trades if trade.lots * lots > 0] == [lots] * 3
