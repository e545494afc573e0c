"""ICE HPR: the hours of the month per GPU, on every day of it."""

from __future__ import annotations

from rentmark.contracts import CONTRACTS, Order, daily_ledger, fee_schedule, tick_value_micros
from rentmark.records import Refusal

from .contract_suite import ContractSuite


class TestIceHpr(ContractSuite):
    contract = "ice-hpr"

    def test_a_tick_of_a_31_day_month_is_74_cents_and_four_tenths_a_lot(self):
        # 31 days × 24 h × $0.001 = $0.744
        assert tick_value_micros(CONTRACTS["ice-hpr"], "2026-08") == 744_000

    def test_unknown_fees_are_refused_rather_than_taken_for_zero(self):
        refusal = fee_schedule(CONTRACTS["ice-hpr"], "member")
        assert isinstance(refusal, Refusal)
        assert "unknown" in refusal.sentence

    def test_a_thousand_moves_of_one_tick_lose_no_cent(self):
        from datetime import date, timedelta

        spec = CONTRACTS["ice-hpr"]
        first = date(2026, 3, 2)
        settles = {first + timedelta(days=n): 3_000_000 + 1_000 * n for n in range(151)}
        done = daily_ledger(
            spec,
            "2026-08",
            [Order(day=first, lots=1, price_micros=3_000_000)],
            settles,
            modelled_marks=True,
        )
        # 150 ticks of $0.744 are $111.60 exactly; rounding each day to $0.74 would have paid $111.00
        assert done.long.balance_micros == 111_600_000
        assert done.long.cash_total_cents == 11_160
        assert {day.cash_cents for day in done.long.days[1:]} == {74, 75}
