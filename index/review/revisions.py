"""Revisions: what the tape printed first of a date and what stands now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ...records import Fixing


@dataclass(frozen=True, slots=True)
class Revision:
    """A later row of a date: what it replaced, by whom and why. Values are micro-USD per GPU-hour."""

    date: date
    revision: int
    before_micros: int | None
    after_micros: int | None
    published_at: datetime | None
    actor: str | None
    reason: str | None

    @property
    def change_micros(self) -> int | None:
        """The move, None where either row has no value."""
        if self.before_micros is None or self.after_micros is None:
            return None
        return self.after_micros - self.before_micros


@dataclass(frozen=True, slots=True)
class Revisions:
    """All restatements of a period. ``largest`` is by size as a share of the value replaced."""

    n_published: int
    rows: tuple[Revision, ...]
    mean_absolute: float | None
    largest: Revision | None
    n_live: int
    n_backcast: int
    methodology_hashes: tuple[tuple[str, str, date], ...]
    """Each set of rules in the order in which they first stand: version, hash, first date."""


def revisions(sequence: Sequence[Fixing], first: date, last: date) -> Revisions:
    """What was restated. ``sequence`` is the tape in the order in which it was appended, all revisions."""
    held = [row for row in sequence if first <= row.date <= last]
    standing: dict[date, Fixing] = {}
    found: list[Revision] = []
    for row in held:
        before = standing.get(row.date)
        if before is not None:
            found.append(
                Revision(
                    row.date,
                    row.revision,
                    before.value_micros,
                    row.value_micros,
                    row.published_at,
                    row.actor,
                    row.reason,
                )
            )
        standing[row.date] = row
    sized = {
        r: abs(r.change_micros) / r.before_micros
        for r in found
        if r.change_micros is not None and r.before_micros
    }
    rules: dict[str, tuple[str, str, date]] = {}
    for row in sorted(held, key=lambda row: (row.date, row.revision)):
        rules.setdefault(row.methodology_hash, (row.methodology_version, row.methodology_hash, row.date))
    return Revisions(
        n_published=len(standing),
        rows=tuple(found),
        mean_absolute=sum(sized.values()) / len(sized) if sized else None,
        largest=max(sized, key=lambda r: sized[r], default=None),
        n_live=sum(row.origin == "live" for row in standing.values()),
        n_backcast=sum(row.origin == "backcast" for row in standing.values()),
        methodology_hashes=tuple(rules.values()),
    )
