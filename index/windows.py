"""Fixing dates and the window of instants each collects, through daylight-saving changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from ..records import UsageError, day_start, read_zone
from .calendars import is_day, is_skipped
from .methodology import Methodology

ONE_DAY = timedelta(days=1)
LONGEST_CLOSURE_DAYS = 20
"""More calendar days than any calendar goes without a fixing date, holidays of two weeks included."""
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """Instants ``start ≤ observed_at < end`` belong to the fixing of ``date``.

    ``cutoff_at`` is when collection ends and ``effective_at`` when the value counts.
    ``seen_until`` is the as-of instant: nothing learnt later exists.
    """

    date: date
    start: datetime
    end: datetime
    cutoff_at: datetime
    effective_at: datetime
    seen_until: datetime


def is_fixing_date(methodology: Methodology, day: date) -> bool:
    """Whether the methodology's calendar has a fixing on ``day``, its own holidays left out."""
    if day in (methodology.holidays or ()):
        return False
    return is_day(methodology.calendar, methodology.weekday, day)


def cutoff_instant(methodology: Methodology, day: date) -> datetime:
    """When collection for ``day`` ends, in UTC.

    Raises UsageError for a local time that does not exist that day (a skipped hour); a local
    time that occurs twice means its first occurrence.
    """
    parts = methodology.cutoff_parts
    if parts is None:
        return day_start(day + ONE_DAY)
    hour, minute, zone_name = parts
    zone = read_zone(zone_name)
    local = datetime.combine(day, time(hour, minute), tzinfo=zone)
    if is_skipped(local):
        raise UsageError(
            f"cutoff = {methodology.cutoff!r} does not exist on {day}: the clocks of {zone_name} skip it; "
            "choose an hour that occurs every day."
        )
    return local.astimezone(UTC)


def effective_instant(methodology: Methodology, cutoff_at: datetime) -> datetime:
    """When the value of a cut-off counts: after the lag, or at the first publication time from then on."""
    parts = methodology.publication_parts
    if parts is None:
        return cutoff_at + timedelta(hours=methodology.publication_lag_hours)
    hour, minute, zone_name = parts
    zone = read_zone(zone_name)
    day = cutoff_at.astimezone(zone).date()
    due = datetime.combine(day, time(hour, minute), tzinfo=zone)
    if due.astimezone(UTC) < cutoff_at:
        due = datetime.combine(day + ONE_DAY, time(hour, minute), tzinfo=zone)
    return due.astimezone(UTC)


def window_of(methodology: Methodology, day: date, seen_until: datetime) -> Window:
    """The window of one fixing date.

    A UTC day is [00:00, 24:00). With a cut-off it is (previous cut-off, cut-off]; the instants are
    whole microseconds, so that is [previous + 1 µs, cut-off + 1 µs). ``lookback_hours`` moves the
    start; ``staleness_hours`` can only bring it nearer.
    """
    cutoff_at = cutoff_instant(methodology, day)
    if methodology.cutoff is None:
        start, end = day_start(day), cutoff_at
    else:
        previous = day - ONE_DAY
        while not is_fixing_date(methodology, previous):
            previous -= ONE_DAY
        start = cutoff_instant(methodology, previous) + MICROSECOND
        end = cutoff_at + MICROSECOND
    if methodology.lookback_hours is not None:
        start = end - timedelta(hours=methodology.lookback_hours)
    if methodology.staleness_hours is not None:
        start = max(start, end - timedelta(hours=methodology.staleness_hours))
    return Window(
        date=day,
        start=start,
        end=end,
        cutoff_at=cutoff_at,
        effective_at=effective_instant(methodology, cutoff_at),
        seen_until=seen_until,
    )


def windows_between(methodology: Methodology, first: date, last: date, seen_until: datetime) -> list[Window]:
    """Windows of every fixing date from ``first`` to ``last`` whose cut-off is not after ``seen_until``."""
    windows = []
    day = first
    while day <= last:
        if is_fixing_date(methodology, day):
            window = window_of(methodology, day, seen_until)
            if window.cutoff_at <= seen_until:
                windows.append(window)
        day += ONE_DAY
    return windows


def dates_covering(methodology: Methodology, first: datetime, last: datetime) -> tuple[date, date] | None:
    """The fixing dates to which a first and a last instant belong: each the first whose window ends after it.

    Without a cut-off these are their UTC days. A look-back reaches further, and is no reason to fix later
    dates. None where no fixing date follows within the longest closure.
    """
    if methodology.cutoff is None:
        return first.date(), last.date()
    found = []
    for instant in (first, last):
        near = instant.date() - ONE_DAY  # west of Greenwich an evening cut-off is in the next UTC day
        far = instant.date() + LONGEST_CLOSURE_DAYS * ONE_DAY
        windows = windows_between(methodology, near, far, day_start(far + 2 * ONE_DAY))
        found += [w.date for w in windows if w.end > instant][:1]
    return (found[0], found[1]) if len(found) == 2 else None
