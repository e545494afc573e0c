"""Reviews of the invented sample workspace, long enough to hold every key that a review prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

PERIODS: tuple[tuple[str, ...], ...] = (
    ("h100-traded", "--from", "2026-08-26", "--against", "h100-list"),
    ("h100-gaps", "--from", "2026-08-23", "--to", "2026-08-24", "--against", "list-median"),
)


def review_answers(folder: Path, ask: Callable[..., Any]) -> list[Any]:
    """What `index review` answers of a traded benchmark with a restatement, and of one that is all gaps."""
    return [ask("index", "review", *words, "--workspace", folder) for words in PERIODS]
