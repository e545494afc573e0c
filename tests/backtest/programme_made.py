"""Invented markets for the tests of programmes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

from rentmark.backtest.programmes import (
    Instrument,
    ProgrammeRun,
    first_prints,
    read_programme,
    run_hedge_programme,
)
from rentmark.contracts import ContractSpec
from rentmark.contracts.account import AccountRules, IndexView
from rentmark.records import Fixing, Mark, day_start

from tests.backtest.making import BENCHMARK, EVERY_DAY, days_from, make_book, make_tape, wander

FIRST = date(2022, 1, 1)
NO_SLIPPAGE = AccountRules.read(
    {"fills": {"slippage_ticks": 0}, "margin": {"methods": ["proxy"]}}, "[accounts.invented]"
)
"""Fills at the mark, and the margin that is reckoned fastest."""


def contract(name: str, **changes: object) -> ContractSpec:
    """The invented every-day contract under another name."""
    return EVERY_DAY.model_copy(update={"id": name, **changes})


def market(count: int, seed: int = 7) -> tuple[list[Fixing], dict[date, int]]:
    """A tape that moves on a grid of a quarter dollar, and a rent a dime above it, late by a day."""
    days = days_from(FIRST, count)
    values = wander(count, seed=seed)
    rents = [values[0], *values[:-1]]
    return make_tape(dict(zip(days, values, strict=True))), {
        day: value + 100_000 for day, value in zip(days, rents, strict=True)
    }


def mark(
    month: str, day: date, settle_micros: int, vintage: datetime | None = None, **changes: object
) -> Mark:
    """A settlement made public at the end of its day."""
    values: dict[str, object] = {
        "contract": EVERY_DAY.id,
        "month": month,
        "trade_date": day,
        "settle_micros": settle_micros,
        "bid_micros": None,
        "ask_micros": None,
        "volume": None,
        "open_interest": None,
        "vintage": vintage or day_start(day + timedelta(days=1)),
    }
    return Mark(**(values | changes))  # type: ignore[arg-type]


def instrument(
    tape: Iterable[Fixing],
    marks: Iterable[Mark] = (),
    *,
    now: datetime,
    spec: ContractSpec = EVERY_DAY,
    benchmark: str = BENCHMARK,
) -> Instrument:
    """An instrument on a tape."""
    stated, corrected = first_prints(marks)
    view = IndexView(spec, benchmark, tape, known_until=now)
    return Instrument(view=view, stated=stated, corrected=corrected)


def end_of(day: date) -> datetime:
    """Midnight after a day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def run(
    rules: Mapping[str, object],
    tape: Iterable[Fixing],
    rents: Mapping[date, int],
    *,
    marks: Iterable[Mark] = (),
    now: datetime,
    role: str = "buyer",
    gpus: int | None = 10,
    gpu_hours: str | None = None,
    account: AccountRules = NO_SLIPPAGE,
) -> ProgrammeRun:
    """A programme on the invented every-day contract."""
    programme = read_programme({"instruments": [{"contract": EVERY_DAY.id}], **rules}, "the test")
    return run_hedge_programme(
        "invented",
        programme,
        make_book(rents, gpu_hours),
        [instrument(tape, marks, now=now)],
        role=role,  # type: ignore[arg-type]
        now=now,
        gpus=gpus,
        rules=account,
    )
