"""A missing value is the latest published one, later revisions are ignored, the mean goes to cents."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from rentmark.contracts import CONTRACTS, fixing_days, fixings_for_settlement, settlement_to_json
from rentmark.records import day_start

from .contract_suite import ContractSuite
from .making import LATER, ask, make_fixing, month_tape

SPEC = CONTRACTS["kalshi-like-h100"]


class TestKalshiLike(ContractSuite):
    contract = "kalshi-like-h100"

    def test_one_missing_fixing_needs_a_certificate_and_a_certificate_gives_the_price(self):
        tape = month_tape(SPEC, "2026-12")
        lost = fixing_days(SPEC, "2026-12")[4]
        del tape[lost]
        done = ask(SPEC, "2026-12", tape)
        assert (done.status, done.final_settlement_price_micros) == ("settled", 3_000_000)
        assert (done.expected, done.fixings, done.filled, done.missing) == (31, 30, 1, ())
        (day,) = [d for d in done.days if d.state == "filled"]
        assert (day.date, day.filled_from, day.reason) == (lost, lost - timedelta(days=1), "no_tape_row")

    def test_a_run_of_three_missing_goes_to_determination_without_any_price(self):
        tape = month_tape(SPEC, "2026-12", 3_310_000)
        for day in fixing_days(SPEC, "2026-12")[5:8]:
            tape[day] = make_fixing(day, None)
        tape[date(2026, 12, 5)] = make_fixing(date(2026, 12, 5), 3_000_000)
        done = ask(SPEC, "2026-12", tape)
        # 27 days at 3.31 and four at 3.00 (the 5th and the three filled from it): 3.27 exactly
        assert (done.status, done.filled, done.longest_gap) == ("settled", 3, 0)
        assert done.final_settlement_price_micros == 3_270_000
        assert sum(day.weight for day in done.days) == 1

    def test_the_ladder_of_coverage_turns_exactly_at_ninety_percent(self):
        tape = month_tape(SPEC, "2026-11")
        for day in fixing_days(SPEC, "2026-11")[:4]:
            del tape[day]
        # nothing stands before the first days, so nothing can fill them: 26 of 30 is under 90 %
        done = ask(SPEC, "2026-11", tape)
        assert (done.status, done.filled, done.longest_gap) == ("determination", 0, 4)

    def test_the_first_days_of_a_month_are_filled_from_the_month_before(self):
        tape = month_tape(SPEC, "2026-11") | {date(2026, 10, 30): make_fixing(date(2026, 10, 30), 6_000_000)}
        del tape[date(2026, 11, 1)]
        done = ask(SPEC, "2026-11", tape)
        assert done.days[0].filled_from == date(2026, 10, 30)
        assert done.final_settlement_price_micros == 3_100_000  # (6 + 29 × 3)/30

    def test_a_value_older_than_the_limit_fills_nothing(self):
        reach = SPEC.missing_index.fill_days_at_most
        assert reach == 31
        first = date(2026, 11, 1)
        for age, filled in ((reach, 1), (reach + 1, 0)):
            source = first - timedelta(days=age)
            tape = month_tape(SPEC, "2026-11") | {source: make_fixing(source)}
            del tape[first]
            assert ask(SPEC, "2026-11", tape).filled == filled

    def test_a_later_revision_is_ignored_even_before_the_month_has_settled(self):
        day = date(2026, 11, 10)
        first = make_fixing(day, 3_000_000)
        revised = make_fixing(
            day, 9_000_000, revision=1, published_at=day_start(day) + timedelta(days=3), reason="corrected"
        )
        others = [make_fixing(d) for d in fixing_days(SPEC, "2026-11") if d != day]
        chosen = fixings_for_settlement(SPEC, "2026-11", [first, revised, *others], LATER)
        assert chosen[day] == first
        ladder = CONTRACTS["ice-hpr"]
        assert fixings_for_settlement(ladder, "2026-11", [first, revised, *others], LATER)[day] == revised

    def test_a_filled_day_says_so_in_json_and_in_the_sentence(self):
        tape = month_tape(SPEC, "2026-11")
        del tape[date(2026, 11, 9)]
        answer = settlement_to_json(ask(SPEC, "2026-11", tape), explain=True)
        assert answer["filled"] == 1
        assert answer["days"][8]["state"] == "filled"
        assert answer["days"][8]["filled_from"] == "2026-11-08"
        assert "29 of 30 fixings with 1 filled by the latest value before" in answer["sentence"]

    @pytest.mark.parametrize("origin", ["live", "backcast"])
    def test_a_filled_day_rests_on_the_origin_of_the_fixing_it_is_filled_from(self, origin):
        source = date(2026, 10, 31)
        tape = month_tape(SPEC, "2026-11") | {source: make_fixing(source, origin=origin)}
        del tape[date(2026, 11, 1)]
        assert ask(SPEC, "2026-11", tape).origin == origin
