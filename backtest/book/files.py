"""Daily rates and hourly usage of a contract, read from their files."""

from __future__ import annotations

from collections import Counter
from datetime import date

from ...records import PRICINGS, divide_half_even
from ..csv_cells import (
    SECONDS_PER_HOUR,
    RowError,
    date_cell,
    gpu_seconds_cell,
    instant_cell,
    positive_micros,
    read_cells,
    refuse_missing,
    reject_row,
    row_cells,
)
from .contracts import RentalContract
from .days import TOLD_BY_ROW, ContractDay, Reading, Terms
from .exchange import USD, ExchangeRates

RATES_LAYOUT = (
    "a file of daily rates has the columns date, rate_usd_per_gpu_hour (or rate and currency)"
    "[, gpu_hours][, contract][, provider][, region][, grade][, term_months]"
)
USAGE_LAYOUT = "a file of usage has the columns hour (with its zone) or date, and gpu_hours[, contract]"
HOURS_A_DAY = 24


def terms_of(contract: RentalContract, cells: dict[str, str] | None = None) -> Terms:
    """What is rented: the contract's own terms, or a row's where it states them. Raises RowError."""
    said = {name: (cells or {}).get(name, "") for name in TOLD_BY_ROW}
    term = contract.term_months
    if said["term_months"]:
        if not said["term_months"].isdigit() or int(said["term_months"]) < 1:
            raise RowError("not_a_number", "term_months", said["term_months"])
        term = int(said["term_months"])
    if said["pricing"] and said["pricing"] not in PRICINGS:
        raise RowError("unknown_pricing", "pricing", said["pricing"])
    return Terms(
        provider=said["provider"] or contract.provider,
        region=said["region"] or contract.region,
        grade=said["grade"] or contract.grade,
        term_months=term,
        pricing=said["pricing"] or contract.pricing,
    )


def is_own(contract: RentalContract, cells: dict[str, str]) -> bool:
    """Whether a row is of this contract: a file may hold several, told apart by a column ``contract``."""
    return cells.get("contract", contract.name) in ("", contract.name)


def read_rates(
    payload: bytes, name: str, contract: RentalContract, exchange: ExchangeRates, today: date | None
) -> Reading:
    """Read a contract's daily rates. Two rows of one day that differ are both refused."""
    header, rows = read_cells(payload, name, RATES_LAYOUT)
    column = "rate" if "rate" in header else "rate_usd_per_gpu_hour"
    refuse_missing(header, ("date", column), name, RATES_LAYOUT)
    reading = Reading()
    found: list[tuple[int, ContractDay]] = []
    for line, values in rows:
        try:
            cells = row_cells(header, values)
            if not is_own(contract, cells):
                continue
            reading.rows_read += 1
            day = date_cell(cells, "date", today)
            currency = USD if column != "rate" else cells.get("currency", "").upper() or contract.currency
            rate = exchange.to_usd(positive_micros(cells, column, "missing_rate"), currency, day)
            seconds = gpu_seconds_cell(cells, zero_is_said=True) if cells.get("gpu_hours") else None
            amount = None if seconds is None else divide_half_even(rate * seconds, SECONDS_PER_HOUR)
            terms = terms_of(contract, cells)
        except RowError as error:
            reading.rows_read += error.field == "row"
            reading.rejects.append(reject_row(name, line, error.reason, error.field, error.value))
        else:
            found.append(
                (
                    line,
                    ContractDay(
                        date=day, rate_micros=rate, gpu_seconds=seconds, amount_micros=amount, terms=terms
                    ),
                )
            )
    by_date: dict[date, list[tuple[int, ContractDay]]] = {}
    for line, day_read in found:
        by_date.setdefault(day_read.date, []).append((line, day_read))
    for day, claims in by_date.items():
        first = claims[0][1]
        if all(each == first for _, each in claims):
            reading.days.append(first)
            reading.rows_used += 1
            repeats = claims[1:]
            reason = "duplicate_row"
        else:
            repeats, reason = claims, "conflicting_rates"
        for line, _ in repeats:
            others = ", ".join(str(other) for other, _ in claims if other != line)
            reading.rejects.append(reject_row(name, line, reason, "date", f"{day}, also on line {others}"))
    return reading


def read_usage(
    payload: bytes, name: str, contract: RentalContract, today: date | None
) -> tuple[dict[date, int], Reading]:
    """GPU-seconds used by UTC day. An hour with zero is zero; one that is not there is missing, not zero."""
    header, rows = read_cells(payload, name, USAGE_LAYOUT)
    hourly = "hour" in header
    refuse_missing(header, ("hour" if hourly else "date", "gpu_hours"), name, USAGE_LAYOUT)
    field = "hour" if hourly else "date"
    reading = Reading()
    claims: dict[object, list[tuple[int, date, int]]] = {}
    for line, values in rows:
        try:
            cells = row_cells(header, values)
            if not is_own(contract, cells):
                continue
            reading.rows_read += 1
            day = date_cell(cells, field, today)
            key: object = instant_cell(cells, field) if hourly else day
            seconds = gpu_seconds_cell(cells, zero_is_said=True)
        except RowError as error:
            reading.rows_read += error.field == "row"
            reading.rejects.append(reject_row(name, line, error.reason, error.field, error.value))
        else:
            claims.setdefault(key, []).append((line, day, seconds))
    used: dict[date, int] = {}
    hours_of: Counter[date] = Counter()
    for key, rows_of in claims.items():
        same = len({seconds for _, _, seconds in rows_of}) == 1
        refused = rows_of[1:] if same else rows_of
        for line, _, _ in refused:
            reason = "duplicate_row" if same else "conflicting_rates"
            reading.rejects.append(reject_row(name, line, reason, field, f"{key}"))
        if same:
            _, day, seconds = rows_of[0]
            used[day] = used.get(day, 0) + seconds
            hours_of[day] += 1
            reading.rows_used += 1
    zero = sum(seconds == 0 for seconds in used.values())
    if zero:
        reading.notes.append(
            f"{contract.name}: {zero} days with zero hours used; they cost nothing and weigh nothing."
        )
    partial = sum(count < HOURS_A_DAY for count in hours_of.values()) if hourly else 0
    if partial:
        reading.notes.append(
            f"{contract.name}: {partial} days have fewer than 24 hours of usage; the others are missing, not zero."
        )
    return used, reading
