"""The methodology hash: one changed rule changes it, and nothing else does."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from rentmark.grades.spec import Grade, Rating
from rentmark.index import Benchmark, Methodology
from rentmark.records import canonical_json

from .making import benchmark

OTHER_RULES: dict[str, Any] = {
    "version": "1.0.1",
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
}
OTHER_GRADE: dict[str, Any] = {
    "chip": "H200",
    "form_factor": ("SXM",),
    "memory_gb": (80,),
    "pricing": "spot",
    "price_basis": "instance",
    "sources": ("invented",),
    "skus": ("k1",),
    "term_months": (1,),
    "services": ("vm",),
    "countries": ("US",),
    "regions": ("us-1",),
    "exclude_regions": ("us-1",),
    "sellers": ("alpha",),
    "exclude_sellers": ("alpha",),
    "min_gpus": 2,
    "max_gpus": 4,
    "rating": Rating(scheme="invented", at_least="silver"),
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


@pytest.mark.parametrize("made", [BEFORE, written(WRITTEN)], ids=["defaults", "written"])
def test_what_was_resolved_reads_back_as_the_same_rules(made):
    resolved = made.resolved()
    again = Benchmark.from_resolved(made.name, resolved)
    assert again == made
    assert again.methodology_hash == made.methodology_hash
    assert again.resolved() == resolved


def test_what_was_resolved_is_plain_and_spells_out_every_rule():
    resolved = BEFORE.resolved()
    assert set(resolved["methodology"]) == set(Methodology.model_fields)
    assert set(resolved["grade"]) == set(Grade.model_fields)
    assert canonical_json(resolved).startswith(b'{"catalogue":"0000')


def test_a_hash_is_64_hexadecimal_digits():
    assert len(BEFORE.methodology_hash) == 64
    assert int(BEFORE.methodology_hash, 16) >= 0
