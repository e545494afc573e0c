"""Gates with memory: a higher bar to leave a gap, days in a row, and a dispersion that a pool steadies."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import Ballot, build_fixings, evaluate
from rentmark.index.gates import dispersion_of, largest_aggregator_share
from rentmark.records import Fixing

from .making import DAY, LATER, WINDOW, ballot, benchmark, in_order, usd, windows_for

NAMES = "abcdefgh"


def day(number: int) -> date:
    return DAY + timedelta(days=number)


def build(rules: Any, days: list[list[str]]) -> list[Fixing]:
    """Fixings of consecutive days on which these prices are asked, one seller each."""
    ballots = {
        day(n): in_order(ballot(s, p) for s, p in zip(NAMES, prices, strict=False))
        for n, prices in enumerate(days)
        if prices
    }
    windows = windows_for(rules, DAY, day(len(days) - 1), LATER)
    return build_fixings(
        rules, ballots, windows, archive_holds=lambda _: False, published={}, reconstructed=False
    )


def said(fixings: list[Fixing]) -> list[tuple[str, str | None]]:
    return [(f.status, f.rule) for f in fixings]


ONE, TWO, THREE, FOUR = (["3.00"] * n for n in (1, 2, 3, 4))


def test_leaving_a_gap_asks_more_than_staying_out_of_it():
    rules = benchmark(min_sellers=2, reopen={"min_sellers": 4})
    fixings = build(rules, [TWO, ONE, TWO, THREE, FOUR, TWO])
    assert said(fixings) == [
        ("OK", None),
        ("GAP", "min_sellers"),
        ("GAP", "reopen_min_sellers"),
        ("GAP", "reopen_min_sellers"),
        ("OK", None),
        ("OK", None),
    ]


def test_before_the_first_fixing_there_is_no_gap_to_leave():
    assert said(build(benchmark(min_sellers=2, reopen={"min_sellers": 4}), [TWO])) == [("OK", None)]


def test_a_gate_that_flickers_opens_once():
    plain, steady = (benchmark(min_sellers=3, **more) for more in ({}, {"reopen": {"days": 3}}))
    days = [THREE, TWO, THREE, TWO, THREE, THREE, THREE, THREE]
    assert [f.status for f in build(plain, days)].count("OK") == 6
    assert said(build(steady, days)) == [
        ("OK", None),
        ("GAP", "min_sellers"),
        ("GAP", "reopen_days"),
        ("GAP", "min_sellers"),
        ("GAP", "reopen_days"),
        ("GAP", "reopen_days"),
        ("OK", None),
        ("OK", None),
    ]


def test_days_in_a_row_are_counted_in_what_is_sealed():
    fixings = build(benchmark(min_sellers=3, reopen={"days": 3}), [THREE, TWO, THREE, THREE, THREE])
    pending = ['"pending_days":1' in (f.details or "") for f in fixings]
    assert pending == [False, False, True, False, False]
    assert '"pending_days":2' in (fixings[3].details or "")


def test_a_carried_day_has_no_value_of_its_own_and_is_a_gap_to_leave():
    rules = benchmark(min_sellers=2, reopen={"min_sellers": 3}, fallback="carry", carry_days=5)
    assert said(build(rules, [TWO, ONE, TWO, THREE])) == [
        ("OK", None),
        ("CARRIED", "min_sellers"),
        ("CARRIED", "reopen_min_sellers"),
        ("OK", None),
    ]


def test_votes_too_far_apart_print_no_value_and_a_lower_bar_opens_again():
    rules = benchmark(max_dispersion=0.2, reopen={"max_dispersion": 0.1})
    # worked by hand: of 3, 4, 5 the quartiles are 3.5 and 4.5, a quarter of the median; of 3.7, 4, 4.3 0.075; of 3.4, 4, 4.6 0.15
    apart, near, between = ["3.00", "4.00", "5.00"], ["3.70", "4.00", "4.30"], ["3.40", "4.00", "4.60"]
    assert said(build(rules, [between, apart, between, near, between])) == [
        ("OK", None),
        ("GAP", "max_dispersion"),
        ("GAP", "reopen_max_dispersion"),
        ("OK", None),
        ("OK", None),
    ]


def test_an_unmet_gate_says_how_far_it_was():
    made = evaluate(
        benchmark(max_dispersion="1/8"),
        "listed",
        in_order([ballot("a", "3.00"), ballot("b", "5.00")]),
        WINDOW,
    )
    assert made.refusal is not None
    assert made.refusal.sentence == "max_dispersion 0.250000>0.125000"


def test_a_pool_of_days_steadies_the_dispersion_of_few_votes():
    alone = benchmark(max_dispersion=0.2)
    pooled = benchmark(max_dispersion=0.2, dispersion_days=5)
    quiet, odd = ["3.90", "4.00", "4.10"], ["3.00", "4.00", "5.00"]
    days = [quiet, quiet, quiet, odd]
    assert said(build(alone, days))[-1] == ("GAP", "max_dispersion")
    assert said(build(pooled, days))[-1] == ("OK", None)


def test_a_level_that_moves_is_no_dispersion():
    rules = benchmark(max_dispersion=0.01, dispersion_days=5)
    assert said(build(rules, [["1.00", "1.00"], ["2.00", "2.00"], ["9.00", "9.00"]])) == [("OK", None)] * 3


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12))
def test_dispersion_is_the_interquartile_range_over_the_median(quarters):
    votes = [250_000 * q for q in quarters]
    low, middle, high = np.quantile(votes, [0.25, 0.5, 0.75])
    found = dispersion_of([votes])
    assert found is not None
    assert float(found) == pytest.approx((high - low) / middle, abs=1e-12)


def test_no_votes_have_no_dispersion():
    assert dispersion_of([[], []]) is None


def listed(seller: str, *aggregators: str) -> Ballot:
    return ballot(seller, "3.00", aggregators=aggregators)


def test_one_aggregator_that_carries_most_sellers_is_no_market():
    rules = benchmark(max_aggregator_share=0.5)
    eight_of_twelve = [listed(f"s{n}", *(["one"] if n < 8 else [])) for n in range(12)]
    made = evaluate(rules, "listed", in_order(eight_of_twelve), WINDOW)
    assert made.refusal is not None
    assert made.refusal.sentence == "max_aggregator_share 0.666667>0.500000"
    half = [listed(f"s{n}", *(["one"] if n < 6 else ["two"] if n < 9 else [])) for n in range(12)]
    assert evaluate(rules, "listed", in_order(half), WINDOW).value_micros == usd("3.00")


def test_a_seller_that_comes_through_two_aggregators_counts_to_both():
    assert largest_aggregator_share(["a", "a", "b"], [("one",), ("two",), ("two", "one")]) == 1
    assert largest_aggregator_share(["a", "b", "c"], [("one",), (), ()]) == Fraction(1, 3)
    assert largest_aggregator_share(["a"], [()]) == 0
