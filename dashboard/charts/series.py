"""A line to draw, and how a day lies on the axis: [D, D+1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

ONE_DAY = timedelta(days=1)
HALF_A_DAY = timedelta(hours=12)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: rows of `index show` in order of date, values that may be null.

    A row needs ``date``, ``value`` and ``status``; ``p25``, ``p75``, ``n_sellers``, ``state``, ``origin``,
    ``simulated``, ``revision`` and ``methodology_hash`` are drawn where they are there. ``modelled`` draws
    it dotted. ``proxy_for`` goes into the label.
    """

    name: str
    rows: Sequence[Row]
    modelled: bool = False
    proxy_for: str | None = None

    @property
    def label(self) -> str:
        """The name at the line end."""
        said = f" PROXY for {self.proxy_for}" if self.proxy_for else ""
        return f"{self.name}{said}" + (" MODELLED" if self.modelled else "")


def start_of(day: str) -> datetime:
    """Midnight of an ISO date."""
    return datetime.combine(date.fromisoformat(day), time())


def noon(row: Row) -> datetime:
    """The middle of a row's day: where its marks stand."""
    return start_of(row["date"]) + HALF_A_DAY


def ends_of(run: Sequence[Row], key: str) -> list[tuple[datetime, float]]:
    """Both ends of each day, [D, D+1), at its value."""
    found = []
    for row in run:
        start = start_of(row["date"])
        found += [(start, float(row[key])), (start + ONE_DAY, float(row[key]))]
    return found


def within(rows: Sequence[Row], days: int | None) -> list[Row]:
    """The rows of the last so many days, counted from the last row; all without a number."""
    if days is None or not rows:
        return list(rows)
    first = date.fromisoformat(rows[-1]["date"]) - timedelta(days=days - 1)
    return [row for row in rows if date.fromisoformat(row["date"]) >= first]
