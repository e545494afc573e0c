"""What a check found wrong, located."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """A file of the archive that is not what the books say. ``path`` is relative to the workspace.

    ``batch_id`` is None for a payload of marks, ratings or a blotter, which are imports and no batches.
    """

    code: Literal["file_missing", "file_altered", "file_unreadable", "entry_altered"]
    path: str
    batch_id: int | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainProblem:
    """A row that its chain does not vouch for. ``sequence`` is its place in append order."""

    code: Literal[
        "row_altered", "link_broken", "revision_gap", "clock_backwards", "place_altered", "row_unreadable"
    ]
    sequence: int
    benchmark: str
    date: date | None
    """The fixing date; None for a certificate, which stands for a month, and where it is not known."""
    revision: int | None
    sentence: str
