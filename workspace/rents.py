"""The rent a usable output is charged with: a number, a range, or a fixing of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from ..records import Fixing, RentmarkError, UsageError, format_micros
from .core import Workspace
from .input_files import read_positive_price
from .showing import fixings_shown

RANGE = ".."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rent:
    """A rent in micro-USD per GPU-hour, from ``low`` to ``high``; both are the same but for a range."""

    low_micros: int
    high_micros: int
    source: Literal["number", "range", "fixing"]
    fixing: Fixing | None = None
    chip: str | None = None
    """What the fixing prices."""

    def to_json(self) -> dict[str, Any]:
        """The documented JSON of a rent."""
        fixing = self.fixing
        return {
            "source": self.source,
            "low": format_micros(self.low_micros),
            "high": format_micros(self.high_micros),
            "benchmark": None if fixing is None else fixing.benchmark,
            "date": None if fixing is None else fixing.date.isoformat(),
            "chip": self.chip,
            "status": None if fixing is None else fixing.status,
            "state": None if fixing is None else fixing.state,
            "origin": None if fixing is None else fixing.origin,
            "simulated": fixing is not None and fixing.simulated,
        }


def read_rent(text: str) -> Rent:
    """Read ``--rent``: ``2.60`` or ``2.00..3.00``. Raises UsageError with the remedy."""
    low_text, dots, high_text = text.partition(RANGE)
    low = read_positive_price(low_text, "--rent")
    if not dots:
        return Rent(low_micros=low, high_micros=low, source="number")
    high = read_positive_price(high_text, "--rent")
    if high <= low:
        raise UsageError(f"--rent {text} is no range; write the lower end first, such as 2.00..3.00.")
    return Rent(low_micros=low, high_micros=high, source="range")


def rent_of_fixing(workspace: Workspace, benchmark: str, day: date) -> Rent:
    """The value of a benchmark on a date as the rent. Raises RentmarkError where there is none."""
    rows = [fixing for fixing in fixings_shown(workspace, benchmark) if fixing.date == day]
    if not rows:
        raise RentmarkError(
            f"{benchmark} has no fixing on {day}; `rentmark index show {benchmark}` lists them."
        )
    fixing = rows[-1]
    if fixing.value_micros is None:
        raise RentmarkError(f"{benchmark} has no value on {day} (GAP, {fixing.rule}); choose another date.")
    return Rent(
        low_micros=fixing.value_micros,
        high_micros=fixing.value_micros,
        source="fixing",
        fixing=fixing,
        chip=workspace.configuration.benchmark(benchmark).grade.chip,
    )
