"""What a test of breaks is: paired levels in; a statistic beside its critical value, or a refusal, out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ...records import Refusal
from .critical import Critical
from .size_notes import size_note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Reads = Literal["gap", "changes", "levels"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Levels:
    """Rent and reference side by side, in dollars per GPU-hour, on increasing dates."""

    dates: tuple[date, ...]
    rent: NDArray[np.float64]
    reference: NDArray[np.float64]

    @property
    def gap(self) -> NDArray[np.float64]:
        """Rent − reference: the price basis."""
        return _without_noise(self.rent - self.reference)

    @property
    def changes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Changes of rent and reference from date to date."""
        import numpy as np

        return _without_noise(np.diff(self.rent)), _without_noise(np.diff(self.reference))


def _without_noise(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences of prices to a billionth of a dollar: equal ones are equal, whatever floats make of them."""
    found: NDArray[np.float64] = differences.round(9)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one test computed. ``dates`` are positions in the tested series, by the first element after a break.

    ``beyond`` is +1 where large statistics speak against the null, −1 where small ones do.
    """

    statistic: float
    critical: Critical
    p_value: float | None = None
    beyond: Literal[1, -1] = 1
    positions: tuple[int, ...] = ()
    detail: Mapping[str, float | int] = field(default_factory=dict)

    @property
    def rejects(self) -> bool:
        """Whether the null is rejected at 5 %."""
        return self.beyond * (self.statistic - self.critical.value) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A test's answer in the words of a report; what could not be computed is None with a ``reason``."""

    test: str
    label: str
    null: str
    reads: Reads
    n: int
    statistic: float | None = None
    critical: float | None = None
    critical_source: str | None = None
    p_value: float | None = None
    rejects: bool | None = None
    dates: tuple[date, ...] = ()
    size: str | None = None
    detail: Mapping[str, float | int] = field(default_factory=dict)
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "test": self.test,
            "null": self.null,
            "reads": self.reads,
            "n": self.n,
            "statistic": self.statistic,
            "critical_value": self.critical,
            "critical_source": self.critical_source,
            "p_value": self.p_value,
            "rejects": self.rejects,
            "dates": [each.isoformat() for each in self.dates],
            "size": self.size,
            "detail": dict(self.detail),
        }
        if self.reason is not None:
            values["reason"] = self.reason
        elif self.p_value is None:
            values["reason"] = "judged by its critical value alone; it has no p value"
        return values


class BreakTest(ABC):
    """One test at 5 %. A subclass states its null, its source, and the least n it speaks about."""

    name: ClassVar[str]
    label: ClassVar[str]
    null: ClassVar[str]
    source: ClassVar[str]
    reads: ClassVar[Reads]
    minimum: ClassVar[int]

    def judge(self, levels: Levels) -> Finding:
        """Run the test on what it reads of these levels."""
        changes = self.reads == "changes"
        dates = levels.dates[1:] if changes else levels.dates
        common: dict[str, Any] = {
            "test": self.name,
            "label": self.label,
            "null": self.null,
            "reads": self.reads,
            "n": len(dates),
        }
        if len(dates) < self.minimum:
            return Finding(**common, reason=f"{len(dates)} {self._noun}, {self.minimum} needed")
        found = self.examine(*self._series(levels))
        if isinstance(found, Refusal):
            return Finding(**common, reason=found.sentence)
        return Finding(
            **common,
            statistic=found.statistic,
            critical=found.critical.value,
            critical_source=found.critical.source,
            p_value=found.p_value,
            rejects=found.rejects,
            dates=tuple(dates[place] for place in found.positions),
            size=size_note(self.name, len(dates)),
            detail=found.detail,
        )

    @property
    def _noun(self) -> str:
        return {"gap": "values of the gap", "changes": "changes", "levels": "pairs of levels"}[self.reads]

    def _series(self, levels: Levels) -> Sequence[NDArray[np.float64]]:
        if self.reads == "gap":
            return (levels.gap,)
        if self.reads == "changes":
            return levels.changes
        return levels.rent, levels.reference

    @abstractmethod
    def examine(self, *series: NDArray[np.float64]) -> Outcome | Refusal:
        """The statistic of the gap, or of (rent, reference); at least ``minimum`` values long."""
