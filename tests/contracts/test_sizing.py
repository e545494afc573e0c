"""From hours to lots."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, exact_lots, exact_ratio, hours_in_month, size_lots
from rentmark.records import UsageError

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
MONTHS_2027 = [f"2027-{number:02d}" for number in range(1, 13)]


def fleet(months: list[str], gpus: int = 1_000) -> dict[str, Fraction | int]:
    return {month: gpus * hours_in_month(month) for month in months}


def test_a_thousand_gpus_for_a_thirty_day_month_are_986_cme_lots_and_1000_ice_lots():
    (cme,) = size_lots(CME, fleet(["2026-09"]))
    (ice,) = size_lots(ICE, fleet(["2026-09"]))
    assert cme.exact_lots == Fraction(720_000, 730)
    assert round(float(cme.exact_lots), 1) == 986.3
    assert cme.lots == 986
    assert ice.exact_lots == ice.lots == 1_000
    assert ice.excess_gpu_hours == 0


def test_flat_lots_of_730_hours_over_hedge_february_by_8_6_percent_and_under_hedge_long_months():
    sizes = {size.month: size for size in size_lots(CME, fleet(MONTHS_2027), sizing="flat")}
    assert {size.lots for size in sizes.values()} == {1_000}  # 8,760 h / 12 = 730 h
    assert sizes["2027-02"].excess_share == Fraction(730 - 672, 672)
    assert round(100 * float(sizes["2027-02"].excess_share), 1) == 8.6
    assert sizes["2027-01"].excess_share == Fraction(730 - 744, 744)
    assert sizes["2027-04"].excess_share == Fraction(730 - 720, 720)
    assert sizes["2027-02"].day_count_gpu_hours == sizes["2027-02"].excess_gpu_hours == 58_000


def test_a_unit_of_the_months_own_hours_has_no_day_count_mismatch_even_flat():
    for size in size_lots(ICE, fleet(MONTHS_2027), sizing="flat"):
        assert size.lots == 1_000
        assert size.day_count_gpu_hours == 0


def test_per_month_sizing_prints_no_day_count_line():
    assert all(size.day_count_gpu_hours is None for size in size_lots(CME, fleet(MONTHS_2027)))


@pytest.mark.parametrize(
    ("hours", "lots"),
    [(365, 0), (366, 1), (1_095, 2), (1_825, 2), (-365, 0), (-1_095, -2), (0, 0)],
)
def test_half_lots_round_to_the_even_lot(hours, lots):
    (size,) = size_lots(CME, {"2026-09": hours})
    assert size.lots == lots


def test_hours_that_round_to_no_lot_say_so():
    (size,) = size_lots(CME, {"2026-09": 300})
    assert size.note == (
        "2026-09: 300.0 GPU-hours are 0.41 lots of 730 and round to zero lots; nothing is hedged."
    )
    assert size_lots(CME, {"2026-09": 0})[0].note is None
    assert size_lots(CME, {"2026-09": 0})[0].excess_share is None


def test_a_provider_sells_what_a_buyer_buys():
    (buyer,) = size_lots(CME, {"2026-09": 720_000})
    (provider,) = size_lots(CME, {"2026-09": -720_000})
    assert provider.lots == -buyer.lots
    assert provider.excess_gpu_hours == buyer.excess_gpu_hours  # 986 lots are short of 986.3 either way
    assert buyer.excess_gpu_hours < 0


def test_a_ratio_is_read_as_its_decimal_says():
    assert exact_ratio(0.2665) == Fraction(2665, 10_000)
    assert exact_ratio(1.0) == 1
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a finite number"):
            exact_ratio(bad)


@settings(deadline=None)
@given(
    hours=st.integers(-10_000_000, 10_000_000),
    quarters=st.integers(0, 12),
    month=st.sampled_from(MONTHS_2027),
)
def test_lots_are_within_half_a_lot_of_what_is_wanted(hours, quarters, month):
    ratio = Fraction(quarters, 4)
    (size,) = size_lots(CME, {month: hours}, hedge_ratio=ratio)
    assert size.wanted_gpu_hours == ratio * hours
    assert abs(size.lots * size.unit_gpu_hours - size.wanted_gpu_hours) * 2 <= size.unit_gpu_hours


@settings(deadline=None)
@given(hours=st.lists(st.integers(0, 2_000_000), min_size=1, max_size=12))
def test_flat_excess_is_day_count_plus_rounding(hours):
    book: dict[str, Fraction | int] = dict(zip(MONTHS_2027, hours, strict=False))
    sizes = size_lots(CME, book, sizing="flat")
    assert len({size.lots for size in sizes}) == 1
    day_counts = [size.day_count_gpu_hours or Fraction(0) for size in sizes]
    assert sum(day_counts) == 0
    for size, day_count in zip(sizes, day_counts, strict=True):
        assert abs(size.excess_gpu_hours - day_count) * 2 <= size.unit_gpu_hours


def test_an_unknown_sizing_and_flat_over_nothing_are_refused():
    with pytest.raises(UsageError, match="sizing is 'weekly'; it is per_month or flat"):
        size_lots(CME, {"2026-09": 1}, sizing="weekly")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="flat sizing over no months"):
        size_lots(CME, {}, sizing="flat")
    assert size_lots(CME, {}) == ()
    with pytest.raises(ValueError, match="a lot of 0"):
        exact_lots(1, 1, 0)
