"""Contracts as data: mistakes become one sentence, unknown says unknown."""

from __future__ import annotations

import pytest
from rentmark.contracts import CONTRACTS, contract_hash, describe, read_contract
from rentmark.contracts.spec import DESCRIBED_FIELDS
from rentmark.records import UsageError

from .making import OWN, WHERE, own_contract


def test_a_users_own_contract_needs_no_calendar_when_it_fixes_every_day():
    spec = own_contract()
    assert (spec.id, spec.calendar, spec.unit_gpus) == ("own", None, 8)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tik_micros": 1}, r"\[contracts.own\] has an unknown key tik_micros; did you mean tick_micros\?"),
        ({"chip": ...}, r"\[contracts.own\] lacks the key chip; add it\."),
        ({"tick_micros": 0.01}, r"tick_micros = 0.01: a tick is a whole number .* write 10000 for \$0.01"),
        ({"tick_micros": True}, r"tick_micros = True: a tick is a whole number"),
        ({"tick_micros": 0}, r"tick_micros = 0: input should be greater than 0"),
        ({"unit_rule": "fixed", "unit_gpus": 1}, r"fixed_gpu_hours is not given; add it"),
        ({"unit_rule": "fixed", "fixed_gpu_hours": 730}, r"unit_gpus = 8 has no meaning"),
        ({"fixed_gpu_hours": 730}, r"fixed_gpu_hours = 730 has no meaning .*; remove it"),
        ({"averaging": "business_days"}, r"averaging is \"business_days\" but calendar is not given"),
        (
            {"last_trade": "last_business_day"},
            r"last_trade is \"last_business_day\" but calendar is not given",
        ),
        ({"averaging": "weekly"}, r"averaging = 'weekly'"),
        ({"currency": "EUR"}, r"currency = 'EUR'"),
        ({"final_price_decimals": 7}, r"final_price_decimals = 7"),
        ({"sources": {"tick": "a note"}}, r"sources names 'tick', which is no field of a contract"),
        ({"assumed": ["missing_index.nothing"]}, r"assumed names 'missing_index.nothing'"),
        ({"sources": {"chip": "a note"}, "assumed": ["chip"]}, r"chip is both sourced and assumed"),
        (
            {"missing_index": {"certify_coverage_percent": 101}},
            r"missing_index.certify_coverage_percent = 101",
        ),
        ({"averaging": "day_weighted"}, r"averaging is \"day_weighted\" but calendar is not given"),
        (
            {"averaging": "day_weighted", "calendar": "XNYS", "averaging_last": 7},
            r"averaging_last = 7 has no meaning under averaging = \"day_weighted\"",
        ),
        ({"averaging_last": 0}, r"averaging_last = 0"),
        ({"period_ends": {"13": 24}}, r"period_ends has 13 = 24; write the number of a month"),
        ({"period_ends": {"12": 30}}, r"period_ends has 12 = 30; .* a day up to 28"),
        ({"period_ends": {"dec": 24}}, r"period_ends"),
        ({"listing_cycle": [12, 3]}, r"listing_cycle = \[12, 3\] is no ascending list"),
        ({"listing_cycle": [0]}, r"listing_cycle = \[0\] is no ascending list"),
        ({"period": "week"}, r"period = 'week'"),
        ({"revisions": "all"}, r"revisions = 'all'"),
        (
            {"missing_index": {"method": "latest_published"}},
            r"fill_days_at_most is not given; say how old a value may be",
        ),
        ({"missing_index": {"fill_days_at_most": 3}}, r"fill_days_at_most = 3 has no meaning"),
        ({"id": "other"}, r"has id = 'other'; leave id out"),
    ],
)
def test_a_mistake_in_a_contract_names_the_key_its_value_and_the_remedy(changes, sentence):
    with pytest.raises(UsageError, match=sentence) as caught:
        own_contract(**changes)
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize("name", ["Own", "own contract", "-own", ""])
def test_an_id_is_small_letters_digits_and_dashes(name):
    with pytest.raises(UsageError, match="id = "):
        read_contract({**OWN, "id": name}, WHERE)


def test_the_hash_changes_with_a_rule_and_not_with_a_remark():
    spec = own_contract()
    assert contract_hash(own_contract(status_line="another remark")) == contract_hash(spec)
    assert contract_hash(own_contract(sources={"chip": "a note"})) == contract_hash(spec)
    assert contract_hash(own_contract(tick_micros=10_000)) != contract_hash(spec)
    assert contract_hash(own_contract(counts_carried=True)) != contract_hash(spec)


def test_unknown_fields_print_unknown_and_assumed_ones_assumed():
    lines = {line.field: line for line in describe(CONTRACTS["cme-gpu1"])}
    assert (lines["initial_margin_micros"].text, lines["initial_margin_micros"].standing) == (
        "unknown",
        "unknown",
    )
    assert lines["calendar"].standing == "assumed"
    assert lines["missing_index.certify_coverage_percent"].standing == "assumed"
    assert lines["missing_index.exchange_fallback"].standing == "sourced"
    assert lines["fees.trade_member_micros"].text == "$3.650000 per lot"
    assert lines["tick_micros"].text == "$0.010000 per GPU-hour"
    assert lines["limits.diminishing_balance"].text == "yes"


def test_a_field_that_means_nothing_under_a_rule_is_left_out_of_the_description():
    assert "fixed_gpu_hours" not in {line.field for line in describe(CONTRACTS["ice-hpr"])}
    assert "unit_gpus" not in {line.field for line in describe(CONTRACTS["cme-gpu1"])}


def test_rules_a_contract_does_not_have_are_not_described_and_those_it_has_read_as_words():
    plain = {line.field for line in describe(CONTRACTS["cme-gpu1"])}
    assert not {"averaging_last", "period_ends", "listing_cycle", "remarks"} & plain
    assert "missing_index.fill_days_at_most" not in plain
    lines = {line.field: line for line in describe(CONTRACTS["ffa-like-last7"])}
    assert lines["period_ends"].text == "month 12 ends on day 24"
    assert (lines["averaging_last"].text, lines["averaging_last"].standing) == ("7", "sourced")
    assert (
        "Kalshi lists ladders"
        in {x.field: x.text for x in describe(CONTRACTS["kalshi-like-h100"])}["remarks"]
    )


def test_a_toml_table_may_write_early_month_ends_and_a_cycle():
    spec = own_contract(period_ends={"12": 24}, listing_cycle=[3, 6, 9, 12])
    assert (spec.period_ends, spec.listing_cycle) == ({12: 24}, (3, 6, 9, 12))
    assert contract_hash(spec) != contract_hash(own_contract())
    assert contract_hash(own_contract(remarks=["a remark"])) == contract_hash(own_contract())


def test_a_users_own_fields_without_a_source_are_stated():
    lines = {line.field: line for line in describe(own_contract())}
    assert lines["chip"].standing == "stated"
    assert lines["official_benchmark"].text == "own-index"


def test_every_rule_can_be_described():
    assert {"fees.trade_member_micros", "missing_index.exchange_fallback", "tick_micros"} <= DESCRIBED_FIELDS
    assert "sources" not in DESCRIBED_FIELDS


def test_the_shipped_table_cannot_be_changed():
    with pytest.raises(TypeError):
        CONTRACTS["own"] = own_contract()  # type: ignore[index]
    with pytest.raises(ValueError, match="frozen"):
        CONTRACTS["cme-gpu1"].tick_micros = 1
