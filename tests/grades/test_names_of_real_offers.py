"""Every raw name of the real data is read or refused, and agrees with the file's own columns."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from rentmark.grades.catalogue import (
    CATALOGUE,
    FORM_FACTORS,
    canonical_form_factor,
    canonical_memory,
    inside_price_band,
)
from rentmark.grades.names import NameReading, canonical_chip, read_name
from rentmark.records import Refusal

OFFERS = ("offers_2022-02_2026-08.csv.gz", "gcp_gpu_prices_2022-02_2026-07.csv.gz")

DISAGREEMENTS = {
    # The collector files the RTX 3090 Ti under RTX 3090; they are two chips.
    ("rtx-3090-ti", "chip", "RTX 3090", "RTX 3090 Ti"),
    # Three rows of the collector say 40 GB beside a name that says 80.
    ("a100-pcie-80", "memory_gb", 40, 80),
    ("a100-sxm-80", "memory_gb", 40, 80),
}

FSDL_DISAGREEMENTS = {
    # The column is the instance's total; in these rows it holds one GPU's, or a total of other GPUs.
    ("A100 (80 GB)", 10), ("A100 (80 GB)", 20), ("A100 (80 GB)", 40),
    ("H100 (80 GB)", 10), ("H100 (80 GB)", 20), ("H100 (80 GB)", 40),
    ("A4000 (16 GB)", 8), ("A5000 (24 GB)", 18), ("3080Ti (12 GB)", 9),
}  # fmt: skip

REFUSED_NAMES = {
    # Mixes RTX PRO 6000 with RTX A6000.
    "NVIDIA RTX PRO-A6000 SE",
}


def offer_rows(shared_data: Path, name: str) -> list[dict[str, str]]:
    path = shared_data / "offers" / name
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def payload(shared_data: Path, name: str) -> Path:
    path = shared_data / "feeds" / name
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    return path


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


@pytest.mark.parametrize("file", OFFERS)
def test_every_raw_name_of_the_offers_is_read_and_agrees_with_its_columns(shared_data, file):
    rows = offer_rows(shared_data, file)
    distinct = {
        (row["gpu_model_raw"], row["gpu_model"], row["form_factor"], row["vram_gb"], row["gpu_count"])
        for row in rows
    }
    differ: set[tuple[str, str, object, object]] = set()
    for raw, model, form_factor, vram_gb, gpu_count in distinct:
        reading = read_name(raw)
        assert isinstance(reading, NameReading), reading
        memory_gb = canonical_memory(reading.chip, float(vram_gb)) if vram_gb else None
        columns = {
            "chip": canonical_chip(model, memory_gb),
            "form_factor": canonical_form_factor(form_factor),
            "memory_gb": memory_gb,
        }
        if raw.startswith(("a2-", "a3-", "g2-", "g4-")):
            columns["gpu_count"] = int(gpu_count)
        for field, column in columns.items():
            said = getattr(reading, field)
            if said is not None and column is not None and said != column:
                differ.add((raw, field, column, said))
    expected = {row for row in DISAGREEMENTS if any(raw == row[0] for raw, *_ in distinct)}
    assert differ == expected
    assert {canonical_chip(row["gpu_model"]) for row in rows} <= set(CATALOGUE)


def test_every_raw_name_of_the_offers_stands_in_the_answers_table(shared_data):
    with (Path(__file__).parent / "names_answers.csv").open(encoding="utf-8", newline="") as handle:
        answered = {row["name"] for row in csv.DictReader(handle)}
    distinct = {row["gpu_model_raw"] for file in OFFERS for row in offer_rows(shared_data, file)}
    assert len(distinct) == 110
    assert distinct <= answered


def test_the_bands_doubt_only_prices_that_are_wrong_in_the_source(shared_data):
    outside: dict[tuple[str, str], int] = {}
    for file in OFFERS:
        for row in offer_rows(shared_data, file):
            chip = canonical_chip(row["gpu_model"], int(row["vram_gb"]) if row["vram_gb"] else None)
            assert chip is not None, row
            price_micros = round(float(row["price_per_gpu_hour"] or 0) * 1_000_000)
            if price_micros > 0 and not inside_price_band(chip, price_micros):
                key = (chip, row["seller"].partition("/")[0])
                outside[key] = outside.get(key, 0) + 1
    assert outside == {
        # One day's rows of RunPod hold a GPU's price divided by the number of GPUs.
        ("A40", "runpod.io"): 4,
        ("RTX A6000", "runpod.io"): 4,
        ("RTX A5000", "runpod.io"): 4,
        # One host asks 40 dollars for an A100.
        ("A100", "vast.ai"): 8,
    }


def test_every_name_of_the_vast_sample_is_read_and_agrees_with_its_memory(shared_data):
    offers = json.loads(payload(shared_data, "vast_bundles_2026-03-06_sample.json").read_bytes())["offers"]
    for offer in offers:
        reading = read_name(offer["gpu_name"])
        assert isinstance(reading, NameReading), reading
        assert canonical_memory(reading.chip, offer["gpu_ram"] / 1024) in CATALOGUE[reading.chip].memory_gb


def test_every_name_of_the_order_book_is_read(shared_data):
    path = shared_data / "offers" / "ccir_vast_book_2026-02-27_2026-03-06.csv"
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    names = {(row["gpu_name"], row["gpu_ram_mb"]) for row in csv_rows(path)}
    for name, mebibytes in names:
        reading = read_name(name)
        assert isinstance(reading, NameReading), reading
        assert canonical_memory(reading.chip, int(mebibytes) / 1024) in CATALOGUE[reading.chip].memory_gb


def test_every_name_of_the_gpurentalprices_snapshot_is_read_and_agrees_with_its_memory(shared_data):
    path = payload(shared_data, "gpurentalprices_snapshot_2026-08-18.json")
    for offer in json.loads(path.read_bytes())["offers"]:
        reading = read_name(offer["gpu"])
        assert isinstance(reading, NameReading), reading
        column = canonical_memory(reading.chip, offer["vram_gb"])
        assert reading.memory_gb in (None, column), offer


def test_every_name_of_the_tardellirs_list_is_read_or_listed_as_refused(shared_data):
    offers = json.loads(payload(shared_data, "tardellirs_offerings_2026-05-24.json").read_bytes())
    refused = set()
    for offer in offers:
        reading = read_name(offer["gpu_model"])
        if isinstance(reading, Refusal):
            refused.add(offer["gpu_model"])
            continue
        assert reading.memory_gb in (None, canonical_memory(reading.chip, offer["vram_gb"])), offer
        if offer["interconnect"] in FORM_FACTORS:
            assert reading.form_factor in (None, offer["interconnect"]), offer
    assert refused == REFUSED_NAMES


def test_every_gpu_type_of_the_fsdl_list_is_read_and_its_instance_names_agree(shared_data):
    rows = csv_rows(payload(shared_data, "fsdl_cloud-gpus_2025-03-07.csv"))
    differ = set()
    instances = 0
    for row in rows:
        reading = read_name(row["GPU Type"])
        assert isinstance(reading, NameReading), reading
        column = canonical_memory(reading.chip, float(row["GPU RAM"]) / int(row["GPUs"]))
        if reading.memory_gb not in (None, column):
            differ.add((row["GPU Type"], column))
        instance = read_name(row["Name"])
        if isinstance(instance, NameReading):
            instances += 1
            assert instance.chip == reading.chip, row
            assert len({instance.memory_gb, reading.memory_gb} - {None}) <= 1, row
            assert instance.gpu_count in (None, int(row["GPUs"])), row
    assert differ == FSDL_DISAGREEMENTS
    assert instances > 60


def test_reference_rates_and_the_constructed_catalogue_are_read(shared_data):
    for row in csv_rows(payload(shared_data, "ccir_reference_rates_2026-03-03.csv")):
        reading, sku = read_name(row["gpu_model"]), read_name(row["sku"])
        assert isinstance(reading, NameReading), reading
        # Skus that are ids of a price, such as 7A6D-F74C-B0A3, name nothing and are refused.
        assert isinstance(sku, Refusal) or sku.chip == reading.chip
    for row in csv_rows(payload(shared_data, "gpuhunt_catalog_constructed.csv")):
        reading = read_name(row["instance_name"])
        assert reading == NameReading(
            row["gpu_name"], "SXM", int(float(row["gpu_memory"])), int(row["gpu_count"]), None
        )
