"""Presets: every key says whether it is public or assumed, and a methodology made from one is written out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rentmark.grades import Grade, catalogue_hash
from rentmark.index import Benchmark, Methodology
from rentmark.index.presets import PRESETS, preset_named, with_preset
from rentmark.records import UsageError, digest_of

from .making import benchmark

WHERE = "[methodologies.m]"


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_every_preset_is_a_methodology_and_a_grade_without_contradiction(preset):
    rules = Methodology.read(preset.values(), preset.name)
    assert rules.version == f"{preset.name}@{preset.version}"
    Grade.read({"chip": "H100"} | {key: keyed.value for key, keyed in preset.grade.items()}, preset.name)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_every_key_says_where_it_was_read_or_that_it_is_undisclosed(preset):
    for key, keyed in {**preset.methodology, **preset.grade}.items():
        assert key in {**Methodology.model_fields, **Grade.model_fields}
        assert keyed.standing in ("public", "assumed")
        assert keyed.source.startswith("undisclosed, assumed: ") == (keyed.standing == "assumed"), key
        assert len(keyed.source) > 15, key
    assert preset.not_expressed
    assert preset.read


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_no_preset_is_wholly_assumed(preset):
    standings = {keyed.standing for keyed in preset.methodology.values()}
    assert "public" in standings
    assert preset.name == preset.name.lower()
    assert preset.version.count(".") == 2


PINNED = {
    "silicon-data@1.0.0": "adf556df9c32ad0c",
    "ornn-ocpi@1.0.0": "ae26817e60c96213",
    "computable-cgi@1.0.0": "04cb422cecb06d89",
    "tci-eu-cri@1.0.0": "2b6146a0eb11757b",
    "gpu-markets-median@1.0.0": "8a3ed9f07d796e65",
    "gpu-markets-capacity@1.0.0": "935a47d2b3e495e5",
    "ccir-cri-h100@1.0.0": "db954b83aaca9603",
    "computepulse@1.0.0": "fc9a51d12e1d151d",
    "gpuprice-fyi@1.0.0": "fe1688954664d4d8",
    "sofr@1.0.0": "27269713b664a730",
    "cf-brr@1.0.0": "67cfb4e82ad28099",
    "price-assessment@1.0.0": "4f4f21d7c58f0fed",
}
"""By preset and version the first digits of the SHA-256 of its keys: a changed key needs another version here."""


def test_no_key_of_a_preset_changes_without_its_version():
    assert {p.reference: digest_of(p.values())[:16] for p in PRESETS.values()} == PINNED


def test_two_presets_never_stand_for_the_same_rules():
    rules = [
        Methodology.read(p.values() | {"version": "1"}, p.name).model_dump_json() for p in PRESETS.values()
    ]
    assert len(set(rules)) == len(PRESETS)


def test_a_table_with_a_preset_is_written_out_and_own_keys_win():
    written = with_preset({"preset": "sofr", "carry_days": 1, "min_sellers": 2}, WHERE)
    rules = Methodology.read(written, WHERE)
    assert (rules.estimator, rules.weights, rules.carry_days, rules.min_sellers) == (
        "volume_weighted_median",
        "volume",
        1,
        2,
    )
    assert rules.version == PRESETS["sofr"].reference
    assert with_preset({"preset": "sofr", "version": "mine"}, WHERE)["version"] == "mine"


def test_keys_left_out_stand_at_their_default():
    written = with_preset({"preset": "sofr", "without": ["fallback", "carry_days"]}, WHERE)
    rules = Methodology.read(written, WHERE)
    assert (rules.fallback, rules.carry_days) == ("gap", 0)


def test_a_table_without_a_preset_stays_as_it_is():
    assert with_preset({"version": "1", "inputs": ["listed"]}, WHERE) == {
        "version": "1",
        "inputs": ["listed"],
    }


def test_a_preset_and_its_keys_written_out_have_one_hash():
    """The resolved values are hashed, not the name: so a revised preset is another hash, never a silent change."""
    by_name = Methodology.read(with_preset({"preset": "computepulse"}, WHERE), WHERE)
    by_hand = Methodology.read(PRESETS["computepulse"].values(), WHERE)
    base = benchmark()
    hashes = {
        Benchmark(
            "b", "g", base.grade, "m", rules, research=False, catalogue_hash=catalogue_hash()
        ).methodology_hash
        for rules in (by_name, by_hand)
    }
    assert len(hashes) == 1
    preset = PRESETS["computepulse"]
    revised = replace(
        preset, version="1.1.0", methodology={**preset.methodology, "tail": preset.methodology["tail"]}
    )
    moved = Methodology.read(revised.values(), WHERE)
    other = Benchmark("b", "g", base.grade, "m", moved, research=False, catalogue_hash=catalogue_hash())
    assert other.methodology_hash not in hashes, "the version of the preset stands in the hash"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"preset": "sofer"}, r"names preset 'sofer'; did you mean sofr\?"),
        ({"preset": "zzz"}, "names preset 'zzz'; known: silicon-data, ornn-ocpi"),
        ({"preset": "sofr@0.1.0"}, r"this Rentmark ships sofr@1\.0\.0\. Write its keys out"),
        ({"preset": 3}, "has preset = 3; write the name of a preset"),
        ({"preset": "sofr", "without": "fallback"}, "write a list of keys"),
        (
            {"preset": "sofr", "without": ["tail"]},
            "leaves out 'tail', which sofr does not set; it sets inputs",
        ),
        ({"without": ["tail"]}, "has without and no preset"),
    ],
)
def test_a_preset_that_can_not_be_meant_is_refused_with_the_remedy(values, sentence):
    with pytest.raises(UsageError, match=sentence):
        with_preset(values, WHERE)


def test_a_version_may_be_pinned():
    assert preset_named("sofr@1.0.0") is PRESETS["sofr"]
