"""Bills as a distribution: by hand, and the same bills for a buyer and a provider."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest.levels import bill_levels

from tests.backtest.making import wander
from tests.backtest.test_screens_accounting import held


def programme(role="buyer", count=400):
    values = wander(count)
    return held([value + 100_000 for value in values], values, role)[1]


def test_the_levels_are_those_of_the_bills():
    ran = programme()
    found = bill_levels(ran, "buyer")
    bills = np.array([each.bill_micros for each in ran]) / 1e6
    assert found.is_bill
    assert found.months == len(ran) == 12
    assert found.unhedged.mean_micros == pytest.approx(bills.mean() * 1e6, abs=1)
    assert found.unhedged.sd_micros == pytest.approx(bills.std(ddof=1) * 1e6, abs=1)
    assert found.unhedged.level_micros == pytest.approx(np.quantile(bills, 0.95) * 1e6, abs=1)
    # 5 % of 12 months are a part of one: the tail is the worst month
    assert found.unhedged.tail_micros == pytest.approx(bills.max() * 1e6, abs=1)
    assert found.unhedged.worst_micros == max(each.bill_micros for each in ran)
    for premium, each in found.hedged.items():
        assert each.worst_micros == max(month.hedged_bill_micros[premium] for month in ran)


def test_a_provider_fears_the_lean_months():
    ran = programme("provider")
    found = bill_levels(ran, "provider")
    bills = np.array([each.bill_micros for each in ran]) / 1e6
    assert found.unhedged.level_micros == pytest.approx(np.quantile(bills, 0.05) * 1e6, abs=1)
    assert found.unhedged.worst_micros == min(each.bill_micros for each in ran)
    assert found.unhedged.tail_micros == pytest.approx(bills.min() * 1e6, abs=1)


def test_a_dearer_entry_moves_a_buyers_bills_up():
    found = bill_levels(programme(), "buyer")
    assert found.hedged[-10].mean_micros < found.hedged[0].mean_micros < found.hedged[10].mean_micros


def test_one_month_is_no_distribution():
    assert bill_levels(programme()[:1], "buyer") is None
    assert bill_levels([], "buyer") is None
