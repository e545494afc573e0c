"""Runs: stretches of consecutive days, which a chart draws as one piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any


def runs_of(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Rows in order of ``date``, split wherever a day is missing."""
    runs: list[list[Mapping[str, Any]]] = []
    expected = None
    for row in rows:
        day = date.fromisoformat(row["date"])
        if day == expected:
            runs[-1].append(row)
        else:
            runs.append([row])
        expected = day + timedelta(days=1)
    return runs
