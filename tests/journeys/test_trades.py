"""Traded prices through the command line: the waterfall of tiers, late corrections, revisions, and rights.

All sellers, buyers, offers and trades here are invented, and every value is worked by hand beside its assert.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rentmark.records import canonical_fixing
from rentmark.workspace import Workspace

from tests.journeys.typed import ask, type_words
from tests.store import conftest as databases

postgres_url = databases.postgres_url
new_postgres = databases.new_postgres

RULES = """
[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"

[grades.h100-community]
chip = "H100"
pricing = "community"

[methodologies.traded-median]
version = "1.0.0"
inputs = ["trade", "listed"]
vote = ["observation"]
weights = "volume"
estimator = "volume_weighted_median"
min_sellers = 2
min_gpu_hours = 100

[methodologies.taken-median]
version = "1.0.0"
inputs = ["executable"]
min_sellers = 2

[benchmarks.h100-traded]
grade = "h100-sxm"
methodology = "traded-median"

[benchmarks.h100-hosts]
grade = "h100-community"
methodology = "taken-median"
"""
NAME = "h100-traded"

TRADES = """trade_id,executed_at,reported_at,seller,buyer,chip,form_factor,memory_gb,gpu_count,gpu_hours,price_usd_per_gpu_hour,status
t-1,2026-08-03T09:00:00Z,,amber,quartz,H100,SXM,80,8,100,2.00,new
t-2,2026-08-03T12:00:00Z,,basalt,quartz,H100,SXM,80,8,300,2.50,new
t-3,2026-08-03T15:00:00Z,,citrine,opal,H100,SXM,80,8,200,3.00,new
t-4,2026-08-04T09:00:00Z,,amber,opal,H100,SXM,80,8,900,2.10,new
t-5,2026-08-05T09:00:00Z,,amber,opal,H100,SXM,80,8,30,2.10,new
t-6,2026-08-05T10:00:00Z,,basalt,opal,H100,SXM,80,8,30,2.30,new
t-7,2026-08-07T09:00:00Z,,amber,opal,H100,SXM,80,8,500,2.20,new
t-8,2026-08-08T09:00:00Z,,amber,quartz,H100,SXM,80,8,100,2.20,new
t-9,2026-08-08T10:00:00Z,,basalt,quartz,H100,SXM,80,8,100,2.40,new
"""
OFFERS = """observed_at,seller,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing
2026-08-03T06:00:00Z,amber,H100,SXM,80,8,4.00,on_demand
2026-08-03T06:00:00Z,basalt,H100,SXM,80,8,4.20,on_demand
2026-08-04T06:00:00Z,amber,H100,SXM,80,8,3.00,on_demand
2026-08-04T06:00:00Z,basalt,H100,SXM,80,8,3.20,on_demand
2026-08-04T06:00:00Z,citrine,H100,SXM,80,8,3.40,on_demand
2026-08-05T06:00:00Z,amber,H100,SXM,80,8,3.10,on_demand
2026-08-05T06:00:00Z,basalt,H100,SXM,80,8,3.30,on_demand
2026-08-07T06:00:00Z,amber,H100,SXM,80,8,3.10,on_demand
"""
CORRECTIONS = """trade_id,executed_at,reported_at,seller,buyer,chip,form_factor,memory_gb,gpu_count,gpu_hours,price_usd_per_gpu_hour,status
t-2,2026-08-03T12:00:00Z,2026-08-10T00:00:00Z,basalt,quartz,H100,SXM,80,8,300,2.90,corrected
t-9,2026-08-08T10:00:00Z,2026-08-10T00:00:00Z,basalt,quartz,H100,SXM,80,8,100,2.40,cancelled
"""
FIRST = {
    # 100 h at 2.00, 300 h at 2.50, 200 h at 3.00: half of 600 h is reached at 2.50
    "2026-08-03": ("OK", "2.500000", "trade", None),
    # one seller traded, so list prices stand in: the second of three equal votes
    "2026-08-04": ("OK", "3.200000", "listed", None),
    # 60 traded hours of 100 needed, so list prices: half of two equal votes is reached at the first
    "2026-08-05": ("OK", "3.100000", "listed", None),
    "2026-08-06": ("GAP", None, None, "empty_window"),
    # one seller traded and one lists: neither tier has two
    "2026-08-07": ("GAP", None, "listed", "min_sellers"),
    # 100 h at 2.20 of 200 h: exactly half counts as reached
    "2026-08-08": ("OK", "2.200000", "trade", None),
}
LATEST = FIRST | {
    # the 300 h cost 2.90: 100 h at 2.00, then 400 of 600 h at 2.90
    "2026-08-03": ("OK", "2.900000", "trade", None),
    # one of two sellers is gone, and nobody listed that day
    "2026-08-08": ("GAP", None, "trade", "min_sellers"),
}
BOOK = {
    "note": "Every host and price in this book is invented.",
    "collected_utc": "2026-08-04T12:00:00Z",
    "offers": [
        {
            "id": number, "machine_id": 70 + number, "host_id": 9000 + number, "hosting_type": 0,
            "verification": "verified", "reliability2": 0.99, "gpu_name": "H100 SXM", "gpu_ram": 81559,
            "num_gpus": 2, "dph_total": total, "min_bid": 1.0, "is_bid": False, "rentable": True,
            "rented": False, "geolocation": "Quebec, CA",
        }
        for number, total in ((1, 4.0), (2, 4.5), (3, 5.0))
    ],
}  # fmt: skip


def values(rows: list[dict]) -> dict[str, tuple]:
    return {row["date"]: (row["status"], row["value"], row["tier"], row["rule"]) for row in rows}


@dataclass
class Story:
    """A workspace walked through late corrections and a restatement, with what was said on the way."""

    folder: Path
    database_url: str | None
    told: dict[str, Any] = field(default_factory=dict)

    def asks(self, *words: str | Path, code: int = 0) -> Any:
        return ask(*words, "--workspace", self.folder, code=code)

    def types(self, *words: str | Path):
        return type_words(*words, "--workspace", self.folder)

    def tape(self) -> list[dict]:
        """The canonical tape in the order it was appended: what "identical" is judged on."""
        opened = Workspace.open(self.folder, database_url=self.database_url)
        with opened.store as store:
            return [canonical_fixing(row) for row in store.tape_sequence(NAME)]


def walk(folder: Path, database_url: str | None) -> Story:
    """Offers and trades, a publication, then a correction and a cancellation, then a restatement."""
    story = Story(folder, database_url)
    assert type_words("init", folder).code == 0
    (folder / "rentmark.toml").write_text(RULES, encoding="utf-8")
    for name, text in (("offers", OFFERS), ("trades", TRADES), ("corrections", CORRECTIONS)):
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    told = story.told
    story.asks("ingest", "tabular", folder / "offers.csv")
    between = story.asks("ingest", "trades", folder / "trades.csv")["batches"][0]["recorded_at"]
    told["built"] = story.asks("index", "build", NAME)["rows"]
    told["published"] = [story.asks("index", "publish", NAME)["published"] for _ in range(2)]
    told["early view"] = story.asks("index", "build", NAME, "--as-of", between)["rows"]
    told["early"] = between

    corrected = story.asks("ingest", "trades", folder / "corrections.csv")
    told["corrections"] = corrected
    told["after publication"] = corrected["batches"][0]["recorded_at"]
    told["early view again"] = story.asks("index", "build", NAME, "--as-of", between)["rows"]
    told["built again"] = story.asks("index", "build", NAME)["rows"]
    told["shown before restating"] = story.asks("index", "show", NAME)["rows"]
    told["verified before"] = [story.asks("index", "verify", "--level", level) for level in ("1", "2")]

    told["restated"] = story.asks("index", "restate", NAME, "2026-08-03", "--reason", "t-2 was corrected")[
        "row"
    ]
    told["restated again"] = story.types("index", "restate", NAME, "2026-08-03", "--reason", "once more")
    told["published later"] = story.asks("index", "publish", NAME)["published"]
    told["revisions"] = story.asks("index", "revisions", NAME)["rows"]
    told["shown"] = story.asks("index", "show", NAME)["rows"]
    told["shown as of"] = story.asks("index", "show", NAME, "--as-of", told["after publication"])["rows"]
    told["verified after"] = [story.asks("index", "verify", "--level", level) for level in ("1", "2")]
    return story


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """The story on SQLite."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RENTMARK_DATABASE_URL", raising=False)
        yield walk(tmp_path_factory.mktemp("trades") / "w", None)


def test_the_waterfall_is_decided_date_by_date(story):
    assert values(story.told["built"]) == FIRST
    by_date = {row["date"]: row for row in story.told["built"]}
    assert by_date["2026-08-03"]["gpu_hours"] == 600
    assert by_date["2026-08-03"]["top_weight"] == 0.5
    assert by_date["2026-08-04"]["gpu_hours"] == 0
    assert {row["date"] for row in story.told["built"] if row["settlement_grade"]} == {
        "2026-08-03",
        "2026-08-08",
    }


def test_publishing_twice_publishes_once(story):
    assert story.told["published"] == [len(FIRST), 0]
    assert story.told["published later"] == 0


def test_a_correction_and_a_cancellation_are_accepted_events(story):
    counts = story.told["corrections"]
    assert (counts["records"], counts["accepted"], counts["rejected"], counts["duplicates"]) == (2, 2, 0, 0)


def test_what_came_later_changes_nothing_in_an_earlier_strict_view(story):
    assert values(story.told["early view"]) == FIRST
    assert story.told["early view again"] == story.told["early view"]


def test_what_came_later_changes_the_latest_candidates_and_not_the_tape(story):
    assert values(story.told["built again"]) == LATEST
    assert values(story.told["shown before restating"]) == FIRST


@pytest.mark.parametrize(("as_of", "expected"), [("2026-08-09", FIRST), ("2026-08-11", LATEST)])
def test_a_reconstructed_view_knows_what_had_been_reported_by_then(story, as_of, expected):
    rows = story.asks("index", "build", NAME, "--as-of", as_of, "--reconstructed")["rows"]
    assert values(rows) == expected
    assert all(row["reconstructed"] and row["state"] == "candidate" for row in rows)


@pytest.mark.parametrize("moment", ["verified before", "verified after"])
def test_the_tape_verifies_after_late_events_and_after_a_restatement(story, moment):
    first, second = story.told[moment]
    rows = len(FIRST) + (moment == "verified after")
    assert [(each["passed"], each["rows_checked"]) for each in (first, second)] == [(True, rows)] * 2
    assert [batch["result"] for batch in second["batches"]] == ["identical"] * 3


def test_a_restatement_is_a_revision_with_its_reason_and_the_old_row_stays(story):
    row = story.told["restated"]
    assert (row["revision"], row["value"], row["restatement_reason"]) == (1, "2.900000", "t-2 was corrected")
    both = [row for row in story.told["revisions"] if row["date"] == "2026-08-03"]
    assert [(each["revision"], each["value"]) for each in both] == [(0, "2.500000"), (1, "2.900000")]
    (before,) = [r for r in story.told["shown before restating"] if r["date"] == "2026-08-03"]
    assert both[0] == before
    assert both[1]["previous_digest"] == story.told["revisions"][-2]["row_digest"]
    assert len(story.told["revisions"]) == len(FIRST) + 1
    said = story.types("index", "revisions", NAME).out
    assert "t-2 was corrected" in said


def test_restating_what_has_not_changed_is_refused(story):
    again = story.told["restated again"]
    assert (again.code, again.out) == (1, "")
    assert again.err.startswith(f"Nothing to restate: {NAME} on 2026-08-03 comes to the same value")
    assert story.types("index", "restate", NAME, "2026-08-04", "--reason", " ").code == 1
    assert story.types("index", "restate", NAME, "2026-08-04").code == 2


def test_show_gives_the_revision_and_as_of_between_gives_the_old_value(story):
    assert values(story.told["shown"]) == FIRST | {"2026-08-03": LATEST["2026-08-03"]}
    assert values(story.told["shown as of"]) == FIRST
    latest, earlier = story.told["shown"][0], story.told["shown as of"][0]
    assert earlier["published_at"] < story.told["after publication"] < latest["published_at"]
    assert (earlier["revision"], latest["revision"]) == (0, 1)


def test_explain_says_which_version_of_a_trade_counted(story):
    now = story.asks("index", "explain", NAME, "2026-08-03")
    assert now["fixing"]["value"] == "2.900000"
    assert now["funnel"] == {"trade_superseded": 1, "tier_not_chosen": 2, "in": 3}
    then = story.asks("index", "explain", NAME, "2026-08-03", "--as-of", story.told["after publication"])
    assert then["fixing"]["value"] == "2.500000"
    assert then["funnel"] == {"tier_not_chosen": 2, "in": 3}
    without = {each["seller"]: each["value"] for each in then["without_seller"]}
    # without basalt: 100 h at 2.00 and 200 h at 3.00; without citrine: 300 of 400 h cost 2.50
    assert without == {"amber": "2.500000", "basalt": "3.000000", "citrine": "2.500000"}


def test_a_source_of_unknown_rights_is_built_and_not_published(tmp_path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    story = Story(tmp_path / "w", None)
    assert type_words("init", story.folder).code == 0
    (story.folder / "rentmark.toml").write_text(RULES, encoding="utf-8")
    book = tmp_path / "book.json"
    book.write_text(json.dumps(BOOK), encoding="utf-8")
    assert story.asks("ingest", "vast", book)["accepted"] == 3
    (row,) = story.asks("index", "build", "h100-hosts")["rows"]
    # dph_total / num_gpus of three hosts: 2.00, 2.25, 2.50
    assert (row["value"], row["tier"], row["rights"], row["state"]) == (
        "2.250000",
        "executable",
        "unknown",
        "candidate",
    )
    for words in (("index", "publish", "h100-hosts"), ("index", "build", "h100-hosts", "--publish")):
        refused = story.types(*words)
        assert refused.code == 1
        assert refused.err == (
            "h100-hosts on 2026-08-04 rests on a source whose rights for index use are unknown; state them "
            "(a license column or rights in the mapping) or name other sources in the grade.\n"
        )
    assert story.asks("index", "revisions", "h100-hosts")["rows"] == []
    assert "Candidates only" in story.types("index", "show", "h100-hosts").out
    settled = story.types("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-hosts")
    assert (settled.code, settled.out) == (1, "")
    assert "no published fixings" in settled.err


def test_a_trade_whose_licence_forbids_index_use_is_left_out(tmp_path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    story = Story(tmp_path / "w", None)
    assert type_words("init", story.folder).code == 0
    (story.folder / "rentmark.toml").write_text(RULES, encoding="utf-8")
    header, *rows = TRADES.splitlines()
    licences = ["CC BY-NC 4.0" if row.startswith("t-3") else "CC BY 4.0" for row in rows]
    licensed = [f"{row},{licence}" for row, licence in zip(rows, licences, strict=True)]
    file = tmp_path / "licensed.csv"
    file.write_text("\n".join([f"{header},license", *licensed, ""]), encoding="utf-8")
    assert story.asks("ingest", "trades", file)["accepted"] == len(rows)
    story.asks("index", "build", NAME, "--publish")
    told = story.asks("index", "explain", NAME, "2026-08-03")
    # without the 200 h at 3.00, half of 400 h is reached at 2.50
    assert (told["fixing"]["value"], told["funnel"]) == ("2.500000", {"rights_forbidden": 1, "in": 2})


def test_sqlite_and_postgresql_give_the_same_tape(story, new_postgres, tmp_path, monkeypatch):
    url = new_postgres()
    monkeypatch.setenv("RENTMARK_DATABASE_URL", url)
    other = walk(tmp_path / "w", url)
    monkeypatch.delenv("RENTMARK_DATABASE_URL")
    assert not (other.folder / "rentmark.db").exists()
    assert len(other.tape()) == len(FIRST) + 1
    assert other.tape() == story.tape()
