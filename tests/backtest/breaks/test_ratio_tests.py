"""Tests of a constant ratio: CUSUM, CUSUM of squares, Chow, supremum F."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from rentmark.backtest.breaks import Chow
from rentmark.backtest.breaks.cusum import cusum_path
from rentmark.backtest.breaks.cusumsq import squares_path
from rentmark.backtest.breaks.recursive import recursive_residuals
from rentmark.backtest.breaks.splitting import split_f_statistics
from scipy.stats import f as fisher
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.recursive_ls import RecursiveLS
from statsmodels.stats.diagnostic import recursive_olsresiduals

from .break_suite import BreakSuite, levels_of

START = date(2020, 1, 1)


def pair(n=80, seed=5):
    generator = np.random.default_rng(seed)
    reference = generator.normal(size=n)
    return 0.1 + 0.6 * reference + 0.4 * generator.normal(size=n), reference


def squares_left(rent, reference):
    return OLS(rent, np.column_stack([np.ones_like(reference), reference])).fit().ssr


def broken_ratio(generator, after=-0.5, noise_after=0.2):
    reference = generator.normal(size=299)
    slope = np.where(np.arange(299) < 150, 0.8, after)
    noise = np.where(np.arange(299) < 150, 0.2, noise_after)
    rent = slope * reference + noise * generator.normal(size=299)
    return np.r_[0, np.cumsum(rent)], np.r_[0, np.cumsum(reference)], 151


class TestCusum(BreakSuite):
    name = "cusum"

    def broken(self, generator):
        # CUSUM sees drifts of the intercept best: the rent starts to rise by itself.
        rent, reference, _ = broken_ratio(generator, after=0.8)
        return rent + np.maximum(0, np.arange(300) - 150) * 0.3, reference, None

    def test_recursive_residuals_are_those_of_statsmodels(self):
        """Golden: statsmodels.stats.diagnostic.recursive_olsresiduals."""
        rent, reference = pair()
        fit = OLS(rent, np.column_stack([np.ones_like(reference), reference])).fit()
        expected = recursive_olsresiduals(fit, skip=2)[4]
        errors, first = recursive_residuals(rent, reference)
        assert first == 2
        # Theirs are scaled by the same root; they keep the first two as zeros.
        assert errors == pytest.approx(expected[-len(errors) :], abs=1e-9)

    def test_the_path_is_that_of_recursive_least_squares(self):
        """Golden: statsmodels' RecursiveLS (a Kalman filter), whose cusum we divide by its 5 % line.

        It divides by the standard deviation of the recursive residuals (n − k − 1 of them free), Brown,
        Durbin & Evans by the regression's own: the ratio of the two is undone here.
        """
        rent, reference = pair()
        fit = RecursiveLS(rent, np.column_stack([np.ones_like(reference), reference])).fit()
        errors, _ = recursive_residuals(rent, reference)
        m = len(errors)
        theirs = np.abs(fit.cusum) * np.std(errors, ddof=1) / np.sqrt((errors**2).mean())
        lines = np.sqrt(m) * (1 + 2 * np.arange(1, m + 1) / m)
        assert cusum_path(errors) == pytest.approx(theirs / lines, abs=1e-8)

    def test_the_squares_of_recursive_residuals_add_up_to_those_of_the_regression(self):
        rent, reference = pair()
        errors, _ = recursive_residuals(rent, reference)
        assert (errors**2).sum() == pytest.approx(squares_left(rent, reference))

    def test_a_reference_that_moves_late_begins_the_residuals_late(self):
        rent, reference = pair()
        reference[:10] = 0.25
        _, first = recursive_residuals(rent, reference)
        assert first == 11


class TestCusumOfSquares(BreakSuite):
    name = "cusumsq"

    def broken(self, generator):
        return broken_ratio(generator, after=0.8, noise_after=0.6)

    def test_the_path_is_that_of_recursive_least_squares(self):
        """Golden: statsmodels' RecursiveLS.cusum_squares, less its expectation."""
        rent, reference = pair()
        fit = RecursiveLS(rent, np.column_stack([np.ones_like(reference), reference])).fit()
        errors, _ = recursive_residuals(rent, reference)
        m = len(errors)
        assert squares_path(errors) == pytest.approx(
            np.abs(fit.cusum_squares - np.arange(1, m + 1) / m), abs=1e-9
        )


class TestSupremumF(BreakSuite):
    name = "sup-f"

    def broken(self, generator):
        return broken_ratio(generator)

    def test_each_split_is_a_chow_statistic_from_three_regressions(self):
        """Golden: statsmodels' OLS on both sides and on the whole (Chow 1960)."""
        rent, reference = pair(40)
        values = split_f_statistics(rent + 1e4, reference + 1e4, 6)
        whole = squares_left(rent, reference)
        for place in (6, 20, 34):
            sides = squares_left(rent[:place], reference[:place]) + squares_left(
                rent[place:], reference[place:]
            )
            assert values[place - 6] == pytest.approx((whole - sides) / 2 / (sides / 36), rel=1e-6)

    def test_a_side_on_which_the_reference_stands_still_is_left_out(self):
        rent, reference = pair(40)
        reference[:12] = 0
        found = self.test.judge(levels_of(np.r_[0, np.cumsum(rent)], np.r_[0, np.cumsum(reference)]))
        assert found.detail["splits_left_out"] > 0


class TestChow:
    def levels(self, n=80):
        rent, reference = pair(n)
        return levels_of(np.r_[0, np.cumsum(rent)], np.r_[0, np.cumsum(reference)])

    def test_it_is_f_with_its_own_p_value(self):
        levels = self.levels()
        found = Chow(START + timedelta(days=31)).judge(levels)
        rent, reference = np.diff(levels.rent), np.diff(levels.reference)
        sides = squares_left(rent[:30], reference[:30]) + squares_left(rent[30:], reference[30:])
        statistic = (squares_left(rent, reference) - sides) / 2 / (sides / 76)
        assert found.statistic == pytest.approx(statistic)
        assert found.p_value == pytest.approx(fisher.sf(statistic, 2, 76))
        assert found.rejects == (found.p_value < 0.05)
        assert found.dates == (START + timedelta(days=31),)

    def test_a_date_too_near_an_end_is_refused(self):
        for day in (0, 2, 79, 200):
            found = Chow(START + timedelta(days=day)).judge(self.levels())
            assert "3 needed" in found.reason

    def test_its_size_is_exact_under_independent_normal_errors(self):
        rejected = 0
        for seed in range(400):
            rent, reference = pair(38, seed)
            levels = levels_of(np.r_[0, np.cumsum(rent)], np.r_[0, np.cumsum(reference)])
            rejected += Chow(START + timedelta(days=20)).judge(levels).rejects
        # Binomial(400, 0.05): 20 ± 4 × 4.36.
        assert 3 <= rejected <= 37
