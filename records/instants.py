"""Instants in UTC: reading, writing and counting them in microseconds.

An instant is an aware ``datetime`` in UTC. A written time without a zone is refused unless
the caller states the zone it was written in.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class NaiveInstantError(ValueError):
    """A written time states no zone and none was given for the file."""


def parse_instant(text: str, zone: str | None = None) -> datetime:
    """Read an ISO 8601 instant, or a bare date as its midnight, into UTC.

    ``zone`` is an IANA name applied to times that state none; without it such a time raises
    NaiveInstantError. Anything unreadable raises ValueError.
    """
    stripped = text.strip()
    try:
        parsed = datetime.fromisoformat(stripped)
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 time") from None
    if parsed.tzinfo is None:
        if zone is None:
            raise NaiveInstantError(f"{text!r} states no time zone")
        parsed = parsed.replace(tzinfo=read_zone(zone))
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is outside the calendar") from None


def read_zone(name: str) -> ZoneInfo:
    """Return the IANA time zone; raises ValueError naming it when there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is not an IANA time zone such as 'UTC' or 'America/New_York'") from None


def parse_date(text: str) -> date:
    """Read ``YYYY-MM-DD``; raises ValueError otherwise."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{text!r} is not a date such as 2026-08-14") from None


def parse_month(text: str) -> tuple[int, int]:
    """Read ``YYYY-MM`` into (year, month); raises ValueError otherwise."""
    try:
        first = date.fromisoformat(f"{text.strip()}-01")
    except ValueError:
        raise ValueError(f"{text!r} is not a month such as 2026-08") from None
    return first.year, first.month


def format_instant(instant: datetime) -> str:
    """Write an instant as ``2026-08-14T06:47:03Z``, with microseconds only where there are any."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def to_microseconds(instant: datetime) -> int:
    """Count microseconds since 1970-01-01 UTC, exactly."""
    return (instant - EPOCH) // MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The instant ``count`` microseconds after 1970-01-01 UTC."""
    return EPOCH + timedelta(microseconds=count)


def day_start(day: date) -> datetime:
    """Midnight UTC at which a UTC day begins."""
    return datetime.combine(day, time(0), tzinfo=UTC)


def month_of(day: date) -> str:
    """The month of a date as ``2026-08``."""
    return f"{day.year:04d}-{day.month:02d}"


def month_bounds(month: str) -> tuple[date, date]:
    """First and last day of ``2026-08``; raises ValueError for what is not a month."""
    year, number = parse_month(month)
    first = date(year, number, 1)
    following = date(year + number // 12, number % 12 + 1, 1)
    return first, following - timedelta(days=1)
