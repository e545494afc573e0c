"""How the command line prints: JSON on stdout, tables for people, one plain line for an error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

WIDTH_WITHOUT_TERMINAL: Final = 220
"""Columns of a table that goes to a file or a pipe."""
COLUMN_GAP: Final = 3


def print_json(value: Any) -> None:
    """Print a value as indented JSON; NaN has no place in it and raises ValueError."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_line(text: str = "") -> None:
    """Print one line for a person."""
    sys.stdout.write(text + "\n")


def print_taken_in(name: str, counts: Mapping[str, int], *, already: str | None) -> None:
    """``prices.csv: 12 records = 10 accepted + 1 rejected + 1 duplicates``; the first count is the sum of the others.

    ``already`` says how the very same bytes were met before, as "imported".
    """
    total, *parts = (f"{count:,} {noun}" for noun, count in counts.items())
    again = "" if already is None else f" (already {already}; nothing changed)"
    print_line(f"{name}: {total} = {' + '.join(parts)}{again}")


def print_imported(row: Mapping[str, Any]) -> None:
    """What an import came to: its account, its notes, and why each refused row was refused."""
    counts = {noun: row[noun] for noun in ("records", "accepted", "rejected", "duplicates")}
    print_taken_in(row["origin_name"], counts, already="imported" if row["already_imported"] else None)
    for note in row["notes"]:
        print_line(f"  note: {note}")
    for reject in row["rejects"]:
        print_line(f"  {reject['sentence']}")


def print_error(sentence: str) -> None:
    """Print one plain line on stderr."""
    sys.stderr.write(" ".join(sentence.split()) + "\n")


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    title: str | None = None,
    optional: Sequence[str] = (),
) -> None:
    """Print a table; numbers to the right, absent values as an em dash.

    No date, number or code is ever broken over two lines. In a terminal too narrow for that the
    ``optional`` columns are left out, first named first, and the last line says which.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(soft_wrap=False)
    room = console.width if console.is_terminal else WIDTH_WITHOUT_TERMINAL
    cells = {
        name: ["—" if row[index] is None else str(row[index]) for row in rows]
        for index, name in enumerate(columns)
    }
    left_out: list[str] = []
    for name in optional:
        if _width(cells) <= room:
            break
        del cells[name]
        left_out.append(name)
    console = Console(width=max(room, _width(cells)), soft_wrap=False)
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for name, column in cells.items():
        numeric = bool(rows) and all(_is_number(cell) for cell in column if cell != "—")
        table.add_column(
            name, justify="right" if numeric else "left", overflow="fold", no_wrap=not _is_prose(column)
        )
    for row in zip(*cells.values(), strict=True):
        table.add_row(*(escape(cell) for cell in row))
    console.print(table)
    if left_out:
        print_line(f"Left out in this narrow terminal: {', '.join(left_out)}; --json has all.")


def _width(cells: Mapping[str, Sequence[str]]) -> int:
    """The least width of a table: prose may wrap between words, everything else stands on one line."""
    least = 0
    for name, column in cells.items():
        pieces = [word for cell in column for word in cell.split()] if _is_prose(column) else column
        least += max(len(name), *map(len, pieces), 1) + COLUMN_GAP
    return least


def _is_prose(column: Sequence[str]) -> bool:
    return any(" " in cell.removesuffix(" %") for cell in column)


def _is_number(cell: str) -> bool:
    bare = cell.removesuffix(" %").replace(",", "").replace(".", "", 1)
    return bare.lstrip("-−$+").isdigit()


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
