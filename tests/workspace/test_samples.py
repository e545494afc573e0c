"""The invented sample files: the same each time, small, marked, and with the lessons the README promises."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from rentmark.ingest import FeedContext, parse_payload
from rentmark.records import day_start
from rentmark.workspace.samples import SAMPLE_FIRST_DAY, SAMPLE_LAST_DAY, SAMPLE_SOURCE, sample_files

LESSON_DAY = "2026-08-14"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return sample_files()


@pytest.fixture(scope="module")
def offers(files) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files["offers.csv"].decode())))


@pytest.fixture(scope="module")
def trades(files) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files["trades.csv"].decode())))


@pytest.fixture(scope="module")
def votes(offers) -> dict[date, dict[str, float]]:
    """What benchmark h100-list may count: H100 80 GB on demand, SXM or unstated, good rows only."""
    days: dict[date, dict[str, float]] = defaultdict(dict)
    for row in offers:
        mixed = row["form_factor"] in {"SXM5", ""} and row["pricing"] == "on_demand"
        good = row["price_per_gpu_hour"] and "Z" in row["observed_at"] and row["carried_by_source"] == "false"
        if mixed and good:
            days[date.fromisoformat(row["observed_at"][:10])][row["seller"]] = float(
                row["price_per_gpu_hour"]
            )
    return dict(days)


def test_the_files_are_the_same_bytes_each_time(files):
    assert sample_files() == files
    # Computed by this code; a change here changes what the README quotes.
    assert {name: hashlib.sha256(content).hexdigest()[:16] for name, content in files.items()} == {
        "offers.csv": "36388d1cb340bbe8",
        "trades.csv": "b0164dd852286a2d",
        "rent.csv": "5a137819fd969f72",
    }


def test_the_files_are_small(files):
    assert {name: content.count(b"\n") - 1 for name, content in files.items()} == {
        "offers.csv": 2511,
        "trades.csv": 157,
        "rent.csv": 1217,
    }


def test_every_row_says_it_is_invented_and_none_claims_a_licence(offers, trades):
    assert {row["source"] for row in offers + trades} == {SAMPLE_SOURCE}
    assert all("license" not in row for row in offers + trades)
    assert all(row["seller"].startswith("sample-") for row in offers + trades)


def test_prices_come_weekly_and_then_daily_to_the_end_of_august(votes):
    days = sorted(votes)
    assert (days[0], days[-1]) == (SAMPLE_FIRST_DAY, SAMPLE_LAST_DAY)
    steps = Counter((later - earlier, later >= date(2026, 7, 2)) for earlier, later in pairwise(days))
    assert steps[timedelta(days=1), True] == 61
    assert steps[timedelta(days=7), False] == 165
    assert len({(day.year, day.month) for day in days}) == 40


def test_every_day_has_enough_sellers_but_the_one_that_shows_a_gap(votes):
    thin = {day: len(sellers) for day, sellers in votes.items() if len(sellers) < 3}
    assert thin == {date(2026, 7, 5): 2}


def test_one_seller_enters_and_one_leaves(votes):
    listed = {
        name: [day for day in votes if name in votes[day]]
        for name in ("sample-seller-05", "sample-seller-12")
    }
    assert max(listed["sample-seller-05"]) == date(2026, 8, 6)
    assert min(listed["sample-seller-12"]) == date(2026, 7, 20)


def test_the_day_the_readme_explains_holds_one_row_of_each_lesson(offers, votes):
    day = [row for row in offers if row["observed_at"].startswith(LESSON_DAY)]
    assert (
        sum(row["pricing"] == "spot" for row in offers) == sum(row["pricing"] == "spot" for row in day) == 1
    )
    assert (
        sum(row["form_factor"] == "PCIe" for row in offers)
        == sum(row["form_factor"] == "PCIe" for row in day)
        == 1
    )
    assert [row["seller"] for row in offers if row["carried_by_source"] == "true"] == ["sample-seller-09"]
    assert sum(row["price_per_gpu_hour"] == "" for row in offers) == 1
    assert sum("Z" not in row["observed_at"] for row in offers) == 1
    repeats = [row for row, count in Counter(tuple(row.items()) for row in offers).items() if count > 1]
    assert len(repeats) == 1
    assert len(votes[date.fromisoformat(LESSON_DAY)]) == 10


def test_the_explained_day_has_a_plain_median(votes):
    # Ten sellers; computed apart from the index room.
    assert median(votes[date.fromisoformat(LESSON_DAY)].values()) == pytest.approx(2.87)


def test_trades_lie_at_or_below_list_with_one_correction_and_one_cancellation(trades, offers):
    listed = {
        (row["observed_at"][:10], row["seller"]): float(row["price_per_gpu_hour"])
        for row in offers
        if row["price_per_gpu_hour"] and row["pricing"] == "on_demand" and row["form_factor"] != "PCIe"
    }
    statuses = Counter(row["status"] for row in trades)
    assert (statuses["corrected"], statuses["cancelled"]) == (1, 1)
    new = {row["trade_id"]: row for row in trades if row["status"] == "new"}
    assert len(new) == statuses["new"]
    for row in trades:
        original = new[row["trade_id"]]
        if row["status"] == "new":
            list_price = listed.get((row["executed_at"][:10], row["seller"]))
            assert list_price is None or 0.89 < float(row["price_usd_per_gpu_hour"]) / list_price <= 1.0
        else:
            assert row["reported_at"] > original["reported_at"]
            assert row["executed_at"] == original["executed_at"]


def test_the_rent_covers_the_same_months_and_follows_the_median_in_part(files, votes):
    rows = list(csv.DictReader(io.StringIO(files["rent.csv"].decode())))
    assert list(rows[0]) == ["date", "rate_usd_per_gpu_hour", "gpu_hours"]
    rent = {date.fromisoformat(row["date"]): float(row["rate_usd_per_gpu_hour"]) for row in rows}
    assert (min(rent), max(rent)) == (SAMPLE_FIRST_DAY, SAMPLE_LAST_DAY)
    months = defaultdict(list)
    for day, sellers in sorted(votes.items()):
        if len(sellers) >= 3:
            months[day.year, day.month].append((median(sellers.values()), rent[day]))
    changes = np.diff([np.mean(pairs, axis=0) for pairs in months.values()], axis=0)
    assert len(changes) == 39  # a verdict needs 36
    assert 0.4 < np.corrcoef(changes.T)[0, 1] ** 2 < 0.95


@pytest.mark.parametrize(
    ("feed", "name", "rejects", "duplicates"),
    [("tabular", "offers.csv", ["missing_price", "naive_time"], 1), ("trades", "trades.csv", [], 0)],
)
def test_the_feeds_refuse_the_two_bad_rows_and_nothing_else(files, feed, name, rejects, duplicates):
    context = FeedContext(
        payload_digest=hashlib.sha256(files[name]).hexdigest(),
        received_at=day_start(date(2026, 9, 1)),
        origin_name=name,
    )
    batch = parse_payload(feed, files[name], context)
    assert batch.refusal is None
    assert batch.rejects["reason"].to_pylist() == rejects
    assert batch.duplicates == duplicates
    assert batch.records == files[name].count(b"\n") - 1
    for column, values in {
        "rights": {"allowed"},
        "suspect": {None},
        "simulated": {False},
        "chip": {"H100"},
    }.items():
        assert set(batch.observations[column].to_pylist()) == values, column
