"""A reader of our output that goes away is no fault; any other broken pipe is one, and never looks like success."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rentmark.cli import main as typed
from rentmark.cli import run

COMMAND = f"from {typed.__module__} import main; main()"


@pytest.mark.parametrize(
    "words",
    [("feeds", "--json"), ("--help",), ("contracts",)],
    ids=["more than a pipe holds", "help", "little"],
)
def test_a_reader_that_went_away_is_no_fault(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, the full disk of Linux")
def test_output_that_finds_no_space_is_told_in_a_sentence():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, "grade", "H100", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert (done.stderr.count("\n"), "Traceback" in done.stderr) == (1, False)


def test_a_pipe_that_breaks_inside_is_a_failure(monkeypatch, capsys):
    import rentmark.workspace

    def broken():
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(rentmark.workspace, "contract_rows", lambda *_: broken(), raising=False)
    assert run(["contracts"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Rentmark failed (BrokenPipeError: [Errno 32] Broken pipe). This is a defect;")
