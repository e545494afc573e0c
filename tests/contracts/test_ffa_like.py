"""Freight's rules on compute: the last seven fixings, the balance of a month, a December that ends early."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from rentmark.contracts import (
    CONTRACTS,
    contract_months,
    fixing_days,
    last_trade_date,
    listing_refusal,
    unit_gpu_hours,
)
from rentmark.records import UsageError

from .contract_suite import ContractSuite
from .making import ask, month_tape

LAST_7, BALANCE = CONTRACTS["ffa-like-last7"], CONTRACTS["ffa-like-balmo"]


class TestFfaLikeLast7(ContractSuite):
    contract = "ffa-like-last7"

    def test_one_missing_fixing_needs_a_certificate_and_a_certificate_gives_the_price(self):
        # 6 of 7 is 85.7 %: under the 90 % that a certificate needs
        tape = month_tape(LAST_7, self.december)
        del tape[fixing_days(LAST_7, self.december)[4]]
        done = ask(LAST_7, self.december, tape)
        assert (done.status, done.fixings, done.expected) == ("determination", 6, 7)
        assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, None)

    def test_december_ends_on_the_24th_by_data_and_other_months_do_not(self):
        assert last_trade_date(LAST_7, "2026-12") == date(2026, 12, 24)
        assert LAST_7.period_ends == {12: 24}
        assert last_trade_date(LAST_7, "2026-10") == date(2026, 10, 30)

    def test_what_happens_before_the_last_seven_days_does_not_matter(self):
        calm = month_tape(LAST_7, "2026-07")
        wild = calm | {d - timedelta(days=14): f for d, f in month_tape(LAST_7, "2026-07", 9_000_000).items()}
        wild = {d: f for d, f in wild.items() if d >= date(2026, 7, 23)}
        assert ask(LAST_7, "2026-07", wild) == ask(LAST_7, "2026-07", calm)


class TestFfaLikeBalance(ContractSuite):
    contract = "ffa-like-balmo"
    november = "2026-11-02"
    december = "2026-12-02"
    leap_february = "2028-02-10"

    def test_the_board_of_months_is_consecutive_and_as_long_as_listed(self):
        with pytest.raises(UsageError, match="has no board of months; name its first day"):
            contract_months(BALANCE, "2026-11")

    def test_the_unit_counts_the_days_left_and_shrinks_by_a_day_each_day(self):
        units = [unit_gpu_hours(BALANCE, f"2026-07-{day:02d}") for day in range(1, 32)]
        assert units[0] == 744
        assert all(before - after == 24 for before, after in pairwise(units))

    def test_a_balance_begun_on_the_first_is_the_whole_month(self):
        assert fixing_days(BALANCE, "2026-07-01")[0] == date(2026, 7, 1)
        assert len(fixing_days(BALANCE, "2026-07-01")) == 23

    @pytest.mark.parametrize(
        ("month", "sentence"),
        [
            ("2026-07", r"written by its first day"),
            ("2026-12-25", r"begins after its last day of averaging, 2026-12-24; name an earlier day"),
            ("2026-08-29", r"has no fixing day from 2026-08-29 to 2026-08-31; name an earlier day"),
        ],
    )
    def test_a_balance_that_leaves_no_fixing_is_one_sentence(self, month, sentence):
        with pytest.raises(UsageError, match=sentence) as refused:
            fixing_days(BALANCE, month)
        assert "\n" not in refused.value.sentence

    def test_a_balance_trades_within_its_month(self):
        assert listing_refusal(BALANCE, "2026-07-14", date(2026, 7, 1)) is None
        early = listing_refusal(BALANCE, "2026-07-14", date(2026, 6, 30))
        assert early is not None
        assert early.code == "month_not_listed"
