"""Read every payload of the folder of real data with its feed, and write down what became of each record.

``python proof/feed_accounts.py DATA`` prints the page that stands as ``docs/feeds-accounts.md``. A test reads the
payloads again and compares the figures with the page.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rentmark.ingest import FEEDS, FeedContext, parse_payload, read_mapping, split_reading
from rentmark.records import Batch, sha256_hex

RECEIVED_AT = datetime(2026, 10, 1, tzinfo=UTC)
SHAPES = "feeds/trade_feed_shapes_constructed.json"


@dataclass(frozen=True, slots=True)
class Reading:
    """One payload and how it is read. ``section`` is the part of a constructed file that is one payload."""

    file: str
    feed: str
    stated: Mapping[str, Any] = field(default_factory=dict)
    section: str | None = None

    @property
    def name(self) -> str:
        """The file, and the section where it has several."""
        return self.file if self.section is None else f"{self.file}, {self.section}"


READINGS = (
    Reading("feeds/vast_bundles_2026-03-06_sample.json", "vast"),
    Reading("feeds/gpurentalprices_snapshot_2026-08-18.json", "gpurentalprices"),
    Reading("feeds/gcp_pricing_2026-07-30_excerpt.yml", "gcp"),
    Reading("feeds/tardellirs_offerings_2026-05-24.json", "tardellirs"),
    Reading("feeds/ccir_reference_rates_2026-03-03.csv", "ccir-rates"),
    Reading("feeds/ccir_h100_sxm_us_all_days.csv", "ccir-book"),
    Reading("feeds/ccir_cri_h100_index.csv", "ccir-book"),
    Reading("feeds/fsdl_cloud-gpus_2025-03-07.csv", "fsdl", {"observed_at": "2025-03-07T19:25:40Z"}),
    Reading(
        "feeds/gpuhunt_catalog_constructed.csv",
        "gpuhunt",
        {"provider": "constructed", "observed_at": "2026-08-14T06:00:00Z"},
    ),
    Reading(
        SHAPES,
        "sfcompute",
        {"name": "h100i", "start_at": "2025-05-02T00:00:00Z", "end_at": "2025-05-03T00:00:00Z"},
        "sfcompute_orderbook_fills",
    ),
    Reading(SHAPES, "sfcompute", {}, "sfcompute_v0_order"),
    Reading(
        SHAPES,
        "akash",
        {
            "akt_usd": {"source": "invented", "values": {"2026-03-01": "0.50"}},
            "block_times": {
                "source": "invented",
                "values": {"15843430": "2026-03-02T06:00:00Z", "15857830": "2026-03-03T06:00:00Z"},
            },
            "leases": {"15843418": {"name": "NVIDIA A100 80GB"}},
        },
        "akash_lease_rest",
    ),
    Reading(
        SHAPES,
        "nosana",
        {"markets": {"<market pubkey = GPU class>": {"name": "NVIDIA RTX 4090"}}},
        "nosana_job",
    ),
    Reading("offers/offers_2022-02_2026-08.csv.gz", "tabular"),
    Reading("offers/gcp_gpu_prices_2022-02_2026-07.csv.gz", "tabular"),
    Reading("offers/ccir_vast_book_2026-02-27_2026-03-06.csv", "ccir-book"),
    Reading("offers/daily_seller_panel_2026-07-05_2026-08-22_ondemand.csv", "tabular"),
)


def read(reading: Reading, data: Path) -> Batch:
    """Parse one payload."""
    payload = (data / reading.file).read_bytes()
    if reading.section is not None:
        payload = json.dumps(json.loads(payload)[reading.section]).encode()
    stated = read_mapping({"feed": reading.feed, **reading.stated}, "[proof]") if reading.stated else None
    mapping, parameters = split_reading(stated)
    context = FeedContext(
        sha256_hex(payload), RECEIVED_AT, Path(reading.file).name, mapping, parameters=parameters
    )
    return parse_payload(reading.feed, payload, context)


def row(reading: Reading, batch: Batch) -> str:
    """One line of the table."""
    if batch.refusal is not None and batch.records == 0:
        return f"| `{reading.name}` | `{reading.feed}` | – | – | – | – | refused: `{batch.refusal.code}` |"
    told = [f"{count:,} `{reason}`" for reason, count in _counted(batch.rejects.column("reason").to_pylist())]
    doubts = [
        f"{count:,} `{reason}`"
        for reason, count in _counted(batch.observations.column("suspect").to_pylist())
    ]
    remarks = [f"rejected: {', '.join(told)}"] * bool(told) + [f"marked: {', '.join(doubts)}"] * bool(doubts)
    remarks += list(batch.notes)
    figures = (batch.records, batch.accepted, batch.rejected, batch.duplicates)
    cells = " | ".join(f"{figure:,}" for figure in figures)
    return f"| `{reading.name}` | `{reading.feed}` | {cells} | {'; '.join(remarks) or '–'} |"


def _counted(codes: list[str | None]) -> list[tuple[str, int]]:
    counts = Counter(code for code in codes if code is not None)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def rows(data: Path) -> Iterator[str]:
    """The table, line by line; raises AssertionError where an account does not add up."""
    for reading in READINGS:
        batch = read(reading, data)
        assert batch.records == batch.accepted + batch.rejected + batch.duplicates, reading.name
        yield row(reading, batch)


def page(data: Path, today: date) -> str:
    """The whole page."""
    versions = ", ".join(f"{name} {FEEDS[name].version}" for name in sorted({r.feed for r in READINGS}))
    return "\n".join(
        [
            "# What became of every record",
            "",
            f"Made on {today} by `python proof/feed_accounts.py DATA`, with the feed versions {versions}.",
            "`records = accepted + rejected + duplicates` in every line; `marked` records are among the accepted.",
            "Payloads whose name holds `constructed` have real field names and invented values, and so have the",
            "parameters stated for them; the time of the FSDL table is that of its commit.",
            "",
            "| payload | feed | records | accepted | rejected | duplicates | remarks |",
            "|---|---|---:|---:|---:|---:|---|",
            *rows(data),
            "",
            "The index of an administrator and the daily panel of medians are not offers, and every feed refuses them.",
            "The panel serves as answers instead: its 7,780 medians per seller, GPU and day are those of the merged",
            "file's on-demand rows (`tests/ingest/test_real_feeds.py`).",
            "",
        ]
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python proof/feed_accounts.py DATA")
    print(page(Path(sys.argv[1]), datetime.now(UTC).date()))
