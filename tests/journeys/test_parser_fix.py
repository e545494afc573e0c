"""A payload read by a feed with a bug, then by the mended one: what was seen before stays, what comes is right.

All offers are invented; every value is worked by hand beside its assert.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rentmark.ingest.feeds.tabular import Tabular
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

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3

[benchmarks.h100-list]
grade = "h100-sxm"
methodology = "list-median"
"""
OFFERS = """observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour
2026-08-14T06:00:00Z,amber,H100,SXM,80,3.00
2026-08-14T06:00:00Z,basalt,H100,SXM,80,3.20
2026-08-14T06:00:00Z,citrine,H100,SXM,80,3.40
"""
OTHER = """observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour
2026-08-14T07:00:00Z,dolerite,H100,SXM,80,2.00
2026-08-14T07:00:00Z,emerald,H100,SXM,80,2.20
"""
NAME = "h100-list"
MENDED = Tabular.version


class Story:
    """One workspace, on one database, and the file it reads."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, url: str | None) -> None:
        self.folder, self.patch, self.url = folder, patch, url
        if url is None:
            patch.delenv("RENTMARK_DATABASE_URL", raising=False)
        else:
            patch.setenv("RENTMARK_DATABASE_URL", url)
        assert type_words("init", folder).code == 0
        (folder / "rentmark.toml").write_text(RULES)
        (folder / "offers.csv").write_text(OFFERS)
        (folder / "other.csv").write_text(OTHER)

    def asks(self, *words: str | Path, code: int = 0) -> Any:
        return ask(*words, "--workspace", self.folder, code=code)

    def values(self, *view: str) -> list[str]:
        return [row["value"] for row in self.asks("index", "build", NAME, *view)["rows"]]

    def tape(self) -> list[dict]:
        opened = Workspace.open(self.folder, database_url=self.url)
        with opened.store as store:
            return [canonical_fixing(row) for row in store.tape_sequence(NAME)]


@pytest.fixture(params=["sqlite", "postgresql"])
def story(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    url = None if request.param == "sqlite" else request.getfixturevalue("new_postgres")()
    return Story(tmp_path / "w", monkeypatch, url)


def with_bug(patch: pytest.MonkeyPatch) -> None:
    """A feed that reads every price of 3 dollars and something as 4 dollars and something."""
    real = Tabular.parse

    def parse(self: Tabular, payload: bytes, context: Any) -> Any:
        return real(self, payload.replace(b",3.", b",4."), context)

    patch.setattr(Tabular, "parse", parse)
    patch.setattr(Tabular, "version", "0")


def test_old_views_reproduce_and_new_ones_use_the_mended_reading(story: Story):
    with pytest.MonkeyPatch.context() as bug:
        with_bug(bug)
        first = story.asks("ingest", "tabular", story.folder / "offers.csv")["batches"][0]
        assert story.values() == ["4.200000"]  # the median of 4.00, 4.20 and 4.40
        assert story.asks("index", "publish", NAME)["published"] == 1
        assert story.asks("index", "verify", "--level", "2")["passed"] is True
    then = first["recorded_at"]
    before = story.asks("index", "build", NAME, "--as-of", then)["rows"]
    published = story.tape()

    second = story.asks("ingest", "tabular", story.folder / "offers.csv")["batches"][0]
    assert (first["feed_version"], second["feed_version"], second["supersedes"]) == (
        "0",
        MENDED,
        first["batch_id"],
    )
    assert second["accepted"] == 3
    assert second["recorded_at"] > then

    again = story.asks("index", "build", NAME, "--as-of", then)["rows"]
    assert [(row["value"], row["input_digest"]) for row in again] == [
        (row["value"], row["input_digest"]) for row in before
    ]  # fmt: skip
    assert again[0]["value"] == "4.200000"
    assert story.values() == ["3.200000"]  # the median of 3.00, 3.20 and 3.40
    assert story.tape() == published
    verified = story.asks("index", "verify", "--level", "2")
    assert verified["passed"] is True
    assert [batch["result"] for batch in verified["batches"]] == ["parser_changed", "identical"]

    row = story.asks("index", "restate", NAME, "2026-08-14", "--reason", "the feed read prices wrongly")[
        "row"
    ]
    assert (row["value"], row["revision"]) == ("3.200000", 1)
    assert story.tape()[0] == published[0]
    assert story.asks("index", "verify")["passed"] is True


def test_archived_payloads_are_read_again_without_their_files(story: Story):
    with pytest.MonkeyPatch.context() as bug:
        with_bug(bug)
        for name in ("offers.csv", "other.csv"):
            story.asks("ingest", "tabular", story.folder / name)
            (story.folder / name).unlink()
    assert story.values() == ["4.000000"]  # the median of 2.00, 2.20, 4.00, 4.20 and 4.40
    told = story.asks("ingest", "tabular", "--again")
    assert [batch["supersedes"] for batch in told["batches"]] == [1, 2]
    assert told["batches"][0]["notes"] == [f"read again by version {MENDED} of tabular; before by 0"]
    assert [batch["origin_name"] for batch in told["batches"]] == ["offers.csv", "other.csv"]
    assert story.values() == ["3.000000"]  # the median of 2.00, 2.20, 3.00, 3.20 and 3.40
    assert story.asks("ingest", "tabular", "--again")["batches"] == []
    ledger = story.asks("batches")["batches"]
    assert ledger[2]["received_at"] == ledger[0]["received_at"]
