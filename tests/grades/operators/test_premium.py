"""A tier's premium is measured on the same dates, each seller once, with an interval or the reason for none."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades.operators import RatedPrice, tier_premiums
from scipy import stats

DAY = date(2026, 7, 1)
TIERS = ("Gold", "Silver", "Bronze")


def price(seller: str, tier: str, dollars: float, day: int = 0) -> RatedPrice:
    return RatedPrice(
        date=DAY + timedelta(days=day), seller=seller, tier=tier, price_micros=round(dollars * 1_000_000)
    )


def only(prices, tier="Gold", reference="Silver"):
    return next(p for p in tier_premiums(prices, TIERS, reference) if p.tier == tier)


def test_the_premium_is_the_ratio_of_geometric_means_and_the_interval_welchs():
    gold, silver = [3.0, 4.0, 5.0, 3.5], [2.0, 2.5, 3.0]
    prices = [price(f"g{n}", "Gold", p) for n, p in enumerate(gold)]
    prices += [price(f"s{n}", "Silver", p) for n, p in enumerate(silver)]
    found = only(prices)
    logs = [math.log(p) for p in gold], [math.log(p) for p in silver]
    assert found.premium == pytest.approx(math.expm1(sum(logs[0]) / 4 - sum(logs[1]) / 3))
    # scipy.stats.ttest_ind(equal_var=False) is Welch's test
    interval = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert found.premium_low == pytest.approx(math.expm1(interval.low))
    assert found.premium_high == pytest.approx(math.expm1(interval.high))
    assert (found.dates, found.sellers, found.reference_sellers) == (
        1,
        ("g0", "g1", "g2", "g3"),
        ("s0", "s1", "s2"),
    )


def test_only_dates_with_both_tiers_count():
    """The market doubles on the second day, when there is no silver: that day says nothing."""
    prices = [price("g", "Gold", 3), price("s", "Silver", 2), price("g", "Gold", 6, day=1)]
    found = only(prices)
    assert (found.dates, found.premium) == (1, pytest.approx(0.5))
    assert (found.premium_low, found.interval_reason) == (
        None,
        "1 and 1 sellers; an interval needs 3 of each",
    )


def test_a_day_that_moves_everyone_moves_no_premium():
    """Sellers seen on many days count once each, against their own days."""
    prices = []
    for day, level in enumerate((1.0, 2.0, 0.5)):
        prices += [price(f"g{n}", "Gold", 3 * level, day) for n in range(3)]
        prices += [price(f"s{n}", "Silver", 2 * level, day) for n in range(3)]
    found = only(prices)
    assert found.premium == pytest.approx(0.5)
    assert found.premium_low == pytest.approx(0.5)
    assert found.premium_high == pytest.approx(0.5)


def test_a_tier_that_never_meets_the_reference_has_no_premium():
    found = only([price("g", "Gold", 3), price("s", "Silver", 2, day=1)])
    assert (found.premium, found.reason) == (None, "no date has sellers of both Gold and Silver")
    assert tier_premiums([price("g", "Gold", 3)], TIERS, "Gold") == []


def test_a_seller_that_changes_tier_counts_in_each_on_its_own_days():
    prices = [price("a", "Gold", 4, day) for day in (0, 1)] + [price("a", "Silver", 4, day) for day in (2, 3)]
    prices += [price("s", "Silver", 2, day) for day in range(4)] + [
        price("g", "Gold", 4, day) for day in (2, 3)
    ]
    found = only(prices)
    assert found.sellers == ("a", "g")
    assert found.reference_sellers == ("a", "s")


PRICES = st.integers(4, 24).map(lambda quarter: quarter * 0.25)


@given(
    st.lists(PRICES, min_size=3, max_size=6),
    st.lists(PRICES, min_size=3, max_size=6),
    st.sampled_from([0.5, 2, 3]),
)
def test_a_common_factor_changes_nothing_and_turning_the_tiers_around_inverts(gold, silver, factor):
    prices = [price(f"g{n}", "Gold", p) for n, p in enumerate(gold)]
    prices += [price(f"s{n}", "Silver", p) for n, p in enumerate(silver)]
    found = only(prices)
    scaled = only([price(p.seller, p.tier, p.price_micros / 1e6 * factor) for p in prices])
    assert scaled.premium == pytest.approx(found.premium, abs=1e-6)
    inverse = only(prices, "Silver", "Gold")
    assert (1 + found.premium) * (1 + inverse.premium) == pytest.approx(1)
    assert (1 + found.premium_low) * (1 + inverse.premium_high) == pytest.approx(1)
    assert found.premium_low <= found.premium <= found.premium_high


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    """Invented truth: gold asks 20 % more; five sellers a tier with log sd 0.2, ten days each, 400 markets."""
    draw = random.Random(7)
    covered = 0
    for _ in range(400):
        prices = []
        for tier, level in (("Gold", 3.6), ("Silver", 3.0)):
            for n in range(5):
                own = level * math.exp(draw.gauss(0, 0.2))
                prices += [
                    price(f"{tier}{n}", tier, own * math.exp(draw.gauss(0, 0.05)), day) for day in range(10)
                ]
        found = only(prices)
        covered += found.premium_low <= 0.2 <= found.premium_high
    # binomial 95 % range of 400 draws at 0.95 is 0.929 to 0.971
    assert 0.925 <= covered / 400 <= 0.98


def test_a_price_of_nothing_is_refused():
    with pytest.raises(ValueError, match="has no logarithm"):
        tier_premiums([price("g", "Gold", 0)], TIERS, "Silver")
