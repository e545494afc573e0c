"""Which contract months are listed, and which prices may stand in them."""

from __future__ import annotations

from datetime import date

from ..records import Refusal, UsageError, format_micros, month_of
from .calendars import bounds_of, last_trade_date
from .spec import MONTHS_PER_YEAR, ContractSpec


def contract_months(spec: ContractSpec, first: str, count: int | None = None) -> tuple[str, ...]:
    """``count`` contract months of the listing cycle from ``first`` on; by default as many as are listed.

    Raises UsageError when ``count`` is below 1 or above the listing, or is left out where the
    number of listed months is unknown, and for a balance of the month, which is written by its day.
    """
    if spec.period != "month":
        raise UsageError(
            f"{spec.id} settles on the balance of a month and has no board of months; name its first day."
        )
    start, _ = bounds_of(first)
    wanted = spec.listing_months if count is None else count
    if wanted is None:
        raise UsageError(f"how many months {spec.id} lists is unknown; say how many you want.")
    if wanted < 1:
        raise UsageError(f"{wanted} contract months were asked for; ask for at least 1.")
    if spec.listing_months is not None and wanted > spec.listing_months:
        raise UsageError(
            f"{wanted} months of {spec.id} were asked for and {spec.listing_months} are listed at a time; ask for fewer."
        )
    months: list[str] = []
    number = start.year * MONTHS_PER_YEAR + start.month - 1
    while len(months) < wanted:
        year, of_year = divmod(number, MONTHS_PER_YEAR)
        if not spec.listing_cycle or of_year + 1 in spec.listing_cycle:
            months.append(month_of(date(year, of_year + 1, 1)))
        number += 1
    return tuple(months)


def front_month(spec: ContractSpec, on: date) -> str:
    """The nearest contract month that still trades on a day: the month of the day until its last trade."""
    candidates = contract_months(spec, month_of(on), 2 if spec.listing_months != 1 else 1)
    return next((month for month in candidates if last_trade_date(spec, month) >= on), candidates[-1])


def listed_months(spec: ContractSpec, on: date, count: int | None = None) -> tuple[str, ...]:
    """The months on the board on a day, from the front month on; raises as ``contract_months``."""
    return contract_months(spec, front_month(spec, on), count)


def listing_refusal(spec: ContractSpec, month: str, on: date) -> Refusal | None:
    """Why a contract month does not trade on a day, in one sentence; None where it does.

    Where the number of listed months is unknown, only the cycle and the last trade can refuse.
    Raises UsageError for what is no month of the contract.
    """
    last = last_trade_date(spec, month)
    if on > last:
        return Refusal(
            "month_expired",
            f"{spec.id} {month} traded until {last}, which is before {on}; name a later month.",
        )
    if spec.period != "month":
        if month[:7] != month_of(on):
            return Refusal(
                "month_not_listed",
                f"{spec.id} {month} is not listed on {on}; a balance of the month trades within its month.",
            )
        return None
    off_cycle = bool(spec.listing_cycle) and bounds_of(month)[0].month not in spec.listing_cycle
    if off_cycle:
        cycle = ", ".join(str(number) for number in spec.listing_cycle)
        return Refusal(
            "month_off_cycle", f"{spec.id} {month} is not listed; it lists the months {cycle} of a year."
        )
    if spec.listing_months is None:
        return None
    board = listed_months(spec, on)
    if month > board[-1]:
        return Refusal(
            "month_not_listed",
            f"{spec.id} {month} is not listed on {on}; {len(board)} months are, {board[0]} to {board[-1]}.",
        )
    return None


def price_refusal(spec: ContractSpec, price_micros: int, what: str = "price") -> Refusal | None:
    """Why a price can't stand in a contract: not above zero, or between two ticks; None where it can."""
    shown = format_micros(price_micros)
    if price_micros <= 0:
        return Refusal("price_not_positive", f"{what} is {shown}; a price must be above zero.")
    if price_micros % spec.tick_micros:
        tick = format_micros(spec.tick_micros)
        return Refusal(
            "off_tick", f"{what} is {shown}, which is no multiple of the tick of {spec.id}, {tick}."
        )
    return None


def price_limits(spec: ContractSpec, previous_settle_micros: int) -> tuple[int, int] | None:
    """Lowest and highest price of a day after a settlement, micro-dollars per GPU-hour; None where unknown."""
    limit = spec.daily_price_limit_micros
    if limit is None:
        return None
    return max(spec.tick_micros, previous_settle_micros - limit), previous_settle_micros + limit
