"""How the command line prints: JSON on stdout, tables for people, one plain line for an error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def print_json(value: Any) -> None:
    """Print a value as indented JSON; NaN has no place in it and raises ValueError."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_line(text: str = "") -> None:
    """Print one line for a person."""
    sys.stdout.write(text + "\n")


def print_error(sentence: str) -> None:
    """Print one plain line on stderr."""
    sys.stderr.write(" ".join(sentence.split()) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, title: str | None = None) -> None:
    """Print a table; numbers to the right, absent values as an em dash."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=220, soft_wrap=False)
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(rows) and all(_is_number(row[index]) for row in rows if row[index] is not None)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*("—" if cell is None else escape(str(cell)) for cell in row))
    console.print(table)


def _is_number(cell: Any) -> bool:
    if isinstance(cell, int | float):
        return True
    return isinstance(cell, str) and cell.replace(",", "").replace(".", "", 1).lstrip("-−$+").isdigit()


@contextmanager
def progress() -> Iterator[Any]:
    """A status line on stderr while work goes on; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("working …") as status:
        yield lambda text: status.update(f"{text} …")
