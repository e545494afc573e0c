"""Runs the blocks of one page in order, as a reader would type them, in one scratch folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rentmark.cli import run
from rentmark.workspace import read_configuration

from tests.docs.blocks import Block, Step, matches, steps_of

SHELL_SIGNS = re.compile(r"[|<>&;$*`]")
ASSIGNMENT = re.compile(r"[A-Z][A-Z0-9_]*=")


class Reader:
    """Somebody who types what a page shows. ``printed`` is what the last command said, stdout before stderr."""

    def __init__(
        self,
        folder: Path,
        patch: pytest.MonkeyPatch,
        skipped: dict[str, str],
        may_exit_1: tuple[str, ...] = (),
    ) -> None:
        self.patch = patch
        self.skipped = skipped
        self.printed = ""
        self.code = 0
        self.names: dict[str, Any] = {}
        self.ran = 0
        self.may_exit_1 = may_exit_1
        patch.chdir(folder)

    def follow(self, block: Block) -> None:
        """Do what a block asks: run it, write its file, or add it to the rules."""
        if block.title is not None:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text + "\n", encoding="utf-8")
        elif block.language in {"console", "sh"}:
            for step in steps_of(block):
                self._type(block, step)
            assert self.code == 0, f"{block} ends with exit {self.code}, which `$ echo $?` must show"
        elif block.language == "toml":
            self._add_rules(block)
        elif block.language == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(block.text, str(block), "exec"), self.names)
            self.printed, self.ran = out.getvalue(), self.ran + 1
        elif block.language == "text":
            assert matches(tuple(block.text.splitlines()), self.printed), self._differs(block, block.text)
        else:
            pytest.fail(f"{block}: nobody knows what to do with a block {block.info!r}")

    def _add_rules(self, block: Block) -> None:
        """Put a block of rules below those of the workspace; they must load."""
        tomllib.loads(block.text)
        path = Path("rentmark.toml")
        path.write_text(path.read_text(encoding="utf-8") + "\n" + block.text + "\n", encoding="utf-8")
        read_configuration(path)
        self.ran += 1

    def _type(self, block: Block, step: Step) -> None:
        command = re.sub(r"\s+#\s.*$", "", step.command).strip()
        if command in self.skipped:
            return
        if command == "echo $?":
            self.printed, self.code = f"{self.code}\n", 0
        else:
            assert self.code == 0, f"{block}, before {command!r}: exit {self.code}\n{self.printed}"
            self._run(command)
        self.ran += 1
        where = f"{block.page}:{step.line}"
        if step.expected is None:
            assert self.code in self._allowed(command), (
                f"{where} {command!r}: exit {self.code}\n{self.printed}"
            )
            self.code = 0
        else:
            assert matches(step.expected, self.printed), self._differs(where, "\n".join(step.expected))

    def _allowed(self, command: str) -> set[int]:
        return {0, 1} if command.startswith(self.may_exit_1) else {0}

    def _run(self, command: str) -> None:
        words = shlex.split(command)
        while words and ASSIGNMENT.match(words[0]) and words[-1] != words[0]:
            self.patch.setenv(*words.pop(0).split("=", 1))
        if words[0] == "cd":
            self.patch.chdir(words[1])
            self.printed, self.code = "", 0
        elif words[0] == "rentmark" and not SHELL_SIGNS.search(command):
            out, err = StringIO(), StringIO()
            with redirect_stdout(out), redirect_stderr(err):
                self.code = run(words[1:])
            self.printed = out.getvalue() + err.getvalue()
            assert "Traceback" not in self.printed
        else:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-c", command], capture_output=True, text=True, check=False,
                env={**os.environ, "PATH": path},
            )  # fmt: skip
            self.printed, self.code = done.stdout + done.stderr, done.returncode

    def _differs(self, where: object, expected: str) -> str:
        return f"{where}: the page shows\n{expected}\n— but this is printed:\n{self.printed}"
