"""The breakdown of a whole report: what is asked, what is drawn, and that later data change nothing earlier."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest import render_report
from rentmark.backtest.basis import stationarity
from rentmark.backtest.basis_shape import shape_of
from rentmark.backtest.breakdown import breakdown_of
from rentmark.backtest.breaks import BREAK_TESTS
from rentmark.backtest.series import CommonDate, monthly_means

from .making import days_from, run

START = date(2022, 1, 1)


def pair(n=160, step=0.0, noise=0.02, seed=3):
    """Rents and references every third day; the rent steps up by ``step`` dollars after two thirds."""
    generator = np.random.default_rng(seed)
    reference = 3 + np.cumsum(0.02 * generator.normal(size=n))
    gap = 0.3 + noise * generator.normal(size=n) + step * (np.arange(n) >= 2 * n // 3)
    days = [START + timedelta(days=3 * number) for number in range(n)]
    rents = {day: round((x + g) * 1e6) for day, x, g in zip(days, reference, gap, strict=True)}
    return rents, {day: round(x * 1e6) for day, x in zip(days, reference, strict=True)}


def broken_down(rents, references, **evidence):
    common = [CommonDate(day, rents[day], references[day]) for day in sorted(rents)]
    basis = [each.basis_micros for each in common]
    shape = shape_of([each.date for each in common], basis)
    return breakdown_of(
        common,
        monthly_means(common),
        stationarity(basis),
        price_shape=shape,
        settlement_shape=shape,
        **evidence,
    )


def test_a_stable_gap_is_tested_and_keeps_its_premium():
    found = broken_down(*pair())
    assert not found.descriptive
    assert found.cases == ()
    assert found.sequential == ()
    assert found.price_shape.premium == pytest.approx(0.3, abs=0.01)


def test_a_step_of_the_rent_is_dated_and_its_cause_named():
    rents, references = pair(step=0.5)
    found = broken_down(rents, references)
    day = START + timedelta(days=3 * (2 * 160 // 3))
    assert found.dates == (day,)
    assert found.sequential == (day,)
    assert found.cases[0].own_move > 0.1


@pytest.mark.parametrize("name", list(BREAK_TESTS))
def test_every_test_is_asked_of_dates_and_of_months(name):
    found = broken_down(*pair())
    for horizon in ("observation", "monthly"):
        (finding,) = [each for each in found.findings[horizon] if each.test == name]
        assert finding.reason is None or "needed" in finding.reason


def test_given_dates_and_changes_of_rules_are_tested_once_each():
    rents, references = pair()
    day = START + timedelta(days=200)
    found = broken_down(
        rents, references, methodology_changes=[(day, "list 2")], known_dates=[day, day + timedelta(days=60)]
    )
    chow = [each for each in found.findings["observation"] if each.test == "chow"]
    assert [each.dates[0] >= day for each in chow] == [True, True]
    assert all(each.p_value is not None for each in chow)


def test_invoices_are_asked_by_month_alone():
    found = broken_down(*pair(), spread_evenly=True)
    assert set(found.findings) == set(found.rolling) == {"monthly"}


@given(seed=st.integers(0, 20), cut=st.integers(70, 150))
@settings(max_examples=15, deadline=None)
def test_no_later_data_change_an_earlier_rolling_ratio(seed, cut):
    rents, references = pair(seed=seed)
    kept = sorted(rents)[:cut]
    whole = broken_down(rents, references).rolling["observation"]
    part = broken_down({d: rents[d] for d in kept}, {d: references[d] for d in kept}).rolling["observation"]
    assert whole.ratios[: len(part.ratios)] == part.ratios
    assert whole.r_squared[: len(part.ratios)] == part.r_squared
    assert whole.dates[: len(part.dates)] == part.dates


@pytest.mark.parametrize("n", [1, 2, 5, 13])
def test_a_short_history_says_what_it_lacks_and_still_prints_a_report(n):
    days = days_from(START, n)
    rents = {day: 3_000_000 + 10_000 * number for number, day in enumerate(days)}
    report = run(rents, dict.fromkeys(days, 2_900_000))
    assert report.breakdown.descriptive
    for findings in report.breakdown.findings.values():
        assert all(each.reason for each in findings if each.statistic is None)
    page = render_report(report)
    assert "Tests of breaks" in page
    assert "needed" in page


def test_a_constant_gap_has_no_break_and_no_noise_to_find_one_in():
    rents, references = pair()
    rents = {day: value + 300_000 for day, value in references.items()}
    found = broken_down(rents, references)
    assert found.dates == ()
    assert found.shifts[0].reason == "the gap did not move"
    assert Fraction(found.price_shape.moving_sd) == 0


def test_the_report_draws_its_breaks_and_names_their_sizes():
    rents, references = pair(step=0.5)
    page = render_report(run(rents, references))
    day = START + timedelta(days=3 * (2 * 160 // 3))
    assert f"break {day}" in page
    assert "own rent" in page
    assert "independent" in page
