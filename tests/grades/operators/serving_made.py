"""Invented serving rows for tests."""

from __future__ import annotations

from datetime import date
from typing import Any

from rentmark.grades.operators import ServingRow, Stack

STACK = Stack("b200", "engine", "none", "fp4")


def row(interactivity: float, total: float, output: float | None = None, **changes: Any) -> ServingRow:
    """A row at an interactivity with a total and an output throughput (an eighth of the total unless given)."""
    values: dict[str, Any] = {
        "stack": STACK,
        "model": "invented",
        "isl": 8192,
        "osl": 1024,
        "concurrency": 4,
        "date": date(2026, 5, 19),
        "disaggregated": False,
        "gpus": None,
        "total_tokens_per_second_per_gpu": total,
        "output_tokens_per_second_per_gpu": total / 8 if output is None else output,
        "input_tokens_per_second_per_gpu": None,
        "median_interactivity": interactivity,
        "p90_interactivity": None,
        "p99_interactivity": None,
        "median_ttft_seconds": None,
        "p90_ttft_seconds": None,
        "p99_ttft_seconds": None,
        "where": "line 1",
    }
    return ServingRow(**(values | changes))
