"""Invented rents, fixings and clocks for the tests of backtest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from rentmark.backtest import Changes, HedgeReport, RentBook, hedge, read_rent
from rentmark.contracts import ContractSpec, read_contract
from rentmark.records import Fixing, day_start, format_micros, month_bounds

BENCHMARK = "invented-list"
LATER = datetime(2030, 1, 1, tzinfo=UTC)
"""A moment after everything invented here."""

EVERY_DAY = read_contract(
    {
        "name": "Invented monthly average",
        "exchange": "Invented",
        "chip": "H100",
        "status_line": "invented for tests",
        "listed": False,
        "official_underlying": "Invented index",
        "official_benchmark": BENCHMARK,
        "unit_rule": "fixed",
        "fixed_gpu_hours": 100,
        "tick_micros": 1_000,
        "averaging": "every_day",
        "last_trade": "last_fixing_day",
    },
    "the invented contract",
    contract_id="invented-every-day",
)
"""A contract of 100 GPU-hours on the mean of every day, traded until the last day of its month."""


def make_fixing(day: date, value_micros: int | None = 3_000_000, **changes: object) -> Fixing:
    """A live tape row, effective at the end of its UTC day and published then."""
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
        "p25_micros": None,
        "p75_micros": None,
        "top_weight": None,
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
        "published_at": effective_at,
    }
    values.update(changes)
    return Fixing(**values)  # type: ignore[arg-type]


def make_tape(values: Mapping[date, int | None], **changes: object) -> list[Fixing]:
    """One tape row a day."""
    return [make_fixing(day, value, **changes) for day, value in values.items()]


def rent_text(rates: Mapping[date, int], gpu_hours: str | None = None) -> bytes:
    """A rent file of micro-USD rates, with the same hours every day where given."""
    header = "date,rate_usd_per_gpu_hour" + ("" if gpu_hours is None else ",gpu_hours")
    tail = "" if gpu_hours is None else f",{gpu_hours}"
    lines = [f"{day},{format_micros(rate)}{tail}" for day, rate in rates.items()]
    return "\n".join([header, *lines, ""]).encode()


def make_book(rates: Mapping[date, int], gpu_hours: str | None = None) -> RentBook:
    """A rent book of micro-USD rates."""
    return read_rent(rent_text(rates, gpu_hours), "rent.csv")


def days_from(first: date, count: int) -> list[date]:
    """Consecutive days."""
    return [first + timedelta(days=number) for number in range(count)]


def middle_of_months(count: int, first: date = date(2022, 1, 15)) -> list[date]:
    """The 15th of consecutive months."""
    numbers = range(first.year * 12 + first.month - 1, first.year * 12 + first.month - 1 + count)
    return [date(number // 12, number % 12 + 1, first.day) for number in numbers]


def make_changes(
    rent: Sequence[int | Fraction], reference: Sequence[int | Fraction], kind: str = "monthly"
) -> Changes:
    """Paired changes, dated by the 15th of consecutive months."""
    return Changes(
        kind=kind,  # type: ignore[arg-type]
        dates=tuple(middle_of_months(len(rent))),
        rent=tuple(Fraction(each) for each in rent),
        reference=tuple(Fraction(each) for each in reference),
    )


def wander(count: int, start: int = 12, seed: int = 7) -> list[int]:
    """A walk in micro-USD on a grid of a quarter dollar, from a fixed congruential generator."""
    state, level, found = seed, start, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        level = max(4, level + (state >> 16) % 5 - 2)
        found.append(level * 250_000)
    return found


def run(
    rates: Mapping[date, int],
    reference: Mapping[date, int | None],
    *,
    gpu_hours: str | None = None,
    now: datetime = LATER,
    contract: ContractSpec | None = None,
    **options: object,
) -> HedgeReport:
    """A hedge of invented rates on an invented benchmark."""
    return hedge(
        make_book(rates, gpu_hours),
        make_tape(reference),
        benchmark=BENCHMARK,
        now=now,
        contract=contract,
        **options,  # type: ignore[arg-type]
    )


def monthly_case(rent: Iterable[int], reference: Iterable[int]) -> tuple[dict[date, int], dict[date, int]]:
    """One rent and one fixing a month, on the 15th."""
    rents, references = list(rent), list(reference)
    days = middle_of_months(len(rents))
    return dict(zip(days, rents, strict=True)), dict(zip(days, references, strict=True))


def days_in(month: str) -> int:
    """Days of a calendar month."""
    first, last = month_bounds(month)
    return (last - first).days + 1
