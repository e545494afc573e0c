"""Invented fixings and clocks for the tests of contracts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

from rentmark.contracts import (
    Certificate,
    ContractSpec,
    InMonth,
    Settlement,
    fixing_days,
    read_contract,
    settle,
)
from rentmark.records import Fixing, day_start

BENCHMARK = "invented-list"
LATER = datetime(2030, 1, 1, tzinfo=UTC)
"""A moment after every month of these tests."""


def make_fixing(day: date, value_micros: int | None = 3_000_000, **changes: object) -> Fixing:
    """A live tape row of an invented benchmark, published an hour after the end of its UTC day."""
    effective_at = day_start(day) + timedelta(days=1)
    values: dict[str, object] = {
        "benchmark": BENCHMARK,
        "date": day,
        "value_micros": value_micros,
        "status": "GAP" if value_micros is None else "OK",
        "rule": "min_sellers" if value_micros is None else None,
        "tier": "listed",
        "n_observations": 9,
        "n_sellers": 5,
        "n_votes": 5,
        "n_venues": 5,
        "gpu_seconds": 0,
        "p25_micros": value_micros,
        "p75_micros": value_micros,
        "top_weight": "0.200000",
        "carried_from": None,
        "methodology": "invented",
        "methodology_version": "1.0.0",
        "methodology_hash": "0" * 64,
        "input_digest": "1" * 64,
        "effective_at": effective_at,
        "simulated": False,
        "reconstructed": False,
        "rights": "allowed",
        "settlement_grade": True,
        "origin": "live",
        "published_at": effective_at + timedelta(hours=1),
    }
    values.update(changes)
    return Fixing(**values)  # type: ignore[arg-type]


def make_tape(days: Iterable[date], value_micros: int = 3_000_000, **changes: object) -> dict[date, Fixing]:
    """The same row on many days."""
    return {day: make_fixing(day, value_micros, **changes) for day in days}


def month_tape(
    spec: ContractSpec, month: str, value_micros: int = 3_000_000, **changes: object
) -> dict[date, Fixing]:
    """A row on every fixing day of a contract month."""
    return make_tape(fixing_days(spec, month), value_micros, **changes)


def days_between(first: date, last: date) -> list[date]:
    """Every calendar day from first to last."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def ask(
    spec: ContractSpec,
    month: str,
    tape: Mapping[date, Fixing],
    *,
    now: datetime = LATER,
    certificate: Certificate | None = None,
    proxy: bool | None = None,
) -> Settlement:
    """Settle on the invented benchmark, by default long after the month."""
    return settle(spec, month, tape, benchmark=BENCHMARK, now=now, certificate=certificate, proxy=proxy)


def view_of(settlement: Settlement) -> InMonth:
    """The in-month view of a month that accrues."""
    assert settlement.in_month is not None
    return settlement.in_month


WHERE = "[contracts.own]"
OWN: dict[str, object] = {
    "name": "Own contract, invented",
    "exchange": "bilateral",
    "chip": "B200",
    "status_line": "invented for a test",
    "listed": False,
    "official_underlying": "an invented index",
    "official_benchmark": "own-index",
    "unit_rule": "hours_in_month",
    "unit_gpus": 8,
    "tick_micros": 5_000,
    "averaging": "every_day",
    "last_trade": "last_fixing_day",
}


def own_contract(**changes: object) -> ContractSpec:
    """A user's own invented contract; a change of ... leaves the key out."""
    table = {**OWN, **changes}
    return read_contract({k: v for k, v in table.items() if v is not ...}, WHERE, contract_id="own")
