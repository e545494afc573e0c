"""Calendars: which dates have a fixing, and the local hours that some of them skip.

``every_day``, ``weekdays`` and ``weekly`` are rules; any other name is a calendar of exchange_calendars,
asked over a fixed span so that an answer does not move with today's date.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from ..records import RentmarkError, digest_of, read_zone
from ..records.exchange_days import UnbuiltCalendarError, UnknownCalendarError, exchange_days

RULES = ("every_day", "weekdays", "weekly")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ONE_DAY = timedelta(days=1)
CLOCKS_FIRST, CLOCKS_LAST = date(2020, 1, 1), date(2040, 12, 31)
"""The years whose clock changes a cut-off is checked against when it is read."""


def is_day(calendar: str, weekday: str | None, day: date) -> bool:
    """Whether a calendar has a fixing on ``day``. Raises RentmarkError outside a named calendar's span."""
    if calendar == "every_day":
        return True
    if calendar == "weekdays":
        return day.weekday() < WEEKDAYS.index("saturday")
    if calendar == "weekly":
        return weekday is not None and day.weekday() == WEEKDAYS.index(weekday)
    first, last, days = business_days(calendar)
    if not first <= day <= last:
        raise RentmarkError(f"calendar {calendar} is known from {first} to {last}, and {day} is outside.")
    return day in days


@lru_cache(maxsize=32)
def business_days(name: str) -> tuple[date, date, frozenset[date]]:
    """First and last day an exchange calendar is answered for, and its days of business between them.

    Raises ValueError for a calendar that exchange_calendars does not know or cannot build.
    """
    try:
        found = exchange_days(name)
    except UnknownCalendarError:
        raise ValueError(
            f"it must be one of {', '.join(RULES)}, or a calendar of exchange_calendars such as XNYS"
        ) from None
    except UnbuiltCalendarError as error:
        raise ValueError(f"the installed exchange_calendars can't build it ({error}); name another") from None
    return found.first, found.last, frozenset(found.days)


def calendar_digest(name: str) -> str:
    """SHA-256 over the days of a named calendar: a holiday that is added later is another methodology."""
    return digest_of(sorted(business_days(name)[2]))


@lru_cache(maxsize=256)
def skipped_days(hour: int, minute: int, zone_name: str) -> tuple[date, ...]:
    """The days of the checked years on which this local time does not exist, because clocks skip it."""
    zone = read_zone(zone_name)
    found, day = [], CLOCKS_FIRST
    before = datetime.combine(day, time(0), tzinfo=zone).utcoffset()
    while day <= CLOCKS_LAST:
        after = datetime.combine(day + ONE_DAY, time(0), tzinfo=zone).utcoffset()
        if after != before and is_skipped(datetime.combine(day, time(hour, minute), tzinfo=zone)):
            found.append(day)
        before, day = after, day + ONE_DAY
    return tuple(found)


def is_skipped(local: datetime) -> bool:
    """Whether a local time does not exist: through UTC and back it comes out as another."""
    instant = local.astimezone(UTC)
    return instant.astimezone(local.tzinfo).replace(tzinfo=None) != local.replace(tzinfo=None)
