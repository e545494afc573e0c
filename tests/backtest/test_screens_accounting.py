"""Accounting screens: offsets by hand, the regression by statsmodels, and words that promise no more."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
import statsmodels.api as sm
from rentmark.backtest.hedge_months import EntryRule, contract_months
from rentmark.backtest.methods import METHODS
from rentmark.backtest.programme import exposures, run_programme
from rentmark.backtest.screens_accounting import WORDING, AccountingScreens, accounting_screens

from tests.backtest.making import BENCHMARK, EVERY_DAY, LATER, days_from, make_book, make_tape, wander

COUNT = 30 * 34
FIRST = date(2020, 1, 1)


def held(rents, values, role="buyer"):
    """Months of a naive hedge through the invented contract, and what was held in them, without a report."""
    days = days_from(FIRST, len(values))
    book = make_book(dict(zip(days, rents, strict=True)))
    tape = make_tape(dict(zip(days, values, strict=True)))
    months = contract_months(EVERY_DAY, book.rates, tape, benchmark=BENCHMARK, now=LATER, entry=EntryRule())
    hours = exposures(book, months, 100)
    return months, run_programme(months, METHODS["naive"], role=role, exposure=hours, spec=EVERY_DAY)


def screened(rents, values, role="buyer"):
    return accounting_screens(*held(rents, values, role), role)


@pytest.fixture(scope="module")
def followed():
    values = wander(COUNT)
    return screened([value + 100_000 for value in values], values)


def test_offsets_are_gain_over_loss_and_add_up():
    values = wander(COUNT)
    hedge_months, programme = held([value + 100_000 for value in values], values)
    found = accounting_screens(hedge_months, programme, "buyer")
    months = {each.month: each for each in hedge_months}
    losses = gains = 0
    assert len(found.periods) == 32
    for each, ran in zip(found.periods, programme, strict=True):
        assert each.rent_change_micros == months[each.month].rent_change
        assert each.gain_micros == ran.pnl_rate_micros[0]
        losses, gains = losses + each.rent_change_micros, gains + each.gain_micros
        if losses:
            assert each.cumulative == gains / losses
    assert found.offset_passes is (0.8 <= gains / losses <= 1.25)


def test_a_rent_that_follows_its_reference_passes_both_screens(followed):
    assert followed.regression_passes is True
    assert followed.slope == pytest.approx(1.0, abs=0.05)
    assert followed.to_json()["wording"] == WORDING


def test_a_rent_on_something_else_passes_neither():
    found = screened(wander(COUNT, seed=11), wander(COUNT))
    assert found.regression_passes is False
    assert found.r_squared < 0.5


def test_the_regression_is_the_one_of_statsmodels(followed):
    gain = np.array([float(each.gain_micros) for each in followed.periods]) / 1e6
    loss = np.array([float(each.rent_change_micros) for each in followed.periods]) / 1e6
    fitted = sm.OLS(loss, sm.add_constant(gain)).fit()
    assert followed.slope == pytest.approx(fitted.params[1])
    assert followed.r_squared == pytest.approx(fitted.rsquared)


def test_a_provider_is_screened_on_falls():
    values = wander(COUNT)
    buyer = screened(values, values)
    provider = screened(values, values, role="provider")
    assert provider.slope == pytest.approx(buyer.slope, abs=1e-6)
    for one, other in zip(buyer.periods, provider.periods, strict=True):
        assert one.rent_change_micros == -other.rent_change_micros


def test_few_months_are_said_to_be_few_and_none_to_be_none():
    values = wander(300)
    short = screened(values, values)
    assert short.regression_passes is None
    assert "30 needed for the regression screen" in short.to_json()["reason"]
    none = AccountingScreens(periods=(), reason="no month was simulated, so nothing was held to screen")
    assert none.to_json()["offset_passes"] is None
    assert accounting_screens([], [], "buyer") == none


def test_the_words_claim_no_bright_line_for_standards_that_have_none():
    assert "IFRS 9 dropped it" in WORDING
    assert "names no number" in WORDING
    assert WORDING.startswith("A screen, not a verdict")
