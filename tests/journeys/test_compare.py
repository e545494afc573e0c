"""Methodologies side by side through the command line: the same grade and data, nothing published or stored."""

from __future__ import annotations

import csv
import shutil
from datetime import date

import pytest
from rentmark.cli import run
from rentmark.workspace import Method, Workspace, compare_methodologies

from .conftest import OFFERS, REAL_RULES, Person, with_rules

OWN = """
[methodologies.from-preset]
preset = "computepulse"
tail = "0.2"
without = ["recency"]

[benchmarks.h100-pulse]
grade = "h100-80gb-mixed"
methodology = "from-preset"
"""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A workspace with the invented offers ingested."""
    folder = tmp_path_factory.mktemp("compared") / "w"
    assert run(["init", str(folder), "--sample"]) == 0
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(OWN)
    assert run(["ingest", "tabular", str(folder / "offers.csv"), "--workspace", str(folder)]) == 0
    return folder


@pytest.fixture
def sampled(prepared, capsys, tmp_path):
    """A person with a copy of it."""
    folder = tmp_path / "w"
    shutil.copytree(prepared, folder)
    return Person(capsys, folder)


SPAN = ("--from", "2026-07-01")


def in_span(rows):
    return [row for row in rows if row["date"] >= SPAN[1]]


def by_label(answer):
    return {each["label"]: each for each in answer["compared"]}


def test_every_preset_is_fixed_or_says_why_not(sampled):
    found = by_label(sampled.asks("index", "compare", "h100-list", *SPAN))
    assert len(found) == 13
    assert found["h100-list"]["against_first"] is None
    for label, each in found.items():
        assert (each["mean"] is None) == (each["reason"] is not None), label
    sofr = found["preset sofr"]
    assert sofr["rule"] == "no_input"
    assert (
        sofr["reason"] == "it reads trades, and the archive holds only list prices of grade h100-80gb-mixed"
    )
    assert "carry_days" in sofr["assumed"]


def test_with_trades_the_rules_of_trades_have_values(sampled):
    sampled.asks("ingest", "trades", sampled.workspace / "trades.csv")
    found = by_label(
        sampled.asks("index", "compare", "h100-sxm-list", "--preset", "sofr", "--preset", "cf-brr", *SPAN)
    )
    assert found["preset sofr"]["mean"] is not None
    assert found["preset sofr"]["rule"] is None


def test_the_first_is_what_a_build_prints_and_nothing_is_stored(sampled):
    answer = by_label(sampled.asks("index", "compare", "h100-list", "--preset", "gpu-markets-median", *SPAN))
    store = Workspace.open(sampled.workspace, database_url=None).store
    assert store.benchmarks() == []
    built = in_span(sampled.asks("index", "build", "h100-list")["rows"])
    compared = answer["h100-list"]["days"]
    assert [(d["date"], d["value"], d["status"]) for d in compared] == [
        (r["date"], r["value"], r["status"]) for r in built
    ]


def test_a_methodology_made_from_a_preset_is_built_as_it_is_compared(sampled):
    built = in_span(sampled.asks("index", "build", "h100-pulse", "--publish")["rows"])
    assert {r["methodology_version"] for r in built} == {"computepulse@1.0.0"}
    found = by_label(sampled.asks("index", "compare", "h100-list", "--methodology", "from-preset", *SPAN))
    days = found["methodology from-preset"]["days"]
    assert [d["value"] for d in days] == [r["value"] for r in built]


def test_a_preset_names_the_methodologies_made_from_it(sampled):
    held = {p["preset"]: p["used_by"] for p in sampled.asks("index", "presets")["presets"]}
    assert held["computepulse"] == ["from-preset"]
    assert held["sofr"] == []
    assert "Made from it here: from-preset." in sampled.types("index", "presets", "computepulse").out


def test_the_days_stand_side_by_side_in_a_file(sampled, tmp_path):
    file = tmp_path / "days.csv"
    answer = sampled.asks(
        "index", "compare", "h100-list", "--preset", "sofr", "--preset", "computepulse", *SPAN, "--csv", file
    )
    assert answer["file"] == str(file)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    days = {d["date"]: d for d in by_label(answer)["preset computepulse"]["days"]}
    for row in rows:
        assert row["preset computepulse usd_per_gpu_hour"] == (days[row["date"]]["value"] or "")
        assert row["preset computepulse status"] == days[row["date"]]["status"]
        assert row["preset sofr status"] == "", "what could not be fixed has empty cells"


def test_a_span_keeps_its_dates(sampled):
    words = (
        "index",
        "compare",
        "h100-list",
        "--preset",
        "sofr",
        "--from",
        "2026-07-10",
        "--to",
        "2026-07-12",
    )
    days = by_label(sampled.asks(*words))["h100-list"]["days"]
    assert [d["date"] for d in days] == ["2026-07-10", "2026-07-11", "2026-07-12"]
    empty = sampled.asks("index", "compare", "h100-list", "--preset", "sofr", "--from", "2030-01-01")
    assert by_label(empty)["h100-list"]["rule"] == "no_dates"


def test_progress_is_told_and_keys_may_be_changed(sampled):
    told = []
    opened = Workspace.open(sampled.workspace, database_url=None)
    changed = Method("methodology", "list-median", {"min_sellers": 99})
    span = date(2026, 7, 6), date(2026, 7, 20)
    found = compare_methodologies(
        opened, "h100-list", [changed], span, progress=lambda *now: told.append(now)
    )
    assert told == [(0, 2, "h100-list"), (1, 2, "methodology list-median changed"), (2, 2, "")]
    assert found.compared[1].rule == "min_sellers"
    assert found.compared[1].reason.startswith("no value on any of ")


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (("h100-lost",), "no benchmark 'h100-lost'", 1),
        (("h100-list", "--preset", "sofer"), "did you mean sofr?", 2),
        (("h100-list", "--methodology", "mean"), "no methodology 'mean'", 1),
        (("h100-list", "--from", "July"), "--from", 2),
        (("h100-list", "--preset", "sofr", "--csv", "days.txt"), "ends in .csv", 2),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(sampled, words, sentence, code):
    answer = sampled.types("index", "compare", *words)
    assert (answer.code, answer.out) == (code, "")
    assert sentence in answer.err


def test_an_empty_archive_says_what_to_do(person):
    answer = person.types("index", "compare", "h100-list")
    assert answer.code == 1
    assert answer.err == "No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.\n"


def test_real_offers_under_four_presets(person, shared_data):
    """The first row is the benchmark of the design: 48 OK and one GAP, 3.219499 on average over the 48 values."""
    with_rules(person, REAL_RULES)
    person.asks("ingest", "tabular", shared_data / OFFERS)
    presets = ("computable-cgi", "gpu-markets-median", "computepulse", "sofr")
    found = by_label(
        person.asks("index", "compare", "h100-list", *(w for p in presets for w in ("--preset", p)))
    )
    first = found["h100-list"]
    assert first["statuses"] == {"OK": 48, "THIN": 0, "CARRIED": 0, "GAP": 1}
    values = [d["value"] for d in first["days"] if d["value"]]
    micros = [round(float(v) * 1_000_000) for v in values]
    assert first["mean"] == f"{sum(micros) / len(micros) / 1_000_000:.6f}"
    for preset in presets[:3]:
        figures = found[f"preset {preset}"]
        assert figures["statuses"]["OK"] >= 48
        assert figures["against_first"]["common_dates"] == 48
    assert found["preset sofr"]["rule"] == "no_input"
