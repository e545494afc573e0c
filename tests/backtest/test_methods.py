"""Every hedge-ratio method: the base suite, and what each alone must do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from rentmark.backtest.methods import (
    DEFAULTS,
    METHODS,
    MinimumCvar,
    dimson_hours,
    expanding_ratios,
    rolling_ratios,
)
from rentmark.backtest.methods.bekk import fit_bekk
from rentmark.backtest.methods.cvar import worst_mean
from rentmark.backtest.methods.dcc import fit_dcc
from rentmark.backtest.methods.dimson import lag_betas
from rentmark.backtest.study import CommonLevel, DynamicPair
from rentmark.records import Refusal
from scipy.optimize import linprog, minimize

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


def noisy(n=300, slope=0.5, seed=6):
    generator = np.random.default_rng(seed)
    reference = generator.normal(size=n)
    return slope * reference + 0.3 * generator.normal(size=n), reference


class TestDimson(MethodSuite):
    name = "dimson"

    def test_it_adds_what_comes_late(self):
        reference = noisy()[1]
        rent = 0.3 * reference + 0.2 * np.roll(reference, 1) + 0.1 * np.roll(reference, 2)
        found = lag_betas(rent[2:], reference[2:])
        # The first two rows of the sample are used up by the lags, so the roll's wrap never enters.
        assert found.betas == pytest.approx((0.3, 0.2, 0.1))
        assert self.method.estimate(rent[2:], reference[2:]) == pytest.approx(0.6)
        assert self.method.weights(rent[2:], reference[2:]) == found.betas

    def test_a_rent_that_moves_first_shows_in_the_lead_alone(self):
        rent, reference = noisy()
        found = lag_betas(0.1 * rent[:-1] + 0.9 * reference[1:], reference[:-1])
        assert found.lead == pytest.approx(0.9, abs=0.02)
        assert found.lead_t > 10
        assert found.total < 0.3

    def test_each_month_carries_the_later_months_it_answers_to(self):
        hours = {"2026-11": Fraction(100), "2026-12": Fraction(200), "2027-01": Fraction(400)}
        held = dimson_hours((0.5, 0.25), hours)
        assert held == {"2026-11": 100, "2026-12": 200, "2027-01": 200}

    def test_lags_that_cannot_be_told_apart_are_refused(self):
        found = self.method.estimate(np.arange(30.0), np.r_[np.zeros(29), 1.0])
        assert isinstance(found, Refusal)
        assert found.code == "collinear"


class TestErrorCorrection(MethodSuite):
    name = "error-correction"

    def test_it_finds_the_ratio_beside_the_pull(self):
        sample = CommonLevel().draw(np.random.default_rng(1), 500)
        low, high = self.method.interval(sample.rent, sample.reference)
        assert low < 0.8 < high
        assert self.method.estimate(sample.rent, sample.reference) == pytest.approx(0.8, abs=0.06)

    def test_two_walks_of_their_own_have_no_common_level_and_are_refused(self):
        found = self.method.estimate(noisy(seed=2)[1], noisy(seed=3)[1])
        assert isinstance(found, Refusal)
        assert "no common level" in found.sentence


class TestRolling(MethodSuite):
    name = "rolling"

    def test_it_forgets_what_left_the_window(self):
        rent, reference = noisy(80)
        changed = rent.copy()
        changed[:56] += 5
        assert self.method.estimate(changed, reference) == self.method.estimate(rent, reference)

    def test_the_path_is_the_ratio_of_every_window_also_far_from_zero(self):
        generator = np.random.default_rng(5)
        x = 1e4 + np.cumsum(generator.normal(size=3_000))
        y = 0.5 * x + generator.normal(size=3_000)
        found = rolling_ratios(y, x, 60)
        assert len(found) == 2_941
        for place in (0, 1_023, 1_024, 2_940):
            a, b = x[place : place + 60], y[place : place + 60]
            expected = (a - a.mean()) @ (b - b.mean()) / ((a - a.mean()) @ (a - a.mean()))
            assert found[place] == pytest.approx(expected, abs=1e-10)

    def test_a_window_in_which_nothing_moves_has_no_ratio(self):
        found = rolling_ratios(np.arange(6.0), np.array([1.0, 1, 1, 2, 3, 4]), 3)
        assert np.isnan(found[0])
        assert np.isfinite(found[1:]).all()

    def test_later_data_change_no_earlier_ratio(self):
        rent, reference = noisy(200)
        assert expanding_ratios(rent[:150], reference[:150]) == pytest.approx(
            expanding_ratios(rent, reference)[:127]
        )


class TestExpanding(MethodSuite):
    name = "expanding"

    def test_it_is_ols_at_any_one_date_and_its_path_ends_there(self):
        rent, reference = noisy(80)
        assert self.method.estimate(rent, reference) == METHODS["ols"].estimate(rent, reference)
        assert expanding_ratios(rent, reference)[-1] == pytest.approx(self.method.estimate(rent, reference))


class DynamicSuite(MethodSuite):
    def changes(self, count=300):
        return super().changes(count)

    @pytest.mark.parametrize("n", [0, 38, 249])
    def test_under_250_changes_it_is_refused(self, n):
        found = self.method.estimate(*noisy(n))
        assert isinstance(found, Refusal)
        assert "250 needed" in found.sentence

    def test_over_half_zeros_it_is_refused(self):
        rent, reference = noisy(300)
        rent[:151] = 0
        found = self.method.estimate(rent, reference)
        assert isinstance(found, Refusal)
        assert "50.3 % of the rent changes are 0" in found.sentence

    def test_scaling_the_rent_scales_ratio_and_interval(self):
        rent, reference = noisy(260)
        one, two = self.method.judge(rent, reference), self.method.judge(rent * 8, reference)
        assert two.ratio == pytest.approx(8 * one.ratio, rel=1e-3)
        assert one.low < one.ratio < one.high


class TestDynamicCorrelation(DynamicSuite):
    name = "dcc"

    def test_it_agrees_with_another_writing_of_the_second_step(self):
        """Golden: an independent re-implementation below (loops, another optimiser, no shared code).

        Given arch's first step; no published values on data at hand were found.
        """
        sample = DynamicPair().draw(np.random.default_rng(12), 400)
        fit = fit_dcc(sample.rent, sample.reference)
        z = np.column_stack([fit.rent.residuals, fit.reference.residuals])
        mean = z.T @ z / len(z)

        def run(a, b):
            q, total = mean.copy(), 0.0
            for row in z:
                scale = np.sqrt(np.diag(q))
                r = q / np.outer(scale, scale)
                total += np.log(np.linalg.det(r)) + row @ np.linalg.solve(r, row)
                q = (1 - a - b) * mean + a * np.outer(row, row) + b * q
            scale = np.sqrt(np.diag(q))
            return total / 2, (q / np.outer(scale, scale))[0, 1]

        best = minimize(
            lambda p: run(p[0], (0.999 - p[0]) * p[1])[0],
            [0.03, 0.9],
            method="L-BFGS-B",
            bounds=[(1e-4, 0.4), (1e-4, 0.999)],
            options={"maxiter": 40},
        )
        best.x[1] *= 0.999 - best.x[0]
        assert fit.a == pytest.approx(best.x[0], abs=2e-3)
        assert fit.b == pytest.approx(best.x[1], abs=5e-3)
        spread = fit.rent.deviations[-1] / fit.reference.deviations[-1]
        assert fit.ratios[-1] == pytest.approx(run(*best.x)[1] * spread, abs=2e-3)
        assert fit.correlations[-1] == pytest.approx(run(fit.a, fit.b)[1], abs=1e-9)

    def test_its_first_step_forecasts_as_arch_does(self):
        """Golden: arch's own one-step forecast of the same model."""
        from arch import arch_model

        rent, reference = noisy(300)
        fit = fit_dcc(rent, reference)
        scale = 10 / rent.std()
        other = arch_model(rent * scale, mean="Constant", vol="GARCH", rescale=False).fit(disp="off")
        expected = float(other.forecast(horizon=1).variance.iloc[-1, 0]) ** 0.5 / scale
        assert fit.rent.deviations[-1] == pytest.approx(expected)


class TestScalarBekk(DynamicSuite):
    name = "bekk"

    def test_it_agrees_with_another_writing_of_the_likelihood(self):
        """Golden: an independent re-implementation in loops, evaluated around the optimum found."""
        sample = DynamicPair().draw(np.random.default_rng(12), 300)
        e = np.column_stack([sample.rent, sample.reference])
        e = e - e.mean(axis=0)
        target = e.T @ e / len(e)

        def run(a, b):
            h, total = target.copy(), 0.0
            for row in e:
                total += np.log(np.linalg.det(h)) + row @ np.linalg.solve(h, row)
                h = (1 - a - b) * target + a * np.outer(row, row) + b * h
            return total, h[0, 1] / h[1, 1]

        fit = fit_bekk(sample.rent, sample.reference)
        here, ratio = run(fit.a, fit.b)
        assert self.method.estimate(sample.rent, sample.reference) == pytest.approx(ratio)
        for a, b in [(0.005, 0), (-0.005, 0), (0, 0.005), (0, -0.005), (0.005, -0.005)]:
            assert run(fit.a + a, fit.b + b)[0] >= here


class TestMinimumCvar(MethodSuite):
    name = "cvar"

    def changes(self, count=200):
        return super().changes(count)

    def test_fewer_than_ten_cases_in_the_tail_are_refused(self):
        assert isinstance(self.method.estimate(*noisy(199)), Refusal)
        assert isinstance(self.method.estimate(*noisy(200)), float)

    def test_it_is_the_optimum_of_the_linear_programme(self):
        """Golden: Rockafellar & Uryasev's (2000) linear programme, solved by scipy's HiGHS."""
        rent, reference = noisy(210)
        y, x, n = rent - rent.mean(), reference - reference.mean(), 210
        cost = np.r_[0.0, 1.0, np.full(n, 1 / (n * 0.05))]
        rows = np.column_stack([-x, -np.ones(n), -np.eye(n)])
        solved = linprog(cost, A_ub=rows, b_ub=-y, bounds=[(None, None)] * 2 + [(0, None)] * n)
        ratio = self.method.estimate(rent, reference)
        assert float(worst_mean((y - ratio * x)[None, :])[0]) == pytest.approx(solved.fun, abs=1e-9)

    def test_drift_is_no_risk(self):
        rent, reference = noisy(250)
        assert self.method.estimate(rent + 3, reference - 2) == pytest.approx(
            self.method.estimate(rent, reference)
        )

    def test_a_provider_looks_at_the_other_tail(self):
        rent, reference = noisy(250)
        skewed = rent + 2 * (rent > 0.8)
        buyer, provider = MinimumCvar("buyer"), self.method.for_side("provider")
        assert provider.estimate(skewed, reference) == pytest.approx(
            buyer.estimate(-skewed, -reference), abs=1e-6
        )
        assert provider.estimate(skewed, reference) != pytest.approx(
            buyer.estimate(skewed, reference), abs=1e-3
        )


def test_the_defaults_are_naive_and_ols():
    assert DEFAULTS == ("naive", "ols")
    assert list(METHODS)[:2] == ["naive", "ols"]


@pytest.mark.parametrize("name", [name for name in METHODS if name != "naive"])
def test_a_ratio_comes_with_an_interval_around_it_and_a_name_for_it(name):
    sample = CommonLevel().draw(np.random.default_rng(1), 300)
    found = METHODS[name].judge(sample.rent, sample.reference)
    assert found.low < found.ratio < found.high
    assert found.interval == METHODS[name].interval_name
    assert found.to_json()["ratio_low"] == found.low


@pytest.mark.parametrize("name", [name for name in METHODS if name != "naive"])
def test_a_reference_that_stands_still_is_refused(name):
    found = METHODS[name].judge(noisy(300)[0], np.full(300, 0.25))
    assert found.ratio is None
    assert "did not vary" in found.reason
