"""Which revision of each fixing counts: as it was published, never as it was restated later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta

from ..records import Fixing, day_start
from .calendars import fixing_days
from .spec import ContractSpec


def fixings_known_at(rows: Iterable[Fixing], instant: datetime) -> dict[date, Fixing]:
    """The latest revision of each date that counted at ``instant``, by date.

    Revision 0 counts from its ``effective_at``, later ones from their ``published_at``: history
    computed later stands where it would have stood, and a restatement does not reach back.
    """
    known: dict[date, Fixing] = {}
    for row in rows:
        if not counts_at(row, instant):
            continue
        earlier = known.get(row.date)
        if earlier is None or row.revision > earlier.revision:
            known[row.date] = row
    return dict(sorted(known.items()))


def counts_at(row: Fixing, instant: datetime) -> bool:
    """Whether a tape row counts at an instant: revision 0 by effect, later ones also by publication."""
    if row.effective_at > instant:
        return False
    return row.revision == 0 or (row.published_at is not None and row.published_at <= instant)


def effective_instants(days: Iterable[date], fixings: Mapping[date, Fixing]) -> dict[date, datetime]:
    """When the fixing of each day is, or would have been, effective.

    A day without a tape row takes the end of its UTC day, plus the publication lag of the latest
    fixing at hand where that is later than the end of its own day.
    """
    lag = timedelta(0)
    if fixings:
        latest = fixings[max(fixings)]
        lag = max(lag, latest.effective_at - _day_end(latest.date))
    return {day: fixings[day].effective_at if day in fixings else _day_end(day) + lag for day in days}


def fixings_for_settlement(
    spec: ContractSpec, month: str, rows: Iterable[Fixing], now: datetime
) -> dict[date, Fixing]:
    """The fixings one contract month settles on at ``now``, from all revisions of a benchmark.

    Once the last expected fixing is effective the month rests on what counted at that instant;
    revisions published later belong to restated history and are left out. A contract that counts
    first prints alone ignores every revision.
    """
    every = [row for row in rows if spec.revisions == "until_settled" or row.revision == 0]
    first_prints = {row.date: row for row in every if row.revision == 0}
    settles_at = max(effective_instants(fixing_days(spec, month), first_prints).values())
    return fixings_known_at(every, min(now, settles_at))


def _day_end(day: date) -> datetime:
    return day_start(day) + timedelta(days=1)
