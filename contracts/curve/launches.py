"""Scheduled chip launches: dates, known in advance, on which the incumbent's price steps down.

About −0.22 in logarithms at a launch is what an abstract reports for past ones (SSRN 6926798); it is
an assumption about the next, and is printed as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from ...records import UsageError, parse_date
from .series import Floats

PUBLISHED_LOG_STEP = -0.22
LARGEST_LOG_STEP = 2.0


@dataclass(frozen=True, slots=True, order=True)
class Launch:
    """A launch day and the step of the logarithm of the price on it; ``published`` where not the user's own."""

    day: date
    log_step: float = PUBLISHED_LOG_STEP
    published: bool = True

    @property
    def sentence(self) -> str:
        """What is assumed, for every place that prints a curve built on it."""
        whose = "SSRN 6926798, abstract" if self.published else "as stated"
        return (
            f"A launch is scheduled on {self.day} with a log step of {self.log_step:+.2f} (assumed; {whose})."
        )


def read_launch(text: str) -> Launch:
    """Read ``2026-11-01`` or ``2026-11-01:-0.15``; raises UsageError naming what can't be read."""
    day_text, colon, step_text = text.partition(":")
    try:
        day = parse_date(day_text)
    except ValueError as error:
        raise UsageError(f"--launch {text}: {error}.") from None
    if not colon:
        return Launch(day)
    try:
        step = float(step_text)
    except ValueError:
        raise UsageError(f"--launch {text}: {step_text!r} is not a log step such as -0.22.") from None
    if not abs(step) <= LARGEST_LOG_STEP:
        raise UsageError(
            f"--launch {text}: a log step lies between −{LARGEST_LOG_STEP:g} and {LARGEST_LOG_STEP:g}."
        )
    return Launch(day, step, published=False)


def steps_by(launches: Iterable[Launch], after: date, days: Sequence[date]) -> Floats:
    """Sum of the log steps of launches after one day and up to each of several later days, shape (days,)."""
    total = np.zeros(len(days))
    for launch in launches:
        if launch.day > after:
            total += launch.log_step * np.array([day >= launch.day for day in days], dtype=np.float64)
    return total
