"""Exchange rates for a rent in another currency: dated, with their source, and never of the future.

``date, currency, usd_per_unit, source``. A day takes the rate of that day, or the latest of the seven days
before (a week-end and a holiday); without one the row is refused, not converted at a guess.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date

from ...records import MICROS_PER_USD, RentmarkError, divide_half_even
from ..csv_cells import (
    RowError,
    date_cell,
    positive_micros,
    read_cells,
    refuse_missing,
    reject_row,
    row_cells,
)
from ..rent_book import RentReject

RATE_COLUMNS = ("date", "currency", "usd_per_unit", "source")
LAYOUT = f"a file of exchange rates has the columns {', '.join(RATE_COLUMNS)}"
OLDEST_DAYS = 7
USD = "USD"


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """Micro-USD for one unit of a currency on a date, and who published it."""

    date: date
    currency: str
    usd_micros: int
    source: str

    def convert(self, millionths: int) -> int:
        """An amount in millionths of the currency as micro-USD, rounded half-even once."""
        return divide_half_even(millionths * self.usd_micros, MICROS_PER_USD)


@dataclass(slots=True)
class ExchangeRates:
    """Dated rates by currency; ``used`` collects those that converted a row."""

    by_currency: dict[str, list[ExchangeRate]] = field(default_factory=dict)
    rejects: tuple[RentReject, ...] = ()
    used: dict[ExchangeRate, int] = field(default_factory=dict)

    def at(self, currency: str, day: date) -> ExchangeRate | None:
        """The rate of a day or the latest of the seven days before; None where there is none."""
        known = self.by_currency.get(currency, [])
        place = bisect_right([each.date for each in known], day) - 1
        if place < 0 or (day - known[place].date).days > OLDEST_DAYS:
            return None
        return known[place]

    def value(self, millionths: int, currency: str, day: date) -> int | None:
        """An amount as micro-USD at the rate of a day; None where there is no rate."""
        if currency == USD:
            return millionths
        rate = self.at(currency, day)
        return None if rate is None else rate.convert(millionths)

    def to_usd(self, millionths: int, currency: str, day: date) -> int:
        """The same for a row of the book, which is counted. Raises RowError ``no_exchange_rate`` without a rate."""
        found = self.value(millionths, currency, day)
        if found is None:
            raise RowError("no_exchange_rate", "currency", f"{currency} on {day}")
        rate = None if currency == USD else self.at(currency, day)
        if rate is not None:
            self.used[rate] = self.used.get(rate, 0) + 1
        return found

    def notes(self) -> list[str]:
        """How each currency was converted: rows, first and last rate, sources."""
        said = []
        for currency in sorted({rate.currency for rate in self.used}):
            rates = sorted(
                (rate for rate in self.used if rate.currency == currency), key=lambda each: each.date
            )
            first, last = rates[0], rates[-1]
            count = sum(self.used[rate] for rate in rates)
            sources = ", ".join(sorted({rate.source for rate in rates}))
            said.append(
                f"{count} amounts in {currency} were converted at the rate of their day, from"
                f" {first.usd_micros / MICROS_PER_USD:.4f} USD ({first.date}) to"
                f" {last.usd_micros / MICROS_PER_USD:.4f} ({last.date}); source: {sources}."
            )
        return said


def read_exchange_rates(payload: bytes, name: str) -> ExchangeRates:
    """Read a file of rates. Raises RentmarkError where it can't be read or holds no usable row."""
    header, rows = read_cells(payload, name, LAYOUT)
    refuse_missing(header, RATE_COLUMNS, name, LAYOUT)
    found: dict[tuple[str, date], ExchangeRate] = {}
    clashing: set[tuple[str, date]] = set()  # which of two is right is not guessed
    rejects: list[RentReject] = []
    for line, values in rows:
        try:
            rate = _read(row_cells(header, values))
        except RowError as error:
            rejects.append(reject_row(name, line, error.reason, error.field, error.value))
            continue
        key = (rate.currency, rate.date)
        if key in found:
            clashing.add(key)
            rejects.append(
                reject_row(name, line, "conflicting_rates", "date", f"{rate.date}, {rate.currency}")
            )
        found[key] = rate
    found = {key: rate for key, rate in found.items() if key not in clashing}
    if not found:
        why = f" First: {rejects[0].sentence}" if rejects else ""
        raise RentmarkError(f"{name} has no usable exchange rate; {LAYOUT}.{why}")
    by_currency: dict[str, list[ExchangeRate]] = {}
    for (currency, _), rate in sorted(found.items()):
        by_currency.setdefault(currency, []).append(rate)
    return ExchangeRates(by_currency, tuple(rejects))


def _read(cells: dict[str, str]) -> ExchangeRate:
    day = date_cell(cells, "date", None)
    currency = cells["currency"].upper()
    if len(currency) != 3 or not currency.isalpha() or currency == USD:
        raise RowError("bad_currency", "currency", cells["currency"])
    rate = positive_micros(cells, "usd_per_unit", "missing_rate")
    if not cells["source"]:
        raise RowError("missing_source", "source", "")
    return ExchangeRate(day, currency, rate, cells["source"])
