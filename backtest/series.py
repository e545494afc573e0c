"""Rent beside the reference: which fixing counts when, common dates, monthly means, changes.

History is read as it was first published; what was restated later never enters. Only OK and THIN fixings make a common date; GAP and CARRIED never do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Literal

from ..contracts import counts_at
from ..records import STATUSES_OBSERVED, Fixing, month_of

ChangeKind = Literal["observation", "monthly", "hedge"]


def first_published(fixings: Iterable[Fixing], now: datetime) -> dict[date, Fixing]:
    """The tape as first published: per date, the earliest revision visible by ``now``."""
    first: dict[date, Fixing] = {}
    for fixing in fixings:
        if not counts_at(fixing, now):
            continue
        other = first.get(fixing.date)
        if other is None or fixing.revision < other.revision:
            first[fixing.date] = fixing
    return dict(sorted(first.items()))


def observed_micros(fixings: Mapping[date, Fixing]) -> dict[date, int]:
    """Micro-USD per GPU-hour on the dates whose fixing is OK or THIN, in date order."""
    return {
        day: fixing.value_micros
        for day, fixing in sorted(fixings.items())
        if fixing.status in STATUSES_OBSERVED and fixing.value_micros is not None
    }


@dataclass(frozen=True, slots=True)
class CommonDate:
    """A date with a rent and an OK or THIN fixing, both in micro-USD per GPU-hour."""

    date: date
    rent_micros: int
    reference_micros: int

    @property
    def basis_micros(self) -> int:
        """The price basis of the day: rent − fixing."""
        return self.rent_micros - self.reference_micros


def common_dates(rent: Mapping[date, int], reference: Mapping[date, int]) -> tuple[CommonDate, ...]:
    """The dates both series know, in order."""
    return tuple(CommonDate(day, rent[day], reference[day]) for day in sorted(rent.keys() & reference.keys()))


@dataclass(frozen=True, slots=True)
class MonthMean:
    """Exact means over the common dates of one calendar month, in micro-USD per GPU-hour."""

    month: str
    last_date: date
    count: int
    rent: Fraction
    reference: Fraction


def monthly_means(common: Sequence[CommonDate]) -> tuple[MonthMean, ...]:
    """Means by calendar month; a month without a common date is absent, a partial one counts."""
    grouped: dict[str, list[CommonDate]] = {}
    for each in common:
        grouped.setdefault(month_of(each.date), []).append(each)
    return tuple(
        MonthMean(
            month=month,
            last_date=days[-1].date,
            count=len(days),
            rent=Fraction(sum(day.rent_micros for day in days), len(days)),
            reference=Fraction(sum(day.reference_micros for day in days), len(days)),
        )
        for month, days in sorted(grouped.items())
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """Paired changes of rent and reference, exact, in micro-USD per GPU-hour.

    ``dates`` holds the later end of each change.
    """

    kind: ChangeKind
    dates: tuple[date, ...]
    rent: tuple[Fraction, ...]
    reference: tuple[Fraction, ...]

    def __len__(self) -> int:
        return len(self.dates)


def observation_changes(common: Sequence[CommonDate]) -> Changes:
    """Differences over consecutive common dates, whatever their distance."""
    pairs = list(itertools.pairwise(common))
    return Changes(
        kind="observation",
        dates=tuple(later.date for _, later in pairs),
        rent=tuple(Fraction(later.rent_micros - earlier.rent_micros) for earlier, later in pairs),
        reference=tuple(
            Fraction(later.reference_micros - earlier.reference_micros) for earlier, later in pairs
        ),
    )


def monthly_changes(means: Sequence[MonthMean]) -> Changes:
    """Differences of consecutive monthly means.

    Averaging builds an autocorrelation of about 0.25 into such changes (Working 1960).
    """
    pairs = list(itertools.pairwise(means))
    return Changes(
        kind="monthly",
        dates=tuple(later.last_date for _, later in pairs),
        rent=tuple(later.rent - earlier.rent for earlier, later in pairs),
        reference=tuple(later.reference - earlier.reference for earlier, later in pairs),
    )
