"""The verdict follows the interval, and its sentence carries the numbers."""

from __future__ import annotations

import math
from datetime import date

import pytest
from rentmark.backtest import CommonDate, Effectiveness, Regression, decide
from rentmark.backtest.sentences import (
    Position,
    Swing,
    limits_sentence,
    moved_sentence,
    verdict_sentence,
)

LAST = date(2026, 7, 30)


def judged(low, high, point=None):
    return Effectiveness(
        method="ols",
        walk_forward=(low + high) / 2 if point is None else point,
        walk_forward_low=low,
        walk_forward_high=high,
        out_of_sample_months=14,
    )


def monthly(r_squared=0.8):
    return Regression(kind="monthly", n=38, r_squared=r_squared)


def verdict_of(low, high, r_squared=0.8, count=38, constant=False):
    return decide(
        judged(low, high), monthly(r_squared), monthly_change_count=count, rent_is_constant=constant
    ).name


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.5, 0.9, "covers"),
        (0.499, 0.9, "partly"),
        (0.001, 0.4, "partly"),
        (0.0, 0.4, "not shown"),
        (-0.5, 0.5, "not shown"),
        (-0.5, 0.0, "not shown"),
        (-0.5, -0.001, "made it worse"),
        (-math.inf, 0.1, "not shown"),
    ],
)
def test_the_interval_decides(low, high, verdict):
    assert verdict_of(low, high) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.6, 0.9, "not shown"), (0.1, 0.9, "not shown"), (-0.9, -0.1, "made it worse")],
)
def test_a_weak_in_sample_fit_takes_a_good_verdict_away_and_no_bad_one(low, high, verdict):
    assert verdict_of(low, high, r_squared=0.199) == verdict
    assert verdict_of(low, high, r_squared=None) == verdict


def test_an_r_squared_of_a_fifth_is_enough():
    assert verdict_of(0.6, 0.9, r_squared=0.2) == "covers"


def test_thirty_five_changes_are_too_short_and_a_constant_rent_has_nothing_to_hedge():
    assert verdict_of(0.6, 0.9, count=35) == "too short"
    assert verdict_of(0.6, 0.9, count=36) == "covers"
    assert verdict_of(0.6, 0.9, count=10, constant=True) == "nothing to hedge"


BILLS = Swing(4_000_000_000, 2_000_000_000, is_bill=True)


def sentence_of(low, high, role="buyer", swing=BILLS, **options):
    each = judged(low, high, point=options.pop("point", 0.75))
    regression = monthly(options.pop("r_squared", 0.8))
    count = options.pop("count", 38)
    verdict = decide(
        each, regression, monthly_change_count=count, rent_is_constant=options.pop("constant", False)
    )
    return verdict_sentence(
        verdict,
        role,
        judged=each,
        swing=swing,
        monthly_change_count=count,
        last_rent_date=LAST,
        lots="12 lots",
    )


def test_covers_says_by_how_much_and_at_least_how_much():
    # 1 − √(1 − 0.75) = 50 %, 1 − √(1 − 0.64) = 40 %.
    assert sentence_of(0.64, 0.9) == (
        "This hedge would have covered your rent: your monthly bill would have swung by ±$2,000 instead of"
        " ±$4,000, 50 % less (at least 40 %), over 14 months it had not seen."
    )


def test_partly_says_the_range():
    assert sentence_of(0.19, 0.96, role="provider") == (
        "This hedge would have covered part of your rental revenue: your monthly revenue would have swung by"
        " ±$2,000 instead of ±$4,000, 50 % less; the data allow 10 % to 80 %."
    )


def test_not_shown_says_the_hedge_would_not_have_covered_the_rent():
    swing = Swing(42_200, 50_800, is_bill=False)
    assert sentence_of(-3.0, 0.19, point=-0.45, swing=swing) == (
        "On this evidence the hedge would not have covered your rent: your monthly bill would have swung by"
        " ±$0.0508/GPU-h against ±$0.0422/GPU-h without it; the data allow 100 % more to 10 % less."
    )


def test_worse_says_how_much_worse_at_least():
    assert sentence_of(-3.0, -0.21, point=-1.25, swing=Swing(2_000_000, 3_000_000, is_bill=True)) == (
        "This hedge would not have covered your rent and would have made it less steady: ±$3 a month instead of"
        " ±$2, 50 % more (at least 10 %)."
    )


def test_too_short_and_nothing_to_hedge_say_what_is_needed():
    assert sentence_of(0.1, 0.2, count=11) == (
        "Too short to say whether this hedge covers your rent: 11 monthly changes, 36 needed."
    )
    assert sentence_of(0.1, 0.2, constant=True, role="provider") == (
        "Nothing to hedge: your rental revenue is fixed until 2026-07-30; 12 lots would add risk."
    )


def test_a_good_interval_with_a_weak_fit_names_the_fit():
    said = sentence_of(0.19, 0.36, r_squared=0.1)
    assert said.startswith("On this evidence the hedge would not have covered your rent")
    assert said.endswith("the data allow 10 % to 20 % less, but its monthly R² is 0.10, and 0.2 is needed.")


def test_an_unbounded_interval_is_said_in_words():
    assert "no bound on how much more, and allow 10 % less" in sentence_of(-math.inf, 0.19)


def test_what_moved_names_the_side_that_stepped():
    common = [
        CommonDate(date(2026, 6, 4), 1_800_000, 1_000_000),
        CommonDate(date(2026, 6, 11), 1_836_000, 621_000),
        CommonDate(date(2026, 6, 18), 1_836_000, 621_000),
    ]
    assert moved_sentence(common, "buyer", 0.9986, stable=False) == (
        "What moved: the reference stepped −37.9 % on 2026-06-11; your price moved +2.0 %."
        " The gap has no stable level (ADF p above 0.99); its average says nothing about next month."
    )
    own = [
        CommonDate(date(2026, 1, 1), 1_000_000, 1_000_000),
        CommonDate(date(2026, 1, 2), 1_100_000, 990_000),
    ]
    assert moved_sentence(own, "provider", None, stable=None) == (
        "What moved: your rental price stepped +10.0 % on 2026-01-02; the reference moved −1.0 %."
    )
    assert moved_sentence(own[:1], "buyer", None, stable=None).startswith("Nothing moved")


def test_the_limits_are_always_said():
    assert limits_sentence("buyer", Position(1_234, 10, "lots"), entry_is_assumed=True) == (
        "Bought 1,234 lots over 10 months; covers price only, not failed hours or a breach. Entry prices are assumed."
    )
    assert limits_sentence("provider", Position(-12, 10, "lots"), entry_is_assumed=False) == (
        "Sold 12 lots over 10 months; covers price only, not unsold hours or a customer who does not pay."
    )
    assert limits_sentence("buyer", Position(-12, 3, "lots"), entry_is_assumed=False).startswith(
        "Sold 12 lots"
    )
    assert "failed hours" in limits_sentence("buyer", None, entry_is_assumed=True)
