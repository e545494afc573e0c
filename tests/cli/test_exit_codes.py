"""Exit codes mean what the documentation says, and an error is one plain line on standard error."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from rentmark.cli import main, run

OFFERS = """observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour,pricing
2026-08-03T00:00:00Z,amber,H100,SXM,80,3.00,on_demand
2026-08-03T00:00:00Z,basalt,H100,SXM,80,3.25,on_demand
2026-08-04T00:00:00Z,amber,H100,SXM,80,3.00,on_demand
2026-08-04T00:00:00Z,basalt,H100,SXM,80,3.25,on_demand
2026-08-04T00:00:00Z,citrine,H100,SXM,80,3.50,on_demand
2026-08-04T00:00:00Z,dolomite,H100,SXM,80,,on_demand
"""
"""Invented: a day with two sellers, a day with three, and a blank price."""
RENT = "date,rate_usd_per_gpu_hour\n2026-08-04,3.10\n"
ALL_BAD = "observed_at,seller,gpu_model,price_per_gpu_hour\n2026-08-03T00:00:00Z,amber,H100,free\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A workspace with offers ingested and a benchmark published; the folder above it is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RENTMARK_WORKSPACE", raising=False)
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    for name, text in (
        ("offers.csv", OFFERS),
        ("rent.csv", RENT),
        ("bad.csv", ALL_BAD),
        ("not.csv", "\0\1\2"),
    ):
        Path(name).write_text(text, encoding="utf-8")
    assert run(["init", "w"]) == 0
    assert run(["ingest", "tabular", "offers.csv", "-w", "w"]) == 0
    assert run(["index", "build", "h100-list", "--publish", "-w", "w"]) == 0
    return tmp_path


DONE = [
    ("index", "show", "h100-list"),
    ("index", "explain", "h100-list", "2026-08-03"),
    ("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list"),
    ("hedge", "rent.csv", "--benchmark", "h100-list"),
    ("ingest", "tabular", "offers.csv"),
    ("index", "publish", "h100-list"),
    ("rejects", "--batch", "1"),
]
"""A printed GAP, determination, too short, a repeated file, nothing new: all of it is done."""


@pytest.mark.parametrize("words", DONE, ids=" ".join)
def test_a_printed_status_is_done(files, capsys, words):
    assert run([*words, "-w", "w"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out
    assert run([*words, "-w", "w", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_gap_determination_and_too_short_are_what_was_printed(files, capsys):
    capsys.readouterr()
    run(["index", "show", "h100-list", "-w", "w"])
    run(["settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list", "-w", "w"])
    run(["hedge", "rent.csv", "--benchmark", "h100-list", "-w", "w"])
    out = capsys.readouterr().out
    assert "GAP" in out
    assert "min_sellers" in out
    assert "determination" in out
    assert "TOO SHORT" in out


REFUSED = [
    (("init", "w"), 1, "is a workspace already"),
    (("demo", "w", "--days", "40"), 1, "is a workspace already"),
    (("demo", "x", "--days", "3"), 2, "--days"),
    (("demo", "x", "--days", "many"), 2, "--days"),
    (("ingest", "tabular", "absent.csv", "-w", "w"), 1, "There is no file absent.csv"),
    (("ingest", "tabular", "offers.csv", "--mapping", "mine", "-w", "w"), 1, "mine"),
    (("ingest", "nonsense", "offers.csv", "-w", "w"), 2, "There is no feed 'nonsense'"),
    (("batches", "-w", "nowhere"), 1, "run `rentmark init nowhere`"),
    (("rejects", "--batch", "99", "-w", "w"), 1, "There is no batch 99; `rentmark batches` lists them."),
    (("rejects", "--reason", "typo", "-w", "w"), 2, "There is no reject reason 'typo'; known: missing_price"),
    (("rejects", "--limit", "0", "-w", "w"), 2, "--limit"),
    (("index", "build", "h100-lst", "-w", "w"), 1, "did you mean h100-list?"),
    (("index", "build", "h100-list", "--as-of", "2026-08-04", "--publish", "-w", "w"), 2, "--publish"),
    (("index", "publish", "h100-list", "--through", "soon", "-w", "w"), 2, "--through"),
    (("index", "publish", "h100-sxm-list", "-w", "w"), 1, "index build h100-sxm-list"),
    (("index", "show", "h100-sxm-list", "-w", "w"), 1, "Run `rentmark index build h100-sxm-list`"),
    (("index", "show", "h100-list", "--as-of", "2020-01-01", "-w", "w"), 1, "Nothing was known of h100-list"),
    (("index", "explain", "h100-list", "2020-01-01", "-w", "w"), 1, "rows run from 2026-08-03"),
    (("index", "restate", "h100-list", "2026-08-04", "--reason", "why", "-w", "w"), 1, "Nothing to restate"),
    (("index", "restate", "h100-list", "2026-08-04", "-w", "w"), 2, "--reason"),
    (("index", "revisions", "nothing", "-w", "w"), 1, "There is no benchmark 'nothing'"),
    (("index", "verify", "nothing", "-w", "w"), 1, "There is no benchmark 'nothing'"),
    (("index", "verify", "--level", "3", "-w", "w"), 2, "--level"),
    (("contracts", "gpu9", "-w", "w"), 1, "There is no contract 'gpu9'; known: cme-gpu1"),
    (("settle", "cme-gpu1", "August", "--benchmark", "h100-list", "-w", "w"), 2, "is not a month"),
    (("settle", "cme-gpu1", "2026-08", "-w", "w"), 2, "--benchmark"),
    (
        ("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list", "--certify", "me", "-w", "w"),
        2,
        "--certify needs --reason",
    ),
    (("hedge", "absent.csv", "--benchmark", "h100-list", "-w", "w"), 1, "There is no rent file absent.csv"),
    (("hedge", "not.csv", "--benchmark", "h100-list", "-w", "w"), 1, "not.csv"),
    (("hedge", "rent.csv", "--benchmark", "h100-list", "--method", "magic", "-w", "w"), 2, "known methods"),
    (("hedge", "rent.csv", "--benchmark", "h100-list", "--role", "broker", "-w", "w"), 2, "--role"),
    (
        ("hedge", "rent.csv", "--benchmark", "h100-list", "--entry-premium", "x", "-w", "w"),
        2,
        "--entry-premium x",
    ),
    (
        ("hedge", "rent.csv", "--benchmark", "h100-list", "--report", "no/such/r.html", "-w", "w"),
        1,
        "can't be written",
    ),
]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    REFUSED,
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_an_error_is_one_line_on_stderr_and_nothing_on_stdout_with_json_too(files, capsys, words, code, said):
    capsys.readouterr()
    for json_flag in ((), ("--json",)):
        assert run([*words, *json_flag]) == code
        answer = capsys.readouterr()
        assert answer.out == ""
        assert said in answer.err
        assert answer.err.endswith("\n")
        assert len(answer.err.splitlines()) == 1


FINDINGS = [
    (("ingest", "tabular", "bad.csv", "-w", "w"), "rejected", 1),
    (("grade", "MIG 1g.5gb"), "read", False),
]


@pytest.mark.parametrize(("words", "key", "value"), FINDINGS, ids=["ingest", "grade"])
def test_a_finding_is_json_although_it_exits_1(files, capsys, words, key, value):
    capsys.readouterr()
    for _ in range(2):  # asking again finds the same
        assert run([*words, "--json"]) == 1
        assert json.loads(capsys.readouterr().out)[key] == value
        assert run(list(words)) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_damaged_archive_is_found_and_exits_1(files, capsys):
    capsys.readouterr()
    (payload,) = [path for path in (files / "w" / "archive" / "raw").rglob("*") if path.is_file()]
    payload.chmod(0o644)
    payload.write_bytes(payload.read_bytes()[:-1])
    assert run(["index", "verify", "-w", "w", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["passed"] is False
    assert len(answer["problems"]) == 1
    assert run(["index", "verify", "-w", "w"]) == 1
    assert "NOT reproduced" in capsys.readouterr().out


def test_a_tape_that_is_broken_everywhere_is_told_in_a_screenful(files, capsys):
    rows = [
        f"2026-09-{day:02d}T00:00:00Z,{s},H100,SXM,80,3.00,on_demand" for day in range(1, 31) for s in "abc"
    ]
    Path("more.csv").write_text("\n".join([OFFERS.splitlines()[0], *rows, ""]), encoding="utf-8")
    assert run(["ingest", "tabular", "more.csv", "-w", "w"]) == 0
    assert run(["index", "build", "h100-list", "--publish", "-w", "w"]) == 0
    with sqlite3.connect(files / "w" / "rentmark.db") as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{name}"')
        database.execute("UPDATE fixing SET n_votes = n_votes + 1")
    database.close()
    capsys.readouterr()
    assert run(["index", "verify", "-w", "w"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Checked {len(lines_of_the_tape(capsys))} tape rows: NOT reproduced."
    assert len(lines) == 22
    assert lines[-1].endswith("more; --json lists all.")


def lines_of_the_tape(capsys) -> list[dict]:
    capsys.readouterr()
    assert run(["index", "revisions", "h100-list", "-w", "w", "--json"]) == 0
    rows: list[dict] = json.loads(capsys.readouterr().out)["rows"]
    return rows


def test_verifying_before_anything_is_published_says_so(files, capsys):
    assert run(["init", "new"]) == 0
    capsys.readouterr()
    assert run(["index", "verify", "-w", "new"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is published")


def test_main_exits_with_the_code(files):
    for words, code in ((["feeds"], 0), (["batches", "-w", "nowhere"], 1), (["feeds", "--loud"], 2)):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == code
