"""A governed benchmark: holds, releases, overrides, corrections not made, versions, and its end."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rentmark.workspace import Workspace

from tests.journeys.governed import (
    FIRST,
    NAME,
    day,
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
from tests.journeys.typed import Said, ask, type_words

KEYS = """
hold_move = 0.2
republication_threshold = 0.01
republication_window_days = 30
cessation_notice_days = 10
"""
BLOTTER = """trade_id,broker,account,date,contract,month,side,lots,price,fees,action
T1,acme,desk,2026-07-06,cme-gpu1,2026-08,buy,1,3.10,,new
"""
"""Invented."""


def flat(last: int, **changed: tuple[float, ...]) -> str:
    """Three sellers around 3.2 a day, but for the days that say otherwise."""
    return offers({n: changed.get(f"d{n}", (3.0, 3.2, 3.4)) for n in range(1, last + 1)})


@pytest.fixture(scope="module")
def governed(tmp_path_factory):
    """Ten days of which the fourth doubles; published by ann, so the fourth is held."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RENTMARK_DATABASE_URL", raising=False)
        folder = new_workspace(tmp_path_factory.mktemp("governed") / "w", KEYS)
        ingest(folder, "first.csv", flat(10, d4=(6.0, 6.4, 6.8)))
        publish(folder)
        yield folder


@pytest.fixture
def folder(governed, tmp_path):
    """A copy of it, to be changed."""
    return Path(shutil.copytree(governed, tmp_path / "w"))


def say(folder: Path, *words: object) -> Said:
    return type_words("index", *map(str, words), "--workspace", folder)


def decide(folder: Path, command: str, on: int, *words: str, actor: str = "bo", by: str = "cy") -> Said:
    reason = ("--reason", "seen and checked")
    return say(folder, command, NAME, day(on), *reason, "--actor", actor, "--approved-by", by, *words)


def test_a_held_date_is_not_printed_and_says_what_it_waits_for(governed):
    told = ask("index", "show", NAME, "--workspace", governed)
    assert len(told["rows"]) == 9
    assert str(day(4)) not in values(told["rows"])
    (held,) = told["held"]
    assert (held["date"], held["value"], held["last_date"], held["last_value"], held["move"]) == (
        str(day(4)),
        "6.400000",
        str(day(3)),
        "3.200000",
        1.0,
    )
    assert held["sentence"] == (
        "HELD h100-list 2026-07-04: 6.400000 moves +100.0% against 3.200000 of 2026-07-03, beyond 20 %; a second "
        "person releases it with `rentmark index release h100-list 2026-07-04`."
    )
    assert ask("index", "holds", "--workspace", governed)["held"] == told["held"]


def test_publishing_again_publishes_nothing_and_holds_once(folder):
    again = publish(folder, actor="bo")
    assert (again["published"], len(again["held"])) == (0, 1)
    kinds = [row["kind"] for row in ask("index", "log", NAME, "--workspace", folder)["log"]]
    assert kinds == ["hold"]


@pytest.mark.parametrize(
    ("actor", "by", "said"),
    [
        ("bo", "bo", "--approved-by bo is bo, who acted already"),
        ("bo", "Ann", "--approved-by Ann is ann, who acted already"),  # ann published when it was held
    ],
)
def test_one_person_alone_releases_nothing(governed, actor, by, said):
    answer = decide(governed, "release", 4, actor=actor, by=by)
    assert (answer.code, answer.err.startswith(said)) == (1, True)


def test_a_date_that_is_not_held_is_not_released(governed):
    answer = decide(governed, "release", 5)
    assert answer.code == 1
    assert answer.err == (
        "h100-list has no held fixing on 2026-07-05; `rentmark index holds` lists what is held.\n"
    )


def test_a_second_person_releases_what_was_held_and_the_row_says_who(folder):
    assert decide(folder, "release", 4).code == 0
    told = ask("index", "show", NAME, "--workspace", folder)
    (row,) = [r for r in told["rows"] if r["date"] == str(day(4))]
    assert (row["value"], row["revision"], row["actor"], row["approved_by"]) == ("6.400000", 0, "bo", "cy")
    assert told["held"] == []
    assert decide(folder, "release", 4).code == 1
    assert [r["kind"] for r in ask("index", "log", NAME, "--workspace", folder)["log"]] == ["hold", "release"]
    assert ask("index", "verify", "--workspace", folder)["passed"]


def test_a_candidate_that_changed_since_is_held_anew_before_it_is_released(folder):
    ingest(folder, "late.csv", offers({4: (6.0, 6.2)}, source="late"))
    ask("index", "build", NAME, "--workspace", folder)
    answer = decide(folder, "release", 4)
    assert answer.code == 1
    assert "is not the one that was held; run `rentmark index build h100-list`" in answer.err
    (held,) = publish(folder)["held"]
    assert held["value"] == "6.300000"  # seller-2 by the median of 6.4 and 6.2, between 6.0 and 6.8
    assert decide(folder, "release", 4).code == 0


def test_an_override_is_a_revision_by_two_and_stands_in_the_log(folder):
    assert decide(folder, "override", 5, "--value", "3.10", by="bo").code == 1
    assert decide(folder, "override", 5).code == 2
    assert decide(folder, "override", 5, "--value", "3.10", "--gap").code == 2
    assert decide(folder, "override", 5, "--value", "3.10").code == 0
    assert decide(folder, "override", 4, "--gap").code == 0, "a held date may be set, too"
    rows = ask("index", "show", NAME, "--workspace", folder)["rows"]
    by_date = {r["date"]: r for r in rows}
    five, four = by_date[str(day(5))], by_date[str(day(4))]
    assert (five["value"], five["status"], five["rule"], five["revision"], five["judgement"]) == (
        "3.100000",
        "THIN",
        "judgement",
        1,
        "seen and checked",
    )
    assert (four["value"], four["status"], four["rule"], four["revision"]) == (None, "GAP", "judgement", 0)
    overrides = ask("index", "overrides", "--workspace", folder)["overrides"]
    assert [(o["date"], o["actor"], o["approved_by"], o["value"]) for o in overrides] == [
        (str(day(5)), "bo", "cy", "3.100000"),
        (str(day(4)), "bo", "cy", None),
    ]
    assert ask("index", "holds", "--workspace", folder)["held"] == []
    assert ask("index", "verify", "--workspace", folder)["passed"]
    alone = say(folder, "restate", NAME, day(5), "--reason", "back to the rules")
    assert alone.code == 1
    assert "stands by the judgement of bo and cy; a second person approves" in alone.err


def test_a_correction_under_the_threshold_is_recorded_and_not_made(folder):
    ingest(folder, "late.csv", offers({6: (3.0, 3.21)}, source="late"))
    for _ in range(2):
        answer = say(folder, "restate", NAME, day(6), "--reason", "a late file")
        assert answer.code == 1
        assert answer.err == (
            "h100-list on 2026-07-06 stands at 3.200000: +0.156% is under the threshold of 0.01 "
            "(republication_threshold); the correction to 3.205000 is recorded and not made.\n"
        )
    (row,) = [r for r in ask("index", "log", NAME, "--workspace", folder)["log"] if r["kind"] == "correction"]
    assert (row["date"], row["value"], row["value_before"]) == (str(day(6)), "3.205000", "3.200000")
    ingest(folder, "later.csv", offers({6: (3.0, 2.0)}, source="later"))
    ingest(folder, "last.csv", offers({6: (3.0, 2.0)}, source="last"))
    assert say(folder, "restate", NAME, day(6), "--reason", "three late files").code == 0


def test_the_error_policy_of_the_row_counts_and_not_that_of_today(folder):
    write_rules(folder, KEYS.replace("window_days = 30", "window_days = 0"))
    ingest(folder, "late.csv", offers({6: (2.0, 2.0)}, source="late"))
    # the rules of the row count, and it was published with a window of 30 days
    assert say(folder, "restate", NAME, day(6), "--reason", "a late file").code == 0


def test_a_correction_after_the_window_is_recorded_and_not_made(tmp_path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    folder = new_workspace(tmp_path / "w", "republication_window_days = 0")
    ingest(folder, "first.csv", flat(3))
    publish(folder)
    ingest(folder, "late.csv", offers({2: (3.0,)}, source="late"))
    answer = say(folder, "restate", NAME, day(2), "--reason", "a late file")
    assert answer.code == 1
    assert "the republication window of 0 days closed at" in answer.err
    log = ask("index", "log", NAME, "--workspace", folder)["log"]
    assert [row["kind"] for row in log] == ["correction"]


def test_a_changed_rule_alone_is_restated(tmp_path, monkeypatch):
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    folder = new_workspace(tmp_path / "w", "republication_threshold = 0.5")
    ingest(folder, "first.csv", offers(dict.fromkeys((1, 3), (3.0, 3.2))))
    publish(folder)
    ingest(folder, "late.csv", offers({2: (3.0,)}).replace(",H100,", ",A100,"))
    told = ask("index", "restate", NAME, str(day(2)), "--reason", "the feed was late", "--workspace", folder)
    assert (told["row"]["rule"], told["row"]["revision"]) == ("no_match", 1)
    first = ask("index", "revisions", NAME, "--workspace", folder)["rows"][1]
    assert (first["date"], first["rule"]) == (str(day(2)), "empty_window")
    assert first["input_digest"] == told["row"]["input_digest"]


def test_an_edited_rule_is_not_published_under_the_same_version(folder):
    ingest(folder, "more.csv", offers({11: (3.0, 3.2, 3.4)}))
    write_rules(folder, KEYS + "min_votes = 2\n")
    ask("index", "build", NAME, "--workspace", folder)
    answer = say(folder, "publish", NAME)
    assert answer.code == 1
    assert answer.err == (
        "[methodologies.list-median] was edited, and h100-list has published fixings under version 1.0.0 as it was; put "
        "it back, or add [[methodologies.list-median.versions]] with a new version and the date it takes effect.\n"
    )
    write_rules(folder, KEYS, version("1.1.0", day(11), "two votes are asked for", "min_votes = 2"))
    assert publish(folder)["published"] == 1
    told = ask("index", "versions", NAME, "--workspace", folder)["versions"]
    assert [(v["version"], v["published"], v["rules_changed"]) for v in told] == [
        ("1.0.0", 9, []),
        ("1.1.0", 1, ["min_votes: 1 → 2"]),
    ]
    write_rules(folder, KEYS, version("1.1.0", day(11), "three votes", "min_votes = 3"))
    ingest(folder, "yet-more.csv", offers({12: (3.0, 3.2, 3.4)}))
    ask("index", "build", NAME, "--workspace", folder)
    answer = say(folder, "publish", NAME)
    assert answer.code == 1
    assert "list-median" in answer.err
    assert "1.1.0" in answer.err


def test_the_end_of_a_benchmark(folder, tmp_path):
    blotter = tmp_path / "blotter.csv"
    blotter.write_text(BLOTTER)
    ask("blotter", "import", blotter, "--workspace", folder)
    before = shown(folder, now(Workspace.open(folder, database_url=None)))
    words = ("--notice", "No sellers are left", "--actor", "ann", "--successor", "h100-next")
    for last, by, said in (
        (day(9), "bo", "has published fixings up to 2026-07-10"),
        (day(10), "bo", "promises 10 days of notice (cessation_notice_days)"),
        (day(10), "ann", "a second person approves"),
    ):
        answer = say(folder, "cease", NAME, "--last-date", last, "--approved-by", by, *words)
        assert (answer.code, said in answer.err) == (1, True), answer.err
    write_rules(folder, KEYS.replace("cessation_notice_days = 10\n", ""))
    answer = say(folder, "cease", NAME, "--last-date", day(10), "--approved-by", "bo", *words)
    assert answer.code == 0
    assert answer.out.endswith("by ann, approved by bo): No sellers are left. It is followed by h100-next.\n")
    assert say(folder, "cease", NAME, "--last-date", day(11), "--approved-by", "bo", *words).code == 1
    told = ask("index", "show", NAME, "--workspace", folder)
    assert (told["cessation"]["last_date"], told["cessation"]["successor"]) == (str(day(10)), "h100-next")
    instant = told["rows"][-1]["published_at"]
    assert readable(shown(folder, instant))["cessation"] is None, "it was not announced then"
    assert readable(before)["cessation"] is None

    write_rules(folder, KEYS)
    ingest(folder, "more.csv", offers(dict.fromkeys(range(11, 14), (3.0, 3.2, 3.4))))
    built = ask("index", "build", NAME, "--publish", "--workspace", folder)
    assert (built["rows"][-1]["date"], built["published"]) == (str(day(10)), 0)
    assert decide(folder, "override", 12, "--gap").err.startswith(
        "h100-list has ceased; its last fixing date"
    )

    settled = ask("settle", "ice-hpr", "2026-07", "--benchmark", NAME, "--workspace", folder)
    assert settled["ceased_on"] == str(day(10))
    assert settled["status"] == "determination"
    missing = {m["date"]: m["reason"] for m in settled["missing"]}
    assert missing[str(day(4))] == "no_tape_row"  # held, never released
    assert missing[str(day(11))] == missing["2026-07-31"] == "index_ceased"
    positions = type_words(
        "positions",
        "--account",
        "desk",
        "--benchmark",
        NAME,
        "--through",
        str(day(14)),
        "--workspace",
        folder,
    )
    assert positions.code == 1
    assert positions.err.startswith("h100-list ceased on 2026-07-10: cme-gpu1 has no index to fix on")


def test_the_statement_is_generated_from_the_rules(governed, tmp_path):
    made = ask("index", "statement", NAME, "--output", tmp_path / "s.html", "--workspace", governed)
    said = {s["title"]: " ".join(s["sentences"]) for s in made["sections"]}
    assert "one GPU-hour of H100, of form factor SXM" in said["What it measures"]
    assert "at least 2 sellers." in said["When there is none"]
    assert "moves more than 20 %" in said["Judgement"]
    assert "Held now: 1." in said["Judgement"]
    assert "under 1 % is immaterial" in said["Errors and revisions"]
    assert "within 30 days" in said["Errors and revisions"]
    assert "at least 10 days of notice" in said["End of the benchmark"]
    assert "as a proxy only" in said["Settlement grade and limits"]
    assert made["methodology_hash"] in said["Every rule, as it is hashed"]
    rules = dict(next(s["rows"] for s in made["sections"] if s["title"].startswith("Every rule")))
    assert rules["methodologies.list-median.hold_move"] == "0.2"
    html = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert all(title in html for title in said)
    assert "<script" not in html
    text = say(governed, "statement", NAME)
    assert text.out.startswith("# Benchmark statement: h100-list")
    wrong = say(governed, "statement", NAME, "--output", tmp_path / "s.pdf")
    assert (wrong.code, "ends in neither .html nor .md" in wrong.err) == (2, True)
    assert FIRST.isoformat() in said["The tape"]
