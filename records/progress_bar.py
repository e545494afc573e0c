"""DuckDB's progress bar, which has no place on the standard output of a program."""

from __future__ import annotations

from typing import Any


def draw_no_bar(connection: Any) -> None:
    """Keep a DuckDB connection from drawing its progress on standard output, among the JSON of a command.

    It does so once a query takes two seconds where it takes the program for a person at a prompt. In a notebook
    without ipywidgets it draws nothing and refuses to be told so, hence the question first.
    """
    ((drawing,),) = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if drawing:
        connection.execute("SET enable_progress_bar = false")
