"""Every payload of the folder of real data: what became of each record, and that other readings of it agree."""

from __future__ import annotations

import csv
import importlib.util
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rentmark.grades import canonical_chip, canonical_memory
from rentmark.records import Batch
from rentmark.records.schemas import INSTANT

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "feeds-accounts.md"
MERGED = "offers/offers_2022-02_2026-08.csv.gz"
GCP_OFFERS = "offers/gcp_gpu_prices_2022-02_2026-07.csv.gz"
PANEL = "offers/daily_seller_panel_2026-07-05_2026-08-22_ondemand.csv"


def proof() -> ModuleType:
    """The script that makes the page."""
    spec = importlib.util.spec_from_file_location("feed_accounts", ROOT / "proof" / "feed_accounts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its module up there
    spec.loader.exec_module(module)
    return module


PROOF = proof()
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def batches(shared_data: Path) -> Callable[[str, str | None], Batch]:
    """The batch of a payload, each read once."""
    held: dict[str, Batch] = {}

    def batch(file: str, section: str | None = None) -> Batch:
        reading = next(one for one in PROOF.READINGS if (one.file, one.section) == (file, section))
        if reading.name not in held:
            held[reading.name] = PROOF.read(reading, shared_data)
        return held[reading.name]

    return batch


@pytest.mark.parametrize("reading", PROOF.READINGS, ids=lambda reading: reading.name)
def test_the_account_of_every_payload_is_that_of_the_page(
    batches: Callable[..., Batch], reading: Any
) -> None:
    batch = batches(reading.file, reading.section)
    assert batch.records == batch.accepted + batch.rejected + batch.duplicates
    assert PROOF.row(reading, batch) in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_has_no_other_payload_and_a_date(shared_data: Path) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| `") for line in lines) == len(PROOF.READINGS)
    made = next(line for line in lines if line.startswith("Made on "))
    date.fromisoformat(made.split()[2])
    files = {
        path.relative_to(shared_data).as_posix()
        for room in ("feeds", "offers")
        for path in (shared_data / room).iterdir()
    }
    assert files == {reading.file for reading in PROOF.READINGS}


@pytest.mark.parametrize(
    ("file", "section", "counts"),
    [
        ("offers/ccir_vast_book_2026-02-27_2026-03-06.csv", None, (1_936, 1_936, 0, 0)),
        (MERGED, None, (41_767, 41_562, 0, 205)),
        (GCP_OFFERS, None, (315_321, 315_321, 0, 0)),
        ("feeds/gcp_pricing_2026-07-30_excerpt.yml", None, (44, 44, 0, 0)),
        ("feeds/tardellirs_offerings_2026-05-24.json", None, (310, 308, 2, 0)),
        # 257 rows: 251 with On-demand, 6 with Per-GPU alone, and 79 that also have Spot
        ("feeds/fsdl_cloud-gpus_2025-03-07.csv", None, (336, 327, 0, 9)),
        ("feeds/ccir_reference_rates_2026-03-03.csv", None, (18, 18, 0, 0)),
        ("feeds/ccir_h100_sxm_us_all_days.csv", None, (77, 77, 0, 0)),
        ("feeds/trade_feed_shapes_constructed.json", "akash_lease_rest", (1, 1, 0, 0)),
    ],
)
def test_counts_that_were_reckoned_elsewhere(
    batches: Callable[..., Batch], file: str, section: str | None, counts: tuple[int, ...]
) -> None:
    batch = batches(file, section)
    assert (batch.records, batch.accepted, batch.rejected, batch.duplicates) == counts


def test_an_index_and_a_panel_are_not_offers(batches: Callable[..., Batch]) -> None:
    for file in ("feeds/ccir_cri_h100_index.csv", PANEL):
        refusal = batches(file).refusal
        assert refusal is not None
        assert refusal.code == "not_an_offer"


def test_the_order_book_covers_eight_days_of_hosts_and_machines(batches: Callable[..., Batch]) -> None:
    rows = batches("offers/ccir_vast_book_2026-02-27_2026-03-06.csv").observations.to_pylist()
    assert len({row["observed_at"].date() for row in rows}) == 8
    assert {row["venue"] for row in rows} == {"vast.ai"}
    assert Counter(row["pricing"] for row in rows) == {"community": 1_453, "on_demand": 483}
    assert {row["rights"] for row in rows} == {"allowed"}
    sizes: dict[Any, set[int]] = defaultdict(set)
    for row in rows:
        sizes[row["observed_at"], row["seller"], row["machine"]].add(row["gpu_count"])
    assert Counter(tuple(sorted(one)) for one in sizes.values())[(1, 2, 4, 8)] == 47


def test_the_order_book_agrees_with_the_merged_file(batches: Callable[..., Batch]) -> None:
    """The merged file holds the same book, with prices rounded to the micro-dollar by its maker."""
    feed = batches("offers/ccir_vast_book_2026-02-27_2026-03-06.csv").observations.to_pylist()
    merged = batches(MERGED).observations.to_pylist()
    found = {
        (row["observed_at"].date(), row["source_id"], row["gpu_count"], row["chip"]): row["price_micros"]
        for row in feed
    }
    expected = {
        (row["observed_at"].date(), row["sku"].removeprefix("ask-"), row["gpu_count"], row["chip"]): row[
            "price_micros"
        ]
        for row in merged
        if row["source"] == "ccir-index/cri-h100"
    }
    assert set(found) == set(expected)
    assert max(abs(found[key] - expected[key]) for key in found) <= 1


def test_the_cloud_table_agrees_with_the_merged_file_where_it_states_a_total(
    batches: Callable[..., Batch],
) -> None:
    feed = batches("feeds/fsdl_cloud-gpus_2025-03-07.csv").observations.to_pylist()
    merged = [
        row
        for row in batches(MERGED).observations.to_pylist()
        if row["source"] == "the-full-stack/website:cloud-gpus.csv"
        and row["observed_at"].isoformat() == "2025-03-07T19:25:40+00:00"
    ]

    def keys(rows: Rows) -> set[tuple[Any, ...]]:
        return {
            (
                row["seller"],
                row["name_as_written"],
                row["gpu_count"],
                row["pricing"],
                row["chip"],
                row["price_micros"],
            )
            for row in rows
        }

    assert merged
    assert keys(merged) <= keys(feed)
    assert {
        row["unit_original"]
        for row in feed
        if (
            row["seller"],
            row["name_as_written"],
            row["gpu_count"],
            row["pricing"],
            row["chip"],
            row["price_micros"],
        )
        not in keys(merged)
    } <= {"usd_per_gpu_hour"}


def test_google_prices_agree_with_the_archive_of_the_same_day(batches: Callable[..., Batch]) -> None:
    feed = batches("feeds/gcp_pricing_2026-07-30_excerpt.yml").observations.to_pylist()
    offers = batches(GCP_OFFERS).observations.select(
        ["observed_at", "sku", "region", "pricing", "price_micros"]
    )
    of_the_day = pc.equal(offers["observed_at"], pa.scalar(feed[0]["observed_at"], INSTANT))
    archive = {
        (row["sku"], row["region"], row["pricing"]): row["price_micros"]
        for row in offers.filter(of_the_day).to_pylist()
    }
    shared = [row for row in feed if row["pricing"] != "reserved"]
    assert len(shared) == 22
    for row in shared:
        assert abs(archive[row["sku"], row["region"], row["pricing"]] - row["price_micros"]) <= 1
    assert Counter(row["term_months"] for row in feed if row["pricing"] == "reserved") == {12: 11, 36: 11}


def test_the_medians_of_the_daily_panel_are_those_of_the_merged_file(
    batches: Callable[..., Batch], shared_data: Path
) -> None:
    """7,780 medians per seller, GPU and day: an answers file, never an input."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row in batches(MERGED).observations.to_pylist():
        if row["source"] == "adriannutiu/gpu-rental-prices" and row["pricing"] == "on_demand":
            key = (
                row["observed_at"].date().isoformat(),
                row["seller"],
                row["chip"],
                row["form_factor"],
                row["memory_gb"],
            )
            groups[key].append(row["price_micros"])
    with (shared_data / PANEL).open(encoding="utf-8", newline="") as file:
        panel = list(csv.DictReader(file))
    expected = {}
    for line in panel:
        written = int(line["vram_gb"]) if line["vram_gb"] else None
        chip = canonical_chip(line["gpu_model"], written)
        assert chip is not None
        memory = None if written is None else canonical_memory(chip, written)
        key = (line["date"], line["seller"], chip, line["form_factor"] or None, memory)
        expected[key] = float(line["median_per_gpu_hour"])
    assert len(panel) == len(expected) == 7_780
    assert set(groups) == set(expected)
    off = {key: statistics.median(prices) / 1e6 - expected[key] for key, prices in groups.items()}
    assert max(map(abs, off.values())) <= 0.00005 + 1e-9  # the panel is written with four decimals


def test_the_trade_shapes_become_trades(batches: Callable[..., Batch]) -> None:
    """Invented values; the arithmetic by hand."""
    shapes = "feeds/trade_feed_shapes_constructed.json"
    (fill,) = batches(shapes, "sfcompute_orderbook_fills").observations.to_pylist()
    assert (fill["price_micros"], fill["gpu_count"], fill["gpu_seconds"]) == (2_200_000, 24, 24 * 86_400)
    (order,) = batches(shapes, "sfcompute_v0_order").observations.to_pylist()
    assert order["price_micros"] == 36_328_125  # 27,900.00 dollars / (4 nodes × 8 GPUs × 24 hours)
    assert order["suspect"] == "price_outside_band"
    (lease,) = batches(shapes, "akash_lease_rest").observations.to_pylist()
    assert lease["price_micros"] == 2_490_000  # 8,300 × 600 / 1e6 × 0.50
    assert lease["gpu_seconds"] == 86_400
    (job,) = batches(shapes, "nosana_job").observations.to_pylist()
    assert (job["price_micros"], job["gpu_seconds"]) == (192_000, 7_200)


def test_what_a_collector_says_beside_its_prices_is_heard(batches: Callable[..., Batch]) -> None:
    """Counts of its own words in the payload: 57 times billed separately, 119 spot offers, one of them rejected."""
    rows = batches("feeds/tardellirs_offerings_2026-05-24.json").observations.to_pylist()
    assert Counter(row["price_basis"] for row in rows) == {"instance": 251, "gpu_only": 57}
    assert Counter(row["pricing"] for row in rows)["spot"] == 118
    assert Counter(row["suspect"] for row in rows) == {
        None: 285,
        "estimated_by_source": 13,
        "older_than_snapshot": 10,
    }
