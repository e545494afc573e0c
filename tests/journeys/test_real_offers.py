"""From the merged offers of the field to a published benchmark, a settlement, and back to each row.

Expected figures: computed twice independently by the authors of the task's definitions.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
from datetime import UTC, datetime, timedelta

import pytest
from rentmark.cli import run
from rentmark.records import format_instant

from tests.journeys.conftest import OFFERS, REAL_RULES, Person, with_rules


@pytest.fixture(scope="module")
def published(shared_data, tmp_path_factory):
    """A workspace with the merged offers ingested and both benchmarks published."""
    folder = tmp_path_factory.mktemp("real") / "w"
    assert run(["init", str(folder)]) == 0
    (folder / "rentmark.toml").write_text(REAL_RULES, encoding="utf-8")
    assert run(["ingest", "tabular", str(shared_data / OFFERS), "--workspace", str(folder)]) == 0
    for name in ("h100-list", "h100-sxm-list"):
        assert run(["index", "build", name, "--publish", "--workspace", str(folder)]) == 0
    return folder


@pytest.fixture
def reader(published, capsys):
    """A person who reads that workspace."""
    return Person(capsys, published)


def test_every_record_is_accounted_for(reader):
    counts = reader.asks("batches")["batches"][0]
    assert counts["records"] == 41_767
    assert counts["duplicates"] == 205
    assert counts["accepted"] + counts["rejected"] + counts["duplicates"] == 41_767
    listed = reader.asks("rejects", "--limit", "100000")
    assert sum(listed["counts"].values()) == counts["rejected"] == len(listed["rejects"])
    assert all(r["sentence"].endswith(".") for r in listed["rejects"])


def test_the_same_file_again_changes_nothing(reader, shared_data):
    before = reader.asks("batches")
    again = reader.asks("ingest", "tabular", shared_data / OFFERS)
    assert again["already_ingested"] is True
    assert (again["records"], again["duplicates"]) == (41_767, 205)
    assert reader.asks("batches") == before


@pytest.mark.parametrize(
    ("date", "value", "sellers"),
    [
        ("2026-07-06", "3.120000", 10),
        ("2026-07-07", "3.250000", 15),
        ("2026-07-08", "3.120000", 14),
        ("2026-07-10", "3.900000", 13),
        ("2026-07-18", "2.990000", 15),
        ("2026-07-25", "2.990000", 21),
        ("2026-08-04", "3.310000", 22),
        ("2026-08-14", "3.465950", 22),
        ("2026-08-22", "3.330000", 22),
    ],
)
def test_the_list_median_prints_the_known_values(reader, date, value, sellers):
    row = next(r for r in reader.asks("index", "show", "h100-list")["rows"] if r["date"] == date)
    assert (row["value"], row["n_sellers"], row["status"], row["rule"]) == (value, sellers, "OK", None)
    assert (row["state"], row["origin"], row["revision"]) == ("published", "backcast", 0)
    assert (row["simulated"], row["reconstructed"], row["settlement_grade"]) == (False, False, False)


def test_two_sellers_are_too_few(reader):
    row = next(r for r in reader.asks("index", "show", "h100-list")["rows"] if r["date"] == "2026-07-05")
    assert (row["value"], row["status"], row["rule"], row["n_sellers"]) == (None, "GAP", "min_sellers", 2)
    assert row["reason"] == "min_sellers"


@pytest.mark.parametrize(
    ("date", "value", "sellers"), [("2026-07-10", "3.250000", 7), ("2026-08-14", "3.270000", 10)]
)
def test_the_strict_grade_prints_the_known_values(reader, date, value, sellers):
    row = next(r for r in reader.asks("index", "show", "h100-sxm-list")["rows"] if r["date"] == date)
    assert (row["value"], row["n_sellers"]) == (value, sellers)


def test_a_fixing_is_explained_to_the_last_row(reader):
    story = reader.asks("index", "explain", "h100-list", "2026-08-14")
    assert story["fixing"]["value"] == "3.465950"
    assert len(story["votes"]) == 22
    middle = [(v["seller"], v["value"]) for v in story["votes"][10:12]]
    assert middle == [("latitude", "3.370000"), ("scaleway", "3.561900")]
    without = {w["seller"]: w["value"] for w in story["without_seller"]}
    assert without["spheron"] == "3.370000"
    assert sum(story["funnel"].values()) == len(story["observations"])
    assert sum(o["in"] for o in story["observations"]) == sum(v["n_observations"] for v in story["votes"])
    assert all((o["reason"] is None) == o["in"] for o in story["observations"])
    assert sum(v["weight"] for v in story["votes"]) == story["votes"][0]["total_weight"]
    told = reader.types("index", "explain", "h100-list", "2026-08-14")
    assert "latitude" in told.out
    assert "◂ middle" in told.out


def test_the_tape_follows_from_the_archive_and_from_the_raw_bytes(reader):
    checked = reader.asks("index", "verify", "--level", "2")
    assert checked["passed"] is True
    assert checked["rows_checked"] == 98
    assert [b["result"] for b in checked["batches"]] == ["identical"]


def test_a_file_ingested_today_was_not_known_yesterday(reader):
    yesterday = format_instant(datetime.now(UTC) - timedelta(days=1))
    answer = reader.types("index", "build", "h100-list", "--as-of", yesterday)
    assert answer.code == 1
    assert answer.err.startswith("Nothing to build: no observation recorded by")
    assert reader.types("index", "show", "h100-list", "--as-of", yesterday).code == 1


def test_a_reconstructed_view_sees_july_and_says_so(reader):
    flags = ("--as-of", "2026-08-01", "--reconstructed")
    built = reader.asks("index", "build", "h100-list", *flags)
    dates = [r["date"] for r in built["rows"]]
    assert (dates[0], dates[-1]) == ("2026-07-05", "2026-07-31")
    shown = reader.asks("index", "show", "h100-list", *flags)["rows"]
    assert all(r["reconstructed"] and r["state"] == "candidate" for r in shown)
    assert next(r["value"] for r in shown if r["date"] == "2026-07-10") == "3.900000"
    assert "RECONSTRUCTED" in reader.types("index", "show", "h100-list", *flags).out
    refused = reader.types("index", "build", "h100-list", "--publish", *flags)
    assert refused.code == 2


def test_august_goes_to_determination(reader):
    cme = reader.asks("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list")
    ice = reader.asks("settle", "ice-hpr", "2026-08", "--benchmark", "h100-list")
    for row, counted, expected in ((cme, 15, 21), (ice, 22, 31)):
        assert (row["fixings"], row["expected"], row["status"]) == (counted, expected, "determination")
        assert row["final_settlement_price"] is None
        assert row["indicative_price"] is None
        assert row["reason"]
    assert (cme["unit_gpu_hours"], ice["unit_gpu_hours"]) == (730, 744)
    assert cme["proxy"] is True


def test_july_needs_a_certificate_and_stays_indicative_when_backcast(reader):
    row = reader.asks("settle", "cme-gpu1", "2026-07", "--benchmark", "h100-list")
    assert (row["fixings"], row["expected"], row["status"], row["origin"]) == (20, 22, "certify", "backcast")
    assert (row["indicative_price"], row["final_settlement_price"]) == ("3.148250", None)


def canonical(rows):
    """The tape without what depends on the clock."""
    clocks = {"published_at", "previous_digest", "row_digest", "finality", "origin"}
    return [{k: v for k, v in row.items() if k not in clocks} for row in rows]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_shuffled_rows_and_thread_counts_change_nothing(reader, shared_data, capsys, tmp_path, threads):
    rows = list(csv.reader(io.StringIO(gzip.decompress((shared_data / OFFERS).read_bytes()).decode())))
    header, body = rows[0], rows[1:]
    random.Random(int(threads)).shuffle(body)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *body])
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text(text.getvalue(), encoding="utf-8")
    folder = tmp_path / "w"
    assert run(["init", str(folder)]) == 0
    other = with_rules(Person(capsys, folder), REAL_RULES)
    counts = other.asks("ingest", "tabular", shuffled)
    assert (counts["records"], counts["duplicates"]) == (41_767, 205)
    for name in ("h100-list", "h100-sxm-list"):
        other.asks("index", "build", name, "--publish", "--threads", threads)
        assert canonical(other.asks("index", "show", name)["rows"]) == canonical(
            reader.asks("index", "show", name)["rows"]
        )
