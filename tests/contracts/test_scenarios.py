"""Named scenarios: the stated figures and nothing else, the print apart from the market."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rentmark.contracts.paths import SCENARIOS, apply_scenario, scenario
from rentmark.records import UsageError

YEAR = 365.25
STILL = np.full((400, 3), 2.8)
RANDOM = 2.8 * np.exp(0.02 * np.random.default_rng(1).standard_normal((400, 3)).cumsum(axis=0))


def laid(name, paths=STILL, start=30):
    return apply_scenario(scenario(name), paths, start=start, steps_per_year=YEAR)


def test_a_glut_takes_45_percent_in_nine_months_evenly_and_stays():
    index = laid("glut").index[:, 0]
    assert index[29] == 2.8
    nine_months = round(0.75 * YEAR)
    assert index[30 + nine_months - 1] == pytest.approx(2.8 * 0.55)
    assert index[-1] == pytest.approx(2.8 * 0.55)
    steps = np.diff(np.log(index[29 : 30 + nine_months]))
    assert steps == pytest.approx(np.full(nine_months, math.log(0.55) / nine_months))


def test_a_launch_is_one_step_of_0_22_in_logarithms():
    steps = np.diff(np.log(laid("launch").index[:, 0]))
    assert steps[29] == pytest.approx(-0.22)
    assert np.abs(np.delete(steps, 29)).max() == 0


def test_term_goes_up_while_spot_falls():
    made = laid("term-up")
    assert made.term_usd is not None
    assert (made.term_usd[29], made.term_usd[-1]) == (1.70, pytest.approx(2.65))
    assert made.index[-1, 0] == pytest.approx(2.8 * 0.60)
    assert (np.diff(made.term_usd) >= 0).all()
    assert (np.diff(made.index[:, 0]) <= 0).all()


def test_a_methodology_break_moves_the_print_and_no_price():
    made = laid("methodology-break", RANDOM)
    assert np.array_equal(made.market, RANDOM)
    assert made.index[30:] == pytest.approx(1.35 * RANDOM[30:])
    assert np.array_equal(made.index[:30], RANDOM[:30])


def test_an_outage_leaves_six_days_without_a_print_while_prices_go_on():
    made = laid("outage", RANDOM)
    assert np.isnan(made.index[30:36]).all()
    assert np.isnan(made.index).sum() == 6 * 3
    assert np.array_equal(made.market, RANDOM)
    assert np.array_equal(made.index[36:], RANDOM[36:])


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_paths_keep_their_randomness_and_what_comes_before_is_untouched(name):
    made = laid(name, RANDOM)
    assert np.array_equal(made.index[:30], RANDOM[:30])
    factor = made.index / RANDOM
    assert factor.max(axis=1) == pytest.approx(factor.min(axis=1), nan_ok=True)
    assert scenario(name).sentence
    assert scenario(name).source


def test_there_are_the_five_that_happened():
    assert set(SCENARIOS) == {"glut", "launch", "term-up", "methodology-break", "outage"}


def test_an_unknown_scenario_and_one_that_begins_too_late_are_one_sentence():
    with pytest.raises(UsageError, match="There is no scenario 'crash'; known: glut, launch"):
        scenario("crash")
    with pytest.raises(UsageError, match="begins on day 401 of 400; begin within them"):
        laid("glut", start=400)
