"""Verify: whether what stands on the tape follows from what is in the archive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from ..records import Fixing, format_micros
from .governing import JUDGED

COMPARED = (
    "value_micros",
    "status",
    "rule",
    "tier",
    "n_observations",
    "n_sellers",
    "n_votes",
    "n_venues",
    "gpu_seconds",
    "p25_micros",
    "p75_micros",
    "top_weight",
    "carried_from",
    "input_digest",
    "effective_at",
    "simulated",
    "rights",
    "settlement_grade",
    "details",
)
"""Fields of a tape row that must follow exactly from the archive."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the tape and the archive disagree."""

    benchmark: str
    date: date
    revision: int
    field: str
    on_tape: str
    rebuilt: str

    @property
    def sentence(self) -> str:
        """The difference in one sentence."""
        return (
            f"{self.benchmark} {self.date} revision {self.revision}: {self.field} is {self.on_tape} on the tape "
            f"and {self.rebuilt} from the archive."
        )


def compare(tape: Iterable[Fixing], rebuilt: Mapping[tuple[date, int], Fixing]) -> list[Difference]:
    """Compare tape rows with what was rebuilt for the same date and revision, field by field."""
    differences = []
    for row in tape:
        again = rebuilt.get((row.date, row.revision))
        if again is None:
            differences.append(_difference(row, "row", "present", "not reproducible"))
            continue
        for name in COMPARED:
            if row.judgement is not None and name in JUDGED:
                continue  # a person set it, and the seal vouches for what was set
            before, after = getattr(row, name), getattr(again, name)
            if before != after:
                differences.append(_difference(row, name, _shown(name, before), _shown(name, after)))
    return differences


def _difference(row: Fixing, field: str, on_tape: str, rebuilt: str) -> Difference:
    return Difference(row.benchmark, row.date, row.revision, field, on_tape, rebuilt)


def _shown(name: str, value: object) -> str:
    if name.endswith("_micros") and isinstance(value, int):
        return format_micros(value)
    return "null" if value is None else str(value)
