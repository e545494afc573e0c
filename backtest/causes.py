"""Why the gap stepped: the index's methodology, one's own rent, or the market; several may hold.

*Methodology*: a dated change, or a matched-panel move under half of the index move. *Own rent*: an own step
while the panel without it does not step the same way. *Market*: the matched panel and a second source agree
in sign and are at least half of each other's size. What the evidence at hand can't tell stays undetermined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from ..records import Refusal
from .series import CommonDate
from .wording import percent

Cause = Literal["methodology", "own rent", "market"]
Standing = Literal["holds", "no", "undetermined"]
HALF = 0.5 - 1e-9
"""Half the size, with room for the rounding of a share."""
NEAR = timedelta(days=10)
"""How old a second source's value may be at either end of a step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMove:
    """How the panel behind the reference moved over a step, as shares of its level before.

    ``matched`` is the move over the votes of both days. ``without_own`` leaves out whom one rents from,
    and ``without_own_is`` says how. What is None is not known.
    """

    matched: float | None = None
    matched_votes: int = 0
    without_own: float | None = None
    without_own_is: str = "the reference"
    reason: str | None = None


PanelMoves = Callable[[date, date], "PanelMove | Refusal"]
"""The panel's move between two fixing dates; handed in by who has the archive."""


@dataclass(frozen=True, slots=True)
class SecondSource:
    """Another reference of the same good from other sources: micro-USD per GPU-hour by date."""

    name: str
    values: Mapping[date, int]

    def move(self, before: date, after: date) -> float | None:
        """Its move between two dates, each end at most ``NEAR`` old; None where there is no value so near."""
        first, last = self._value(before), self._value(after)
        return None if first is None or last is None else last / first - 1

    def _value(self, day: date) -> int | None:
        near = [each for each in self.values if day - NEAR <= each <= day]
        return self.values[max(near)] if near else None


@dataclass(frozen=True, slots=True)
class CauseFinding:
    """One cause, whether it holds, and the evidence in a sentence."""

    cause: Cause
    standing: Standing
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakCase:
    """A step of the gap between two common dates; moves are shares of the level before, gaps in micro-USD."""

    before: date
    date: date
    gap_before_micros: int
    gap_after_micros: int
    own_move: float
    reference_move: float
    findings: tuple[CauseFinding, ...] = field(default=())

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that hold, or *undetermined*."""
        return tuple(each.cause for each in self.findings if each.standing == "holds") or ("undetermined",)

    def to_json(self) -> dict[str, Any]:
        """The case with stable keys."""
        from ..records import format_micros

        return {
            "date": self.date.isoformat(),
            "before": self.before.isoformat(),
            "gap_before": format_micros(self.gap_before_micros),
            "gap_after": format_micros(self.gap_after_micros),
            "own_move": self.own_move,
            "reference_move": self.reference_move,
            "causes": list(self.causes),
            "findings": [
                {"cause": each.cause, "standing": each.standing, "evidence": each.evidence}
                for each in self.findings
            ],
        }


def cases_of(
    common: Sequence[CommonDate],
    dates: Sequence[date],
    *,
    methodology_changes: Sequence[tuple[date, str]] = (),
    panel: PanelMoves | None = None,
    second: SecondSource | None = None,
) -> tuple[BreakCase, ...]:
    """The cases behind breaks that begin on these common dates, each with its causes."""
    places = {each.date: place for place, each in enumerate(common)}
    found = []
    for day in dates:
        place = places[day]
        if place == 0:
            continue
        before, after = common[place - 1], common[place]
        own = after.rent_micros / before.rent_micros - 1
        reference = after.reference_micros / before.reference_micros - 1
        moved = (
            Refusal("no_panel", "the panel behind the reference is not at hand")
            if panel is None
            else panel(before.date, after.date)
        )
        dated = [name for change, name in methodology_changes if before.date < change <= after.date]
        findings = (
            _methodology(reference, dated, moved),
            _own_rent(own, reference, moved),
            _market(moved, second, before.date, after.date),
        )
        found.append(
            BreakCase(
                before=before.date,
                date=after.date,
                gap_before_micros=before.basis_micros,
                gap_after_micros=after.basis_micros,
                own_move=own,
                reference_move=reference,
                findings=findings,
            )
        )
    return tuple(found)


def _methodology(reference: float, dated: Sequence[str], moved: PanelMove | Refusal) -> CauseFinding:
    if dated:
        return CauseFinding(
            "methodology", "holds", f"the rules changed in this step, to {' and '.join(dated)}"
        )
    if isinstance(moved, Refusal):
        return CauseFinding("methodology", "undetermined", f"no dated change; {moved.sentence}")
    if moved.matched is None:
        why = moved.reason or "no vote is in both days"
        return CauseFinding("methodology", "undetermined", f"no dated change; {why}")
    told = (
        f"no dated change; the votes of both days ({moved.matched_votes}) moved {percent(moved.matched)},"
        f" the reference {percent(reference)}"
    )
    less = abs(reference) > 0 and moved.matched / reference < HALF
    return CauseFinding("methodology", "holds" if less else "no", told)


def _own_rent(own: float, reference: float, moved: PanelMove | Refusal) -> CauseFinding:
    known = None if isinstance(moved, Refusal) else moved.without_own
    panel = reference if known is None else known
    name = "the reference" if isinstance(moved, Refusal) or known is None else moved.without_own_is
    told = f"the rent moved {percent(own)}, {name} {percent(panel)}"
    if own == 0:
        return CauseFinding("own rent", "no", told)
    return CauseFinding("own rent", "no" if own * panel > 0 else "holds", told)


def _market(
    moved: PanelMove | Refusal, second: SecondSource | None, before: date, after: date
) -> CauseFinding:
    if second is None:
        return CauseFinding("market", "undetermined", "there is no second source")
    other = second.move(before, after)
    if other is None:
        return CauseFinding(
            "market", "undetermined", f"{second.name} has no value near both ends of the step"
        )
    if isinstance(moved, Refusal):
        return CauseFinding("market", "undetermined", moved.sentence)
    if moved.matched is None:
        return CauseFinding("market", "undetermined", moved.reason or "no vote is in both days")
    told = f"the votes of both days moved {percent(moved.matched)}, {second.name} {percent(other)}"
    agree = moved.matched * other > 0
    sizes = sorted((abs(moved.matched), abs(other)))
    holds = agree and sizes[0] >= HALF * sizes[1]
    return CauseFinding("market", "holds" if holds else "no", told)
