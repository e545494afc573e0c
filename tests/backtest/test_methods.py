"""The two default methods: one for one, and the slope of the past."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest import METHODS
from rentmark.records import Refusal

from .method_suite import MethodSuite


class TestNaive(MethodSuite):
    name = "naive"

    def test_it_is_one_whatever_the_past(self):
        assert self.method.estimate(*self.changes()) == 1.0


class TestOrdinaryLeastSquares(MethodSuite):
    name = "ols"

    def test_it_is_covariance_over_variance(self):
        rent, reference = self.changes()
        expected = np.cov(rent, reference)[0, 1] / np.var(reference, ddof=1)
        assert self.method.estimate(rent, reference) == pytest.approx(expected)

    def test_a_reference_that_did_not_vary_is_refused(self):
        found = self.method.estimate(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.5, 0.5]))
        assert isinstance(found, Refusal)


def test_the_defaults_are_naive_and_ols():
    assert list(METHODS) == ["naive", "ols"]
