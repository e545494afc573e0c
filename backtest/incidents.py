"""What a hedge of the price cannot do, in the user's own money: failures, breaches, defaults, idle hours.

``date, kind, hours, amount[, note]`` with kind failed, slo_miss, breach, unpaid or unused. An amount is taken
as stated, in dollars; hours without one are worth the rent of their day.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from ..records import RentmarkError, divide_half_even, format_micros, month_of, sha256_hex
from .csv_cells import (
    SECONDS_PER_HOUR,
    RowError,
    date_cell,
    gpu_seconds_cell,
    positive_micros,
    read_cells,
    refuse_missing,
    reject_row,
    row_cells,
)
from .rent_book import RentReject

IncidentKind = Literal["failed", "slo_miss", "breach", "unpaid", "unused"]
KINDS: tuple[IncidentKind, ...] = ("failed", "slo_miss", "breach", "unpaid", "unused")
LAYOUT = f"a file of incidents has the columns date, kind ({', '.join(KINDS)}), hours and amount (either may be blank)[, note]"
LABELS: dict[IncidentKind, str] = {
    "failed": "hours that failed",
    "slo_miss": "hours that missed their service level",
    "breach": "breach",
    "unpaid": "not paid by a counterparty",
    "unused": "hours not used",
}
RISKS: tuple[tuple[IncidentKind, ...], ...] = (("failed", "slo_miss"), ("breach",), ("unpaid",), ("unused",))
"""The kinds behind each risk of ``NOT_COVERED``, in its order."""
PRICE_STANDS_DAYS = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One incident: GPU-seconds where stated, and its money in micro-USD, ``valued`` where hours gave it."""

    date: date
    kind: IncidentKind
    gpu_seconds: int | None
    amount_micros: int
    valued: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Incidents:
    """Incidents as read; ``rows_read = len(incidents) + len(rejects)``."""

    name: str
    digest: str
    incidents: tuple[Incident, ...]
    rejects: tuple[RentReject, ...]
    rows_read: int

    def amount_micros(self, kinds: Sequence[IncidentKind] = KINDS, month: str | None = None) -> int:
        """The money of some kinds, in all or in one month."""
        return sum(
            each.amount_micros
            for each in self.incidents
            if each.kind in kinds and (month is None or month_of(each.date) == month)
        )

    def of_kind(self, kind: IncidentKind) -> tuple[Incident, ...]:
        """The incidents of one kind."""
        return tuple(each for each in self.incidents if each.kind == kind)

    @property
    def months(self) -> tuple[str, ...]:
        """The months in which something happened."""
        return tuple(sorted({month_of(each.date) for each in self.incidents}))

    def to_json(self) -> dict[str, Any]:
        """The incidents with their documented keys, by kind and by month."""
        kinds = []
        for kind in KINDS:
            found = self.of_kind(kind)
            hours = sum(each.gpu_seconds or 0 for each in found) / SECONDS_PER_HOUR
            kinds.append(
                {
                    "kind": kind,
                    "count": len(found),
                    "gpu_hours": hours,
                    "amount": format_micros(self.amount_micros([kind])),
                    "valued_at_rent": sum(each.valued for each in found),
                }
            )
        return {
            "name": self.name,
            "digest": self.digest,
            "rows_read": self.rows_read,
            "rows_used": len(self.incidents),
            "refused": [reject_json(each) for each in self.rejects],
            "total": format_micros(self.amount_micros()),
            "kinds": kinds,
            "months": [
                {"month": month, **{k: format_micros(self.amount_micros([k], month)) for k in KINDS}}
                for month in self.months
            ],
        }


def reject_json(reject: RentReject) -> dict[str, Any]:
    """A refused row with its documented keys."""
    return {
        "line": reject.line,
        "reason": reject.reason,
        "field": reject.field,
        "value": reject.value,
        "sentence": reject.sentence,
    }


def read_incidents(payload: bytes, name: str, rates: Mapping[date, int], *, today: date) -> Incidents:
    """Read incidents; ``rates`` are micro-USD per GPU-hour by date, to value hours without an amount.

    Raises RentmarkError, in one sentence, where the file can't be read or no row is usable.
    """
    header, rows = read_cells(payload, name, LAYOUT)
    refuse_missing(header, ("date", "kind", "hours", "amount"), name, LAYOUT)
    known = sorted(rates)
    found: list[Incident] = []
    rejects: list[RentReject] = []
    for line, values in rows:
        try:
            found.append(_read(row_cells(header, values), rates, known, today))
        except RowError as error:
            rejects.append(reject_row(name, line, error.reason, error.field, error.value))
    if not found:
        first = f" First: {rejects[0].sentence}" if rejects else ""
        raise RentmarkError(f"{name} has no usable incident; {LAYOUT}.{first}")
    return Incidents(
        name=name,
        digest=sha256_hex(payload),
        incidents=tuple(sorted(found, key=lambda each: each.date)),
        rejects=tuple(rejects),
        rows_read=len(rows),
    )


def _read(cells: Mapping[str, str], rates: Mapping[date, int], known: list[date], today: date) -> Incident:
    day = date_cell(cells, "date", today)
    kind = next((each for each in KINDS if each == cells["kind"].lower()), None)
    if kind is None:
        raise RowError("unknown_incident", "kind", cells["kind"])
    seconds = gpu_seconds_cell(cells, "hours") if cells["hours"] else None
    if cells["amount"]:
        amount, valued = positive_micros(cells, "amount", "missing_amount"), False
    else:
        place = bisect_right(known, day) - 1
        stands = place >= 0 and (day - known[place]).days <= PRICE_STANDS_DAYS
        if seconds is None or not stands:
            raise RowError("no_value", "amount", "")
        amount, valued = divide_half_even(rates[known[place]] * seconds, SECONDS_PER_HOUR), True
    return Incident(
        date=day,
        kind=kind,
        gpu_seconds=seconds,
        amount_micros=amount,
        valued=valued,
        note=cells.get("note", ""),
    )
