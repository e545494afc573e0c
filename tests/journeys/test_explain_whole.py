"""`index explain` from raw records to the printed value, through the command line."""

from __future__ import annotations

import pytest
from rentmark.cli import run

from .conftest import Person

MEMORY = """
[methodologies.remembering]
version = "1"
inputs = ["listed"]
min_sellers = 3
fallback = "carry"
carry_days = 2
reopen = { days = 2 }
screen = { jump = { move = 0.25, others = 2, others_move = 0.1, wait_days = 5 } }

[benchmarks.h100-remembering]
grade = "h100-80gb-mixed"
methodology = "remembering"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("explained") / "w"
    assert run(["init", str(made), "--sample"]) == 0
    with (made / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(MEMORY)
    for words in (
        ["ingest", "tabular", str(made / "offers.csv")],
        ["ingest", "trades", str(made / "trades.csv")],
    ):
        assert run([*words, "--workspace", str(made)]) == 0
    for name in ("h100-list", "h100-remembering"):
        assert run(["index", "build", name, "--publish", "--workspace", str(made)]) == 0
    return made


@pytest.fixture
def reader(folder, capsys):
    return Person(capsys, folder)


def test_the_funnel_leads_from_raw_records_to_votes(reader):
    told = reader.asks("index", "explain", "h100-list", "2026-08-14")
    whole, payloads = told["from_records"], told["payloads"]
    assert [p["origin_name"] for p in payloads] == ["offers.csv", "trades.csv"]
    ledger = {b["batch_id"]: b for b in reader.asks("batches")["batches"]}
    for p in payloads:
        assert (
            p["records"]
            == p["rejected"] + p["duplicates"] + p["accepted"]
            == ledger[p["batch_id"]]["records"]
        )
        assert p["entered"] <= p["in_window"] <= p["accepted"]
    assert whole["in_window"] == sum(p["in_window"] for p in payloads) == sum(told["funnel"].values())
    assert whole["entered"] == told["funnel"]["in"] == told["fixing"]["n_observations"]
    assert whole["votes"] == whole["votes_standing"] + whole["votes_screened"]
    assert whole["votes_standing"] == len(told["votes"]) == told["fixing"]["n_votes"]
    assert all(line["agrees"] for line in told["reconciled"])
    [value] = [line for line in told["reconciled"] if line["what"] == "value"]
    assert value["worked"] == told["steps"][-1]["result"] == told["fixing"]["value"]


def test_a_gap_names_the_gate_how_far_it_was_and_the_nearest_value(reader):
    """By docs/methodology.md two sellers are there on 2026-07-05 and three are needed."""
    told = reader.asks("index", "explain", "h100-list", "2026-07-05")
    assert told["refusal"] == {
        "rule": "min_sellers",
        "sentence": "min_sellers 2<3",
        "how_far": "min_sellers: 2 where 3 are needed, 1 short",
        "carried_from": None,
        "nearest_date": "2026-07-04",
    }
    assert [(g["rule"], g["short_by"]) for g in told["gates"] if not g["met"]] == [("min_sellers", 1)]
    said = reader.types("index", "explain", "h100-list", "2026-07-05").out
    assert "  ✗ min_sellers 2 of 3 needed: 1 short\n" in said
    assert (
        "  No value of its own: min_sellers: 2 where 3 are needed, 1 short.\n  Nearest with one: 2026-07-04.\n"
        in said
    )
    assert "Reconciled: all " in said


def test_a_day_without_a_match_says_what_stood_between(reader):
    told = reader.asks("index", "explain", "h100-list", "2026-06-30")
    assert told["refusal"]["rule"] == told["fixing"]["rule"] in ("no_match", "empty_window")
    assert told["refusal"]["how_far"] is None
    assert told["refusal"]["sentence"]


def test_the_state_that_carry_hysteresis_and_jumps_read_is_shown(reader):
    told = reader.asks("index", "explain", "h100-remembering", "2026-07-06")
    rules = {line["rule"]: line["sentence"] for line in told["read"]["rules"]}
    assert set(rules) == {"carry", "reopen", "screen.jump"}
    assert rules["carry"].startswith("the last value of its own is ")
    assert "the way out of the gap is asked" in rules["reopen"]
    assert told["fixing"]["status"] == "CARRIED"
    assert told["refusal"]["rule"] == "reopen_days"
    assert told["refusal"]["carried_from"] == told["fixing"]["carried_from"]
    remembered = {f["date"]: f for f in told["read"]["fixings"]}
    assert remembered["2026-07-05"]["status"] == "CARRIED"
    assert len(remembered["2026-07-05"]["votes"]) == remembered["2026-07-05"]["n_votes"] == 2
    assert all(line["agrees"] for line in told["reconciled"])
    assert {"value", "state"} <= {line["what"] for line in told["reconciled"]}
    said = reader.types("index", "explain", "h100-remembering", "2026-07-06").out
    assert "Read of earlier fixings:\n  carry: the last value of its own is " in said
