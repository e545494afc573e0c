"""Strips from reserved prices: an upper bound for term, administered said so, negative refused."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts.curve import TermPrice, TermStrip, forward_price, term_structure
from rentmark.records import Refusal, UsageError

GCP_SAMPLE = "feeds/gcp_pricing_2026-07-30_excerpt.yml"
PRICES = st.integers(1, 40).map(lambda quarter: quarter * 250_000)
DAY = date(2026, 7, 30)


def offer(region: str, months: int, micros: int, *, seller: str = "invented", day: date = DAY) -> TermPrice:
    return TermPrice(
        seller=seller, sku="8x", region=region, term_months=months, price_micros=micros, observed_on=day
    )


def gcp_prices(text: str) -> list[TermPrice]:
    """The monthly prices of commitments in the sample, per GPU-hour of 730 hours a month and 8 GPUs."""
    found: list[TermPrice] = []
    region = ""
    for line in text.splitlines():
        if named := re.fullmatch(r" {8}([a-z0-9-]+):", line):
            region = named[1]
        elif priced := re.fullmatch(r" {10}month_(\d)y: ([\d.]+)", line):
            micros = round(float(priced[2]) / 730 / 8 * 1_000_000)
            found.append(offer(region, 12 * int(priced[1]), micros, seller="gcp"))
    return found


def test_the_strip_is_what_the_later_months_cost():
    # 12 months at 2.00 and 36 at 1.60: (36 × 1.60 − 12 × 2.00)/24 = (57.6 − 24)/24 = 1.40
    assert forward_price(12, 2_000_000, 36, 1_600_000) == 1_400_000
    # Bandi & Su's month M from tenors M − 1 and M: 6 × 1.90 − 5 × 2.00 = 1.40
    assert forward_price(5, 2_000_000, 6, 1_900_000) == 1_400_000


def test_discounting_weighs_the_earlier_months_more():
    # two tenors of 1 and 2 months at 10 % a year: A(1) = d, A(2) = d + d², d = 1.1^(−1/12);
    # F = (A2·1.60 − A1·2.00)/(A2 − A1) = 1.60 − 0.40·(1/d) = 1.60 − 0.40·1.1^(1/12) = 1.196810..
    assert forward_price(1, 2_000_000, 2, 1_600_000, 10.0) == 1_196_810
    assert forward_price(12, 2_000_000, 36, 1_600_000, 0.0) == 1_400_000


@settings(deadline=None)
@given(price=PRICES, short=st.integers(1, 35), more=st.integers(1, 36), rate=st.none() | st.floats(0, 30))
def test_one_price_for_every_tenor_is_its_own_strip(price, short, more, rate):
    assert forward_price(short, price, short + more, price, rate) == pytest.approx(price, abs=1)


@settings(deadline=None)
@given(short=PRICES, long=PRICES, months=st.integers(1, 24), more=st.integers(1, 24))
def test_paying_the_strip_after_the_shorter_term_costs_what_the_longer_one_does(short, long, months, more):
    strip = forward_price(months, short, months + more, long)
    if isinstance(strip, Refusal):
        assert (
            months + more
        ) * long <= months * short + more  # at most half a micro-dollar a month above zero
    else:
        assert months * short + more * strip == pytest.approx((months + more) * long, abs=more)


def test_a_negative_strip_is_refused_with_its_tenors():
    refused = forward_price(12, 5_000_000, 36, 1_500_000)
    assert isinstance(refused, Refusal)
    assert refused.code == "negative_strip"
    # (36 × 1.50 − 12 × 5.00)/24 = −0.25
    assert refused.sentence == (
        "12 months at 5.000000 and 36 months at 1.500000 imply -0.250000 for months 13 to 36; "
        "no forward price is zero or negative."
    )
    structure = term_structure([offer("here", 12, 5_000_000), offer("here", 36, 1_500_000)])
    assert structure.strips == ()
    assert structure.refusals[0].sentence.startswith("invented 8x in here: 12 months at 5.000000")


@pytest.mark.parametrize(("short", "long"), [(12, 12), (36, 12), (0, 12)])
def test_tenors_out_of_order_are_wrong_usage(short, long):
    with pytest.raises(UsageError, match="the second must be longer"):
        forward_price(short, 1, long, 1)


def test_a_rate_of_minus_a_hundred_percent_is_wrong_usage():
    with pytest.raises(UsageError, match="state one above −100 %"):
        forward_price(1, 1_000_000, 2, 1_000_000, -100.0)


def strips_of(*regions: tuple[str, int, int]) -> tuple[TermStrip, ...]:
    return term_structure([o for r, a, b in regions for o in (offer(r, 12, a), offer(r, 36, b))]).strips


def test_one_ratio_in_every_region_is_administered():
    strips = strips_of(("a", 2_000_000, 1_260_000), ("b", 3_000_000, 1_890_000), ("c", 2_500_000, 1_575_000))
    assert {strip.label for strip in strips} == {"administered, term"}


def test_ratios_that_differ_are_a_market_of_terms():
    strips = strips_of(("a", 2_000_000, 1_260_000), ("b", 3_000_000, 1_950_000), ("c", 2_500_000, 1_575_000))
    assert {strip.label for strip in strips} == {"term"}


def test_two_regions_can_agree_by_chance_and_prove_nothing():
    strips = strips_of(("a", 2_000_000, 1_260_000), ("b", 3_000_000, 1_890_000))
    assert {strip.administered for strip in strips} == {False}


def test_three_tenors_give_two_strips_and_one_gives_none():
    made = term_structure(
        [
            offer("a", 1, 3_000_000),
            offer("a", 12, 2_500_000),
            offer("a", 36, 2_000_000),
            offer("b", 12, 2_000_000),
        ]
    )
    assert [(s.from_months, s.to_months) for s in made.strips] == [(1, 12), (12, 36)]
    assert [r.code for r in made.refusals] == ["one_tenor"]


def test_tenors_of_different_days_make_no_strip_and_the_newest_offer_counts():
    older = date(2026, 7, 29)
    made = term_structure([offer("a", 12, 2_000_000), offer("a", 36, 1_600_000, day=older)])
    assert made.strips == ()
    assert made.refusals[0].code == "tenors_of_different_days"
    both = [offer("a", n, p, day=older) for n, p in ((12, 9_000_000), (36, 9_000_000))]
    newest = [offer("a", 12, 2_000_000), offer("a", 36, 1_600_000)]
    assert term_structure([*both, *newest]) == term_structure(newest)
    assert term_structure([*newest, *both]) == term_structure(newest)


def test_the_gcp_sample_gives_eleven_administered_strips(shared_data):
    prices = gcp_prices((shared_data / GCP_SAMPLE).read_text(encoding="utf-8"))
    made = term_structure(prices)
    assert made.refusals == ()
    assert len(made.strips) == 11
    assert {strip.label for strip in made.strips} == {"administered, term"}
    assert {(strip.from_months, strip.to_months) for strip in made.strips} == {(12, 36)}
    africa = made.strips[0]
    assert africa.region == "africa-south1"
    # (36 × 37042.73616816 − 12 × 58518.45085072)/24 = 26304.878826.. a month; / 730 / 8 = 4.504260..
    assert africa.forward_micros == 4_504_260
