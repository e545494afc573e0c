"""The committee's review of the real list benchmark, and the story of its best-known day.

Expected figures: 2026-08-14 was computed twice independently by the authors of the task's definitions; the others
were worked from the votes that `index explain` prints.
"""

from __future__ import annotations

from datetime import date

import pytest
from rentmark.cli import run
from rentmark.workspace import Workspace, change_story

from tests.journeys.conftest import OFFERS, REAL_RULES, Person
from tests.journeys.typed import ask, type_words


@pytest.fixture(scope="module")
def workspace(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("review") / "w"
    assert run(["init", str(folder)]) == 0
    (folder / "rentmark.toml").write_text(REAL_RULES, encoding="utf-8")
    assert run(["ingest", "tabular", str(shared_data / OFFERS), "--workspace", str(folder)]) == 0
    assert run(["index", "build", "h100-list", "--publish", "--workspace", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def reviewed(workspace):
    """The review of August against the strict grade, and its page."""
    page = workspace / "review.html"
    words = ("--from", "2026-08-01", "--against", "h100-sxm-list", "--output", page)
    return ask("index", "review", "h100-list", *words, "--workspace", workspace), page.read_text(
        encoding="utf-8"
    )


def story(workspace, day: str) -> dict:
    return change_story(Workspace.open(workspace, database_url=None), "h100-list", date.fromisoformat(day))


def test_one_seller_moved_the_fourteenth_of_august(workspace):
    told = story(workspace, "2026-08-14")
    assert told["sentence"] == (
        "h100-list is $3.466, +4.1 % on the day. One seller (spheron) moved it; without it, unchanged."
    )
    assert (told["value"], told["previous_date"], told["previous_value"]) == (
        "3.465950",
        "2026-08-13",
        "3.330000",
    )
    assert (told["n_sellers"], told["n_unchanged"]) == (22, 20)
    changed = {s["seller"]: (s["before"], s["after"]) for s in told["changed"]}
    assert changed == {"scaleway": ("3.565350", "3.561900"), "spheron": ("2.650000", "3.920000")}
    assert (told["moved_it"], told["entered"], told["left"]) == (["spheron"], [], [])
    first = told["without_seller"][0]
    assert (first["seller"], first["before"], first["after"], first["change"]) == (
        "spheron",
        "3.370000",
        "3.370000",
        "0.000000",
    )
    assert told["matched_change"] == told["change"] == "0.135950"
    assert told["rules_changed"] is False


@pytest.mark.parametrize(
    ("day", "sentence"),
    [
        ("2026-07-05", "No price on 2026-07-05: 2 sellers, 3 needed. Nearest: 2026-07-06."),
        ("2026-07-06", "h100-list is $3.120 on 2026-07-06, its first value."),
        (
            "2026-07-25",
            "h100-list is $2.990, unchanged on the day. 1 of 21 sellers changed price; the value stayed.",
        ),
    ],
)
def test_a_day_without_a_move_is_told_too(workspace, day, sentence):
    told = story(workspace, day)
    assert told["sentence"] == sentence
    assert told["moved_it"] == []


def test_the_review_of_august(reviewed):
    row, _ = reviewed
    assert (row["from"], row["to"], row["marks"]) == ("2026-08-01", "2026-08-22", ["BACKCAST"])
    assert row["coverage"]["counts"] == {"OK": 22, "THIN": 0, "CARRIED": 0, "GAP": 0}
    assert row["replay"]["sentence"] == "22 of 22 rows reproduce to the last digit."
    shares = {c["kind"]: c for c in row["concentration"]}
    assert shares["seller"]["highest_share"]["top_share"] == pytest.approx(1 / 22)
    assert shares["seller"]["median_hhi"] == pytest.approx(10_000 / 22)
    assert [n["name"] for n in shares["aggregator"]["names"]] == ["gpurentalprices.com"]
    moves = {c["date"]: c for c in row["leave_one_out"]["changes"]}
    assert moves["2026-08-14"]["moved_it"] == ["spheron"]
    assert row["list_to_transacted"]["reason"] == "No trades here, so no volume or list-to-trade spread."
    results = {c["check"]: c["result"] for c in row["checks"]}
    assert (results["aggregator_share"], results["trade_dates"], results["replay"]) == (
        "not met",
        "not met",
        "met",
    )


def test_what_one_seller_could_have_done_on_the_fourteenth(reviewed):
    row, _ = reviewed
    alone = next(a for a in row["manipulation"]["actors"] if a["kind"] == "one seller")
    ways = {a["direction"]: a for a in alone["days"] if a["date"] == "2026-08-14"}
    # of 22 votes the middle two are 3.370000 and 3.561900, then 3.850000 above and 3.290000 below them: a seller from
    # below that goes to the top leaves 3.561900 and 3.850000 in the middle, one from above 3.290000 and 3.370000
    assert (ways["up"]["moved_to"], ways["up"]["price"]) == ("3.705950", "3.849999")
    assert (ways["down"]["moved_to"], ways["down"]["price"]) == ("3.330000", "3.290001")


def test_the_strict_grade_beside_it_is_explained_to_nothing(reviewed):
    run_ = reviewed[0]["parallel"]
    assert (run_["same_grade"], run_["both"]) == (False, 22)
    assert [k["key"] for k in run_["changed_keys"]] == ["grade.form_factor"]
    day = next(d for d in run_["days"] if d["date"] == "2026-08-14")
    assert (day["one"], day["other"], day["difference"]) == ("3.465950", "3.270000", "-0.195950")
    assert sum(round(1e6 * float(p["explains"])) for p in day["explained_by"]) == -195_950
    assert all(p["change"] in ("removed", "repriced", "remainder") for p in day["explained_by"])


def test_the_page_carries_what_the_json_says(reviewed):
    row, page = reviewed
    assert row["verdict"].upper() in page
    for sentence in row["sentences"]:
        assert sentence.replace(" %", "\u00a0%") in page
    assert "GPU rental price data by gpurentalprices.com" in page
    assert "<script" not in page


def test_wrong_words_are_one_plain_sentence(workspace, capsys):
    person = Person(capsys, workspace)
    unknown = person.types("index", "review", "h100-list", "--against", "list-medium")
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.strip().endswith("did you mean list-median?")
    assert (
        person.types("index", "review", "h100-list", "--from", "2026-08-02", "--to", "2026-08-01").code == 2
    )
    empty = person.types("index", "review", "h100-list", "--from", "2027-01-01")
    assert (empty.code, empty.err.strip()) == (
        1,
        "h100-list has no row in that period; rows run from 2026-07-05 to 2026-08-22.",
    )
    assert type_words("index", "review", "h100-list", "--from", "soon", "--workspace", workspace).code == 2
