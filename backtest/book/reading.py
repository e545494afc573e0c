"""A rent book read whole: its contracts, each with the days its files tell, and every refused row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ...records import RentmarkError, divide_half_even, sha256_hex
from ..csv_cells import SECONDS_PER_HOUR, RowError, read_cells, reject_row
from ..rent_book import RentReject
from ..sentences import Role
from .contracts import BookSpec, RentalContract, read_book_spec
from .days import ContractDay, Reading
from .exchange import USD, ExchangeRates
from .files import RATES_LAYOUT, read_rates, read_usage, terms_of
from .invoices import LAYOUT as INVOICES_LAYOUT
from .invoices import read_invoices

PRICE_STANDS_DAYS = 31
"""How long a price stands for hours used on a day without one: a listed price until the next is seen."""


@dataclass(frozen=True, slots=True)
class ContractRent:
    """A contract and what it cost by day, in order. ``is_spread`` where invoices were spread over days."""

    contract: RentalContract
    days: tuple[ContractDay, ...]
    is_spread: bool

    @property
    def has_hours(self) -> bool:
        """Whether any hours are stated."""
        return any(day.gpu_seconds is not None for day in self.days)

    def price_before(self, day: date) -> ContractDay | None:
        """The last day with a price strictly before ``day``."""
        known = [each for each in self.days if each.rate_micros is not None and each.date < day]
        return known[-1] if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A rent book as read; ``rows_read = rows_used + len(rejects)``. ``digest`` covers the book and its files."""

    name: str
    digest: str
    role: Role | None
    contracts: tuple[ContractRent, ...]
    rejects: tuple[RentReject, ...]
    rows_read: int
    rows_used: int
    notes: tuple[str, ...]
    exchange: ExchangeRates


def read_book(
    payload: bytes,
    name: str,
    files: Mapping[str, bytes],
    *,
    exchange: ExchangeRates | None = None,
    today: date,
) -> Book:
    """Read a book: a TOML with the files it names, by name, or one CSV of rates or invoices.

    A CSV is a book of floating contracts: one, or as many as its column ``contract`` names. Raises RentmarkError or UsageError, in one sentence, where the book itself can't be read, or no
    contract has a day with a price up to ``today``.
    """
    if name.lower().endswith(".toml"):
        spec = read_book_spec(payload, name)
    else:
        spec, files = spec_of_csv(payload, name), {name: payload}
    rates = exchange or ExchangeRates()
    rents: list[ContractRent] = []
    readings: list[Reading] = []
    for contract in spec.contracts:
        made = _read_contract(contract, files, rates, today)
        readings.append(made)
        rents.append(
            ContractRent(
                contract,
                tuple(sorted(made.days, key=lambda day: day.date)),
                contract.invoices is not None,
            )
        )
    rejects = (*(each for one in readings for each in one.rejects), *rates.rejects)
    if not any(day.rate_micros is not None for rent in rents for day in rent.days):
        first = f" First: {rejects[0].sentence}" if rejects else ""
        raise RentmarkError(f"{name} has no day with a price up to {today}; add rates or invoices.{first}")
    return Book(
        name=name,
        digest=_digest(payload, spec, files),
        role=spec.role,
        contracts=tuple(rents),
        rejects=rejects,
        rows_read=sum(one.rows_read for one in readings) + len(rates.rejects),
        rows_used=sum(one.rows_used for one in readings),
        notes=(*(note for one in readings for note in one.notes), *rates.notes()),
        exchange=rates,
    )


def spec_of_csv(payload: bytes, name: str) -> BookSpec:
    """The contracts a CSV tells: all floating. Raises RentmarkError where it is neither rates nor invoices."""
    header, rows = read_cells(payload, name, f"{RATES_LAYOUT}; {INVOICES_LAYOUT}")
    told = "invoices" if "period_start" in header else "rates"
    place = header.index("contract") if "contract" in header else None
    named = [] if place is None else [values[place] for _, values in rows if len(values) > place]
    names = list(dict.fromkeys(each for each in named if each)) or [name]
    return BookSpec.read({"contracts": [{"name": each, told: name} for each in names]}, name)


def _digest(payload: bytes, spec: BookSpec, files: Mapping[str, bytes]) -> str:
    parts = [sha256_hex(payload), *(f"{each} {sha256_hex(files[each])}" for each in spec.files)]
    return sha256_hex("\n".join(parts).encode())


def _read_contract(
    contract: RentalContract, files: Mapping[str, bytes], exchange: ExchangeRates, today: date
) -> Reading:
    if contract.invoices is not None:
        return read_invoices(files[contract.invoices], contract.invoices, contract, exchange, today)
    if contract.rates is None:
        reading = _agreed_days(contract, exchange, today)
    else:
        reading = read_rates(files[contract.rates], contract.rates, contract, exchange, today)
    if contract.usage is not None:
        used, told = read_usage(files[contract.usage], contract.usage, contract, today)
        reading.rejects += told.rejects
        reading.rows_read += told.rows_read
        reading.rows_used += told.rows_used
        reading.notes += told.notes
        _bill_usage(contract, reading, used)
    return reading


def _agreed_days(contract: RentalContract, exchange: ExchangeRates, today: date) -> Reading:
    """The days of an agreed rate, from its start to the end of what was agreed, at most until today."""
    reading = Reading()
    if contract.start is None:
        raise RentmarkError(
            f"contract {contract.name} states a rate and no start; add start = YYYY-MM-DD, or rates."
        )
    until = [day for day in (contract.end, contract.fixed_until) if day is not None]
    last = min([today, *until])
    assert contract.rate_micros is not None
    day = contract.start
    while day <= last:
        try:
            rate = exchange.to_usd(contract.rate_micros, contract.currency, day)
        except RowError as error:
            # One sentence says it for all days that follow without a rate.
            reading.rejects.append(
                reject_row(f"contract {contract.name}", 0, error.reason, error.field, error.value)
            )
            reading.rows_read += 1
            break
        reading.days.append(
            ContractDay(
                date=day, rate_micros=rate, gpu_seconds=None, amount_micros=None, terms=terms_of(contract)
            )
        )
        day += timedelta(days=1)
    reading.notes.append(
        f"{contract.name}: its agreed rate of {contract.rate} {contract.currency} stands for every day to {last}."
    )
    if contract.currency != USD and contract.price == "fixed":
        reading.notes.append(
            f"{contract.name}: fixed in {contract.currency}, so its dollars move with the exchange rate, which no hedge of"
            " GPU prices covers."
        )
    return reading


def _bill_usage(contract: RentalContract, reading: Reading, used: Mapping[date, int]) -> None:
    """Give each day its hours and its bill; a day without a price takes the last one, if that still stands."""
    priced = {day.date: day for day in reading.days}
    dates = sorted(priced)
    unbilled = carried = 0
    for day, seconds in sorted(used.items()):
        own = priced.get(day)
        if own is None:
            place = bisect_right(dates, day) - 1
            standing = None if place < 0 else priced[dates[place]]
            if standing is None or (day - standing.date).days > PRICE_STANDS_DAYS:
                unbilled += 1
                continue
            own = replace(standing, date=day, estimated=True)
            carried += 1
        assert own.rate_micros is not None
        priced[day] = replace(
            own,
            gpu_seconds=seconds,
            amount_micros=divide_half_even(own.rate_micros * seconds, SECONDS_PER_HOUR),
        )
    reading.days = [priced[day] for day in sorted(priced)]
    if carried:
        reading.notes.append(
            f"{contract.name}: {carried} days of usage without a price of their own are billed at the last one known."
        )
    if unbilled:
        reading.notes.append(
            f"{contract.name}: {unbilled} days of usage have no price within {PRICE_STANDS_DAYS} days before them and are"
            " not billed; add their rates."
        )
