"""Commands typed outside a single test: what module-wide fixtures use where ``capsys`` can't reach."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from rentmark.cli import run


@dataclass(frozen=True)
class Said:
    """What one command answered."""

    code: int
    out: str
    err: str


def type_words(*words: str | Path) -> Said:
    """Run one command; no answer may ever hold a traceback."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(word) for word in words])
    assert "Traceback" not in out.getvalue() + err.getvalue()
    return Said(code, out.getvalue(), err.getvalue())


def ask(*words: str | Path, code: int = 0) -> Any:
    """The JSON that a command prints."""
    said = type_words(*words, "--json")
    assert said.code == code, said.err + said.out
    return json.loads(said.out)
