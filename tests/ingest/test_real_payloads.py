"""The real payloads: every record accounted for. Skipped, naming the folder, where they are absent."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rentmark.records import Batch

Parse = Callable[..., Batch]
RECEIVED_AT = datetime(2026, 10, 1, tzinfo=UTC)

MERGED = "offers/offers_2022-02_2026-08.csv.gz"
GCP = "offers/gcp_gpu_prices_2022-02_2026-07.csv.gz"

MEASURE = """
import csv, gzip, io, json, sys, time
from datetime import UTC, datetime
from pathlib import Path
from rentmark.ingest import FeedContext, parse_payload
payload = Path(sys.argv[1]).read_bytes()
started = time.process_time()
batch = parse_payload("tabular", payload, FeedContext("digest", datetime(2026, 10, 1, tzinfo=UTC), "gcp"))
seconds = time.process_time() - started
# not ru_maxrss, which starts from the peak of the process that started this one
peak = int(next(line for line in Path("/proc/self/status").open() if line.startswith("VmHWM")).split()[1])
started = time.process_time()
for row in csv.DictReader(io.StringIO(gzip.decompress(payload).decode())):
    pass
times = seconds / (time.process_time() - started)
print(json.dumps([batch.records, batch.accepted, batch.duplicates, batch.rejected, times, peak]))
"""


@pytest.fixture(scope="module")
def merged(shared_data: Path, parse: Parse) -> Batch:
    return parse("tabular", (shared_data / MERGED).read_bytes(), received_at=RECEIVED_AT)


def test_the_merged_file_has_41767_records_and_205_duplicates(merged: Batch) -> None:
    """Counts: issue text of the whole job, computed twice independently."""
    assert merged.refusal is None
    assert (merged.records, merged.duplicates) == (41_767, 205)
    assert Counter(merged.rejects["reason"].to_pylist()) == {}
    assert merged.accepted == 41_562


def test_the_merged_file_keeps_who_sold_through_whom(merged: Batch) -> None:
    rows = merged.observations.select(["source", "venue", "aggregator", "rights"]).to_pylist()
    found = Counter(tuple(row.values()) for row in rows)
    assert found == {
        ("Cyclenerd/google-cloud-pricing-cost-calculator", None, "Cyclenerd", "allowed"): 19_643,
        ("adriannutiu/gpu-rental-prices", None, "gpurentalprices.com", "allowed"): 12_458,
        ("ccir-index/cri-h100", "vast.ai", "ccir.io", "allowed"): 1_936,
        ("the-full-stack/website:cloud-gpus.csv", None, "fullstackdeeplearning.com", "allowed"): 7_525,
    }
    assert Counter(merged.observations["carried_by_source"].to_pylist())[True] == 91


def test_doubts_on_real_offers_are_few_and_are_kept(merged: Batch) -> None:
    doubts = Counter(merged.observations["suspect"].to_pylist())
    assert doubts == {
        None: 41_004, "two_prices_one_instant": 398, "column_disagrees_with_name": 120,
        "spot_above_on_demand": 29, "price_outside_band": 11,
    }  # fmt: skip
    placeholders = [row for row in merged.observations.to_pylist() if row["price_micros"] == 40_001_481]
    assert {row["suspect"] for row in placeholders} == {"price_outside_band"}


def test_the_gcp_file_has_315321_records_within_its_bounds(shared_data: Path) -> None:
    """Measured in a process of its own, whose peak memory is its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(shared_data / GCP)], capture_output=True, text=True, check=True
    )
    records, accepted, duplicates, rejected, times, kilobytes = json.loads(done.stdout)
    assert (records, accepted, duplicates, rejected) == (315_321, 315_321, 0, 0)
    assert times < 5, "processor time beside csv.DictReader over the same rows: 2.1 times when written"
    assert kilobytes < 1_000_000


def test_of_a_cut_off_real_file_the_rows_before_the_cut_are_in(
    shared_data: Path, parse: Parse, merged: Batch
) -> None:
    payload = (shared_data / MERGED).read_bytes()
    batch = parse("tabular", payload[: len(payload) // 2], received_at=RECEIVED_AT)
    assert batch.refusal is not None
    assert batch.refusal.code == "truncated_payload"
    assert 10_000 < batch.accepted < merged.accepted
    whole = merged.observations["observation_id"].to_pylist()
    assert batch.observations["observation_id"].to_pylist() == whole[: batch.accepted]


def test_shuffled_real_rows_are_the_same_observations(shared_data: Path, parse: Parse, merged: Batch) -> None:
    header, *rows = gzip.decompress((shared_data / MERGED).read_bytes()).splitlines()
    shuffled = parse("tabular", b"\n".join([header, *reversed(rows)]) + b"\n", received_at=RECEIVED_AT)
    assert (shuffled.records, shuffled.duplicates) == (merged.records, merged.duplicates)
    assert set(shuffled.observations["observation_id"].to_pylist()) == set(
        merged.observations["observation_id"].to_pylist()
    )


def test_the_vast_sample_is_accounted_for(shared_data: Path, parse: Parse) -> None:
    payload = (shared_data / "feeds/vast_bundles_2026-03-06_sample.json").read_bytes()
    batch = parse("vast", payload, received_at=RECEIVED_AT)
    assert (batch.records, batch.accepted, batch.rejected, batch.duplicates) == (29, 29, 0, 0)
    rows = batch.observations.to_pylist()
    assert Counter(row["pricing"] for row in rows) == {"community": 25, "on_demand": 4}
    assert {row["tier"] for row in rows} == {"executable"}
    assert {row["memory_gb"] for row in rows if row["chip"] == "H200"} == {141}
    assert all(row["gpus_available"] == row["gpu_count"] for row in rows)


def test_the_gpurentalprices_snapshot_is_accounted_for(shared_data: Path, parse: Parse) -> None:
    payload = (shared_data / "feeds/gpurentalprices_snapshot_2026-08-18.json").read_bytes()
    batch = parse("gpurentalprices", payload, received_at=RECEIVED_AT)
    assert (batch.records, batch.accepted, batch.rejected, batch.duplicates) == (294, 294, 0, 0)
    rows = batch.observations.to_pylist()
    assert Counter(row["pricing"] for row in rows) == {
        "on_demand": 181, "serverless": 51, "spot": 32, "community": 30,
    }  # fmt: skip
    assert len({row["seller"] for row in rows}) == 34
    assert not any(row["carried_by_source"] for row in rows)


def test_the_feed_and_the_archive_of_one_day_agree_on_prices(
    shared_data: Path, parse: Parse, merged: Batch
) -> None:
    """The archive of gpurentalprices.com, merged by others, holds the same H100 prices that day."""
    payload = (shared_data / "feeds/gpurentalprices_snapshot_2026-08-18.json").read_bytes()
    feed = parse("gpurentalprices", payload, received_at=RECEIVED_AT)

    def h100(batch: Batch) -> set[tuple[str, str, int, str]]:
        return {
            (row["seller"], row["sku"], row["price_micros"], row["pricing"])
            for row in batch.observations.to_pylist()
            if row["source"] == "adriannutiu/gpu-rental-prices"
            and row["chip"] == "H100"
            and row["observed_at"].date().isoformat() == "2026-08-18"
        }

    assert h100(feed) <= h100(merged)
    assert len(h100(feed)) > 40


@pytest.mark.parametrize(
    "name",
    [
        "feeds/ccir_cri_h100_index.csv",
        "feeds/ccir_h100_sxm_us_all_days.csv",
        "feeds/ccir_reference_rates_2026-03-03.csv",
        "feeds/fsdl_cloud-gpus_2025-03-07.csv",
        "feeds/gcp_pricing_2026-07-30_excerpt.yml",
        "feeds/tardellirs_offerings_2026-05-24.json",
        "feeds/gpurentalprices_snapshot_2026-08-18.json",
        "offers/ccir_vast_book_2026-02-27_2026-03-06.csv",
        "offers/daily_seller_panel_2026-07-05_2026-08-22_ondemand.csv",
    ],
)
def test_payloads_of_other_layouts_are_refused_in_one_sentence(
    shared_data: Path, parse: Parse, name: str
) -> None:
    batch = parse(
        "tabular", (shared_data / name).read_bytes(), received_at=RECEIVED_AT, origin_name=Path(name).name
    )
    assert batch.refusal is not None
    expected = (
        {"not_an_offer"} if "index" in name or "panel" in name else {"missing_column", "not_this_format"}
    )
    assert batch.refusal.code in expected
    assert batch.refusal.sentence.startswith(Path(name).name)
    assert batch.records == 0
