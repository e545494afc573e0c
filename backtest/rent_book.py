"""What a rent book is: the user's own rent by UTC day, with every refused row beside it.

A plain ``date, rate`` file is one floating contract: its whole rent is exposed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

RentKind = Literal["rates", "invoices"]

RENT_REASONS: dict[str, str] = {
    "truncated_row": "the row has fewer cells than the header; the file may be cut off",
    "too_many_cells": "the row has more cells than the header; write decimals with a point, such as 3.10",
    "missing_date": "the date is blank; add it as YYYY-MM-DD",
    "bad_date": "write the date as YYYY-MM-DD",
    "naive_time": "the time has no zone; write the date alone, or add a zone such as Z",
    "future_date": "the date is after today; rent is what was paid, so check the date",
    "missing_rate": "the rate is blank; add it or leave the row out",
    "missing_amount": "the amount is blank; add it or leave the row out",
    "missing_hours": "the hours are blank; add them, or drop the column to get per-hour figures",
    "not_a_number": "write a plain decimal such as 3.10",
    "not_finite": "write a finite number",
    "too_large": "the number does not fit; check its unit",
    "not_positive": "a rent must be above zero; leave out days without rent",
    "zero_hours": "hours must be above zero; leave out days on which nothing was rented",
    "duplicate_row": "the row repeats an earlier one; keep it once",
    "conflicting_rates": "two rows state this date with different figures; keep the right one",
    "period_ends_early": "the period ends before it starts; swap the two dates",
    "period_too_long": "a period spans at most 366 days; split the invoice by month",
    "overlapping_invoices": (
        "its days are billed by another invoice too; end is the last day billed, so if yours is the"
        " day after, subtract one day, else merge the two"
    ),
    "no_exchange_rate": "there is no rate of that day or the seven before it; add it to the file of --rates",
    "bad_currency": "write a currency by its three letters, such as EUR",
    "missing_source": "an exchange rate says where it comes from; add its source",
    "unknown_kind": "write invoice, credit or refund",
    "unknown_incident": "write failed, slo_miss, breach, unpaid or unused",
    "unknown_pricing": "write on_demand, spot, reserved, community or serverless",
    "credit_without_invoice": "no invoice bills those days, so there is nothing to reduce; check its period",
    "credit_above_bill": "it is larger than what was billed for those days; check the amount",
    "no_value": "state an amount, or hours in a month whose rent is known",
    "bad_month": "write the month as YYYY-MM",
    "bad_share": "write a share above 0 and at most 1",
    "no_output": "state accepted_tokens_millions, or tokens_per_gpu_hour and acceptance",
}
"""Why a row of a rent file is refused, with the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RentDay:
    """The rent of one UTC day.

    ``rate_micros`` is micro-USD per GPU-hour; ``gpu_seconds`` are the hours of the day as integer
    GPU-seconds and ``amount_micros`` what was paid, both None where the file states no hours.
    """

    date: date
    rate_micros: int
    gpu_seconds: int | None
    amount_micros: int | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RentReject:
    """A refused row of a rent file: its line, the field and value, and a sentence with the remedy."""

    line: int
    reason: str
    field: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RentBook:
    """A rent file as read: ``rows_read = rows_used + len(rejects)``, days in order, none twice.

    ``kind`` is ``rates`` (a rate per day) or ``invoices`` (amounts spread evenly over their days;
    then day-to-day changes mean nothing and no observation regression is made).
    ``digest`` is the SHA-256 of the file; ``unit_confirmed`` where its user said what unit it is in.
    """

    name: str
    digest: str
    kind: RentKind
    days: tuple[RentDay, ...]
    rejects: tuple[RentReject, ...]
    rows_read: int
    rows_used: int
    notes: tuple[str, ...]
    simulated: bool = False
    unit_confirmed: bool = False

    @property
    def rows_refused(self) -> int:
        """Rows that were refused, each with a reason."""
        return len(self.rejects)

    @property
    def has_hours(self) -> bool:
        """Whether every day states its GPU-hours, so that bills can be drawn up."""
        return bool(self.days) and all(day.gpu_seconds is not None for day in self.days)

    @property
    def rates(self) -> dict[date, int]:
        """Micro-USD per GPU-hour by date, in date order."""
        return {day.date: day.rate_micros for day in self.days}
