"""Promises of the chip catalogue: complete, unambiguous, and hashed."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys

import pytest
from rentmark.grades import catalogue
from rentmark.grades.catalogue import (
    CATALOGUE,
    FORM_FACTORS,
    canonical_form_factor,
    canonical_memory,
    catalogue_hash,
    inside_price_band,
)
from rentmark.grades.words import ARCHITECTURE_WORDS, model_key

# The least the catalogue must hold.
REQUIRED = [
    "A100",
    "H100",
    "H200",
    "GH200",
    "B200",
    "B300",
    "GB200",
    "GB300",
    "L4",
    "L40S",
    "A10",
    "A40",
    "V100",
    "T4",
    "MI300X",
    "MI325X",
    "MI350X",
    "MI355X",
]
REQUIRED += ["RTX 3090", "RTX 4090", "RTX 5090", "RTX A6000", "RTX PRO 6000"]


@pytest.mark.parametrize("name", REQUIRED)
def test_the_chips_that_are_traded_are_in(name):
    assert CATALOGUE[name].name == name


def test_both_memories_of_an_a100_and_the_boards_of_an_h100_are_known():
    assert CATALOGUE["A100"].memory_gb == (40, 80)
    assert CATALOGUE["H100"].form_factors == ("SXM", "PCIe", "NVL")


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=list(CATALOGUE))
def test_a_row_is_sound(entry):
    written = [size for _, as_written in entry.memory for size in as_written]
    assert written, "a size is known"
    assert len(set(written)) == len(written), "a written size stands for one size"
    assert all(size in as_written for size, as_written in entry.memory)
    assert set(entry.form_factors) <= set(FORM_FACTORS)
    assert entry.price_low_micros > 0
    # Wide: a factor of at least 20, so that no honest market move leaves it.
    assert entry.price_high_micros >= 20 * entry.price_low_micros
    assert entry.spellings or entry.spellings_with_evidence


def test_no_two_chips_share_a_spelling_that_needs_no_evidence():
    owner: dict[tuple[str, ...], str] = {}
    for entry in CATALOGUE.values():
        for spelling in entry.spellings:
            assert owner.setdefault(model_key(spelling.split()), entry.name) == entry.name, spelling


def test_chips_that_share_words_differ_in_architecture():
    shared: dict[tuple[str, ...], dict[str, str]] = {}
    for entry in CATALOGUE.values():
        for spelling in (*entry.spellings, *entry.spellings_with_evidence):
            shared.setdefault(model_key(spelling.split()), {})[entry.name] = entry.architecture
    assert all(len(set(found.values())) == len(found) for found in shared.values())
    assert {entry.architecture for entry in CATALOGUE.values() if entry.spellings_with_evidence} <= set(
        ARCHITECTURE_WORDS.values()
    )


def test_names_differ_by_more_than_case():
    assert len({name.lower() for name in CATALOGUE}) == len(CATALOGUE)


def test_the_catalogue_cannot_be_changed_in_place():
    with pytest.raises(TypeError):
        CATALOGUE["H100"] = CATALOGUE["A100"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        CATALOGUE["H100"].name = "A100"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("chip", "written", "canonical"),
    [
        ("H200", 140, 141),
        ("H200", 143, 141),
        ("H200", 143_771 / 1024, 141),
        ("H100", 81_559 / 1024, 80),
        ("H100", 94, 94),
        ("H100", 95_830 / 1024, 94),
        ("A100", 40_960 / 1024, 40),
        ("A100", 81_920 / 1024, 80),
        ("B200", 192, 180),
        ("B300", 262, 288),
        ("L40S", 46_068 / 1024, 48),
        ("RTX 4090", 23_028 / 1024, 24),
        ("RTX 4090", 24_564 / 1024, 24),
        ("RTX 4090", 49_140 / 1024, 48),
        ("RTX PRO 6000", 48, 48),
        ("A100", 64, 64),
        ("no such chip", 143, 143),
    ],
)
def test_a_written_memory_stands_for_a_canonical_one_or_for_itself(chip, written, canonical):
    # MiB are those nvidia-smi and a marketplace's order book report for these boards.
    assert canonical_memory(chip, written) == canonical


@pytest.mark.parametrize("gb", [0, -80, 0.2, float("nan"), float("inf")])
def test_a_memory_that_is_none_is_an_error(gb):
    with pytest.raises(ValueError, match="memory size"):
        canonical_memory("H100", gb)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SXM", "SXM"), ("SXM2", "SXM"), ("sxm4", "SXM"), ("SXM 5", "SXM"), ("sxm6", "SXM"),
        ("PCIe", "PCIe"), ("pcie", "PCIe"), ("PCI-E", "PCIe"), ("NVL", "NVL"), ("oam", "OAM"),
        ("nvl72", "NVL72"), ("", None), ("  ", None),
    ],
)  # fmt: skip
def test_a_form_factor_column_is_read(text, form):
    assert canonical_form_factor(text) == form


@pytest.mark.parametrize("text", ["SXM1x", "NVLink", "socket", "PCIe/SXM", "none"])
def test_an_unknown_form_factor_is_an_error_that_names_it(text):
    with pytest.raises(ValueError, match=text):
        canonical_form_factor(text)


def test_a_whole_nodes_price_as_one_gpus_is_outside_the_band():
    # AWS p5.48xlarge at 55.04 per hour was stored as one GPU's price; 6.88 is its eighth.
    assert not inside_price_band("H100", 55_040_000)
    assert inside_price_band("H100", 6_880_000)
    assert not inside_price_band("H100", 6_880)
    assert inside_price_band("no such chip", 1)


def test_the_hash_is_the_same_in_every_process_and_moves_with_any_row(monkeypatch):
    script = "from rentmark.grades.catalogue import catalogue_hash as c\nfrom rentmark.grades.aliases import aliases_hash as a\nprint(c(), a())"
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1
    before = catalogue_hash()
    assert printed.pop().split()[0] == before
    dearer = dataclasses.replace(CATALOGUE["H100"], price_high_micros=21_000_000)
    monkeypatch.setattr(catalogue, "CATALOGUE", {**CATALOGUE, "H100": dearer})
    catalogue_hash.cache_clear()
    try:
        assert catalogue_hash() != before
    finally:
        catalogue_hash.cache_clear()
