"""The business days of an exchange calendar, by a package that keeps their holidays.

Asked over a fixed span, because the package's default range moves with today's date, which would make an old answer
change. Beyond the years for which an exchange has announced its holidays they follow from its standing rules.
"""

from __future__ import annotations

import warnings
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

CALENDAR_FIRST: Final = date(2000, 1, 1)
CALENDAR_LAST: Final = date(2050, 12, 31)


class UnknownCalendarError(ValueError):
    """No exchange calendar has that name."""


class UnbuiltCalendarError(ValueError):
    """The installed packages know the calendar and can't build it."""


class ExchangeDays(NamedTuple):
    """First and last day a calendar is answered for, and its business days between them, in order."""

    first: date
    last: date
    days: tuple[date, ...]


@lru_cache(maxsize=32)
def exchange_days(name: str) -> ExchangeDays:
    """The business days of a calendar such as XNYS, CMES or XLON.

    Raises UnknownCalendarError for a name that exchange_calendars does not know, UnbuiltCalendarError for a calendar
    that it fails to build.
    """
    import exchange_calendars  # with pandas half a second: only where business days are asked
    from exchange_calendars.errors import InvalidCalendarName
    from pandas.errors import Pandas4Warning

    try:
        with warnings.catch_warnings():
            # exchange_calendars 4.13 uses a pandas call that pandas 3.1 deprecates; no fault of the caller.
            warnings.simplefilter("ignore", Pandas4Warning)
            # Every calendar knows this one month; its class then says how far it may be asked.
            probe = exchange_calendars.get_calendar(name, start=date(2024, 1, 1), end=date(2024, 1, 31))
            earliest, latest = type(probe).bound_min(), type(probe).bound_max()
            first = CALENDAR_FIRST if earliest is None else max(CALENDAR_FIRST, earliest.date())
            last = CALENDAR_LAST if latest is None else min(CALENDAR_LAST, latest.date())
            built = exchange_calendars.get_calendar(name, start=first, end=last)
    except InvalidCalendarName:
        raise UnknownCalendarError(name) from None
    except (ValueError, NotImplementedError) as error:
        # ASEX and XTAE, among others, fail inside exchange_calendars 4.13 under pandas 3.1.
        raise UnbuiltCalendarError(str(error)) from error
    return ExchangeDays(first, last, tuple(day.date() for day in built.sessions.to_pydatetime()))
