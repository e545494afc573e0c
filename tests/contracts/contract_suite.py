"""What every contract must do, inherited by one small test module per contract.

The answers of ``answers/<id>.csv`` were worked by hand from the published holidays of the New York
Stock Exchange and the plain calendar. The constructed series is S_d = 3.00 + 0.01·d dollars on day
d of the month, weekends included, so that the mean is 3.00 + 0.01·(sum of day numbers)/(days) and
a wrong choice of days shows.
"""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from rentmark.contracts import (
    CONTRACTS,
    UNKNOWN,
    ContractSpec,
    FinalSettlement,
    Order,
    certify,
    contract_hash,
    contract_month,
    contract_months,
    counted_lots,
    daily_ledger,
    describe,
    fixing_days,
    last_trade_date,
    listing_refusal,
    read_contract,
    remaining_share,
    settlement_to_json,
    size_lots,
    tick_value_micros,
    unit_gpu_hours,
)
from rentmark.records import Fixing, UsageError, day_start, micros_from_text, month_bounds, round_to_decimals

from .making import LATER, ask, days_between, make_fixing, month_tape, view_of

ANSWERS = Path(__file__).parent / "answers"


@cache
def answers_of(contract: str) -> tuple[dict[str, str], ...]:
    with (ANSWERS / f"{contract}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def day_number_tape(month: str) -> dict[date, Fixing]:
    days = days_between(*month_bounds(month[:7]))
    return {d: make_fixing(d, 3_000_000 + 10_000 * d.day) for d in days}


class ContractSuite:
    """Subclass with ``contract`` set; the answers file is found by its id."""

    contract: str
    november = "2026-11"
    december = "2026-12"
    leap_february = "2028-02"

    @property
    def spec(self) -> ContractSpec:
        return CONTRACTS[self.contract]

    @property
    def answers(self) -> tuple[dict[str, str], ...]:
        return answers_of(self.contract)

    def test_the_answers_hold_a_holiday_month_february_a_leap_february_and_december(self):
        months = {answer["month"][:7] for answer in self.answers}
        assert {"2026-07", "2026-02", "2028-02", "2026-12"} <= months

    def test_fixing_days_are_those_counted_by_hand(self):
        for answer in self.answers:
            days = fixing_days(self.spec, answer["month"])
            assert len(days) == int(answer["fixing_days"]), answer
            assert days[0].isoformat() == answer["first_fixing_day"], answer
            assert sum(day.day for day in days) == int(answer["sum_of_day_numbers"]), answer
            assert not {d.isoformat() for d in days} & set(answer["holidays"].split(";")), answer

    def test_roll_and_limit_dates_follow_the_last_trade(self):
        for answer in self.answers:
            whole = contract_month(self.spec, answer["month"])
            assert whole.roll_date == whole.last_trade_date  # month m + 1 is entered on the last trade of m
            if self.spec.limits is None:
                assert whole.spot_limit_first_day is None
            else:
                assert whole.spot_limit_first_day is not None
                assert whole.spot_limit_first_day < whole.last_trade_date

    def test_a_month_stands_on_the_board_from_its_listing_to_its_last_trade(self):
        for answer in self.answers:
            month, last = answer["month"], date.fromisoformat(answer["last_trade"])
            assert listing_refusal(self.spec, month, last) is None
            late = listing_refusal(self.spec, month, last + timedelta(days=1))
            assert late is not None
            assert (late.code, "\n" in late.sentence) == ("month_expired", False)

    def test_the_share_still_to_fix_falls_from_one_to_nothing(self):
        days = fixing_days(self.spec, self.december)
        before = days[0] - timedelta(days=1)
        shares = [remaining_share(self.spec, self.december, day) for day in (before, *days)]
        assert (shares[0], shares[-1]) == (1, 0)
        assert all(earlier > later for earlier, later in pairwise(shares))
        counted = counted_lots(self.spec, self.december, 7_500, days[4])
        diminishes = self.spec.limits is not None and bool(self.spec.limits.diminishing_balance)
        assert counted == (7_500 * Fraction(len(days) - 5, len(days)) if diminishes else 7_500)

    def test_last_trade_unit_and_tick_value_are_those_worked_by_hand(self):
        for answer in self.answers:
            month = answer["month"]
            assert last_trade_date(self.spec, month).isoformat() == answer["last_trade"], answer
            assert unit_gpu_hours(self.spec, month) == int(answer["unit_gpu_hours"]), answer
            assert tick_value_micros(self.spec, month) == int(answer["tick_value_micros"]), answer

    def test_a_contract_month_holds_what_its_parts_say(self):
        for answer in self.answers:
            whole = contract_month(self.spec, answer["month"])
            assert whole.contract == self.contract
            assert whole.fixing_days == fixing_days(self.spec, answer["month"])
            assert whole.last_trade_date == last_trade_date(self.spec, answer["month"])
            assert (whole.unit_gpu_hours, whole.tick_value_micros) == (
                int(answer["unit_gpu_hours"]),
                int(answer["tick_value_micros"]),
            )

    def test_the_constructed_series_settles_where_worked_by_hand(self):
        for answer in self.answers:
            done = ask(self.spec, answer["month"], day_number_tape(answer["month"]))
            assert done.status == "settled", answer
            assert done.origin == "live"
            assert done.final_settlement_price_micros == micros_from_text(answer["settlement"]), answer
            assert (done.indicative_price_micros, done.withheld) == (None, ())
            assert done.expected == done.fixings == int(answer["fixing_days"])
            assert done.unit_gpu_hours == int(answer["unit_gpu_hours"])

    def test_weights_of_a_settled_month_are_equal_and_sum_to_one(self):
        for answer in self.answers:
            done = ask(self.spec, answer["month"], day_number_tape(answer["month"]))
            assert {day.weight for day in done.days} == {Fraction(1, int(answer["fixing_days"]))}
            assert sum(day.weight for day in done.days) == 1

    def test_order_of_the_fixings_does_not_matter(self):
        tape = day_number_tape(self.december)
        shuffled = list(tape.items())
        random.Random(7).shuffle(shuffled)
        assert ask(self.spec, self.december, dict(shuffled)) == ask(self.spec, self.december, tape)

    def test_a_flat_month_settles_at_its_price(self):
        tape = month_tape(self.spec, self.leap_february, 2_875_001)
        done = ask(self.spec, self.leap_february, tape)
        assert done.final_settlement_price_micros == round_to_decimals(
            2_875_001, self.spec.final_price_decimals
        )

    def test_one_missing_fixing_needs_a_certificate_and_a_certificate_gives_the_price(self):
        tape = month_tape(self.spec, self.december)
        del tape[fixing_days(self.spec, self.december)[4]]
        open_month = ask(self.spec, self.december, tape)
        assert open_month.status == "certify"
        assert open_month.final_settlement_price_micros is None
        assert open_month.indicative_price_micros == 3_000_000
        word = certify(open_month, who="the index committee", reason="collector down", certified_at=LATER)
        done = ask(self.spec, self.december, tape, certificate=word)
        assert (done.status, done.certified_by) == ("settled", "the index committee")
        assert (done.final_settlement_price_micros, done.indicative_price_micros) == (3_000_000, None)

    def test_a_run_of_three_missing_goes_to_determination_without_any_price(self):
        tape = month_tape(self.spec, self.december)
        for day in fixing_days(self.spec, self.december)[2:5]:
            del tape[day]
        done = ask(self.spec, self.december, tape)
        assert (done.status, done.longest_gap) == ("determination", 3)
        assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, None)

    def test_the_ladder_of_coverage_turns_exactly_at_ninety_percent(self):
        # 20 business days or 30 days: 18 and 27 of them are ninety percent exactly
        days = fixing_days(self.spec, self.november)
        for lost in range(1, len(days) // 2):
            tape = month_tape(self.spec, self.november)
            for day in days[: 2 * lost : 2]:  # every second day, so that no two are missing in a row
                del tape[day]
            done = ask(self.spec, self.november, tape)
            enough = Fraction(len(days) - lost, len(days)) >= Fraction(9, 10)
            assert done.status == ("certify" if enough else "determination"), lost
            assert done.longest_gap == 1

    def test_no_fixing_at_all_is_a_determination(self):
        done = ask(self.spec, self.december, {})
        assert (done.status, done.fixings, done.origin) == ("determination", 0, None)

    def test_in_the_month_fair_value_and_delta_follow_the_fixings_known(self):
        days = fixing_days(self.spec, self.december)
        tape = month_tape(self.spec, self.december, 3_250_000)
        for known in range(1, len(days)):
            now = day_start(days[known - 1]) + timedelta(days=1)
            done = ask(self.spec, self.december, tape, now=now)
            assert done.status == "accruing", known
            view = view_of(done)
            assert (view.known, view.total) == (known, len(days))
            assert view.fair_value_exact == 3_250_000
            assert view.delta == Fraction(len(days) - known, len(days))
            assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, None)

    def test_no_fixing_that_is_not_effective_yet_is_looked_at(self):
        days = fixing_days(self.spec, self.december)
        middle = len(days) // 2
        now = day_start(days[middle]) + timedelta(days=1)
        calm, wild = month_tape(self.spec, self.december), month_tape(self.spec, self.december)
        for day in days[middle + 1 :]:
            wild[day] = make_fixing(day, 99_000_000)
        assert ask(self.spec, self.december, calm, now=now) == ask(self.spec, self.december, wild, now=now)

    def test_a_single_backcast_fixing_leaves_only_an_indicative_price(self):
        tape = month_tape(self.spec, self.december)
        day = fixing_days(self.spec, self.december)[3]
        tape[day] = make_fixing(day, origin="backcast", published_at=LATER)
        done = ask(self.spec, self.december, tape)
        assert (done.status, done.origin, done.withheld) == ("settled", "backcast", ("backcast",))
        assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, 3_000_000)

    def test_a_benchmark_that_is_not_the_official_underlying_says_proxy(self):
        done = ask(self.spec, self.december, month_tape(self.spec, self.december))
        assert done.proxy
        assert done.official_underlying == self.spec.official_underlying

    def test_no_field_is_without_a_standing_and_none_is_unknown_silently(self):
        for line in describe(self.spec):
            assert line.text
            assert (line.standing == "unknown") == (line.text == UNKNOWN), line
            assert (line.standing == "sourced") == (line.source is not None), line
            if line.field != "official_benchmark":
                assert line.standing != "stated", line

    def test_the_contract_says_that_it_is_not_listed(self):
        assert not self.spec.listed
        assert "not listed as of" in self.spec.status_line

    def test_the_contract_survives_being_written_as_a_table_and_read_back(self):
        table = self.spec.model_dump(mode="json", exclude_none=True)
        again = read_contract(table, f"[contracts.{self.contract}]")
        assert again == self.spec
        assert contract_hash(again) == contract_hash(self.spec)

    def test_the_board_of_months_is_consecutive_and_as_long_as_listed(self):
        if self.spec.listing_months is None:
            with pytest.raises(UsageError, match="unknown; say how many"):
                contract_months(self.spec, "2026-11")
        board = contract_months(self.spec, "2026-11", None if self.spec.listing_months else 5)
        assert board[:3] == ("2026-11", "2026-12", "2027-01")
        assert len(board) == (self.spec.listing_months or 5)

    def test_the_exact_total_of_a_hedge_is_the_move_times_unit_times_lots(self):
        days = fixing_days(self.spec, self.leap_february)
        settles = {day: 3_000_000 + 333 * number for number, day in enumerate(days)}
        done = daily_ledger(
            self.spec,
            self.leap_february,
            [Order(day=days[0], lots=7, price_micros=2_999_999)],
            settles,
            modelled_marks=True,
            final=FinalSettlement(day=date(2028, 3, 1), price_micros=3_123_457),
        )
        unit = unit_gpu_hours(self.spec, self.leap_february)
        assert done.long.balance_micros == (3_123_457 - 2_999_999) * unit * 7
        assert done.short.balance_micros == -done.long.balance_micros

    def test_lots_times_unit_are_the_hours_wanted_before_rounding(self):
        for answer in self.answers:
            month = answer["month"]
            (size,) = size_lots(self.spec, {month: 123_457}, hedge_ratio=Fraction(2665, 10_000))
            assert size.exact_lots * size.unit_gpu_hours == Fraction(2665, 10_000) * 123_457
            assert abs(size.exact_lots - size.lots) <= Fraction(1, 2)

    def test_json_prints_every_absent_price_beside_a_reason(self):
        tape = month_tape(self.spec, self.december)
        cases = [
            ask(self.spec, self.december, tape),
            ask(self.spec, self.december, {}),
            ask(self.spec, self.december, tape, now=day_start(date(2026, 12, 10))),
        ]
        for done in cases:
            answer = settlement_to_json(done, explain=True)
            assert answer["final_settlement_price"] is not None or answer["reason"]
            assert (
                answer["indicative_price"] is not None
                or answer["reason"]
                or answer["indicative_price_reason"]
            )
            assert len(answer["days"]) == answer["expected"]
