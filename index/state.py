"""State: what rules that look back read of earlier fixings, and whether it is still what stands.

Hysteresis, carry, the corroboration of jumps, a dispersion pool and chained estimators read earlier
fixings as they stand, never the archive once more, so that a value follows from the tape before it. Where
a date is not published, the candidate of the same build stands in.
"""

from __future__ import annotations

import datetime as dt
import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ..records import STATUSES_OBSERVED, Fixing, digest_of, micros_from_text, parse_date
from .estimators import Earlier, VoteId
from .methodology import Benchmark, Methodology


@dataclass(frozen=True, slots=True)
class Remembered:
    """One earlier fixing as far as rules read it. ``votes`` are those that stood, by tier, in micro-USD."""

    date: dt.date
    status: str
    value_micros: int | None
    tier: str | None
    simulated: bool
    rights: str
    pending_days: int
    votes: Mapping[str, Mapping[VoteId, int]]
    since: Mapping[str, Mapping[VoteId, tuple[int, dt.date]]]
    """By tier the price of each vote and since when it has had it, where a screen asks that."""
    digest: str

    @property
    def observed(self) -> bool:
        """Whether it has a value of its own day: OK or THIN."""
        return self.status in STATUSES_OBSERVED

    @classmethod
    def of(cls, fixing: Fixing) -> Remembered:
        """What is remembered of a fixing: nothing that publishing it would change."""
        details: dict[str, Any] = json.loads(fixing.details) if fixing.details else {}
        votes = {
            tier: {(seller, region, sku): micros_from_text(price) for seller, region, sku, price in rows}
            for tier, rows in details.get("votes", {}).items()
        }
        since = {
            tier: {
                (seller, region, sku): (micros_from_text(price), parse_date(day))
                for seller, region, sku, price, day in rows
            }
            for tier, rows in details.get("since", {}).items()
        }
        read = [fixing.date, fixing.status, fixing.value_micros, fixing.tier, fixing.details]
        return cls(
            date=fixing.date,
            status=fixing.status,
            value_micros=fixing.value_micros,
            tier=fixing.tier,
            simulated=fixing.simulated,
            rights=fixing.rights,
            pending_days=details.get("pending_days", 0),
            votes=votes,
            since=since,
            digest=digest_of([*read, fixing.simulated, fixing.rights]),
        )


@dataclass(frozen=True, slots=True)
class State:
    """What the rules of one date read: ``recent`` fixings in their memory, oldest first, and the ``last`` one.

    ``last`` is the fixing before, however old, where a rule asks how the date before ended.
    """

    recent: tuple[Remembered, ...] = ()
    last: Remembered | None = None

    @property
    def digest(self) -> str:
        """SHA-256 over what is read; a candidate seals it, so that publishing can hold it against the tape."""
        return digest_of([[r.digest for r in self.recent], self.last.digest if self.last else None])

    @property
    def in_gap(self) -> bool:
        """Whether the date before had no value of its own. Before the first there is no gap to leave."""
        return self.last is not None and not self.last.observed

    def carried(self, day: date, most_days: int) -> Remembered | None:
        """The latest fixing with a value of its own, at most so many days old."""
        return next(
            (r for r in reversed(self.recent) if r.observed and (day - r.date).days <= most_days), None
        )

    def history(self, tier: str, day: date, days: int) -> tuple[Earlier, ...]:
        """The fixings of the last ``days`` days as estimators and screens read them, with one tier's votes."""
        return tuple(
            Earlier(r.date, r.value_micros if r.observed else None, r.votes.get(tier, {}))
            for r in self.recent
            if (day - r.date).days <= days
        )


EMPTY = State()


class Memory:
    """Fixings as they come to stand, asked for the state of a date. The latest revision of a date stands."""

    def __init__(self, methodology: Methodology, fixings: Iterable[Fixing] = ()) -> None:
        self._methodology = methodology
        self._by_date: dict[date, Remembered] = {}
        self._dates: list[date] = []
        for fixing in fixings:
            self.put(fixing)

    def put(self, fixing: Fixing) -> None:
        """Let a fixing stand for its date."""
        if not self._methodology.reads_state:
            return
        if fixing.date not in self._by_date:
            insort(self._dates, fixing.date)
        self._by_date[fixing.date] = Remembered.of(fixing)

    def state(self, day: date) -> State:
        """What the rules of ``day`` read of the dates before it."""
        if not self._methodology.reads_state:
            return EMPTY
        end = bisect_left(self._dates, day)
        start = bisect_left(self._dates, day - timedelta(days=self._methodology.memory_horizon_days))
        last = self._by_date[self._dates[end - 1]] if end and self._methodology.reopen else None
        return State(tuple(self._by_date[d] for d in self._dates[start:end]), last)


def states_on_tape(methodology: Methodology, rows: Iterable[Fixing]) -> dict[tuple[date, int], State]:
    """The state that each row of a tape was made from, by date and revision.

    ``rows`` are in the order in which they were appended: a row read what stood before it, and what
    came later, a restatement included, it could not know.
    """
    memory = Memory(methodology)
    found = {}
    for row in rows:
        found[row.date, row.revision] = memory.state(row.date)
        memory.put(row)
    return found


def first_stale(benchmark: Benchmark, tape: Iterable[Fixing], candidates: Iterable[Fixing]) -> Fixing | None:
    """The first candidate that was made from another state than the one it would be published on, or None.

    ``tape`` is in the order in which it was appended; ``candidates`` are those about to follow it.
    """
    if not benchmark.methodology.reads_state:
        return None
    memory = Memory(benchmark.methodology, tape)
    for candidate in sorted(candidates, key=lambda fixing: fixing.date):
        sealed = json.loads(candidate.details or "{}").get("state")
        if sealed != memory.state(candidate.date).digest:
            return candidate
        memory.put(candidate)
    return None
