"""Payloads of the field through the command line: parameters, series beside the rules, machines counted once."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest
from rentmark.cli import run

from tests.journeys.conftest import Person, with_rules

BOOK = "offers/ccir_vast_book_2026-02-27_2026-03-06.csv"

BOOK_RULES = """
[grades.v100]
chip = "V100"

[methodologies.book-median]
version = "1.0.0"
inputs = ["executable"]
min_sellers = 3

[benchmarks.v100-book]
grade = "v100"
methodology = "book-median"
"""
"""The V100 has the most machines of the book that are listed as 1, 2, 4 and 8: 16 of all 47 machine-days."""

PARAMETERS = """
[mappings.leases]
feed = "akash"
leases = { "*" = { name = "NVIDIA A100 80GB" } }

[mappings.leases.akt_usd]
source = "invented prices"
file = "akt.csv"

[mappings.leases.block_times]
source = "invented times"
values = { "1000000" = "2026-08-14T00:00:00Z", "1028800" = "2026-08-16T00:00:00Z" }

[mappings.catalogue]
feed = "skypilot"
provider = "amber"
observed_at = 2026-08-14T06:00:00Z
"""

LEASES = json.dumps(
    {
        "leases": [
            {
                "lease": {
                    "id": {"owner": "o", "dseq": "1", "gseq": 1, "oseq": 1, "provider": "p", "bseq": 0},
                    "state": "closed",
                    "price": {"denom": "uakt", "amount": "8300.0"},
                    "created_at": "1000600",
                    "closed_on": "1014600",
                }
            }
        ]
    }
)
CATALOGUE = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region\nx,H100,8,24.80,8.00,east\n"


@pytest.fixture
def stating(person: Person) -> Person:
    """A person whose rules state parameters, with a series in a file beside them. All values are invented."""
    with_rules(person, BOOK_RULES + PARAMETERS)
    (person.workspace / "akt.csv").write_text("at,value\n2026-08-13,0.50\n", encoding="utf-8")
    (person.workspace / "leases.json").write_text(LEASES, encoding="utf-8")
    (person.workspace / "vms.csv").write_text(CATALOGUE, encoding="utf-8")
    return person


def test_parameters_and_their_series_are_part_of_what_makes_a_payload_the_same(stating: Person) -> None:
    folder = stating.workspace
    first = stating.asks("ingest", "akash", folder / "leases.json", "--mapping", "leases")
    assert (first["records"], first["accepted"], first["already_ingested"]) == (1, 1, False)
    assert (
        stating.asks("ingest", "akash", folder / "leases.json", "--mapping", "leases")["already_ingested"]
        is True
    )
    (folder / "akt.csv").write_text("at,value\n2026-08-13,0.60\n", encoding="utf-8")
    again = stating.asks("ingest", "akash", folder / "leases.json", "--mapping", "leases")
    assert (again["accepted"], again["already_ingested"]) == (1, False)


def test_an_unchanged_price_list_of_another_day_is_another_snapshot(stating: Person) -> None:
    """The same bytes, taken a day later: yesterday's prices stay. A mapping put right replaces its own reading only."""
    file, rules = stating.workspace / "vms.csv", stating.workspace / "rentmark.toml"
    stating.asks("ingest", "skypilot", file, "--mapping", "catalogue")
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("2026-08-14T06:00:00Z", "2026-08-15T06:00:00Z"), encoding="utf-8")
    later = stating.asks("ingest", "skypilot", file, "--mapping", "catalogue")
    assert (later["accepted"], later["duplicates"], later["already_ingested"]) == (2, 0, False)
    assert later["batches"][0]["supersedes"] is None
    rules.write_text(text.replace('provider = "amber"', 'provider = "basalt"'), encoding="utf-8")
    corrected = stating.asks("ingest", "skypilot", file, "--mapping", "catalogue")
    assert corrected["batches"][0]["supersedes"] == 1


def test_level_two_reads_a_payload_again_with_the_parameters_it_was_read_with(stating: Person) -> None:
    folder = stating.workspace
    stating.asks("ingest", "akash", folder / "leases.json", "--mapping", "leases")
    stating.asks("ingest", "skypilot", folder / "vms.csv", "--mapping", "catalogue")
    (folder / "akt.csv").unlink()
    checked = stating.asks("index", "verify", "--level", "2")
    assert [batch["result"] for batch in checked["batches"]] == ["identical", "identical"]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("skypilot", "vms.csv"), 1, "vms.csv does not say whose prices it holds; state provider"),
        (
            ("akash", "vms.csv", "--mapping", "catalogue"),
            2,
            "The mapping is for the feed skypilot, not akash",
        ),
        (("tardellirs", "vms.csv", "--mapping", "catalogue"), 2, "The mapping is for the feed skypilot"),
        (("skypilot", "vms.csv", "--mapping", "catalog"), 1, "did you mean catalogue?"),
        (("gpuhnt", "vms.csv"), 2, "There is no feed 'gpuhnt'"),
    ],
)
def test_what_is_missing_or_meant_for_another_feed_is_one_sentence(
    stating: Person, words: tuple[str, ...], code: int, sentence: str
) -> None:
    feed, file, *rest = words
    answer = stating.types("ingest", feed, stating.workspace / file, *rest)
    assert answer.code == code
    assert sentence in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_a_series_file_that_is_not_there_is_named(stating: Person) -> None:
    (stating.workspace / "akt.csv").unlink()
    answer = stating.types("ingest", "akash", stating.workspace / "leases.json", "--mapping", "leases")
    assert answer.code == 1
    assert "akt.csv" in answer.err
    assert stating.asks("batches")["batches"] == []


def test_the_feeds_say_which_parameters_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["feeds", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["feeds"]
    taken = {row["feed"]: row["parameters"] for row in rows}
    assert taken["skypilot"] == ["observed_at", "provider"]
    assert taken["tabular"] == []
    assert len(taken) == 23


def test_a_machine_listed_in_several_sizes_counts_once(person: Person, shared_data: Path) -> None:
    """CCIR's book: 1,936 records over 8 days; of each machine only its largest size is in a panel."""
    with_rules(person, BOOK_RULES)
    counts = person.asks("ingest", "ccir-book", shared_data / BOOK)
    assert (counts["records"], counts["accepted"], counts["rejected"], counts["duplicates"]) == (
        1_936,
        1_936,
        0,
        0,
    )
    with (shared_data / BOOK).open(encoding="utf-8", newline="") as file:
        machines = [line["machine_id"] for line in csv.DictReader(file)]
    days = [
        row["date"] for row in person.asks("index", "build", "v100-book")["rows"] if row["n_observations"]
    ]
    assert len(days) == 8
    whole = 0
    for day in days:
        listed: dict[str, set[int]] = defaultdict(set)
        counted: dict[str, set[int]] = defaultdict(set)
        for row in person.asks("index", "explain", "v100-book", day)["observations"]:
            if row["chip"] != "V100":
                continue
            machine = machines[row["position"]]
            listed[machine].add(row["gpu_count"])
            if row["in"]:
                counted[machine].add(row["gpu_count"])
            else:
                assert row["rule"] == "smaller_size_of_machine"
        assert {machine: {max(sizes)} for machine, sizes in listed.items()} == counted
        whole += sum(sizes >= {1, 2, 4, 8} for sizes in listed.values())
    assert whole == 16
