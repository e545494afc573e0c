"""Dated series a payload does not hold: exchange rates, token prices, and the times of blocks.

Both are stated by the user with their source, in ``rentmark.toml`` or in a CSV file beside it, and are
part of what makes a payload the same payload. A rate counts from the moment it was known: one stated for
a date counts from the midnight that ends it, one stated for an instant from that instant. So no price is
converted at a rate of its own future.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from ..records import UsageError, day_start, format_instant, from_microseconds, parse_instant, to_microseconds
from ..records.specs import SpecModel
from .columns import Bad
from .fields import money_of

_MICROSECONDS_PER_HOUR = 3_600_000_000
_DEFAULT_AGE_HOURS = 96
"""Long enough for a rate of Friday to stand until Tuesday, when Monday is a holiday."""
_LONGEST_AGE_HOURS = 24 * 366
_HIGHEST_BLOCK = 10**12


class DatedValues(SpecModel):
    """A series and its source: ``values`` in place, or ``file``, a CSV of two columns with a header."""

    source: str = Field(min_length=1)
    file: str | None = None
    values: dict[str, str] = Field(default_factory=dict)

    @field_validator("values", mode="before")
    @classmethod
    def _as_texts(cls, values: Any) -> Any:
        """Numbers of a TOML file as the shortest text that means them; times as ISO 8601."""
        if not isinstance(values, Mapping):
            return values
        return {str(key): value if isinstance(value, str) else _text(value) for key, value in values.items()}

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.file is None) == (not self.values):
            raise ValueError("state either file or values")
        return self

    def with_rows(self, text: str, where: str) -> Self:
        """The series with the rows of its file, given as text. Raises UsageError naming the row."""
        rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
        values: dict[str, str] = {}
        for number, row in enumerate(rows[1:], start=2):
            if len(row) != 2:
                raise UsageError(f"{where} has {len(row)} columns in line {number}; it needs two.")
            key, value = (cell.strip() for cell in row)
            if key in values:
                raise UsageError(f"{where} states {key} twice; keep one.")
            values[key] = value
        if not values:
            raise UsageError(f"{where} holds no rows below its header; add them.")
        return type(self).read({**self.model_dump(), "file": None, "values": values}, where)


class RateSeries(DatedValues):
    """US dollars for one unit of a currency or a token, by date or instant.

    A price older than ``max_age_hours`` is not used: then there is no rate, and the record is refused.
    """

    max_age_hours: int = Field(default=_DEFAULT_AGE_HOURS, ge=1, le=_LONGEST_AGE_HOURS)

    @field_validator("values")
    @classmethod
    def _readable(cls, values: dict[str, str]) -> dict[str, str]:
        for key, value in values.items():
            _known_from(key)
            if isinstance(money_of(value), Bad):
                raise ValueError(f"{key} has the rate {value!r}; write a positive decimal such as 1.0874")  # noqa: TRY004
        return values


class BlockTimes(DatedValues):
    """The times of some blocks of a chain, by height; between two of them time runs evenly."""

    @field_validator("values")
    @classmethod
    def _readable(cls, values: dict[str, str]) -> dict[str, str]:
        pairs = []
        for key, value in values.items():
            if not (key.isascii() and key.isdigit() and int(key) < _HIGHEST_BLOCK):
                raise ValueError(f"{key!r} is not a block height; write a whole number")
            pairs.append((int(key), to_microseconds(parse_instant(value))))
        ordered = sorted(pairs)
        if any(later[1] <= earlier[1] for earlier, later in pairwise(ordered)):
            raise ValueError("a higher block must have a later time")
        return values


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate in use: its exact value, and how it stands on a row: number, source, and since when."""

    value: Fraction
    note: str


class RateBook:
    """Looks up the rate known at an instant."""

    def __init__(self, series: RateSeries) -> None:
        if series.file is not None:
            raise ValueError(f"the rows of {series.file} were not read into the series")
        known = sorted((_known_from(key), key, text) for key, text in series.values.items())
        self._known_from = [moment for moment, _, _ in known]
        self._rates = [_rate(key, text, series.source) for _, key, text in known]
        self._max_age = series.max_age_hours * _MICROSECONDS_PER_HOUR

    def at(self, moment: int) -> Rate | Bad:
        """The latest rate known at ``moment`` (microseconds), or ``missing_rate``."""
        place = bisect_right(self._known_from, moment) - 1
        if place < 0 or moment - self._known_from[place] > self._max_age:
            return Bad("missing_rate", value=format_instant(from_microseconds(moment)))
        return self._rates[place]


class BlockClock:
    """Tells the time of a block between two stated ones; never outside them."""

    def __init__(self, blocks: BlockTimes) -> None:
        if blocks.file is not None:
            raise ValueError(f"the rows of {blocks.file} were not read into the block times")
        known = sorted(
            (int(height), to_microseconds(parse_instant(at))) for height, at in blocks.values.items()
        )
        self._heights = [height for height, _ in known]
        self._moments = [moment for _, moment in known]

    def at(self, height: int) -> int | None:
        """The time of a block in microseconds, rounded down; None outside the stated blocks."""
        place = bisect_left(self._heights, height)
        if place == len(self._heights) or height < self._heights[0]:
            return None
        if self._heights[place] == height:
            return self._moments[place]
        low, high = self._heights[place - 1], self._heights[place]
        begin, end = self._moments[place - 1], self._moments[place]
        return begin + (height - low) * (end - begin) // (high - low)


def books_of(series: Mapping[str, RateSeries]) -> dict[str, RateBook]:
    """A rate book for each currency code, in capitals."""
    return {code.upper(): RateBook(one) for code, one in series.items()}


def _rate(key: str, text: str, source: str) -> Rate:
    value = money_of(text)
    assert isinstance(value, Fraction)
    return Rate(value, f"{text} ({source}, {key})")


def _known_from(key: str) -> int:
    """When a rate stated for a date or an instant was known, in microseconds; ValueError for neither."""
    try:
        day = date.fromisoformat(key)
    except ValueError:
        return to_microseconds(parse_instant(key))
    return to_microseconds(day_start(day + timedelta(days=1)))


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return repr(value)
    return value.isoformat() if hasattr(value, "isoformat") else value
