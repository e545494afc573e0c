"""Profit and loss explained: each part worked by hand, and never anything left over."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, FinalSettlement, fixing_days
from rentmark.contracts.account import (
    AccountRules,
    DayMark,
    IndexView,
    Trade,
    explain_profit,
    run_account,
)
from rentmark.records import UsageError, day_start

from tests.contracts.making import BENCHMARK, make_fixing, own_contract

from .made import make_trade

OWN = own_contract(unit_rule="fixed", fixed_gpu_hours=100, unit_gpus=..., tick_micros=10_000)
KEY = ("own", "2026-02")
FEES = AccountRules.model_validate(
    {"fees": {"own": {"trade_micros": 1_500_000, "cash_settlement_micros": 0}}}
)


def run(prices, trades, view: IndexView | None, *, final: FinalSettlement | None = None, rules=FEES):
    marks = {KEY: {day: DayMark(settle_micros=price) for day, price in prices.items()}}
    return run_account(
        {"own": OWN},
        trades,
        marks,
        name="invented",
        rules=rules,
        views={} if view is None else {"own": view},
        finals={} if final is None else {KEY: final},
    )


def bought(day: str, lots: int, price: str, **more) -> Trade:
    return make_trade(
        trade_id=f"T{day}", contract="own", month="2026-02", day=day, lots=lots, price=price, **more
    )


def view_of(values: dict[date, int]) -> IndexView:
    return IndexView(OWN, BENCHMARK, [make_fixing(day, value) for day, value in values.items()])


FEB = fixing_days(OWN, "2026-02")  # 28 days


def test_what_fixed_and_what_is_to_come_are_told_apart_by_hand():
    # 28 days. Bought 10 at 2.80, marked 2.80 at the end of January: the rest (all) averages 2.80.
    # 1 February fixes at 3.08 and the mark goes to 2.85: what came in is (3.08 − 2.80)/28 = 0.01 better than the
    # mark said; the rest now averages (2.85 × 28 − 3.08)/27 = 2.841481…, so the curve moved 27/28 × 0.041481… = 0.04.
    prices = {date(2026, 1, 31): 2_800_000, FEB[0]: 2_850_000}
    account = run(prices, [bought("2026-01-31", 10, "2.80")], view_of({FEB[0]: 3_080_000}))
    profit = explain_profit(account, {"own": view_of({FEB[0]: 3_080_000})}, after=date(2026, 1, 31))
    assert profit.parts["accrued_fixings"] == 10 * 100 * 10_000
    assert profit.parts["curve_move"] == 10 * 100 * 40_000
    assert (profit.total_micros, profit.unexplained_micros) == (50_000_000, 0)
    assert [line.part for line in profit.lines] == ["accrued_fixings", "curve_move"]


def test_before_the_month_all_of_a_move_is_the_curve():
    prices = {date(2026, 1, 5): 2_800_000, date(2026, 1, 6): 2_900_000}
    account = run(prices, [bought("2026-01-05", 1, "2.75", fees="2.25")], view_of({FEB[0]: 3_080_000}))
    profit = explain_profit(account, {"own": view_of({FEB[0]: 3_080_000})})
    assert profit.parts == dict.fromkeys(profit.parts, 0) | {
        "new_trades": 5_000_000,  # 100 × (2.80 − 2.75)
        "curve_move": 10_000_000,
        "fees": -2_250_000,
    }
    assert profit.total_micros == 12_750_000


def test_a_roll_a_close_out_and_interest_have_their_own_lines():
    prices = {date(2026, 1, 5): 2_800_000, date(2026, 1, 6): 2_800_000, date(2026, 1, 7): 2_800_000}
    rules = AccountRules.model_validate(
        {
            "fees": {"own": {"trade_micros": 0, "cash_settlement_micros": 0}},
            "cash_available_micros": 0,
            "interest": {"debit_rate_percent": 36},
            "margin": {"methods": ["published"]},
            "close_out": {"slippage_ticks": 1},
        }
    )
    trades = [bought("2026-01-05", 3, "2.90"), bought("2026-01-06", -1, "2.79", strategy="roll")]
    account = run(prices, trades, None, rules=rules)
    profit = explain_profit(account, {})
    assert profit.parts["new_trades"] == -30_000_000  # 3 × 100 × (2.80 − 2.90)
    assert profit.parts["roll"] == -1_000_000  # −1 × 100 × (2.80 − 2.79)
    # the call of the 5th (30.00 below 0) is due on the 6th and not met: 2 lots sold a tick below the mark
    assert profit.parts["close_out"] == -2_000_000
    assert profit.parts["interest"] == -63_030  # 0.1 % a day of 30.00, then of 33.03
    assert profit.unexplained_micros == 0


def test_a_settlement_beside_the_mean_is_said_to_be():
    values = {day: 3_000_000 + 7 * number for number, day in enumerate(FEB)}
    view = view_of(values)
    outcome = view.outcome("2026-02", FEB[-1])
    assert outcome is not None
    assert outcome.final is not None
    mean = sum(values.values())
    assert mean % 28  # no whole number of micro-dollars: the settlement is rounded
    prices = {FEB[-2]: 3_000_000}
    account = run(prices, [bought(str(FEB[-2]), 1_000, "3.00")], view, final=outcome.final)
    profit = explain_profit(account, {"own": view}, after=FEB[-2])
    size = 1_000 * 100
    assert profit.parts["beside_the_mean"] == round((outcome.final.price_micros - mean / 28) * size)
    assert profit.parts["beside_the_mean"] != 0
    assert profit.parts["curve_move"] == 0
    assert profit.total_micros == size * (outcome.final.price_micros - 3_000_000)
    assert profit.unexplained_micros == 0


def test_a_revision_inside_the_month_is_part_of_what_accrued():
    first = make_fixing(FEB[0], 2_800_000)
    revised = make_fixing(FEB[0], 3_080_000, revision=1, published_at=day_start(FEB[2]) - timedelta(hours=1))
    view = IndexView(OWN, BENCHMARK, [first, revised, make_fixing(FEB[1], 2_800_000)])
    prices = {FEB[0]: 2_800_000, FEB[1]: 2_810_000}
    account = run(prices, [bought(str(FEB[0]), 10, "2.80")], view)
    profit = explain_profit(account, {"own": view}, after=FEB[0])
    assert profit.parts["accrued_fixings"] == 10_000_000  # (3.08 − 2.80)/28 × 1,000
    assert profit.parts["curve_move"] == 0


def test_a_contract_without_a_benchmark_is_named():
    prices = {date(2026, 1, 5): 2_800_000, date(2026, 1, 6): 2_900_000}
    account = run(prices, [bought("2026-01-05", 1, "2.80")], None)
    profit = explain_profit(account, {})
    assert profit.not_told_apart == ("own",)
    assert profit.parts["accrued_fixings"] == 0


def test_days_out_of_order_are_refused():
    prices = {date(2026, 1, 5): 2_800_000}
    account = run(prices, [bought("2026-01-05", 1, "2.80")], None)
    with pytest.raises(UsageError, match="is no time"):
        explain_profit(account, {}, after=date(2026, 1, 6), through=date(2026, 1, 6))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_periods_add_up_to_the_whole_and_leave_nothing_unexplained(data):
    grid = st.integers(1, 40).map(lambda quarter: quarter * 250_000)
    values = {day: data.draw(grid) for day in FEB if data.draw(st.integers(0, 9))}
    if not values:
        return
    view = view_of(values)
    days = [date(2026, 1, 30), *data.draw(st.lists(st.sampled_from(FEB[:-1]), unique=True, min_size=1))]
    prices = {day: data.draw(st.integers(1, 900).map(lambda tick: tick * 10_000)) for day in sorted(days)}
    trades = [
        bought(str(day), data.draw(st.sampled_from([-7, 1, 13])), "2.75", fees="0.5")
        for day in sorted(prices)
        if day == min(prices) or data.draw(st.booleans())
    ]
    outcome = view.outcome("2026-02", FEB[-1])
    final = None if outcome is None else outcome.final
    account = run(prices, trades, view, final=final)
    whole = explain_profit(account, {"own": view})
    middle = sorted(prices)[len(prices) // 2]
    first = explain_profit(account, {"own": view}, through=middle)
    second = explain_profit(account, {"own": view}, after=middle)
    for part, amount in whole.parts.items():
        assert first.parts[part] + second.parts[part] == amount
    assert whole.unexplained_micros == first.unexplained_micros == second.unexplained_micros == 0
    assert whole.total_micros == account.long.balance_micros
    assert (
        sum(sum(parts.values()) for parts in whole.by_month.values()) + whole.parts["interest"]
        == whole.total_micros
    )


def test_real_contracts_explain_a_whole_month_to_nothing():
    spec = CONTRACTS["ice-hpr"]
    days = fixing_days(spec, "2026-08")
    view = IndexView(spec, BENCHMARK, [make_fixing(day, 3_000_000 + 1_111 * day.day) for day in days])
    outcome = view.outcome("2026-08", date(2026, 9, 1))
    assert outcome is not None
    marks = {
        ("ice-hpr", "2026-08"): {
            day: DayMark(settle_micros=view.flat_value("2026-08", day) or 0, modelled=True)
            for day in days[2:-1]
        }
    }
    trade = make_trade(
        trade_id="T", contract="ice-hpr", month="2026-08", day="2026-08-03", lots=9, price="3.001"
    )
    account = run_account(
        {"ice-hpr": spec}, [trade], marks, name="n", rules=AccountRules(), views={"ice-hpr": view},
        finals={("ice-hpr", "2026-08"): outcome.final} if outcome.final else {},
    )  # fmt: skip
    profit = explain_profit(account, {"ice-hpr": view})
    assert profit.unexplained_micros == 0
    assert outcome.final is not None
    assert profit.total_micros == (outcome.final.price_micros - 3_001_000) * 744 * 9
    assert account.modelled_marks
