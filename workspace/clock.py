"""Clocks: the real one, and one that a simulated workspace steps through its days."""

from __future__ import annotations

from datetime import UTC, datetime

from ..records import RentmarkError, format_instant


class SystemClock:
    """The machine's clock in UTC."""

    def now(self) -> datetime:
        """The present instant."""
        return datetime.now(UTC)

    def real_now(self) -> datetime:
        """The present instant."""
        return datetime.now(UTC)


class SimulatedClock:
    """A clock that moves only when told, and only forward; real time runs beside it."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """The simulated instant."""
        return self._now

    def real_now(self) -> datetime:
        """The machine's instant."""
        return datetime.now(UTC)

    def advance_to(self, instant: datetime) -> None:
        """Move the simulated clock forward; raises RentmarkError when asked to go back."""
        if instant < self._now:
            raise RentmarkError(
                f"The simulated clock stands at {format_instant(self._now)} and can't go back to "
                f"{format_instant(instant)}."
            )
        self._now = instant
