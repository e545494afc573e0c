"""A feed outage is one thing wherever values are made: compared, verified by a third party, taken apart in a hedge."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import date

import pytest
from rentmark.records import digest_of
from rentmark.workspace import Workspace
from rentmark.workspace.sub_indices import SubIndices

from tests.journeys.governed import NAME, day, ingest, new_workspace, offers, publish
from tests.journeys.typed import ask

KEYS = 'outage_sources = ["invented", "second"]\noutage_carry_days = 1\n'
UNHEEDED = """
[methodologies.unheeded]
version = "1"
inputs = ["listed"]
min_sellers = 2
"""
OK, CARRIED, GAP = "OK", "CARRIED", "GAP"
PUBLISHED = {
    day(1): (OK, "3.150000"),
    day(2): (OK, "3.150000"),
    day(3): (CARRIED, "3.150000"),
    day(4): (GAP, None),
    day(5): (OK, "3.150000"),
}
"""Four offers of two sources a day: a seller's own two are averaged, then 3.10 and 3.20 (median 3.15), by hand.

On the third and fourth the second source is silent: the first is carried from the day before, the next is a gap.
"""


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """A workspace whose second source said nothing on two days, published."""
    folder = new_workspace(tmp_path_factory.mktemp("silent") / "w", KEYS, UNHEEDED)
    ingest(folder, "first.csv", offers(dict.fromkeys(range(1, 6), (3.0, 3.2))))
    ingest(folder, "second.csv", offers(dict.fromkeys((1, 2, 5), (3.2, 3.2)), source="second"))
    publish(folder)
    return folder


@pytest.fixture
def workspace(silent, tmp_path, monkeypatch):
    """A copy of it."""
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    folder = tmp_path / "w"
    shutil.copytree(silent, folder)
    return folder


def days_of(rows: list[dict]) -> dict[date, tuple[str, str | None]]:
    return {date.fromisoformat(row["date"]): (row["status"], row["value"]) for row in rows}


def test_a_comparison_shows_the_contingency_of_the_benchmark_and_of_no_other_rules(workspace):
    assert days_of(ask("index", "show", NAME, "--workspace", workspace)["rows"]) == PUBLISHED
    answer = ask("index", "compare", NAME, "--methodology", "unheeded", "--workspace", workspace)
    own, unheeded = answer["compared"]
    assert days_of(own["days"]) == PUBLISHED
    assert {row["rule"] for row in own["days"]} == {None, "feed_outage"}
    assert own["gap_rules"] == {"feed_outage": 1}
    assert days_of(unheeded["days"]) == {
        **PUBLISHED,
        day(3): (OK, "3.100000"),
        day(4): (OK, "3.100000"),
    }, "the first source alone: the median of 3.00 and 3.20"
    assert own["against_first"] is None
    assert unheeded["against_first"]["common_dates"] == 3, "a carried value is no value of its day"


def test_a_third_party_makes_the_contingency_again_from_files_alone(workspace, tmp_path, monkeypatch):
    """Also where the silent source came after all, and one of the days was restated with it."""
    ingest(workspace, "late.csv", offers(dict.fromkeys((3, 4), (3.4, 3.4)), source="second"))
    ask("index", "restate", NAME, str(day(4)), "--reason", "it came", "--workspace", workspace)
    out = tmp_path / "out"
    out.mkdir()
    words = ("index", "export", NAME, "--output", out / "tape.csv", "--archive", out / "archive")
    ask(*words, "--workspace", workspace)
    shutil.rmtree(workspace)
    monkeypatch.chdir(out)
    verifies = ("index", "verify", "--published", "tape.csv", "--archive", "archive")
    found = ask(*verifies)
    assert (found["passed"], found["rows_checked"], found["differences"]) == (True, 6, [])
    rows = list(csv.DictReader((out / "tape.csv").open(encoding="utf-8")))
    told = {(row["date"], row["revision"]): (row["status"], row["rule"]) for row in rows}
    assert told[str(day(3)), "0"] == (CARRIED, "feed_outage")
    assert told[str(day(4)), "0"] == (GAP, "feed_outage")
    assert told[str(day(4)), "1"] == (OK, "")

    # Rules without the outage say something else of those days, and a third party sees it.
    rules = json.loads((out / "tape.rules.json").read_text(encoding="utf-8"))
    [(stated, resolved)] = rules["methodologies"].items()
    for key in ("outage_sources", "outage_carry_days"):
        del resolved["methodology"][key]
    other = digest_of(resolved)
    rules["methodologies"] = {other: resolved}
    (out / "tape.rules.json").write_text(json.dumps(rules), encoding="utf-8")
    text = (out / "tape.csv").read_text(encoding="utf-8").replace(stated, other)
    (out / "tape.csv").write_text(text, encoding="utf-8")
    found = ask(*verifies, code=1)
    differ = {d["date"]: d["rebuilt"] for d in found["differences"] if d["field"] == "value_micros"}
    assert differ == {str(day(3)): "3.100000", str(day(4)): "3.100000"}, "what the first source alone says"


def test_a_price_of_one_provider_counts_on_no_day_of_an_outage(workspace):
    opened = Workspace.open(workspace, database_url=None)
    grade = opened.configuration.grade("h100-sxm").model_copy(update={"sellers": ("seller-1",)})
    with SubIndices(opened, NAME) as indices:
        found = indices.benchmark_for(grade)
    opened.store.close()
    # (3.00 + 3.20) / 2 of its two sources; on the third and fourth the first source alone would have said 3.00
    assert found == {day(1): 3_100_000, day(2): 3_100_000, day(5): 3_100_000}
