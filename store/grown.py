"""Rows already read of a table that only grows: the next read asks for the new ones alone.

A workspace that steps through years day by day would else read its whole tape and manifest at every
step. It is safe because the database refuses to change these rows, and because keys are given and
committed in one order under the write lock: who sees a key sees every lower one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import sqlalchemy as sa

Row = TypeVar("Row")


class Grown(Generic[Row]):
    """Committed rows in key order. ``read`` gives the (key, row) pairs above a key, ascending.

    To be asked in a transaction that has not yet written to the table.
    """

    def __init__(self, read: Callable[[sa.Connection, int], list[tuple[int, Row]]]) -> None:
        self._read = read
        self._rows: list[Row] = []
        self._last_key = 0
        self._lock = threading.Lock()

    def rows(self, connection: sa.Connection, above: int = 0) -> list[Row]:
        """All rows up to now but the first ``above``, in a list of the caller's own."""
        with self._lock:
            for key, row in self._read(connection, self._last_key):
                self._rows.append(row)
                self._last_key = key
            return self._rows[above:]
