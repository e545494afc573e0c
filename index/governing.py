"""Governing: what keeps a value off the tape until somebody has looked, and what is worth a correction.

A **hold** is a value whose move against the last published one of its own day exceeds ``hold_move``. It
blocks its own date alone: later dates are fixed as if the held date had no fixing. For ``hold_days`` they
are measured against the same last value, so that a new level waits for a second person; then it is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Protocol

from ..records import STATUSES_OBSERVED, Fixing, RentmarkError
from .exact import exact
from .methodology import Benchmark, Methodology

JUDGEMENT = "judgement"
"""The rule of a value that a person set, or left out, in place of what the methodology gives."""
JUDGED = ("value_micros", "status", "rule", "tier", "carried_from", "settlement_grade")
"""What judgement puts in place of a computed row; everything else still follows from the archive."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A fixing that is held, and what its move was measured against. ``move`` is a share: 0.25 is up a quarter."""

    fixing: Fixing
    last_date: date
    last_value_micros: int
    move: Fraction
    limit: str


@dataclass(frozen=True, slots=True)
class Level:
    """A value of a day's own market (OK or THIN), micro-USD."""

    date: date
    value_micros: int


def hold_of(limit: str | None, last: Level | None, fixing: Fixing) -> Hold | None:
    """The hold of a fixing, or None where it has no value of its own, nothing stands before it, or it moved less."""
    level = _level(fixing)
    if limit is None or last is None or level is None:
        return None
    move = Fraction(level.value_micros - last.value_micros, last.value_micros)
    return Hold(fixing, last.date, last.value_micros, move, limit) if abs(move) > exact(limit) else None


class HoldWatch:
    """Measures fixings in order of date, each against the last value that stands before it.

    ``standing`` is what is published, ``held`` the values held so far, by date. For ``hold_days`` after a
    held date later dates are still measured against the value before it; from then on the held value is
    what the market has come to, and is measured against in its turn. So one step delays what follows it
    by ``hold_days`` at most, whoever looks or does not.
    """

    def __init__(self, standing: Iterable[Fixing], held: Mapping[date, int] | None = None) -> None:
        levels = {f.date: level for f in standing if (level := _level(f)) is not None}
        self._standing = sorted(levels.values(), key=lambda level: level.date)
        self._held = {day: Level(day, value) for day, value in (held or {}).items()}
        self._place = 0
        self._last: Level | None = None

    def measure(self, fixing: Fixing, methodology: Methodology) -> Hold | None:
        """The hold of a fixing that would be printed; one that is not held stands from now on."""
        while self._place < len(self._standing) and self._standing[self._place].date < fixing.date:
            self._stand(self._standing[self._place])
            self._place += 1
        known = [h for h in self._held.values() if (fixing.date - h.date).days > methodology.hold_days]
        if self._last is not None:
            known.append(self._last)
        hold = hold_of(methodology.hold_move, max(known, key=lambda h: h.date, default=None), fixing)
        level = _level(fixing)
        if hold is not None and level is not None:
            self._held[fixing.date] = level
        elif level is not None:
            self._stand(level)
        return hold

    def _stand(self, level: Level) -> None:
        if self._last is None or self._last.date < level.date:
            self._last = level


def _level(fixing: Fixing) -> Level | None:
    if fixing.status not in STATUSES_OBSERVED or fixing.value_micros is None:
        return None
    return Level(fixing.date, fixing.value_micros)


def split_held(
    standing: Mapping[date, Fixing],
    candidates: Iterable[Fixing],
    rules_of: Callable[[Fixing], Methodology],
    held: Mapping[date, int] | None = None,
) -> tuple[list[Fixing], list[Hold]]:
    """Candidates that may be printed and those that are held, in order of date.

    ``standing`` is what stands on the tape, by date, ``held`` the values held before, of other dates.
    """
    new = sorted(candidates, key=lambda f: f.date)
    if all(rules_of(f).hold_move is None for f in new):
        return new, []
    dates = {f.date for f in new}
    watch = HoldWatch(standing.values(), {d: value for d, value in (held or {}).items() if d not in dates})
    measured = [(f, watch.measure(f, rules_of(f))) for f in new]
    return [f for f, hold in measured if hold is None], [hold for _, hold in measured if hold is not None]


class MadeUnder(Protocol):
    """A published row as far as it says which rules it was made under."""

    @property
    def methodology(self) -> str:
        """The name of the methodology."""

    @property
    def methodology_version(self) -> str:
        """Its version."""

    @property
    def methodology_hash(self) -> str:
        """The hash of everything resolved."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a revision would change. ``move`` is the share by which the value moves, None where one has none."""

    before: Fixing
    after: Fixing
    move: Fraction | None

    @property
    def nothing(self) -> bool:
        """Whether the revision would say the same of the same inputs under the same rules."""
        names = ("input_digest", "methodology_hash", "value_micros", "status", "rule")
        return all(getattr(self.before, name) == getattr(self.after, name) for name in names)

    def material(self, methodology: Methodology) -> bool:
        """Whether it reaches ``republication_threshold``; a changed status or rule always does."""
        if methodology.republication_threshold is None:
            return True
        if (self.before.status, self.before.rule) != (self.after.status, self.after.rule):
            return True
        return self.move is not None and abs(self.move) >= exact(methodology.republication_threshold)


def correction(before: Fixing, after: Fixing) -> Correction:
    """What would change between a published row and a revision of it."""
    move = None
    if before.value_micros is not None and after.value_micros is not None:
        move = Fraction(after.value_micros - before.value_micros, before.value_micros)
    return Correction(before, after, move)


def judged(made: Fixing, value_micros: int | None) -> Fixing:
    """A row with a value that a person set, or none, in place of what the rules gave.

    A judged value is THIN, since no gate vouches for it, and never of settlement grade. What the market
    showed that day (counts, quartiles, inputs) stays as the rules found it.
    """
    return replace(
        made,
        value_micros=value_micros,
        status="GAP" if value_micros is None else "THIN",
        rule=JUDGEMENT,
        tier=made.tier if value_micros is not None else None,
        carried_from=None,
        settlement_grade=False,
    )


def refuse_one_person(actor: str, approved_by: str, *others: str) -> None:
    """Raise RentmarkError unless ``approved_by`` is a second person: another name than the actor and others."""
    for name, who in (("--actor", actor), ("--approved-by", approved_by)):
        if not who.strip():
            raise RentmarkError(f"{name} is empty; name a person.")
    for other in (actor, *others):
        if _same_person(other, approved_by):
            raise RentmarkError(
                f"--approved-by {approved_by} is {other}, who acted already; a second person approves."
            )


def _same_person(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def rules_changed(
    tape: Sequence[MadeUnder], benchmark: Benchmark, recorded: Callable[[str], Mapping[str, object]]
) -> str | None:
    """The first part of the rules that differs from those of published rows of the same version, or None.

    ``tape`` is in the order in which it was appended, ``recorded`` gives the rules kept under a hash. The
    catalogue, ratings and holidays of an exchange grow without a new version; the grade and the methodology
    do not.
    """
    named = (benchmark.methodology_name, benchmark.methodology.version)
    for row in reversed(tape):
        if (row.methodology, row.methodology_version) == named:
            if row.methodology_hash == benchmark.methodology_hash:
                return None
            then, now = recorded(row.methodology_hash), benchmark.resolved()
            parts = ("grade_name", "grade", "methodology")
            return next((part for part in parts if then.get(part) != now.get(part)), None)
    return None
