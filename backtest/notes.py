"""What a reader must know beside the figures: assumptions, doubts about the file, what was left out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from ..records import Fixing, month_bounds
from .coverage_notes import coverage_range
from .effectiveness import MINIMUM_CHANGES
from .hedge_months import HedgeMonth
from .programme import ProgrammeMonth
from .rent_book import RentBook
from .series import CommonDate, MonthMean

SHORT_BELOW = 60
"""Below this many monthly changes the report says how far its default intervals may be trusted."""


def short_history(n: int) -> list[str]:
    """A caution about intervals from few monthly changes; none where there are enough, or no interval."""
    ratio = coverage_range("ratio", "Newey–West", n)
    share = coverage_range("effectiveness", "percentile", n)
    if not MINIMUM_CHANGES <= n < SHORT_BELOW or ratio is None or share is None:
        return []
    return [
        (
            f"With {n} monthly changes the 95 % intervals are too narrow: at n = {ratio[2]} they held the truth in"
            f" {ratio[0]:.0f} to {ratio[1]:.0f} % (ratio) and {share[0]:.0f} to {share[1]:.0f} % (effectiveness) of"
            " simulated cases (docs/coverage.md); the wider ones beside them held better."
        )
    ]


def series_notes(
    rent_dates: Sequence[date],
    common: Sequence[CommonDate],
    means: Sequence[MonthMean],
    fixings: Mapping[date, Fixing],
    tape: Sequence[Fixing],
) -> list[str]:
    """What the series leave out or join over."""
    notes: list[str] = []
    alone = len(rent_dates) - len(common)
    if alone:
        notes.append(
            f"{alone} of {len(rent_dates)} rent dates have no OK or THIN fixing and were not compared."
        )
    carried = sum(fixing.status == "CARRIED" for fixing in fixings.values())
    if carried:
        notes.append(f"{carried} carried fixings were not used.")
    restated = len({row.date for row in tape if row.revision > 0})
    if restated:
        notes.append(
            f"{restated} dates were restated later; the report reads every fixing as it was first published."
        )
    gaps = sum(
        (month_bounds(later.month)[0] - month_bounds(earlier.month)[1]).days > 1
        for earlier, later in itertools.pairwise(means)
    )
    if gaps:
        notes.append(f"{gaps} monthly changes reach over months without a common date.")
    return notes


def programme_notes(
    book: RentBook,
    months: Sequence[HedgeMonth],
    programme: Sequence[ProgrammeMonth],
    *,
    gpus: int | None,
    has_contract: bool,
    premium_percent: Decimal,
    hours_note: str | None = None,
) -> list[str]:
    """What the simulated programme assumes; ``hours_note`` says where a rent book's hours come from."""
    notes: list[str] = []
    if any(each.entry_source == "flat" for each in months):
        notes.append(
            f"Entry prices are assumed: the last fixing known before the trade, plus {premium_percent} %."
        )
    if has_contract:
        indicative = sum(each.settled_on == "indicative price" for each in months)
        if indicative:
            notes.append(
                f"{indicative} of {len(months)} months rest on an indicative price, because no final one stands."
            )
    elif months:
        counts = [each.fixings for each in months]
        notes.append(
            f"No contract: each month is taken to pay the mean of its fixings ({min(counts)} to {max(counts)} of them),"
            " a proxy that is never called settled."
        )
    if hours_note is not None:
        notes.append(hours_note)
    elif gpus is not None and book.has_hours:
        notes.append(
            f"Lots follow the plan of {gpus} GPUs around the clock; bills follow the hours in {book.name}."
        )
    elif gpus is not None:
        notes.append(f"Hours are planned: {gpus} GPUs around the clock, each month whole.")
    elif book.has_hours:
        notes.append(
            "The hours in the file stand for the hours planned: the volume of a month is taken as known at entry."
        )
    else:
        notes.append(
            f"{book.name} states no hours, so figures are per GPU-hour; give the number of GPUs to get lots and bills."
        )
    negative = sum(each.ratio < 0 for each in programme)
    if negative:
        notes.append(
            f"In {negative} of {len(programme)} simulated months the ratio was negative: the hedge stood the other way round."
        )
    notes.extend(each.note for each in programme if each.note is not None)
    return notes
