"""Rolling ratios: every window's own regression, to the digit, and never a later value in an earlier one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.rolling import BLOCK, rolling_fit, rolling_ratios
from statsmodels.regression.rolling import RollingOLS

PRICES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).map(
        lambda pair: (2 + pair[0] * 0.25, 2 + pair[1] * 0.25)
    ),
    min_size=6,
    max_size=40,
)
"""Prices on a grid of a quarter dollar, so that windows stand still."""


def walks(n, seed=5):
    generator = np.random.default_rng(seed)
    reference = 1e4 + np.cumsum(generator.normal(size=n))
    return 0.5 * reference + np.cumsum(generator.normal(size=n)), reference


def every_window(rent, reference, window):
    """(slope, R²) of each window, centred on its own mean."""
    x = np.lib.stride_tricks.sliding_window_view(reference, window)
    y = np.lib.stride_tricks.sliding_window_view(rent, window)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    sxy, sxx, syy = (x * y).sum(axis=1), (x * x).sum(axis=1), (y * y).sum(axis=1)
    return sxy / sxx, sxy * sxy / (sxx * syy)


def test_price_levels_of_ten_thousand_cost_no_digits():
    rent, reference = walks(20_000)
    found = rolling_fit(rent, reference, 60)
    ratios, shares = every_window(rent, reference, 60)
    assert len(found.ratios) == len(ratios) == 19_941
    assert np.abs(found.ratios - ratios).max() < 1e-10
    assert np.abs(found.r_squared - shares).max() < 1e-10


def test_it_is_rolling_ols():
    """Golden: statsmodels' RollingOLS with a constant, near zero, where its own sums lose no digits."""
    rent, reference = (series - series[0] for series in walks(400))
    model = RollingOLS(rent, np.column_stack([np.ones(400), reference]), window=60).fit()
    found = rolling_fit(rent, reference, 60)
    assert found.ratios == pytest.approx(model.params[59:, 1], abs=1e-8)
    assert found.r_squared == pytest.approx(model.rsquared[59:], abs=1e-8)


@given(prices=PRICES, window=st.integers(2, 8))
@settings(max_examples=80, deadline=None)
def test_windows_that_stand_still_have_no_ratio_and_all_others_have(prices, window):
    rent, reference = np.array(prices).T
    found = rolling_fit(rent, reference, window)
    assert len(found.ratios) == max(0, len(rent) - window + 1)
    for place, (ratio, share) in enumerate(zip(found.ratios, found.r_squared, strict=True)):
        x, y = reference[place : place + window], rent[place : place + window]
        if len(set(x)) == 1:
            assert np.isnan(ratio)
            assert np.isnan(share)
            continue
        sxx = ((x - x.mean()) ** 2).sum()
        assert ratio == pytest.approx(((x - x.mean()) * (y - y.mean())).sum() / sxx, abs=1e-9)
        assert np.isnan(share) == (len(set(y)) == 1)


@given(cut=st.integers(60, 1_200), seed=st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_later_data_change_no_earlier_ratio_to_the_last_bit(cut, seed):
    rent, reference = walks(1_200, seed)
    whole, part = rolling_fit(rent, reference, 60), rolling_fit(rent[:cut], reference[:cut], 60)
    assert (whole.ratios[: len(part.ratios)] == part.ratios).all()
    assert (whole.r_squared[: len(part.r_squared)] == part.r_squared).all()
    assert (rolling_ratios(rent, reference, 60) == whole.ratios).all()


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_blocks_that_are_just_full_lose_no_window(count):
    rent, reference = walks(count + 9)
    assert len(rolling_ratios(rent, reference, 10)) == count
    if count:
        assert rolling_ratios(rent, reference, 10) == pytest.approx(
            every_window(rent, reference, 10)[0], abs=1e-9
        )


def test_a_window_of_one_is_refused():
    with pytest.raises(ValueError, match="at least 2"):
        rolling_fit(*walks(30), 1)
