"""Readers of single fields: text in, a value or the reason it is refused out.

Prices are exact decimals until the one half-even rounding to micro-dollars; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from ..grades.interconnect import canonical_interconnect
from ..records import (
    MICROS_PER_USD,
    PRICINGS,
    SERVICES,
    NaiveInstantError,
    divide_half_even,
    parse_instant,
    round_fraction,
    to_microseconds,
)
from .at_once import instants_at_once, numbers_at_once, prices_at_once, texts_at_once, wholes_at_once
from .columns import AtOnce, Bad

T = TypeVar("T")

Reader = Callable[[str | None], T | Bad]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"\+?(\d{1,9})(?:\.0*)?", re.ASCII)
_SIX_DECIMALS = re.compile(r"(\d{1,12})(?:\.(\d{0,6}))?", re.ASCII)
_PLAIN_DECIMAL = re.compile(r"(\d{1,12})(?:\.(\d{1,20}))?", re.ASCII)
_LONGEST_NUMBER = 100
_LARGEST_EXPONENT = 12
"""A dollar amount of 14 digits no longer fits 64 bits of micro-dollars."""
_SMALLEST_EXPONENT = -40
"""Below this a number is zero at any unit, and its exact fraction would not fit in memory."""

FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
PRICING_WORDS: dict[str, str] = {name: name for name in PRICINGS} | {
    "ondemand": "on_demand",
    "secure": "on_demand",  # a data-centre offer; a peer host's is community (definitions)
}
SERVICE_WORDS: dict[str, str] = {name: name for name in SERVICES}
TENANCY_WORDS: dict[str, str | None] = {
    "single": "single",
    "dedicated": "single",
    "shared": "shared",
    "unstated": None,
}
PRICE_BASIS_WORDS: dict[str, str] = {"instance": "instance", "gpu_only": "gpu_only"}
TRADE_STATUS_WORDS: dict[str, str] = {
    "new": "new",
    "corrected": "corrected",
    "cancelled": "cancelled",
    "canceled": "cancelled",
}


def required_text(reason: str) -> Reader[str]:
    """A text that must be there; a blank is refused with ``reason``."""
    return AtOnce(lambda text: Bad(reason) if text is None else text, texts_at_once)


def decimal_of(text: str) -> Decimal | Bad:
    """A plain finite decimal, exactly. Refuses ``3,10``, ``$3``, ``NaN`` and digits of other scripts."""
    if _NOT_FINITE.fullmatch(text):
        return Bad("price_not_finite")
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return Bad("price_not_a_number")
    return Decimal(text)


def price_of(text: str | None, per_unit: int = 1) -> int | Bad:
    """A positive price in micro-dollars, rounded once, half-even; ``per_unit`` 100 reads cents."""
    plain = None if text is None or per_unit != 1 else _SIX_DECIMALS.fullmatch(text)
    if plain is not None:  # most prices: already whole micro-dollars, so there is nothing to round
        micros = int(plain[1]) * MICROS_PER_USD + int((plain[2] or "").ljust(6, "0"))
        return micros if micros > 0 else Bad("price_not_positive")
    dollars = money_of(text, per_unit)
    return dollars if isinstance(dollars, Bad) else micros_of(dollars)


def prices(per_unit: int = 1) -> Reader[int]:
    """The reader of :func:`price_of` in a unit, also for many texts at once."""
    return AtOnce(lambda text: price_of(text, per_unit), lambda texts: prices_at_once(texts, per_unit))


def money_of(text: str | None, per_unit: int = 1) -> Fraction | Bad:
    """A positive amount of dollars as an exact fraction; ``per_unit`` 100 reads cents."""
    if text is None:
        return Bad("missing_price")
    value = decimal_of(text)
    if isinstance(value, Bad):
        return value
    if value <= 0 or value.adjusted() < _SMALLEST_EXPONENT:
        return Bad("price_not_positive")
    if value.adjusted() > _LARGEST_EXPONENT:
        return Bad("price_too_large")
    return Fraction(value) / per_unit


def shared_price_of(text: str | None, units: int, per_unit: int = 1) -> int | Bad:
    """A positive amount shared by ``units`` GPUs, in micro-dollars each, rounded once, half-even."""
    plain = None if text is None else _PLAIN_DECIMAL.fullmatch(text)
    if plain is None:
        dollars = money_of(text, per_unit)
        return dollars if isinstance(dollars, Bad) else micros_of(dollars / units)
    decimals = plain[2] or ""
    scaled = int(plain[1] + decimals) * MICROS_PER_USD
    shared = divide_half_even(scaled, 10 ** len(decimals) * per_unit * units)
    return shared if shared > 0 else Bad("price_not_positive")


def micros_of(dollars: Fraction) -> int | Bad:
    """Dollars as micro-dollars, half-even, once; what rounds to nothing is no price."""
    micros = round_fraction(dollars * MICROS_PER_USD)
    return micros if micros > 0 else Bad("price_not_positive")


def whole(reason: str, *, zero: bool = False) -> Reader[int | None]:
    """A positive whole number (or zero, where allowed) below 10⁹; blank is None."""

    def read(text: str | None) -> int | Bad | None:
        if text is None:
            return None
        match = _WHOLE.fullmatch(text)
        if match is None:
            return Bad(reason)
        number = int(match.group(1))
        return number if number > 0 or zero else Bad(reason)

    return AtOnce(read, wholes_at_once)


def _number(text: str | None) -> float | Bad | None:
    if text is None:
        return None
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return Bad("bad_number")
    value = float(text)
    return value if abs(value) < float("inf") else Bad("bad_number")


number: Reader[float | None] = AtOnce(_number, numbers_at_once)
"""A finite number as the nearest float; blank is None. For statistics, never for money."""


def flag(text: str | None) -> bool | Bad:
    """True or false; blank is false, as an optional mark that was not made."""
    if text is None:
        return False
    return FLAGS.get(text.lower(), Bad("bad_flag"))


def choice(words: Mapping[str, str], blank: str | None) -> Reader[str]:
    """One of the known words, whatever its case and hyphens; a blank is ``blank`` or refused."""

    def read(text: str | None) -> str | Bad:
        if text is None:
            return Bad("bad_choice") if blank is None else blank
        return words.get(re.sub(r"[\s-]+", "_", text.lower()), Bad("bad_choice"))

    return read


def tenancy(text: str | None) -> str | Bad | None:
    """Whether the machine is the renter's alone; blank is unstated."""
    return None if text is None else TENANCY_WORDS.get(text.lower(), Bad("bad_choice"))


def interconnect(text: str | None) -> str | None:
    """The interconnect under the name grades compare; words that name none are kept as written."""
    try:
        return None if text is None else canonical_interconnect(text)
    except ValueError:
        return text


def instant(zone: str | None, *, latest: int | None) -> Reader[int]:
    """An instant as microseconds since 1970 UTC.

    ``zone`` applies to times that state none; without it they are refused. A time after
    ``latest`` (when the payload was received, in microseconds) is refused; None allows it.
    """

    def read(text: str | None) -> int | Bad:
        if text is None:
            return Bad("missing_time")
        try:
            moment = to_microseconds(parse_instant(text, zone))
        except NaiveInstantError:
            return Bad("naive_time")
        except ValueError:
            return Bad("bad_time")
        return Bad("future_time") if latest is not None and moment > latest else moment

    return AtOnce(read, lambda texts: instants_at_once(texts, latest))


def optional_instant(zone: str | None, *, latest: int | None) -> Reader[int | None]:
    """As :func:`instant`, but a blank is None."""
    read = instant(zone, latest=latest)
    return AtOnce(
        lambda text: None if text is None else read(text), lambda texts: instants_at_once(texts, latest)
    )


def usd(stated: bool, default: str | None) -> Reader[str]:
    """The currency, which must be USD.

    ``stated`` says that the payload has a currency field; a blank in it takes ``default`` or is
    refused, never guessed.
    """

    def read(text: str | None) -> str | Bad:
        currency = text or default
        if currency is None:
            return Bad("missing_currency") if stated else "USD"
        return "USD" if currency.upper() == "USD" else Bad("unsupported_currency", value=currency)

    return read
