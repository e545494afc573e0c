"""Times that a payload writes as a count: seconds since 1970, or either that or ISO 8601."""

from __future__ import annotations

import re
from decimal import Decimal

from .columns import Bad
from .fields import Reader, instant

_SECONDS = re.compile(r"(\d{1,11})(?:\.(\d{1,9}))?", re.ASCII)
_LARGEST_SECONDS = 253_402_300_799
"""The last second of the year 9999."""


def unix_instant(*, latest: int | None, zero: bool = True) -> Reader[int]:
    """Whole or decimal seconds since 1970 UTC as microseconds, rounded down.

    A time after ``latest`` (microseconds) is refused; None allows it. ``zero`` says whether 0 is a time;
    where it is not, it stands for one that has not come yet, and is missing.
    """

    def read(text: str | None) -> int | Bad:
        if text is None:
            return Bad("missing_time")
        match = _SECONDS.fullmatch(text)
        if match is None or int(match[1]) > _LARGEST_SECONDS:
            return Bad("bad_time")
        moment = int(Decimal(text) * 1_000_000)
        if moment == 0 and not zero:
            return Bad("missing_time")
        return Bad("future_time") if latest is not None and moment > latest else moment

    return read


def any_instant(*, latest: int | None) -> Reader[int]:
    """Seconds since 1970 or ISO 8601 with a zone."""
    seconds, written = unix_instant(latest=latest), instant(None, latest=latest)
    return lambda text: seconds(text) if text is not None and _SECONDS.fullmatch(text) else written(text)
