"""From hours to lots: ``lots = h·hours/unit``, exact, then half-even to whole lots.

Positive lots are long. ``per_month`` sizes each month by its own hours and its own unit. ``flat``
holds one number of lots in every month, the rounded mean of the exact ones; only there do a fixed
unit and a changing month leave a day-count mismatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..records import UsageError, round_fraction
from .calendars import unit_gpu_hours
from .spec import ContractSpec

Sizing = Literal["per_month", "flat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LotSize:
    """The lots of one month.

    ``exact_lots`` is h·hours/unit before rounding; ``lots`` is what is held. ``wanted_gpu_hours`` is
    h·hours, and ``excess_gpu_hours`` what the lots hold beyond it (negative: short of it), signed in
    the direction of the hedge. Under ``flat``, ``day_count_gpu_hours`` is the part of that excess
    which comes from holding the same exact lots in months of different length; the rest is rounding.
    It is None under ``per_month``, which has no such mismatch.
    """

    month: str
    unit_gpu_hours: int
    wanted_gpu_hours: Fraction
    exact_lots: Fraction
    lots: int
    excess_gpu_hours: Fraction
    day_count_gpu_hours: Fraction | None = None

    @property
    def excess_share(self) -> Fraction | None:
        """Excess over the hours wanted, as a fraction of them; None where none are wanted."""
        if self.wanted_gpu_hours == 0:
            return None
        return self.excess_gpu_hours / abs(self.wanted_gpu_hours)

    @property
    def note(self) -> str | None:
        """A sentence where hours are to be hedged and less than a lot of them is left; else None."""
        if self.lots != 0 or self.wanted_gpu_hours == 0:
            return None
        return (
            f"{self.month}: {float(abs(self.wanted_gpu_hours)):,.1f} GPU-hours are {float(abs(self.exact_lots)):.2f} lots "
            f"of {self.unit_gpu_hours} and round to zero lots; nothing is hedged."
        )


def exact_ratio(hedge_ratio: float) -> Fraction:
    """A hedge ratio as the fraction its shortest decimal writes: 0.2665 is 2665/10000.

    Raises ValueError when it is not finite.
    """
    try:
        return Fraction(repr(float(hedge_ratio)))
    except ValueError:
        raise ValueError(f"the hedge ratio is {hedge_ratio}, which is not a finite number") from None


def exact_lots(hedge_ratio: Fraction | int, gpu_hours: Fraction | int, unit: int) -> Fraction:
    """``h·hours/unit`` as an exact fraction. Raises ValueError unless the unit is positive."""
    if unit <= 0:
        raise ValueError(f"a lot of {unit} GPU-hours is not possible")
    return Fraction(hedge_ratio) * Fraction(gpu_hours) / unit


def size_lots(
    spec: ContractSpec,
    gpu_hours_by_month: Mapping[str, Fraction | int],
    *,
    hedge_ratio: Fraction | int = 1,
    sizing: Sizing = "per_month",
) -> tuple[LotSize, ...]:
    """The lots of each month for the GPU-hours planned in it, in the order of the months.

    ``gpu_hours_by_month`` maps ``2026-08`` to GPU-hours, positive for a buyer's exposure and negative
    for a provider's; negative hours give short lots. Raises UsageError for an unknown sizing, and
    where flat sizing is asked over no months.
    """
    months = sorted(gpu_hours_by_month)
    units = {month: unit_gpu_hours(spec, month) for month in months}
    ratio = Fraction(hedge_ratio)
    exact = {month: exact_lots(ratio, gpu_hours_by_month[month], units[month]) for month in months}
    if sizing == "per_month":
        return tuple(_size(m, units[m], exact[m], round_fraction(exact[m])) for m in months)
    if sizing != "flat":
        raise UsageError(f"sizing is {sizing!r}; it is per_month or flat.")
    if not months:
        raise UsageError("flat sizing over no months has no lots; give the hours of at least one month.")
    mean = sum(exact.values(), Fraction(0)) / len(months)
    lots = round_fraction(mean)
    return tuple(_size(m, units[m], exact[m], lots, flat_exact=mean) for m in months)


def _size(
    month: str, unit: int, exact: Fraction, lots: int, *, flat_exact: Fraction | None = None
) -> LotSize:
    direction = -1 if (exact or lots) < 0 else 1
    return LotSize(
        month=month,
        unit_gpu_hours=unit,
        wanted_gpu_hours=exact * unit,
        exact_lots=exact,
        lots=lots,
        excess_gpu_hours=direction * (lots - exact) * unit,
        day_count_gpu_hours=None if flat_exact is None else direction * (flat_exact - exact) * unit,
    )
