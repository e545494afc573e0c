"""Programmes: lots by hand, real marks first, one profit or three, and what the account says of them."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest
from rentmark.backtest.programmes import (
    actual_lots,
    break_even_premium,
    month_results,
    programme_to_json,
    read_programme,
    render_programme,
    run_hedge_programme,
    several_ratios,
    total_micros,
    variance_inflation,
)
from rentmark.contracts.account import AccountRules, explain_profit
from rentmark.records import Refusal, RentmarkError, UsageError

from tests.backtest.making import EVERY_DAY, days_from, make_book
from tests.backtest.making import run as report
from tests.backtest.programme_made import FIRST, contract, end_of, instrument, mark, market, run

DAYS = 36 * 30


def orders_of(done, month=None):
    return [each for each in done.orders if month is None or each.month == month]


def test_a_strip_holds_each_month_its_own_hours_in_whole_lots_half_even():
    tape, rents = market(120)
    done = run({"method": "naive"}, tape, rents, now=end_of(date(2022, 4, 30)))
    # 10 GPUs × 672 h = 6,720 h = 67.2 lots of 100; March 7,440 h = 74.4; April 7,200 h = 72
    assert [(o.month, o.day, o.lots) for o in done.orders][:3] == [
        ("2022-02", date(2022, 1, 31), 67),
        ("2022-03", date(2022, 2, 28), 74),
        ("2022-04", date(2022, 3, 31), 72),
    ]
    half = run({"method": "naive", "fraction": "0.25"}, tape, rents, now=end_of(date(2022, 4, 30)), gpus=20)
    # a quarter of 20 GPUs × 720 h is 36 lots; of 744 h 37.2; of 672 h 33.6
    assert [o.lots for o in half.orders][:3] == [34, 37, 36]


def test_a_provider_sells():
    tape, rents = market(60)
    done = run({"method": "naive"}, tape, rents, now=end_of(date(2022, 3, 1)), role="provider")
    assert [o.lots for o in done.orders] == [-67, -74]


@pytest.mark.parametrize(
    ("rules", "lots", "capped"),
    [
        ({"max_lots": 50}, 50, True),
        ({"max_lots": 100}, 67, False),
        ({"max_ratio": "0.5"}, 34, False),  # half of 67.2 is 33.6
        ({"trade_business_days_before": 3}, 67, False),
    ],
)
def test_caps_cut_lots_and_ratios_and_say_so(rules, lots, capped):
    tape, rents = market(60)
    order = run({"method": "naive", **rules}, tape, rents, now=end_of(date(2022, 2, 20))).orders[0]
    assert (order.lots, order.capped) == (lots, capped)
    assert order.day == date(2022, 1, 31) - timedelta(days=rules.get("trade_business_days_before", 0))


def test_tailing_discounts_to_the_day_the_rent_is_due_and_is_off_where_variation_earns_interest():
    tape, rents = market(60)
    rules = {"method": "naive", "tailing_rate_percent": 20, "rent_due_days": 30}
    done = run(rules, tape, rents, now=end_of(date(2022, 2, 20)), gpus=1000)
    # N·e^(−r(T−t)): from 31 January to 30 days after 28 February are 58 days
    assert float(done.orders[0].exact_lots) == pytest.approx(6720 * math.exp(-0.2 * 58 / 365))
    assert done.tailing
    earning = AccountRules.read({"interest": {"credit_rate_percent": 4}}, "x")
    plain = run(rules, tape, rents, now=end_of(date(2022, 2, 20)), gpus=1000, account=earning)
    assert plain.orders[0].exact_lots == 6720
    assert any("Tailing is off" in note for note in programme_to_json(plain)["notes"])


def test_hours_are_planned_from_the_four_weeks_before_a_decision_where_no_plan_is_given():
    tape, rents = market(60)
    done = run({"method": "naive"}, tape, rents, now=end_of(date(2022, 2, 20)), gpus=None, gpu_hours="50")
    assert done.orders[0].exact_lots == Fraction(50 * 28, 100)
    with pytest.raises(RentmarkError, match="states no hours"):
        run({"method": "naive"}, tape, rents, now=end_of(date(2022, 2, 20)), gpus=None)


def test_the_strip_of_one_month_agrees_with_the_report_that_needs_no_account():
    """Another source: the month-by-month simulation of the hedge report, which has no account."""
    tape, rents = market(DAYS)
    now = end_of(FIRST + timedelta(days=DAYS - 1))
    values = {row.date: row.value_micros for row in tape}
    for method in ("ols",):
        told = report(rents, values, contract=EVERY_DAY, gpus=10, now=now, ratio_method=method)
        done = run({"method": method}, tape, rents, now=now)
        ratios = {
            o.month: d.lesson.ratios[EVERY_DAY.id] for d in done.decisions for o in d.orders if d.lesson
        }
        results = {each.month: each for each in month_results(done)}
        assert len(told.programme) >= 9
        for each in told.programme:
            assert ratios[each.month] == pytest.approx(each.ratio, abs=1e-12)
            assert results[each.month].lots.get(EVERY_DAY.id, 0) == each.lots
            assert results[each.month].bill_micros == each.bill_micros
            # no fees and no slippage here, so the account makes what lots × unit × (FSP − K) says, but for K's ticks
            assert each.pnl_micros is not None
            tick = abs(each.lots or 0) * 100 * EVERY_DAY.tick_micros
            for premium, amount in each.pnl_micros.items():
                assert abs(results[each.month].pnl_micros[premium] - amount) <= tick


def test_with_real_marks_there_is_one_profit_by_hand_and_nothing_unexplained():
    tape, rents = market(90)
    marks = [mark("2022-02", day, 2_000_000) for day in days_from(date(2022, 1, 25), 7)]
    marks += [mark("2022-02", day, 2_100_000) for day in days_from(date(2022, 2, 1), 28)]
    marks += [mark("2022-03", day, 3_000_000) for day in days_from(date(2022, 2, 1), 59)]
    now = end_of(date(2022, 3, 5))
    done = run({"method": "naive"}, tape, rents, marks=marks, now=now)
    assert not done.entry_is_assumed
    february = next(each for each in month_results(done) if each.month == "2022-02")
    settled = done.ends[EVERY_DAY.id, "2022-02"].final.price_micros
    values = [row.value_micros for row in tape if row.date.month == 2]
    assert settled == round(Fraction(sum(values), 28))  # the mean of February's fixings, half-even
    assert february.pnl_micros == {0: 67 * 100 * (settled - 2_000_000)}
    told = programme_to_json(done)
    assert list(told["result"]["pnl"]) == ["stated"]
    assert told["profit"]["unexplained"] == "0.000000"
    assert sum(float(v) for v in told["profit"]["parts"].values()) == pytest.approx(
        float(told["result"]["pnl"]["stated"])
    )
    assert told["instruments"][0]["marks"] == "imported"
    assert told["margin"]["modelled_marks"] is False


def test_one_modelled_entry_takes_the_one_profit_away():
    tape, rents = market(120)
    marks = [mark("2022-03", day, 3_000_000) for day in days_from(date(2022, 2, 20), 30)]
    done = run({"method": "naive"}, tape, rents, marks=marks, now=end_of(date(2022, 4, 5)))
    told = programme_to_json(done)
    assert set(told["result"]["pnl"]) == {"-10%", "0%", "+10%"}
    assert told["profit"]["total"] is None
    assert "assumed" in told["profit"]["reason"]
    assert told["instruments"][0]["marks"] == "both"
    # the premium is on modelled entries alone: March was entered at its settlement
    march = next(each for each in month_results(done) if each.month == "2022-03")
    assert len(set(march.pnl_micros.values())) == 1


def test_a_premium_moves_the_profit_by_what_was_not_fixed_and_the_break_even_is_where_it_vanishes():
    tape, rents = market(200)
    done = run({"method": "naive"}, tape, rents, now=end_of(date(2022, 7, 1)))
    pnl = {premium: total_micros(account) for premium, account in done.accounts.items()}
    entered = sum(
        o.lots * 100 * next(t.price_micros for t in done.account.trades if t.month == o.month)
        for o in done.orders
    )
    assert pnl[-10] - pnl[0] == pytest.approx(entered * 0.1, rel=1e-3)
    even = break_even_premium(done)
    assert even == pytest.approx(pnl[0] / entered, rel=1e-2)


def test_a_day_without_a_mark_after_the_first_one_is_refused_and_waits():
    tape, rents = market(120)
    marks = [mark("2022-03", day, 3_000_000) for day in days_from(date(2022, 1, 20), 5)]
    done = run({"method": "naive"}, tape, rents, marks=marks, now=end_of(date(2022, 3, 20)))
    refused = next(o for o in done.orders if o.month == "2022-03")
    assert (refused.lots, refused.refused.code) == (0, "no_mark")
    assert "has no settlement on 2022-02-28" in refused.refused.sentence


def test_a_stack_rolls_its_hours_into_the_next_month_and_its_parts_sum():
    tape, rents = market(200)
    marks = [
        mark(month, day, 2_000_000 + 50_000 * number)
        for number, month in enumerate(("2022-02", "2022-03", "2022-04", "2022-05", "2022-06"))
        for day in days_from(date(2022, 1, 1), 180)
        if day < date.fromisoformat(f"{month}-28")
    ]
    rules = {"style": "stack", "months_ahead": 3, "method": "naive", "trade_business_days_before": 5}
    done = run(rules, tape, rents, marks=marks, now=end_of(date(2022, 5, 20)))
    opened, closed, rolled = done.orders[0], done.orders[1], done.orders[2]
    # February to April are 89 days × 24 h × 10 GPUs = 21,360 h; March to May 92 days: 22,080 h
    assert (opened.month, opened.day, opened.lots) == ("2022-02", date(2022, 1, 26), 214)
    assert (closed.month, closed.lots, closed.target) == ("2022-02", -214, 0)
    assert (rolled.month, rolled.lots, rolled.rolled) == ("2022-03", 221, 214)
    explained = explain_profit(done.account, {EVERY_DAY.id: done.instruments[0].view})
    assert explained.unexplained_micros == 0
    assert sum(explained.parts.values()) == total_micros(done.account)
    told = programme_to_json(done)
    assert sum(float(m["pnl"]["stated"]) for m in told["months"]) == pytest.approx(
        float(told["result"]["pnl"]["stated"])
    )
    assert told["result"]["pnl_outside"]["stated"] == "0.000000"
    assert "stack" in actual_lots(done, month_results(done)).reason


def test_ratios_are_estimated_on_the_stated_days_alone():
    tape, rents = market(DAYS)
    now = end_of(FIRST + timedelta(days=DAYS - 1))
    monthly = run({"method": "ols"}, tape, rents, now=now)
    quarterly = run({"method": "ols", "reestimate": "quarterly"}, tape, rents, now=now)
    once = run({"method": "ols", "reestimate": "once"}, tape, rents, now=now)
    assert sum(d.estimated for d in once.decisions) == 1
    days = [d.day.month for d in quarterly.decisions if d.estimated]
    assert all(month in {3, 6, 9, 12} for month in days[1:])
    assert sum(d.estimated for d in monthly.decisions) > len(days) > 1
    for before, after in zip(quarterly.decisions, quarterly.decisions[1:], strict=False):
        if not after.estimated:
            assert after.lesson == before.lesson


def test_several_instruments_take_the_coefficients_of_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    from statsmodels.stats.outliers_influence import variance_inflation_factor

    random = np.random.default_rng(3)
    prices = random.standard_normal((40, 3))
    prices[:, 1] += 0.8 * prices[:, 0]
    rent = prices @ [0.5, 0.3, -0.2] + 0.1 * random.standard_normal(40)
    found = several_ratios(["a", "b", "c"], rent, prices)
    fitted = sm.OLS(rent, sm.add_constant(prices)).fit()
    assert found == pytest.approx(tuple(fitted.params[1:]))
    exog = sm.add_constant(prices)
    theirs = [variance_inflation_factor(exog, place) for place in (1, 2, 3)]
    assert variance_inflation(prices) == pytest.approx(theirs)


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_instruments_that_move_together_are_refused(noise):
    random = np.random.default_rng(3)
    one = random.standard_normal(40)
    prices = np.column_stack([one, 2 * one + noise * random.standard_normal(40)])
    found = several_ratios(["near", "far"], one, prices)
    assert isinstance(found, Refusal)
    assert found.code == "collinear"
    assert "near" in found.sentence
    assert "far" in found.sentence
    assert several_ratios(["a", "b"], one[:4], prices[:4]).code == "too_short"
    still = np.column_stack([one, np.ones(40)])
    assert several_ratios(["a", "b"], one, still).code == "constant_reference"


def test_two_instruments_hedge_a_rent_made_of_both():
    tape, _ = market(DAYS, seed=7)
    other, _ = market(DAYS, seed=11)
    other = [type(row)(**{**_fields(row), "benchmark": "invented-other"}) for row in other]
    days = [row.date for row in tape]
    first = {row.date: row.value_micros for row in tape}
    second = {row.date: row.value_micros for row in other}
    rents = {day: first[day] // 2 + second[day] // 2 for day in days}
    now = end_of(days[-1])
    programme = read_programme(
        {"instruments": [{"contract": EVERY_DAY.id}, {"contract": "other"}], "rent_chip": "H200"}, "x"
    )
    done = run_hedge_programme(
        "two", programme, make_book(rents),
        [
            instrument(tape, now=now),
            instrument(other, now=now, spec=contract("other", official_benchmark="another"), benchmark="invented-other"),
        ],
        role="buyer", now=now, gpus=100,
    )  # fmt: skip
    ratios = done.decisions[-1].lesson.ratios
    assert ratios[EVERY_DAY.id] == pytest.approx(0.5, abs=0.1)
    assert ratios["other"] == pytest.approx(0.5, abs=0.1)
    told = programme_to_json(done)
    assert told["instruments"][1]["cross_hedge"] == "H200 on H100 (other)"
    assert told["instruments"][1]["proxy"] is True
    assert told["instruments"][0]["proxy"] is False
    assert any(note.startswith("Cross hedge, a proxy: H200 on H100") for note in told["notes"])


def _fields(row):
    from dataclasses import fields

    return {field.name: getattr(row, field.name) for field in fields(row)}


def test_a_month_that_prints_no_price_is_closed_at_its_last_mark_and_judged_by_nothing():
    tape, rents = market(120)
    tape = [row for row in tape if row.date.month != 2 or row.date.day < 10]
    done = run({"method": "naive"}, tape, rents, now=end_of(date(2022, 4, 20)))
    assert not done.ends[EVERY_DAY.id, "2022-02"].settled
    february = next(each for each in month_results(done) if each.month == "2022-02")
    assert february.settled is False
    assert (EVERY_DAY.id, "2022-02") not in done.account.positions
    assert any("Determination, no price printed" in note for note in programme_to_json(done)["notes"])


def test_the_page_stands_alone_and_carries_its_marks():
    tape, rents = market(120)
    now = end_of(date(2022, 4, 20))
    assumed = run({"method": "naive", "rent_chip": "H200"}, tape, rents, now=now)
    marks = [
        mark(f"2022-0{month}", day, 3_000_000) for month in (2, 3, 4, 5) for day in days_from(FIRST, 120)
    ]
    stated = run({"method": "naive"}, tape, rents, marks=marks, now=now)
    page = render_programme(assumed, command="rentmark <b>")
    for words in (
        "MODELLED",
        "PROXY",
        "H200 on H100",
        "Break-even entry",
        "P&amp;L −10 %",
        "rentmark &lt;b&gt;",
    ):
        assert words in page
    assert "Profit by entry" in page
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    other = render_programme(stated)
    assert "Profit in parts" in other
    assert "MODELLED" not in other
    assert "Break-even entry" not in other
    assert render_programme(stated) == other


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "lacks the key instruments"),
        ({"instruments": []}, "instruments"),
        ({"instruments": [{"contract": "a"}], "method": "best"}, "known methods"),
        ({"instruments": [{"contract": "a"}, {"contract": "a"}]}, "twice"),
        ({"instruments": [{"contract": "a"}, {"contract": "b"}], "method": "naive"}, "several instruments"),
        ({"instruments": [{"contract": "a"}], "fraction": 1.5}, "fraction"),
        ({"instruments": [{"contract": "a"}], "rent_due_days": 3}, "tailing_rate_percent"),
        ({"instruments": [{"contract": "a"}], "styl": "strip"}, "did you mean style?"),
    ],
)
def test_rules_that_cannot_stand_are_refused_in_one_sentence(values, said):
    with pytest.raises(UsageError) as caught:
        read_programme(values, "[programmes.x]")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_hash_names_what_was_stated_alone():
    bare = read_programme({"instruments": [{"contract": "cme-gpu1"}]}, "x")
    written = read_programme(
        {"instruments": [{"contract": "cme-gpu1"}], "style": "strip", "fraction": 1}, "x"
    )
    other = read_programme({"instruments": [{"contract": "cme-gpu1"}], "style": "stack"}, "x")
    assert bare.rules_hash == written.rules_hash != other.rules_hash
    # pinned, so that a key added later moves no hash of rules that do not use it
    assert bare.rules_hash == "4667ec6ae99f941bac2dee4d2452dedacf12dc4d9952bb713706bc0d26ccc457"
