"""Programmes, comparisons and exports, as a trader asks for them."""

from __future__ import annotations

import csv
import json

import pytest

from tests.journeys.conftest import Person
from tests.journeys.typed import type_words

RULES = """
[contracts.weekly]
name = "invented contract that settles on whatever fixings there are"
exchange = "none, invented"
chip = "H100"
status_line = "invented, not listed"
listed = false
official_underlying = "h100-list"
official_benchmark = "h100-list"
unit_rule = "fixed"
fixed_gpu_hours = 100
tick_micros = 10000
averaging = "every_day"
last_trade = "last_fixing_day"
missing_index = { certify_coverage_percent = 1, certify_longest_gap_days = 31 }

[programmes.strip]
instruments = [{ contract = "weekly" }]
method = "naive"
months_ahead = 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The invented sample, published, with a contract that settles on it."""
    made = tmp_path_factory.mktemp("programmes") / "w"
    assert type_words("init", made, "--sample").code == 0
    with (made / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(RULES)
    assert type_words("ingest", "tabular", made / "offers.csv", "--workspace", made).code == 0
    assert type_words("index", "build", "h100-list", "--publish", "--workspace", made).code == 0
    header, *rows = (made / "rent.csv").read_text(encoding="utf-8").splitlines()
    kept = [row for row in rows if row[:10] >= "2026-01-10"]
    (made / "year.csv").write_text("\n".join([header, *kept, ""]), encoding="utf-8")
    return made


@pytest.fixture
def trader(folder, capsys):
    return Person(capsys, folder)


def test_a_programme_prints_three_profits_where_entries_are_assumed(trader, folder, tmp_path):
    told = trader.types(
        "hedge", "programme", folder / "year.csv", "-p", "strip", "--export", tmp_path / "months.csv"
    )
    assert told.code == 0, told.err
    for words in ("MODELLED MARKS", "P&L −10 %", "breaks even at an entry", "Every fill is simulated"):
        assert words in told.out
    with (tmp_path / "months.csv").open(encoding="utf-8") as written:
        rows = list(csv.DictReader(written))
    assert rows[0]["month"] == "2026-02"
    assert {row["report.entry_assumed"] for row in rows} == {"true"}


def test_a_restated_history_reaches_no_past_decision_through_the_command_line(trader, folder):
    rent = folder / "year.csv"
    before = trader.asks("hedge", "programme", rent, "-p", "strip")
    offers = (folder / "offers.csv").read_text(encoding="utf-8").splitlines()
    columns = offers[0].split(",")
    changed = []
    for line in offers[1:]:
        cells = dict(zip(columns, line.split(","), strict=True))
        if cells["observed_at"][:10] == "2026-05-27" and cells["price_per_gpu_hour"]:
            cells["price_per_gpu_hour"] = f"{float(cells['price_per_gpu_hour']) * 3:.4f}"
            cells["observed_at"] = cells["observed_at"].replace(":00Z", ":01Z")
            changed.append(",".join(cells[name] for name in columns))
    assert changed
    late = folder / "late.csv"
    late.write_text("\n".join([offers[0], *changed, ""]), encoding="utf-8")
    assert trader.asks("ingest", "tabular", late)["accepted"] == len(changed)
    restated = trader.asks("index", "restate", "h100-list", "2026-05-27", "--reason", "offers came late")
    assert restated
    after = trader.asks("hedge", "programme", rent, "-p", "strip")
    assert after["decisions"] == before["decisions"]
    assert after["months"] == before["months"]
    assert after["result"] == before["result"]


def test_contracts_and_methods_are_ranked_and_a_broken_book_stops_nothing(trader, folder, tmp_path):
    books = tmp_path / "books"
    books.mkdir()
    (books / "a.csv").write_bytes((folder / "rent.csv").read_bytes())
    (books / "=b.csv").write_bytes((folder / "year.csv").read_bytes())
    (books / "broken.csv").write_text("nothing\n1\n", encoding="utf-8")
    row = trader.asks(
        "hedge", "compare", books, "--contracts", "weekly", "--benchmarks", "h100-list", "--export",
        tmp_path / "ranking.csv", "--export", tmp_path / "ranking.xlsx",
    )  # fmt: skip
    ranked = [each for each in row["ranking"] if each["book"] == "a.csv"]
    assert [each["rank"] for each in ranked] == [1, 2]
    assert ranked[0]["swing_hedged"] <= ranked[1]["swing_hedged"]
    assert {each["verdict"] for each in row["ranking"] if each["book"] == "=b.csv"} == {"too short"}
    assert [each["book"] for each in row["refused"]] == ["broken.csv"]
    text = (tmp_path / "ranking.csv").read_text(encoding="utf-8")
    assert "\n'=b.csv," in text
    assert (tmp_path / "ranking.xlsx").stat().st_size > 1000


def test_the_rank_of_a_benchmark_alone_is_the_walk_forward_of_the_report(trader, folder):
    report = trader.asks("hedge", folder / "rent.csv", "--benchmark", "h100-list")
    row = trader.asks("hedge", "compare", folder / "rent.csv", "--benchmarks", "h100-list")
    for each in row["ranking"]:
        told = report["effectiveness"][each["method"]]
        assert each["unseen_months"] == told["out_of_sample_months"]
        assert each["swing_unhedged"] == pytest.approx(told["swing_unhedged"], rel=0.1)
        assert each["walk_forward"] == pytest.approx(told["walk_forward"], abs=0.1)
    assert row["books"][0]["spa_p_value"] < 0.05


def test_a_rent_is_hedged_by_its_file_alone_as_before(trader, folder, tmp_path):
    short = trader.asks("hedge", folder / "year.csv", "--benchmark", "h100-list")
    long = trader.asks("hedge", "report", folder / "year.csv", "--benchmark", "h100-list")
    assert {**short, "now": None} == {**long, "now": None}
    told = trader.types(
        "hedge", folder / "year.csv", "--benchmark", "h100-list", "--export", tmp_path / "r.json"
    )
    assert told.code == 0
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["verdict"] == short["verdict"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("-p", "nothing"), 1, "There is no programme 'nothing'"),
        (("-p", "absent.toml"), 1, "There is no programme file absent.toml"),
        (("-p", "strip", "--benchmark", "nothing"), 1, "nothing"),
        (("-p", "strip", "--export", "a.pdf"), 2, "--export a.pdf ends in .pdf"),
    ],
)
def test_what_cannot_be_run_is_one_plain_sentence(trader, folder, words, code, said):
    told = trader.types("hedge", "programme", folder / "year.csv", *words)
    assert told.code == code
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to compare"),
        (("--benchmarks", "h100-list", "--methods", "best"), "known methods"),
        (("--contracts", "cme-gpu1"), "No benchmark is named for cme-gpu1"),
        (("--contracts", "nothing=h100-list"), "nothing"),
    ],
)
def test_a_comparison_of_nothing_says_what_to_name(trader, folder, words, said):
    told = trader.types("hedge", "compare", folder / "year.csv", *words)
    assert told.code in {1, 2}
    assert said in told.err
