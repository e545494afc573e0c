"""What a rent book plans, as a hedge reads it: hours by month, hours ahead, and whether anything is exposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from .programme import Exposure


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgePlan:
    """Exposed hours of a book, without sign.

    ``by_month`` holds the months whose hours are known, None where the book states no hours at all;
    ``ahead`` the planned hours of months to come. ``fixed_until`` is set where every price is fixed:
    then nothing is exposed and no month is simulated.
    """

    by_month: Mapping[str, Exposure] | None
    ahead: Mapping[str, Fraction] | None = None
    fixed_until: date | None = None

    @property
    def hours(self) -> Mapping[str, Exposure] | None:
        """What positions are sized by: nothing under a fixed price."""
        return {} if self.fixed_until is not None else self.by_month

    def note(self) -> str:
        """Where the hours of a book come from."""
        if self.fixed_until is not None:
            return f"Every price is fixed until {self.fixed_until}: no month has an exposure, and none was simulated."
        if self.by_month is None:
            return "The book states no hours, so figures are per GPU-hour; add gpus to its contract to get lots and bills."
        return (
            "Hours are those of the book's exposed contracts: planned hours size the position, hours used make the"
            " bill; fixed months are in neither."
        )
