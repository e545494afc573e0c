"""DCC-GARCH against another programme: both steps, and what is left between the two explained."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest.methods.dcc import correlation, fit_dcc
from rentmark.backtest.methods.filters import best_persistence, filtered
from rentmark.backtest.study import DynamicPair

FRDS = {
    (12, 400): {
        "rent": (0.06541125773757002, 0.08987684798507717, 0.8153224147895334),
        "reference": (0.09086789929246525, 0.11248515915216324, 0.7922577347802418),
        "a": 0.0500337760465093,
        "b": 0.9043456422619359,
        "rho": (0.52907236, 0.60773484, 0.59033603),
    },
    (3, 1_000): {
        "rent": (0.11169916676094822, 0.09229726407246724, 0.7808563072159258),
        "reference": (0.03926785230029793, 0.08244180179634457, 0.8812846621118994),
        "a": 0.05241753720191986,
        "b": 0.8690865665913283,
        "rho": (0.72097728, 0.74914794, 0.74570308),
    },
}
"""Golden: ``frds.algorithms.GARCHModel_DCC`` of frds 2.4.1 (M. Gao, 2023), its own GARCH(1,1) likelihood and
SLSQP, on ``DynamicPair`` by seed and n: ω, α, β of each side, then (a, b) and the first correlations."""


@pytest.mark.parametrize("case", list(FRDS), ids=str)
def test_both_steps_come_out_as_in_another_programme(case):
    seed, n = case
    sample, golden = DynamicPair().draw(np.random.default_rng(seed), n), FRDS[case]
    fit = fit_dcc(sample.rent, sample.reference)
    for side in ("rent", "reference"):
        found = getattr(fit, side)
        # Two optimisers on the same flat likelihood.
        assert (found.omega, found.alpha, found.beta) == pytest.approx(golden[side], abs=2e-4)
    assert fit.a == pytest.approx(golden["a"], abs=2e-4)
    assert fit.b == pytest.approx(golden["b"], abs=2e-4)
    assert fit.correlations[:3] == pytest.approx(golden["rho"], abs=2e-4)


@pytest.mark.parametrize("case", list(FRDS), ids=str)
def test_what_is_left_is_the_target_of_the_correlation(case):
    """Engle (2002, eq. 24) takes the mean of z z′ for the target; frds takes their correlation matrix.

    The mean keeps what is left of the residuals' mean and variance. With the other target our second step
    gives frds's (a, b).
    """
    seed, n = case
    sample, golden = DynamicPair().draw(np.random.default_rng(seed), n), FRDS[case]
    fit = fit_dcc(sample.rent, sample.reference)
    rho = float(np.corrcoef(fit.rent.residuals, fit.reference.residuals)[0, 1])
    target = np.array([1.0, 1.0, rho])

    def loss(a, b):
        path = correlation(filtered(fit.products, target, a, b)[:-1])
        left = 1 - path * path
        squares = fit.products[:, 0] + fit.products[:, 1] - 2 * path * fit.products[:, 2]
        return float((np.log(left) + squares / left).mean()) / 2

    assert best_persistence(loss) == pytest.approx((golden["a"], golden["b"]), abs=5e-5)
