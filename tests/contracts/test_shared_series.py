"""The months of the real offers, settled on fixings computed here in the plainest way.

Grade and methodology as the project's own `h100-list`: H100 of 80 GB, SXM or unstated, on demand,
rows carried by the source left out; the latest state of each offer in the UTC day; median per
seller, median of sellers, at least three sellers.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from datetime import date, datetime

import pytest
from rentmark.contracts import CONTRACTS
from rentmark.records import median_half_even, micros_from_text, parse_instant

from .making import LATER, ask, make_fixing

SOURCE = "adriannutiu/gpu-rental-prices"


@pytest.fixture(scope="module")
def tape(shared_data):
    path = shared_data / "offers" / "offers_2022-02_2026-08.csv.gz"
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    offers: dict[date, dict[tuple[str, ...], dict[datetime, list[int]]]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if not (
                row["source"].startswith(SOURCE)
                and row["gpu_model"] == "H100"
                and row["vram_gb"] in {"80", "80.0"}
                and row["pricing"] in {"on_demand", "secure"}
                and (row["form_factor"] == "" or row["form_factor"].startswith("SXM"))
                and row["carried_by_source"].lower() != "true"
                and row["price_per_gpu_hour"]
            ):
                continue
            seen = parse_instant(row["observed_at"])
            sku = row["sku"] or row["gpu_model_raw"] + row["form_factor"]
            key = (row["seller"], sku, row["region"], row["pricing"], row["gpu_count"], row["machine"])
            states = offers[seen.date()].setdefault(key, {})
            states.setdefault(seen, []).append(micros_from_text(row["price_per_gpu_hour"]))
    fixings = {}
    for day, keys in offers.items():
        by_seller = defaultdict(list)
        for (seller, *_), states in keys.items():
            by_seller[seller].extend(states[max(states)])
        votes = sorted(median_half_even(sorted(prices)) for prices in by_seller.values())
        value = median_half_even(votes) if len(votes) >= 3 else None
        fixings[day] = make_fixing(day, value, n_sellers=len(votes), origin="backcast", published_at=LATER)
    return fixings


def test_july_2026_on_cme_is_twenty_of_22_to_certify_at_an_indicative_3_148250(tape):
    assert tape[date(2026, 7, 5)].status == "GAP"
    done = ask(CONTRACTS["cme-gpu1"], "2026-07", tape)
    assert (done.status, done.fixings, done.expected, done.origin) == ("certify", 20, 22, "backcast")
    # stated with the data this project was specified on, computed there twice independently
    assert done.indicative_price_micros == 3_148_250
    assert done.final_settlement_price_micros is None


@pytest.mark.parametrize(("contract", "fixings", "expected"), [("cme-gpu1", 15, 21), ("ice-hpr", 22, 31)])
def test_august_2026_is_a_determination_on_both_contracts(tape, contract, fixings, expected):
    done = ask(CONTRACTS[contract], "2026-08", tape)
    assert (done.status, done.fixings, done.expected) == ("determination", fixings, expected)
    assert done.price_micros is None
