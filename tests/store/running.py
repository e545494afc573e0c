"""Starting several programs of this folder at the same moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program and wait until it is ready; it goes on when a line is written to it."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", str(PROGRAMS / program), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        _, said = process.communicate(timeout=60)
        raise AssertionError(said)
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def finish(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let all go at once and wait; returns the lines each printed."""
    for process in processes:
        go(process)
    lines = []
    for process in processes:
        printed, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
        lines.append(printed.splitlines())
    return lines
