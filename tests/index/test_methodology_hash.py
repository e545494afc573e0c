"""The methodology hash: one changed rule changes it, and nothing else does."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from rentmark.grades.adjustment import AdjustmentSchedule
from rentmark.grades.spec import Grade, Rating
from rentmark.index import Benchmark, Methodology, methodology
from rentmark.index.calendars import calendar_digest
from rentmark.index.parts import Reopen, Screen
from rentmark.records import RentmarkError, canonical_json, digest_of

from .making import benchmark

OTHER_RULES: dict[str, Any] = {
    "version": "1.0.1",
    "hierarchy": "first",
    "blend": {"listed": "1"},
    "tail": "0.1",
    "partitions": 12,
    "spread_floor": "0.03",
    "splice": "mean",
    "memory_days": 90,
    "tier_weights": {"listed": 2},
    "capacity_steps": ((1, 1), (100, 2)),
    "recency": "0.5",
    "cap": "0.3",
    "cap_venue": "0.5",
    "cap_aggregator": "0.5",
    "max_trade_share": "0.1",
    "weight_floor": "0.025",
    "screen": Screen(robust_z="3.5"),
    "max_aggregator_share": "0.5",
    "max_dispersion": "0.4",
    "dispersion_days": 5,
    "reopen": Reopen(days=2),
    "weekday": "friday",
    "snapshots": 4,
    "matched_days": 7,
    "inputs": ("trade", "listed"),
    "vote": ("seller", "region"),
    "seller_statistic": "mean",
    "estimator": "volume_weighted_median",
    "weights": "vote",
    "min_sellers": 2,
    "min_votes": 2,
    "min_observations": 2,
    "min_venues": 2,
    "min_gpu_hours": 1,
    "thin_sellers": 4,
    "thin_observations": 4,
    "include_carried": True,
    "suspect": "exclude",
    "calendar": "weekdays",
    "cutoff": "16:00 UTC",
    "lookback_hours": 25,
    "staleness_hours": 23,
    "fallback": "carry",
    "carry_days": 1,
    "decimals": 5,
    "publication_lag_hours": 1,
    "publication_grace_hours": 23,
    "finality_hours": 23,
    "holidays": (date(2026, 12, 25),),
    "publication_time": "17:00 UTC",
    "outage_sources": ("invented",),
    "outage_carry_days": 2,
    "hold_move": "0.25",
    "hold_days": 5,
    "republication_window_days": 5,
    "republication_threshold": "0.005",
    "cessation_notice_days": 90,
    "adjustments": AdjustmentSchedule.model_validate(
        {
            "factors": [
                {
                    "field": "form_factor",
                    "from": "PCIe",
                    "to": "SXM",
                    "factor": "1.25",
                    "effective_from": "2026-01-01",
                }
            ]
        }
    ),
}
OTHER_GRADE: dict[str, Any] = {
    "chip": "H200",
    "form_factor": ("SXM",),
    "memory_gb": (80,),
    "interconnect": ("NVLink",),
    "pricing": "spot",
    "price_basis": "instance",
    "sources": ("invented",),
    "skus": ("k1",),
    "term_months": (1,),
    "services": ("vm",),
    "tenancy": ("single",),
    "countries": ("US",),
    "regions": ("us-1",),
    "exclude_regions": ("us-1",),
    "sellers": ("alpha",),
    "exclude_sellers": ("alpha",),
    "min_gpus": 2,
    "max_gpus": 4,
    "minimum_gpus_at_least": 8,
    "minimum_gpus_at_most": 64,
    "rating": Rating(scheme="clustermax", at_least="Silver"),
}
BEFORE = benchmark()

WRITTEN = """
[grade]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"
[methodology]
version = "1.0.0"
inputs = ["trade", "listed"]
min_sellers = 3
thin_sellers = 5
cutoff = "16:00 America/New_York"
fallback = "carry"
carry_days = 2
"""
REORDERED = """
[methodology]
carry_days = 2
fallback = "carry"
thin_sellers = 5
cutoff = "16:00 America/New_York"
inputs = ["trade", "listed"]
min_sellers = 3
version = "1.0.0"
[grade]
pricing = "on_demand"
memory_gb = [80]
form_factor = ["SXM", "unstated"]
chip = "H100"
"""


def written(text: str) -> Benchmark:
    document = tomllib.loads(text)
    return benchmark(document["grade"], **document["methodology"])


def test_every_rule_is_tried_below():
    assert set(OTHER_RULES) == set(Methodology.model_fields)
    assert set(OTHER_GRADE) == set(Grade.model_fields)


@pytest.mark.parametrize("key", OTHER_RULES)
def test_one_changed_rule_of_the_methodology_changes_the_hash(key):
    # model_copy changes one key alone, which some pairs of rules would not allow in a file
    changed = BEFORE.methodology.model_copy(update={key: OTHER_RULES[key]})
    assert replace(BEFORE, methodology=changed).methodology_hash != BEFORE.methodology_hash


@pytest.mark.parametrize("key", OTHER_GRADE)
def test_one_changed_rule_of_the_grade_changes_the_hash(key):
    changed = BEFORE.grade.model_copy(update={key: OTHER_GRADE[key]})
    assert replace(BEFORE, grade=changed).methodology_hash != BEFORE.methodology_hash


@pytest.mark.parametrize(
    "change", [{"catalogue_hash": "1" * 64}, {"grade_name": "other"}, {"methodology_name": "other"}]
)
def test_the_catalogue_and_the_names_of_the_rules_are_sealed_too(change):
    assert replace(BEFORE, **change).methodology_hash != BEFORE.methodology_hash


@pytest.mark.parametrize("change", [{"name": "other"}, {"research": True}])
def test_what_does_not_touch_a_value_does_not_change_the_hash(change):
    assert replace(BEFORE, **change).methodology_hash == BEFORE.methodology_hash


def test_the_order_of_keys_in_a_file_does_not_change_the_hash():
    assert written(WRITTEN).methodology_hash == written(REORDERED).methodology_hash


def test_a_default_written_out_does_not_change_the_hash():
    spelled_out = benchmark(vote=["seller"], estimator="median", decimals=6, fallback="gap")
    assert spelled_out.methodology_hash == BEFORE.methodology_hash


WHOLE = benchmark(
    {"form_factor": ["SXM"]},
    inputs=["trade", "listed"],
    hierarchy="blend",
    blend={"trade": 0.75, "listed": 0.25},
    screen={"robust_z": 3.5, "jump": {"move": 0.25, "others_move": 0.1}, "affiliates": [["alpha", "beta"]]},
    reopen={"min_sellers": 4, "days": 2},
    adjustments={
        "factors": [
            {
                "field": "country",
                "from": "DE",
                "to": "US",
                "factor": "0.97",
                "effective_from": date(2026, 1, 1),
            }
        ]
    },
)


@pytest.mark.parametrize("made", [BEFORE, written(WRITTEN), WHOLE], ids=["defaults", "written", "tables"])
def test_what_was_resolved_reads_back_as_the_same_rules(made):
    resolved = made.resolved()
    again = Benchmark.from_resolved(made.name, resolved)
    assert again == made
    assert again.methodology_hash == made.methodology_hash
    assert again.resolved() == resolved


def test_what_is_recorded_leaves_out_what_stands_at_its_default():
    resolved = BEFORE.resolved()
    assert resolved["methodology"] == {"version": "1.0.0", "inputs": ["listed"]}
    assert resolved["grade"] == {"chip": "H100"}
    assert canonical_json(resolved).startswith(b'{"catalogue":"0000')
    assert set(BEFORE.spelled_out()["methodology"]) == set(Methodology.model_fields)
    assert set(BEFORE.spelled_out()["grade"]) == set(Grade.model_fields)


def test_a_key_that_is_added_later_with_its_default_changes_no_hash():
    class Later(Methodology):
        """Tomorrow's rules: one key more, which at its default does nothing."""

        rounding: str = "half_even"

    values = {"version": "1.0.0", "inputs": ["listed"]}
    later = replace(BEFORE, methodology=Later.read(values, "[methodologies.m]"))
    assert later.methodology_hash == BEFORE.methodology_hash
    changed = replace(BEFORE, methodology=Later.read({**values, "rounding": "up"}, "[methodologies.m]"))
    assert changed.methodology_hash != BEFORE.methodology_hash


def test_a_hash_on_a_tape_is_the_one_printed_when_the_keys_were_laid_down():
    # computed once, when the way of hashing was decided: a change of it would disown every older tape
    assert BEFORE.methodology_hash == "80edabce1fbca14c048d8a4f2cc63abf36cd96302dd8e103fc55a43a0a370572"


def test_a_default_that_changes_keeps_its_old_meaning_in_what_was_recorded(monkeypatch):
    recorded = BEFORE.resolved()
    monkeypatch.setattr(methodology, "DEFAULTS_VERSION", 3)
    monkeypatch.setattr(
        methodology,
        "FORMER_DEFAULTS",
        {1: {"min_sellers": 7, "decimals": 5}, 2: {"decimals": 4, "min_votes": 9}},
    )
    again = Benchmark.from_resolved(BEFORE.name, recorded)
    # what version 1 meant wins over what version 2 meant by the same key
    kept = (again.methodology.min_sellers, again.methodology.decimals, again.methodology.min_votes)
    assert kept == (7, 5, 9)
    assert again.methodology_hash == BEFORE.methodology_hash


def test_recorded_rules_are_not_held_against_todays_catalogue():
    recorded = BEFORE.resolved()
    recorded["grade"] = {"chip": "H100-as-it-was-called", "form_factor": ["SXM9"], "memory_gb": [80]}
    again = Benchmark.from_resolved("b", recorded)
    assert (again.grade.chip, again.grade.form_factor, again.grade.memory_gb) == (
        "H100-as-it-was-called",
        ("SXM9",),
        (80,),
    )
    assert again.methodology_hash == digest_of(recorded)


def test_rules_of_a_later_version_are_refused_with_the_key():
    recorded = BEFORE.resolved()
    recorded["methodology"] = {**recorded["methodology"], "rounding": "up"}
    with pytest.raises(RentmarkError, match="The recorded methodology invented-method holds rounding, which"):
        Benchmark.from_resolved("b", recorded)


def test_the_days_of_a_named_calendar_are_part_of_the_rules(monkeypatch):
    named = benchmark(calendar="XNYS")
    assert named.resolved()["calendar"] == calendar_digest("XNYS")
    before = named.methodology_hash
    monkeypatch.setattr(methodology, "calendar_digest", lambda _: "0" * 64)
    assert benchmark(calendar="XNYS").methodology_hash != before


def test_one_number_hashes_alike_however_it_was_written():
    ways = [
        benchmark(cap=cap, min_sellers=4).methodology_hash for cap in (0.25, "0.25", "1/4", "0.250", "2/8")
    ]
    assert len(set(ways)) == 1


def test_a_hash_is_64_hexadecimal_digits():
    assert len(BEFORE.methodology_hash) == 64
    assert int(BEFORE.methodology_hash, 16) >= 0


def test_two_names_of_one_form_factor_are_one():
    twice, once = benchmark({"form_factor": ["SXM4", "SXM5"]}), benchmark({"form_factor": ["SXM"]})
    assert twice.grade.form_factor == ("SXM",)
    assert twice.methodology_hash == once.methodology_hash
