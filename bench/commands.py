"""What a person waits for at the command line: the start of a command, and the whole simulated market of ``demo``.

Run: ``python bench/commands.py [--no-demo]``. Starts stand beside an empty Python with the same flags and beside an import of
pandas, which is what a newcomer's script begins with; the demo stands beside its bound. Rows are kept in
``build/bench.json``.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from measuring import COMMAND, Measured, in_a_process, in_turns, keep, of_python, row, tell

STARTS = (("--help",), ("grade", "H100 SXM5 80GB"))
EMPTY, PANDAS = "an empty Python", "a Python that imports pandas"
PROGRAMS = {EMPTY: "pass", PANDAS: "import pandas"}
DEMO_BOUND = 60.0
"""Seconds that the demo may take; there is no other program to put beside it."""


def starts(repeat: int) -> list[dict[str, Any]]:
    """How long two commands take, in turn with what they are beside."""
    rows = []
    others = {name: partial(of_python, code) for name, code in PROGRAMS.items()}
    for words in STARTS:
        ours = partial(of_python, COMMAND, words)
        found = in_turns({"ours": ours, **others}, repeat)
        rows += [
            row(f"start of `rentmark {words[0]}`", 1, found["ours"], name, found[name]) for name in PROGRAMS
        ]
    return rows


def demo() -> None:
    """The whole demo in a new folder."""
    from rentmark.cli import run

    with tempfile.TemporaryDirectory(prefix="rentmark-bench-") as folder:
        code = run(["demo", str(Path(folder) / "w"), "--json"])
        assert code == 0


def main() -> None:
    """Measure and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9, help="of the starts")
    parser.add_argument("--no-demo", action="store_true")
    parser.add_argument("--one", choices=["demo"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        tell(demo)
        return
    keep(starts(asked.repeat))
    if not asked.no_demo:
        whole = in_a_process(__file__, "--one", "demo")
        bound = Measured(DEMO_BOUND, 0)
        keep([row("`rentmark demo`", "37 months", whole, "bound of the issue", bound)])


if __name__ == "__main__":
    main()
