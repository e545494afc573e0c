"""What the environment sets: the workspace, who publishes, and how a defect of ours is told."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rentmark.cli import run

OFFERS = """observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour,pricing
2026-08-04T00:00:00Z,amber,H100,SXM,80,3.00,on_demand
2026-08-04T00:00:00Z,basalt,H100,SXM,80,3.25,on_demand
2026-08-04T00:00:00Z,citrine,H100,SXM,80,3.50,on_demand
"""
"""Invented."""


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two workspaces, one with offers and one without; the current folder is none."""
    monkeypatch.chdir(tmp_path)
    for name in ("RENTMARK_WORKSPACE", "RENTMARK_DATABASE_URL", "RENTMARK_ACTOR", "RENTMARK_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    Path("offers.csv").write_text(OFFERS, encoding="utf-8")
    assert run(["init", "full"]) == run(["init", "bare"]) == 0
    assert run(["ingest", "tabular", "offers.csv", "--workspace", "full"]) == 0
    return tmp_path


def batches(capsys, *words: str) -> int:
    capsys.readouterr()
    assert run(["batches", "--json", *words]) == 0
    return len(json.loads(capsys.readouterr().out)["batches"])


def test_the_workspace_is_the_option_else_the_variable_else_the_current_folder(two, capsys, monkeypatch):
    monkeypatch.setenv("RENTMARK_WORKSPACE", "full")
    assert batches(capsys) == 1
    assert batches(capsys, "--workspace", "bare") == 0
    monkeypatch.delenv("RENTMARK_WORKSPACE")
    assert run(["batches"]) == 1
    assert "No workspace in ." in capsys.readouterr().err
    monkeypatch.chdir(two / "full")
    assert batches(capsys) == 1


def test_who_publishes_is_the_option_else_the_variable_else_rentmark(two, capsys, monkeypatch):
    actors = {}
    monkeypatch.setenv("RENTMARK_WORKSPACE", "full")
    assert run(["index", "build", "h100-list", "--publish"]) == 0
    monkeypatch.setenv("RENTMARK_ACTOR", "the desk")
    assert run(["index", "build", "h100-sxm-list", "--publish"]) == 0
    for name in ("h100-list", "h100-sxm-list"):
        capsys.readouterr()
        assert run(["index", "revisions", name, "--json"]) == 0
        actors[name] = [row["actor"] for row in json.loads(capsys.readouterr().out)["rows"]]
    assert actors == {"h100-list": ["rentmark"], "h100-sxm-list": ["the desk"]}


def test_a_database_url_that_is_none_is_refused_in_one_line(two, capsys, monkeypatch):
    monkeypatch.setenv("RENTMARK_DATABASE_URL", "carrier-pigeon://coop")
    capsys.readouterr()
    assert run(["batches", "--workspace", "full"]) in (1, 2)
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "database URL" in said.err
    assert "defect" not in said.err


DEFECTS = [
    ("workspace.core.Workspace.create", ("init", "new")),
    ("workspace.demo.run_demo", ("demo", "new")),
    ("workspace.ingesting.ingest_files", ("ingest", "tabular", "offers.csv", "-w", "full")),
    ("workspace.listing.feed_rows", ("feeds",)),
    ("workspace.rows.ledger_row", ("batches", "-w", "full")),
    ("workspace.core.Workspace.open", ("rejects", "-w", "full")),
    ("workspace.listing.reading_row", ("grade", "H100")),
    ("workspace.several.build_benchmarks", ("index", "build", "h100-list", "-w", "full")),
    ("workspace.several.publish_benchmarks", ("index", "publish", "h100-list", "-w", "full")),
    ("workspace.showing.fixings_shown", ("index", "show", "h100-list", "-w", "full")),
    ("workspace.core.Workspace.open", ("index", "revisions", "h100-list", "-w", "full")),
    (
        "workspace.correcting.restate",
        ("index", "restate", "h100-list", "2026-08-04", "--reason", "r", "-w", "full"),
    ),
    ("workspace.auditing.explain_fixing", ("index", "explain", "h100-list", "2026-08-04", "-w", "full")),
    ("workspace.auditing.verify", ("index", "verify", "-w", "full")),
    ("workspace.listing.contract_rows", ("contracts", "-w", "full")),
    ("workspace.listing.contract_lines", ("contracts", "cme-gpu1", "-w", "full")),
    (
        "workspace.settling.settle_month",
        ("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list", "-w", "full"),
    ),
    ("workspace.books.read_own_rent", ("hedge", "offers.csv", "--benchmark", "h100-list", "-w", "full")),
]
"""One place inside each command, to fail there as a mistake in the code would."""


@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(("place", "words"), DEFECTS, ids=[" ".join(words) for _, words in DEFECTS])
def test_a_defect_is_told_in_one_line_and_never_thrown_at_a_person(
    two, capsys, monkeypatch, place, words, flags
):
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("three\nlines\nof text")

    monkeypatch.setattr(f"rentmark.{place}", fail)
    capsys.readouterr()
    assert run([*words, *flags]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "Rentmark failed (ZeroDivisionError: three lines of text). This is a defect; "
        "set RENTMARK_DEBUG=1 to see where, and report it.\n"
    )
    monkeypatch.setenv("RENTMARK_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run([*words, *flags])


def test_an_interrupt_is_told_in_one_line(two, capsys, monkeypatch):
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rentmark.workspace.ingesting.ingest_files", stop)
    capsys.readouterr()
    assert run(["ingest", "tabular", "offers.csv", "-w", "full"]) == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "Stopped; what was committed stays, nothing half-done is kept.\n"


def test_a_reader_who_goes_away_is_no_error(two):
    """As in ``rentmark batches | true``, in a process of its own because the pipe is its standard output."""
    code = "import sys; from rentmark.cli import run; sys.exit(run(['index', 'show', 'h100-list', '-w', 'full']))"
    assert run(["index", "build", "h100-list", "-w", "full"]) == 0
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-u", "-c", code], stdout=gone, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "the disk is full; free some space and repeat the command"),
        (errno.EMFILE, "too many files are open; raise the limit with `ulimit -n`"),
    ],
)
@pytest.mark.parametrize(("place", "words"), DEFECTS, ids=[" ".join(words) for _, words in DEFECTS])
def test_what_the_machine_refuses_anywhere_is_no_defect(
    two, capsys, monkeypatch, place, words, number, remedy
):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "some/file")

    monkeypatch.setattr(f"rentmark.{place}", refuse)
    capsys.readouterr()
    assert run(list(words)) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"The machine refused to go on at some/file ({os.strerror(number)}): {remedy}. "
        "What was committed before stays.\n"
    )
