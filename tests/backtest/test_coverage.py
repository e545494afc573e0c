"""What the report says of its intervals at short lengths is what a simulation finds.

Null: none; a coverage count. Process: Gaussian changes, AR(phi), rent = b · reference + noise of the same
process; n = 38; true ratio 0.5 (b = 0.5) and true effectiveness 0.5 (b = 1). 150 seeded runs each, so a
share of 0.9 is known to about 0.05.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from rentmark.backtest import METHODS, effectiveness, regress
from rentmark.backtest.notes import SHORT_CAUTION, short_history

from .making import make_changes

N = 38
RUNS = 150


def autoregressive(generator, phi):
    noise = generator.normal(size=N + 50)
    values = np.zeros(N + 50)
    for number in range(1, N + 50):
        values[number] = phi * values[number - 1] + noise[number]
    return values[50:]


def simulated(generator, slope, phi):
    reference = autoregressive(generator, phi)
    rent = slope * reference + autoregressive(generator, phi)
    return make_changes(
        [Fraction(int(each * 1e6)) for each in rent], [Fraction(int(each * 1e6)) for each in reference]
    )


@pytest.mark.parametrize("phi", [0.0, 0.25])
def test_the_ratios_interval_holds_the_truth_about_as_often_as_the_report_says(phi):
    generator = np.random.default_rng(7)
    found = [regress(simulated(generator, 0.5, phi)) for _ in range(RUNS)]
    share = sum(each.ratio_low <= 0.5 <= each.ratio_high for each in found) / RUNS
    assert share == pytest.approx(0.92, abs=0.05)


def test_the_effectiveness_interval_holds_the_truth_about_as_often_as_the_report_says():
    generator = np.random.default_rng(9)
    found = [effectiveness(METHODS["ols"], simulated(generator, 1.0, 0.0)) for _ in range(RUNS)]
    share = sum(each.walk_forward_low <= 0.5 <= each.walk_forward_high for each in found) / RUNS
    assert share == pytest.approx(0.87, abs=0.06)


def test_the_caution_stands_where_there_is_an_interval_from_few_months():
    assert short_history(38) == [SHORT_CAUTION.format(n=38)]
    assert short_history(35) == short_history(60) == []
