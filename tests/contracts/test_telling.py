"""Settlements in words and JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

from rentmark.contracts import (
    CONTRACTS,
    certify,
    fixing_days,
    settlement_sentence,
    settlement_to_json,
    withheld_sentence,
)
from rentmark.records import Fixing, day_start

from .making import LATER, ask, make_fixing, make_tape, month_tape

CME = CONTRACTS["cme-gpu1"]

PROMISED_KEYS = {
    "contract", "month", "benchmark", "official_underlying", "proxy", "status", "origin", "expected", "fixings",
    "coverage", "final_settlement_price", "indicative_price", "unit_gpu_hours", "simulated", "reconstructed", "reason",
}  # fmt: skip


def without_first_two_days_of_july(**changes: object) -> dict[date, Fixing]:
    tape = month_tape(CME, "2026-07", 3_148_250, **changes)
    del tape[date(2026, 7, 1)], tape[date(2026, 7, 2)]
    return tape


def test_the_documented_keys_are_there_and_the_answer_is_plain_json():
    for tape in (month_tape(CME, "2026-07"), without_first_two_days_of_july(), {}):
        answer = settlement_to_json(ask(CME, "2026-07", tape), explain=True)
        assert answer.keys() >= PROMISED_KEYS
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_prices_are_strings_of_six_decimals_and_coverage_is_a_number():
    answer = settlement_to_json(ask(CME, "2026-07", month_tape(CME, "2026-07", 2_875_001)))
    assert answer["final_settlement_price"] == "2.875001"
    assert (answer["indicative_price"], answer["indicative_price_reason"]) == (None, "the final price stands")
    assert answer["coverage"] == 1.0
    assert answer["reason"] is None


def test_a_settled_month_says_its_price_and_its_count():
    done = ask(CME, "2026-07", month_tape(CME, "2026-07"))
    assert settlement_sentence(done) == (
        "cme-gpu1 2026-07 on invented-list settles at 3.000000, the mean of 22 of 22 fixings."
    )
    assert withheld_sentence(done) is None


def test_a_certified_month_names_who_certified_it():
    tape = without_first_two_days_of_july()
    word = certify(ask(CME, "2026-07", tape), who="the index committee", reason="checked", certified_at=LATER)
    done = ask(CME, "2026-07", tape, certificate=word)
    assert settlement_sentence(done).endswith(
        "the mean of 20 of 22 fixings, certified by the index committee."
    )
    answer = settlement_to_json(done)
    assert (answer["certified_by"], answer["certified_at"]) == ("the index committee", "2030-01-01T00:00:00Z")


def test_a_month_that_needs_a_certificate_and_is_backcast_says_both():
    done = ask(CME, "2026-07", without_first_two_days_of_july(origin="backcast"))
    assert settlement_sentence(done) == (
        "cme-gpu1 2026-07 on invented-list: 20 of 22 fixings, indicative price 3.148250. No final price: fixings are "
        "missing, so a certificate is needed; it rests on fixings published after their time (backcast)."
    )


def test_a_determination_prints_no_price():
    answer = settlement_to_json(ask(CME, "2026-07", {}))
    assert (answer["final_settlement_price"], answer["indicative_price"]) == (None, None)
    assert answer["origin_reason"] == "no fixing of the month counts"
    assert answer["sentence"].endswith(
        "0 of 22 fixings. No final price: too many fixings are missing, which calls for a determination."
    )
    assert len(answer["missing"]) == 22


def test_an_accruing_month_says_what_the_rest_must_average():
    days = fixing_days(CME, "2026-08")
    tape = make_tape(days[:14], 3_000_000)
    tape[days[14]] = make_fixing(days[14], 3_210_000)
    done = ask(CME, "2026-08", tape, now=day_start(days[14]) + timedelta(days=1))
    # (14 × 3.00 + 7 × 3.21)/21 = 64.47/21 = 3.07; the average known is 45.21/15 = 3.014
    assert settlement_sentence(done) == (
        "cme-gpu1 2026-08 on invented-list: 15 of 21 fixings known, average 3.014000; "
        "the rest must average 3.210000 to settle at 3.070000."
    )
    view = settlement_to_json(done)["in_month"]
    assert view["expectation_model"].endswith("(modelled)")
    assert (view["fair_value"], view["on_course"]) == ("3.070000", "settled")
    # 10 % lower: (21 × 2.763 − 45.21)/6 = 2.1355; 10 % higher: (21 × 3.377 − 45.21)/6 = 4.2845
    assert view["rest_must_average"] == [
        {"settle_at": "2.763000", "rest_average": "2.135500", "reachable": True},
        {"settle_at": "3.070000", "rest_average": "3.210000", "reachable": True},
        {"settle_at": "3.377000", "rest_average": "4.284500", "reachable": True},
    ]


def test_a_settlement_no_price_can_reach_says_so():
    days = fixing_days(CME, "2026-08")
    done = ask(CME, "2026-08", make_tape(days[:20]), now=day_start(days[19]) + timedelta(days=1))
    lowest = settlement_to_json(done)["in_month"]["rest_must_average"][0]
    # (21 × 2.70 − 60)/1 = −3.30
    assert lowest == {"settle_at": "2.700000", "rest_average": "-3.300000", "reachable": False}


def test_fixings_missing_so_far_are_told_and_an_unknown_expectation_has_its_reason():
    days = fixing_days(CME, "2026-08")
    done = ask(CME, "2026-08", make_tape(days[1:5]), now=day_start(days[4]) + timedelta(days=1))
    assert "4 of 21 fixings known, average 3.000000; 1 missing; the rest" in settlement_sentence(done)
    nothing = ask(CME, "2026-08", {}, now=datetime(2026, 7, 1, tzinfo=UTC))
    view = settlement_to_json(nothing)["in_month"]
    assert (view["fair_value"], view["rest_must_average"]) == (None, [])
    assert view["reason"] == "no fixing is known yet, so there is nothing to expect from"
    assert settlement_sentence(nothing) == "cme-gpu1 2026-08 on invented-list: 0 of 21 fixings known."


def test_explained_days_show_fixing_status_weight_and_reason():
    tape = month_tape(CME, "2026-07")
    gap = date(2026, 7, 6)
    tape[gap] = make_fixing(gap, None, rule="min_sellers")
    days = {day["date"]: day for day in settlement_to_json(ask(CME, "2026-07", tape), explain=True)["days"]}
    assert days["2026-07-06"] == {
        "date": "2026-07-06", "state": "missing", "value": None, "status": "GAP", "counted": False, "weight": 0.0,
        "origin": "live", "reason": "min_sellers", "revision": 0, "filled_from": None, "row_digest": None,
    }  # fmt: skip
    assert days["2026-07-07"]["weight"] == 1 / 21
    assert "days" not in settlement_to_json(ask(CME, "2026-07", tape))
