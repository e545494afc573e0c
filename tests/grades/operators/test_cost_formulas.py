"""The formulas of full cost, against values worked by hand and by spreadsheets' PMT."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from rentmark.grades.operators import (
    capital_per_year,
    capital_recovery_factor,
    goodput_loss,
    owned_gpu,
    usd_per_million_accepted_tokens,
)


def test_capital_recovery_is_an_annuity():
    """r = 0.1, n = 5: 0.1·1.61051/0.61051 = 0.263797 (the PMT of a dollar)."""
    assert capital_recovery_factor(F(1, 10), 5) == F(161051, 610510)
    assert float(capital_recovery_factor(F(1, 10), 5)) == pytest.approx(0.263797, abs=5e-7)
    assert capital_recovery_factor(F(0), 4) == F(1, 4)
    assert capital_recovery_factor(F(1, 10), 1) == F(11, 10)


def test_annual_capital_pays_the_purchase_back_with_interest_and_leaves_the_salvage():
    capex, salvage, rate, years = F(30_000), F(3_000), F(8, 100), 4
    annual = capital_per_year(capex, salvage, rate, years)
    debt = capex
    for _ in range(years):
        debt = debt * (1 + rate) - annual
    assert debt == salvage


@pytest.mark.parametrize(("rate", "years"), [(F(-1, 10), 5), (F(1, 10), 0)])
def test_capital_without_time_or_with_negative_interest_is_refused(rate, years):
    with pytest.raises(ValueError, match="capital recovery needs"):
        capital_recovery_factor(rate, years)


GPU = {
    "capital": F(8_000),
    "kilowatts": F(1),
    "colocation_usd_per_kw_month": F(100),
    "colocation_bundles_power": False,
    "pue": F(13, 10),
    "load": F(1, 2),
    "usd_per_kwh": F(1, 10),
    "maintenance": F(500),
    "staff": F(300),
    "insurance": F(200),
    "availability": F(1),
    "utilisation": F(1, 2),
}


def test_an_owned_hour_carries_everything_over_the_hours_that_served():
    """8,000 + 100·12 + 1.3·8,760·½·0.10 = 569.40 + 500 + 300 + 200 = 10,769.40 over 4,380 hours."""
    gpu = owned_gpu(**GPU)
    assert gpu.power == F(56940, 100)
    assert gpu.full == F(1076940, 100)
    assert gpu.cash == F(56940, 100) + 1200 + 300
    assert gpu.usd_per_useful_hour == F(1076940, 100) / 4380


def test_bundled_power_is_not_paid_twice():
    gpu = owned_gpu(**(GPU | {"colocation_bundles_power": True}))
    assert (gpu.power, gpu.full) == (0, F(10_200))


FAILURES = {
    "job_gpus": 1024,
    "mtbf_gpu_hours": F(50_000),
    "detect_hours": F(1, 4),
    "checkpoint_hours": F(1),
    "restart_hours": F(1, 2),
    "repair_hours": F(24),
    "blast_radius_gpus": 8,
}


def test_failures_waste_what_they_stop_and_what_they_break():
    """(0.25 + 0.5 + 0.5)·1,024 + 24·8 = 1,472 GPU-hours a failure, one in 50,000 GPU-hours: 2.944 %."""
    assert goodput_loss(**FAILURES) == F(1472, 50_000)
    # the larger of 0.25 and 0.5, and not their sum: (0.5 + 0.5)·1,024 + 192
    assert goodput_loss(**FAILURES, rule="larger") == F(1216, 50_000)
    assert goodput_loss(**(FAILURES | {"mtbf_gpu_hours": F(10)})) == 1


def test_a_token_carries_the_hours_that_gave_nothing():
    """2.60/(0.0036·200·0.5·0.8·0.9) + 0.10 = 2.60/0.2592 + 0.10."""
    cost = usd_per_million_accepted_tokens(
        usd_per_gpu_hour=F(26, 10),
        tokens_per_second_per_gpu=F(200),
        utilisation=F(1, 2),
        acceptance=F(4, 5),
        goodput_loss=F(1, 10),
        overhead_usd_per_million=F(1, 10),
    )
    assert cost == F(26, 10) / F(2592, 10_000) + F(1, 10)


def test_at_the_same_bill_half_again_the_output_costs_two_thirds():
    def cost(output: int):
        return usd_per_million_accepted_tokens(
            usd_per_gpu_hour=F(26, 10),
            tokens_per_second_per_gpu=F(output),
            utilisation=F(1),
            acceptance=F(1),
            goodput_loss=F(0),
            overhead_usd_per_million=F(0),
        )

    assert cost(300) / cost(200) == F(2, 3)
    assert cost(0) is None
