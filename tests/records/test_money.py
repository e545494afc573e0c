"""Money is exact: integers, one rounding, ties to even."""

from __future__ import annotations

import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.records import (
    cents_from_micros,
    divide_half_even,
    format_micros,
    median_half_even,
    micros_from_text,
    percentile_half_even,
    quantise,
    round_fraction,
    round_to_decimals,
)

coarse = st.integers(0, 40).map(lambda n: n * 250_000)


@pytest.mark.parametrize(
    ("numerator", "denominator", "rounded"),
    [(5, 2, 2), (7, 2, 4), (-5, 2, -2), (-7, 2, -4), (5, -2, -2), (1, 3, 0), (2, 3, 1), (0, 7, 0)],
)
def test_division_rounds_ties_to_even(numerator, denominator, rounded):
    assert divide_half_even(numerator, denominator) == rounded


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**12))
def test_division_agrees_with_python_on_exact_fractions(numerator, denominator):
    assert divide_half_even(numerator, denominator) == round(Fraction(numerator, denominator))
    assert round_fraction(Fraction(numerator, denominator)) == round(Fraction(numerator, denominator))


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("3.12", 3_120_000),
        ("1e-2", 10_000),
        ("0.0000005", 0),
        ("0.0000015", 2),
        ("-1", -1_000_000),
        (" 2 ", 2_000_000),
    ],
)
def test_text_is_read_to_the_micro_dollar(text, micros):
    assert micros_from_text(text) == micros


@pytest.mark.parametrize(
    "text", ["", "3,10", "NaN", "inf", "-Infinity", "$3", "1_000", "abc", "1e30", "9" * 400]
)
def test_text_that_is_no_amount_is_refused(text):
    with pytest.raises(ValueError):
        micros_from_text(text)


@given(st.integers(-(10**15), 10**15))
def test_written_micros_read_back(micros):
    assert micros_from_text(format_micros(micros)) == micros


@given(st.lists(coarse, min_size=1))
def test_median_agrees_with_the_standard_library(prices):
    ordered = sorted(prices)
    assert median_half_even(ordered) == round(Fraction(statistics.median([Fraction(p) for p in ordered])))


@given(st.lists(coarse, min_size=1), st.sampled_from([0, 1, 25, 50, 75, 99, 100]))
def test_percentiles_lie_within_the_values_and_agree_at_the_middle(prices, percent):
    ordered = sorted(prices)
    value = percentile_half_even(ordered, percent)
    assert ordered[0] <= value <= ordered[-1]
    assert percentile_half_even(ordered, 50) == median_half_even(ordered)


def test_percentile_interpolates_linearly():
    # numpy.percentile([1, 2, 4, 8], 25) = 1.75 and 75 gives 5.0 (default "linear").
    ordered = [1_000_000, 2_000_000, 4_000_000, 8_000_000]
    assert percentile_half_even(ordered, 25) == 1_750_000
    assert percentile_half_even(ordered, 75) == 5_000_000


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_rounding_to_decimals_is_what_decimal_does(micros, decimals):
    expected = round(Decimal(micros).scaleb(-6), decimals)
    assert Decimal(round_to_decimals(micros, decimals)).scaleb(-6) == expected


def test_cents_and_floats_round_half_even():
    assert [cents_from_micros(m) for m in (5_000, 15_000, 25_000, -5_000)] == [0, 2, 2, 0]
    assert [quantise(x) for x in (2.5, 3.5, -2.5, 1e6 + 0.4)] == [2, 4, -2, 1_000_000]
    with pytest.raises(ValueError):
        quantise(float("nan"))
