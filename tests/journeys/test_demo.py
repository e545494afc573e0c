"""The demo is a simulated market that says so everywhere, checks out, and stands still when reopened."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rentmark.records import canonical_fixing
from rentmark.workspace import Workspace
from rentmark.workspace.samples import sample_files

from tests.journeys.typed import ask, type_words

DAYS = 70
BENCHMARKS = ("h100-list", "h100-traded")
CLOCKS = ("published_at", "finality", "previous_digest", "row_digest")
NETWORK = re.compile(
    r"""(?:src|href|action|srcset|data)\s*=\s*["']?\s*(?:\w+:)?//"""
    r"""|url\(\s*["']?\s*(?:\w+:)?//|@import|<link\b|<script[^>]*\bsrc\b|fetch\(|XMLHttpRequest""",
    re.IGNORECASE,
)
"""What makes a browser ask another host. A namespace (``xmlns``) is a name, not a request."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A demo of ten weeks, and what it answered."""
    folder = tmp_path_factory.mktemp("demo") / "market"
    return folder, ask("demo", folder, "--days", str(DAYS))


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """The same demo once more in another folder, for people's eyes, its payloads parsed by a second process."""
    folder = tmp_path_factory.mktemp("again") / "market"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rentmark.workspace.demo.WORTH_A_SECOND_PROCESS", 1)
        said = type_words("demo", folder, "--days", str(DAYS))
    assert said.code == 0, said.err
    return folder, said


@pytest.fixture
def later(demo):
    """Asks the demo's workspace for JSON, as one who comes back later."""

    def asked(*words: str | Path):
        return ask(*words, "--workspace", demo[0])

    return asked


def test_settled_and_accruing_months_show(demo):
    by_month = {(s["contract"], s["month"]): s for s in demo[1]["settlements"]}
    assert set(by_month) == {
        (contract, month)
        for contract in ("cme-gpu1", "ice-hpr")
        for month in ("2023-09", "2023-10", "2023-11")
    }
    for (_, month), row in by_month.items():
        assert row["status"] == ("accruing" if month == "2023-11" else "settled")
        assert (row["final_settlement_price"] is None) == (month == "2023-11")
        assert (row["in_month"] is None) == (month != "2023-11")


def test_batches_fixings_settlements_and_hedge_all_say_simulated(demo, later):
    answer = demo[1]
    batches = later("batches")["batches"]
    assert len(batches) == 2 * DAYS
    assert sum(batch["records"] for batch in batches) == answer["records"]
    assert all(batch["simulated"] for batch in batches)
    published = 0
    for name in BENCHMARKS:
        rows = later("index", "show", name)["rows"]
        assert all(row["simulated"] for row in rows)
        published += len(rows)
    assert published == answer["published"] == 2 * DAYS
    assert answer["simulated"] is True
    assert all(settlement["simulated"] for settlement in answer["settlements"])
    assert answer["hedge"]["simulated"] is True


def test_every_observation_in_the_archive_says_simulated(demo):
    store = Workspace.open(demo[0], database_url=None).store
    tables = [
        pq.read_table(path, columns=["simulated"]) for path in store.file_paths(store.observation_files())
    ]
    marks = [mark for table in tables for mark in table["simulated"].to_pylist()]
    assert len(marks) > DAYS
    assert all(marks)


def test_every_fixing_was_published_in_its_time(later):
    for name in BENCHMARKS:
        rows = later("index", "show", name)["rows"]
        assert {row["origin"] for row in rows} == {"live"}
        assert {row["state"] for row in rows} == {"published"}
        assert {row["reconstructed"] for row in rows} == {False}
        assert all(row["published_at"][:4] == "2023" for row in rows)


def test_the_terminal_says_simulated_and_where_the_report_is(again):
    folder, said = again
    assert said.out.startswith("SIMULATED market: 70 days")
    assert "SIMULATED settlements" in said.out
    assert str((folder / "report.html").resolve()) in said.out
    assert "Hedge of the simulated rent book" in said.out


def test_the_report_says_simulated_and_asks_no_other_host(demo):
    page = Path(demo[1]["report"]).read_text(encoding="utf-8")
    assert "SIMULATED" in page
    assert demo[1]["hedge"]["sentence"] in page
    assert NETWORK.findall(page) == []


def test_the_whole_demo_reproduces_from_its_raw_bytes(later):
    answer = later("index", "verify", "--level", "2")
    assert answer["passed"] is True
    assert answer["rows_checked"] == 2 * DAYS
    assert {batch["result"] for batch in answer["batches"]} == {"identical"}


def test_a_file_that_is_not_simulated_is_refused(demo, later, tmp_path):
    real = tmp_path / "offers.csv"
    real.write_bytes(sample_files()["offers.csv"])
    before = later("batches")
    said = type_words("ingest", "tabular", real, "--workspace", demo[0])
    assert said.code == 1
    assert said.out == ""
    assert said.err == (
        "offers.csv is not simulated, and this workspace takes simulated sources only; "
        "use a workspace made by `rentmark init`.\n"
    )
    assert later("batches") == before


def dates_that_differ(one: list[dict], other: list[dict]) -> set[str]:
    """Dates on which two lists of rows say different things, their clocks and marks of state aside."""
    assert [row["date"] for row in one] == [row["date"] for row in other]
    aside = {*CLOCKS, "state", "origin", "actor"}
    return {
        mine["date"]
        for mine, theirs in zip(one, other, strict=True)
        if any(mine[key] != theirs[key] for key in mine.keys() - aside)
    }


def dates_corrected_later(folder: Path) -> set[str]:
    """Dates of trades that were corrected or cancelled."""
    store = Workspace.open(folder, database_url=None).store
    columns = ["trade_status", "observed_at"]
    events = [
        row
        for path in store.file_paths(store.observation_files())
        for row in pq.read_table(path, columns=columns).to_pylist()
    ]
    return {str(e["observed_at"].date()) for e in events if e["trade_status"] in ("corrected", "cancelled")}


def test_building_again_later_gives_the_same_candidates(demo, later):
    for name in BENCHMARKS:
        first, second = (later("index", "build", name)["rows"] for _ in range(2))
        assert first == second
        assert {row["state"] for row in first} == {"candidate"}
        changed = dates_that_differ(first, later("index", "show", name)["rows"])
        # offers are never amended; a trade corrected after its day was published changes candidates, not the tape
        if name == "h100-list":
            assert changed == set()
        else:
            assert set() < changed < dates_corrected_later(demo[0])
        assert later("index", "publish", name)["published"] == 0


def test_settling_a_month_again_later_gives_the_same_answer(demo, later):
    for before in demo[1]["settlements"]:
        again = later("settle", before["contract"], before["month"], "--benchmark", before["benchmark"])
        assert len(again.pop("days")) == before["expected"]
        assert again == before


def test_hedging_again_later_gives_the_same_answer(demo, later):
    again = later(
        "hedge", demo[0] / "simulated-rent.csv", "--benchmark", "h100-list", "--contract", "cme-gpu1"
    )
    assert again == demo[1]["hedge"]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_two_demos_of_one_seed_have_one_tape(demo, again, name):
    tapes = []
    for folder, _ in (demo, again):
        store = Workspace.open(folder, database_url=None).store
        tapes.append([canonical_fixing(row) for row in store.tape(name, revisions="all")])
    assert len(tapes[0]) == DAYS
    assert tapes[0] == tapes[1]


def test_a_demo_does_not_enter_a_workspace_that_stands(demo, later):
    before = later("batches")
    said = type_words("demo", demo[0], "--days", str(DAYS))
    assert said.code == 1
    assert said.err.startswith(f"{demo[0]} is a workspace already; choose another folder")
    assert said.out == ""
    assert later("batches") == before


def test_a_real_workspace_does_not_become_a_demo(tmp_path):
    assert type_words("init", tmp_path / "w").code == 0
    rules = (tmp_path / "w" / "rentmark.toml").read_text(encoding="utf-8")
    assert type_words("demo", tmp_path / "w").code == 1
    assert (tmp_path / "w" / "rentmark.toml").read_text(encoding="utf-8") == rules
    (tmp_path / "w" / "rentmark.toml").write_text(f'clock = "simulated"\n{rules}', encoding="utf-8")
    said = type_words("batches", "--workspace", tmp_path / "w")
    assert said.code == 2
    assert 'this workspace was made with clock = "real"' in said.err
