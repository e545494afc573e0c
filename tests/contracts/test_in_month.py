"""Inside the month: identities of an arithmetic mean, exact."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import InMonth, fair_value, parallel_delta, rest_must_average
from rentmark.records import Refusal

PRICES = st.integers(1, 40).map(lambda quarter: quarter * 250_000)


@settings(deadline=None)
@given(known=st.lists(PRICES, max_size=15), left=st.lists(PRICES, min_size=1, max_size=15), shift=PRICES)
def test_a_parallel_shift_moves_fair_value_by_n_minus_k_over_n_exactly(known, left, shift):
    before = fair_value(known, left)
    after = fair_value(known, [price + shift for price in left])
    assert after - before == shift * parallel_delta(len(known), len(known) + len(left))


@settings(deadline=None)
@given(price=PRICES, known=st.integers(0, 10), left=st.integers(0, 10))
def test_a_flat_path_is_worth_itself(price, known, left):
    if known + left:
        assert fair_value([price] * known, [price] * left) == price


@settings(deadline=None)
@given(known=st.lists(PRICES, max_size=15), remaining=st.integers(1, 15), target=PRICES)
def test_what_the_rest_must_average_settles_at_the_target(known, remaining, target):
    rest = rest_must_average(sum(known), len(known), len(known) + remaining, target)
    assert isinstance(rest, Fraction)
    assert fair_value(known, [rest] * remaining) == target


def test_with_all_fixings_known_the_fair_value_is_their_mean_and_nothing_is_left_to_average():
    assert fair_value([3_000_000, 3_000_001], []) == Fraction(6_000_001, 2)
    refusal = rest_must_average(6_000_001, 2, 2, 3_000_000)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "none_remaining"


def test_fifteen_of_twenty_one_worked_by_hand():
    view = InMonth(
        known=15,
        total=21,
        remaining=6,
        already_missing=0,
        known_sum_micros=45_000_000,  # fifteen at 3.00
        expectation_micros=3_210_000,
        expectation_date=date(2026, 8, 21),
        on_course="settled",
    )
    # (45.00 + 6 × 3.21)/21 = 64.26/21 = 3.06
    assert view.fair_value_exact == 3_060_000
    assert view.known_mean_micros == 3_000_000
    assert view.delta == Fraction(6, 21)
    assert view.rest_must_average(3_060_000) == 3_210_000
    # to settle at 3.10: (21 × 3.10 − 45)/6 = 20.1/6 = 3.35
    assert view.rest_must_average(3_100_000) == 3_350_000


@pytest.mark.parametrize(("known", "total"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(known, total):
    with pytest.raises(ValueError, match="is not possible"):
        parallel_delta(known, total)


def test_the_fair_value_of_no_days_is_refused():
    with pytest.raises(ValueError, match="not defined"):
        fair_value([], [])


def test_weights_take_the_place_of_counts():
    view = InMonth(
        known=2,
        total=3,
        remaining=1,
        already_missing=0,
        known_sum_micros=3 * 3_000_000 + 1 * 3_400_000,
        expectation_micros=3_400_000,
        expectation_date=date(2026, 8, 24),
        on_course="settled",
        known_weight=4,
        remaining_weight=6,
    )
    # (3 × 3.00 + 1 × 3.40 + 6 × 3.40)/10 = 32.80/10
    assert view.fair_value_exact == 3_280_000
    assert view.known_mean_micros == 3_100_000
    assert view.delta == Fraction(6, 10)
    assert view.rest_must_average(3_280_000) == 3_400_000
