"""The basis taken apart: premium and moving part, how fast it returns, its seasons."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pytest
from rentmark.backtest.basis_shape import seasons_of, shape_of
from scipy.stats import f_oneway

from .making import days_from, middle_of_months

START = date(2023, 1, 1)


def autoregressive(phi, n, seed):
    generator = np.random.default_rng(seed)
    values = np.zeros(n)
    for place in range(1, n):
        values[place] = phi * values[place - 1] + generator.normal()
    return [round(each * 1e6) for each in values]


def test_a_constant_premium_is_all_premium():
    found = shape_of(days_from(START, 20), [250_000] * 20)
    assert (found.premium, found.moving_sd, found.moving_share) == (0.25, 0.0, 0.0)
    assert found.half_life is None
    assert "did not move" in found.reason


def test_a_premium_on_top_changes_the_premium_and_nothing_that_moves():
    values = autoregressive(0.5, 80, 1)
    plain, above = (shape_of(days_from(START, 80), [v + up for v in values]) for up in (0, 3_000_000))
    assert above.premium == pytest.approx(plain.premium + 3)
    for name in ("moving_sd", "persistence", "half_life", "largest_move", "largest_move_date"):
        assert getattr(above, name) == pytest.approx(getattr(plain, name)) or name == "largest_move_date"
    assert above.moving_share < plain.moving_share


def test_ends_and_the_largest_move_are_dated():
    found = shape_of(days_from(START, 4), [0, 500_000, 200_000, 300_000])
    assert (found.minimum, found.minimum_date) == (0.0, START)
    assert (found.maximum, found.maximum_date) == (0.5, START + timedelta(days=1))
    assert (found.largest_move, found.largest_move_date) == (0.5, START + timedelta(days=1))
    assert "12 needed for a half-life" in found.reason


def test_the_half_life_of_a_known_process_comes_out_on_average():
    """Truth: AR(0.8), half-life ln ½ / ln 0.8 = 3.11 values; 60 runs of 200, one value a week."""
    days = [START + timedelta(days=7 * number) for number in range(200)]
    found = [shape_of(days, autoregressive(0.8, 200, seed)) for seed in range(60)]
    mean = sum(each.persistence for each in found) / 60
    assert mean == pytest.approx(0.8, abs=0.02)
    middle = sorted(each.half_life for each in found)[30]
    assert middle == pytest.approx(math.log(0.5) / math.log(0.8), rel=0.2)
    assert found[0].half_life_days == pytest.approx(7 * found[0].half_life)


def test_a_walk_has_no_half_life():
    walk = [round(each) for each in np.cumsum(np.full(60, 40_000.0))]
    found = shape_of(days_from(START, 60), walk)
    assert found.half_life is None
    assert "nothing pulls the basis back" in found.reason


def test_a_basis_that_flips_is_back_at_once():
    found = shape_of(days_from(START, 60), [(-1) ** n * 100_000 for n in range(60)])
    assert found.half_life is None
    assert "back within one value" in found.reason


def test_seasons_are_one_way_analysis_of_variance():
    """Golden: scipy.stats.f_oneway on the same changes by calendar month."""
    generator = np.random.default_rng(3)
    days = middle_of_months(49)
    values = [round(each * 1e6) for each in np.cumsum(generator.normal(size=49))]
    found = seasons_of(days, values)
    groups: dict[int, list[float]] = {}
    for day, change in zip(days[1:], np.diff(values) / 1e6, strict=True):
        groups.setdefault(day.month, []).append(change)
    assert found.n == 48
    assert found.p_value == pytest.approx(f_oneway(*groups.values()).pvalue)


def test_a_season_that_is_there_is_seen():
    days = middle_of_months(61)
    generator = np.random.default_rng(5)
    values = [round(1e6 * math.sin(day.month / 6 * math.pi) + 5e4 * generator.normal()) for day in days]
    found = seasons_of(days, values)
    assert found.p_value < 1e-6
    assert found.share > 0.9


@pytest.mark.parametrize(("count", "why"), [(0, "0 monthly changes"), (36, "35 monthly changes, 36 needed")])
def test_too_few_months_show_no_seasons(count, why):
    days = middle_of_months(count)
    assert why in seasons_of(days, list(range(count))).reason


def test_nothing_and_one_value():
    assert shape_of([], []).reason == "no date has both a rent and a fixing"
    assert shape_of([START], [5]).reason == "one value does not move"
    assert shape_of([START], [5]).to_json()["moving_sd"] is None
