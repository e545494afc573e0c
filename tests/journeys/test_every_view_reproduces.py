"""Build, publish, upgrade the methodology, restate a day, upgrade again: every as-of view of every date reproduces."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from rentmark.records import format_instant, parse_instant
from rentmark.workspace import AsOf, Workspace, build

from tests.journeys.governed import (
    NAME,
    day,
    export,
    ingest,
    new_workspace,
    now,
    offers,
    publish,
    readable,
    shown,
    values,
    version,
    write_rules,
)
from tests.journeys.typed import ask, type_words
from tests.store import conftest as databases

postgres_url = databases.postgres_url
new_postgres = databases.new_postgres

BASE = (3.0, 3.2, 3.4)
SECOND = version("1.1.0", day(7), "three sellers are asked for", "min_sellers = 3")
THIRD = version("1.2.0", day(11), "the mean in place of the median", 'estimator = "mean"')
STEPS = (
    "published",
    "upgraded to 1.1.0",
    "a day restated",
    "upgraded to 1.2.0",
    "another day restated",
    "a day set by judgement",
)
EXPLAINED = (2, 3)
BUILT_AGAIN = (0, 1, 3)


@dataclass
class Story:
    """What was seen after each step, as of that step: printed, stated, exported, built strictly and as reconstructed."""

    folder: Path
    instants: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    exported: list[bytes] = field(default_factory=list)
    strict: dict[int, bytes] = field(default_factory=dict)
    explained: dict[int, dict] = field(default_factory=dict)

    def look(self, workspace: Workspace) -> None:
        instant = now(workspace)
        self.instants.append(instant)
        self.printed.append(shown(self.folder, instant))
        self.stated.append(self.statement(instant))
        self.exported.append(self.tape(workspace, instant))
        if len(self.instants) - 1 in BUILT_AGAIN:
            self.strict[len(self.instants) - 1] = self.candidates(workspace, instant)
        if len(self.instants) in EXPLAINED:
            self.explained[len(self.instants)] = self.explanation(instant)

    def statement(self, instant: str) -> str:
        words = ("index", "statement", NAME, "--as-of", instant, "--workspace", self.folder)
        return type_words(*words).out + type_words(*words, "--json").out

    @staticmethod
    def tape(workspace: Workspace, instant: str) -> bytes:
        return export(workspace.store.tape(NAME, as_of=parse_instant(instant), revisions="all"))

    @staticmethod
    def candidates(workspace: Workspace, instant: str) -> bytes:
        return export(build(workspace, NAME, as_of=AsOf(parse_instant(instant))))

    def explanation(self, instant: str) -> dict:
        """Of the day that is restated between two of these steps."""
        return ask("index", "explain", NAME, str(day(5)), "--as-of", instant, "--workspace", self.folder)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def story(request, tmp_path_factory):
    """The story on one database, and the workspace as it stands at its end."""
    url = None if request.param == "sqlite" else request.getfixturevalue("new_postgres")()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RENTMARK_DATABASE_URL", raising=False)
        if url is not None:
            patch.setenv("RENTMARK_DATABASE_URL", url)
        folder = new_workspace(tmp_path_factory.mktemp("story") / "w")
        told = Story(folder)
        workspace = Workspace.open(folder, database_url=url)

        def reopen() -> Workspace:
            workspace.store.close()
            return Workspace.open(folder, database_url=url)

        ingest(folder, "first.csv", offers({n: [p + n / 100 for p in BASE] for n in range(1, 11)}))
        publish(folder, "--through", str(day(6)))
        told.look(workspace)

        write_rules(folder, versions=SECOND)
        publish(folder)
        workspace = reopen()
        told.look(workspace)

        ingest(folder, "late.csv", offers({5: (2.0, 2.1), 8: (2.2, 2.3)}, source="late"))
        ask("index", "restate", NAME, str(day(5)), "--reason", "a late file", "--workspace", folder)
        told.look(workspace)

        write_rules(folder, versions=SECOND + THIRD)
        ingest(folder, "more.csv", offers(dict.fromkeys(range(11, 15), BASE)))
        publish(folder)
        workspace = reopen()
        told.look(workspace)

        ask("index", "restate", NAME, str(day(8)), "--reason", "a late file", "--workspace", folder)
        told.look(workspace)

        ask("index", "override", NAME, str(day(12)), "--value", "3.10", "--reason", "a typing error of a seller",
            "--actor", "ann", "--approved-by", "bo", "--workspace", folder)  # fmt: skip
        told.look(workspace)
        yield told, workspace
        workspace.store.close()


@pytest.mark.parametrize("step", range(len(STEPS)), ids=STEPS)
def test_every_as_of_view_of_every_date_prints_the_same_bytes_again(story, step):
    told, _ = story
    assert shown(told.folder, told.instants[step]) == told.printed[step]


@pytest.mark.parametrize("step", range(len(STEPS)), ids=STEPS)
def test_the_statement_as_of_every_step_reads_as_it_did_then(story, step):
    told, _ = story
    assert told.statement(told.instants[step]) == told.stated[step]
    assert len(set(told.stated)) == len(STEPS), "each step is told"


@pytest.mark.parametrize("step", range(len(STEPS)), ids=STEPS)
def test_the_canonical_export_as_of_every_step_is_the_same_and_so_is_every_instant_up_to_the_next(
    story, step
):
    told, workspace = story
    instant = parse_instant(told.instants[step])
    following = [parse_instant(i) for i in told.instants[step + 1 : step + 2]]
    moments = [instant, instant + timedelta(microseconds=1)]
    moments += [
        row.published_at - timedelta(microseconds=1)
        for row in workspace.store.tape_sequence(NAME)
        if row.published_at > instant and (not following or row.published_at <= following[0])
    ]
    for moment in moments:
        if not following or moment < following[0]:
            assert told.tape(workspace, format_instant(moment)) == told.exported[step]


@pytest.mark.parametrize("step", [0, 1, 3])
def test_a_view_built_again_knows_only_the_data_and_the_versions_of_then(story, step):
    told, workspace = story
    assert told.candidates(workspace, told.instants[step]) == told.strict[step]


@pytest.mark.parametrize("step", [2, 3])
def test_an_explanation_as_of_then_is_the_same(story, step):
    told, _ = story
    assert told.explanation(told.instants[step - 1]) == told.explained[step]


def test_each_date_stands_under_the_version_of_its_day_and_no_change_rewrote_one(story):
    told, workspace = story
    rows = workspace.store.tape_sequence(NAME)
    first = {row.date: row.methodology_version for row in rows if row.revision == 0}
    assert [first[day(n)] for n in range(1, 15)] == ["1.0.0"] * 6 + ["1.1.0"] * 4 + ["1.2.0"] * 4
    assert {(row.date, row.methodology_version) for row in rows if row.revision == 1} == {
        (day(5), "1.0.0"),
        (day(8), "1.1.0"),
        (day(12), "1.2.0"),
    }
    # 3.05, 3.25, 3.45; then the medians of each seller's two prices, (3.05 + 2.00) / 2, (3.25 + 2.10) / 2, and 3.45
    assert values(readable(told.printed[1])["rows"])[str(day(5))] == "3.250000"
    assert values(readable(told.printed[2])["rows"])[str(day(5))] == "2.675000"
    assert values(readable(told.printed[3])["rows"])[str(day(11))] == "3.200000"  # (3.0 + 3.2 + 3.4) / 3
    assert values(readable(told.printed[5])["rows"])[str(day(12))] == "3.100000"


def test_the_tape_verifies_from_the_raw_payloads(story):
    told, _ = story
    result = ask("index", "verify", "--level", "2", "--workspace", told.folder)
    assert (result["passed"], result["rows_checked"]) == (True, 17)


def test_sqlite_and_postgresql_hold_the_same_canonical_tape(story, request):
    told, workspace = story
    kept = request.config.stash.setdefault(TAPES, {})
    kept[workspace.store.database.is_sqlite] = told.tape(workspace, told.instants[-1])
    assert len(set(kept.values())) == 1


TAPES = pytest.StashKey[dict[bool, bytes]]()
"""The tape of each database, for the test that compares them."""
