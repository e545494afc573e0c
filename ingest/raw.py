"""A payload's records as text columns, before any of them is understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..records import Refusal
from .columns import Codes, Column, constant, shown

NAMES_SHOWN = 30
"""Column names listed in a refusal; a file of hundreds is not read out in full."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A record that never became a row: its place, the reason, the field, and its text in full."""

    position: int
    reason: str
    field: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawTable:
    """Text columns of the fields that were asked for, and the records that fit no column.

    ``columns`` are keyed by the payload's name of the field. ``positions`` (shape: rows) places
    each row in the payload, counted from 0 over rows and damaged records together. ``names`` are
    all fields the payload has. ``refusal`` notes damage to the payload as a whole.
    """

    columns: Mapping[str, Column[str | None]]
    positions: Codes
    names: Sequence[str]
    damaged: Sequence[Damaged] = ()
    notes: tuple[str, ...] = ()
    refusal: Refusal | None = None

    @property
    def rows(self) -> int:
        """Number of records that became rows."""
        return int(self.positions.shape[0])

    @property
    def records(self) -> int:
        """Number of records found, damaged ones included."""
        return self.rows + len(self.damaged)

    def column(self, name: str | None) -> Column[str | None]:
        """The column of that name; one without a value where the payload has none."""
        if name is not None and name in self.columns:
            return self.columns[name]
        return constant(name or "", None, self.rows)


def listed(names: Sequence[str]) -> str:
    """Field names for a sentence: all of a few, the first NAMES_SHOWN of many."""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(shown(name) for name in names[:NAMES_SHOWN]) + more if names else "none"


def positions_between(records: int, damaged: Sequence[Damaged]) -> Codes:
    """The places of the rows among ``records`` records of which some are damaged."""
    present = np.ones(records, np.bool_)
    present[[record.position for record in damaged]] = False
    return np.flatnonzero(present).astype(np.int64)
