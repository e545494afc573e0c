"""The simulated programme: month by month a ratio, a position, and the bill with and without it.

Each ratio comes from hedge months already over at entry, so nothing is sized with hindsight. Every
profit and loss stands at three entry prices, because no real futures prices exist to enter at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

from ..contracts import ContractSpec, exact_ratio, hours_in_month, size_lots
from ..records import (
    Refusal,
    day_start,
    divide_half_even,
    month_of,
    round_fraction,
)
from .hedge_months import HedgeMonth, changes_for
from .methods import RatioMethod, dimson_hours
from .regressions import to_dollars
from .rent import SECONDS_PER_HOUR
from .rent_book import RentBook
from .sentences import Role

PREMIUMS_PERCENT = (-10, 0, 10)
"""Entry prices every profit and loss is shown at, relative to the assumed one."""


class MonthlyRent(Protocol):
    """What a month's exposure asks of a month: its name and exact mean rent, micro-USD per GPU-hour."""

    @property
    def month(self) -> str:
        """The month, ``2026-08``."""

    @property
    def rent(self) -> Fraction:
        """Mean rent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The hours of one month: ``planned`` sizes the hedge, ``actual`` is what was billed.

    Integer GPU-seconds without sign; ``bill_micros`` is what those actual hours cost.
    """

    planned_seconds: int
    actual_seconds: int
    bill_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammeMonth:
    """One simulated month. Amounts are micro-USD; maps go by entry premium in percent.

    ``lots`` are signed whole lots of a contract, None without one; ``hedged_seconds`` the signed
    GPU-seconds of the reference held, None where no hours are known. Rates are per GPU-hour and
    always there. For a provider, a bill is revenue.
    """

    month: str
    ratio: float
    learned_from: int
    unit_gpu_hours: int | None
    lots: int | None
    hedged_seconds: int | None
    gpu_seconds: int | None
    rate_micros: int
    hedged_rate_micros: Mapping[int, int]
    pnl_rate_micros: Mapping[int, int]
    bill_micros: int | None
    pnl_micros: Mapping[int, int] | None
    hedged_bill_micros: Mapping[int, int] | None
    entry_price_micros: int
    settlement_micros: int
    note: str | None = None
    wanted_hours: Fraction | None = None
    """Signed GPU-hours the method asked for, before whole lots; None where no hours are known."""


def exposures(book: RentBook, months: Sequence[MonthlyRent], gpus: int | None) -> dict[str, Exposure] | None:
    """Hours and bill by month: from the file, and planned hours from ``gpus`` around the clock.

    None where neither is known. With ``gpus`` alone the bill is the month's mean rent on every
    hour of the month.
    """
    if gpus is None and not book.has_hours:
        return None
    seconds: dict[str, int] = {}
    amounts: dict[str, int] = {}
    if book.has_hours:
        for day in book.days:
            assert day.gpu_seconds is not None
            assert day.amount_micros is not None
            month = month_of(day.date)
            seconds[month] = seconds.get(month, 0) + day.gpu_seconds
            amounts[month] = amounts.get(month, 0) + day.amount_micros
    found: dict[str, Exposure] = {}
    for each in months:
        month = each.month
        planned = None if gpus is None else gpus * hours_in_month(month) * SECONDS_PER_HOUR
        actual = seconds.get(month, planned)
        assert actual is not None
        bill = amounts.get(month)
        if bill is None:
            bill = round_fraction(each.rent * actual / SECONDS_PER_HOUR)
        found[month] = Exposure(
            planned_seconds=actual if planned is None else planned, actual_seconds=actual, bill_micros=bill
        )
    return found


def weights_at_entry(
    method: RatioMethod, months: Sequence[HedgeMonth], at: HedgeMonth
) -> tuple[tuple[float, ...], int] | Refusal:
    """The weights for one month from hedge months known at its entry, and how many those were."""
    opened = day_start(at.entry_date)
    known = [each for each in months if each.known_from <= opened and each.settlement_micros is not None]
    if len(known) < method.minimum_changes:
        return Refusal("too_short", f"{len(known)} hedge months known, {method.minimum_changes} needed")
    weights = method.weights(*to_dollars(changes_for(method, known)))
    return weights if isinstance(weights, Refusal) else (weights, len(known))


def run_programme(
    months: Sequence[HedgeMonth],
    method: RatioMethod,
    *,
    role: Role,
    exposure: Mapping[str, Exposure] | None,
    spec: ContractSpec | None,
) -> tuple[ProgrammeMonth, ...]:
    """Simulate every month that settled and whose ratio could be known at entry."""
    ran: list[ProgrammeMonth] = []
    for each in months:
        if each.settlement_micros is None or (exposure is not None and each.month not in exposure):
            continue  # a month without known hours has no bill to hedge
        decided = weights_at_entry(method, months, each)
        if isinstance(decided, Refusal):
            continue
        weights, learned_from = decided
        hours = None if exposure is None else exposure[each.month]
        sized = None if exposure is None else sized_hours(each.month, weights, exposure)
        ran.append(
            _simulate(each, sum(weights), learned_from, role=role, hours=hours, sized=sized, spec=spec)
        )
    return tuple(ran)


def sized_hours(
    month: str, weights: Sequence[float], exposure: Mapping[str, Exposure]
) -> tuple[Fraction, Fraction] | None:
    """A ratio and unsigned hours whose product the month holds; None where hours of the month alone count.

    With lag weights that product is ``Σ_k β_k · hours_{m+k}`` (Dimson 1979); a month without a plan has
    no hours to hedge.
    """
    if len(weights) == 1:
        return None
    planned = {name: Fraction(each.planned_seconds, SECONDS_PER_HOUR) for name, each in exposure.items()}
    return Fraction(1), dimson_hours(tuple(weights), planned)[month]


def _simulate(
    each: HedgeMonth,
    ratio: float,
    learned_from: int,
    *,
    role: Role,
    hours: Exposure | None,
    sized: tuple[Fraction, Fraction] | None,
    spec: ContractSpec | None,
) -> ProgrammeMonth:
    fsp = each.settlement_micros
    assert fsp is not None
    exact = exact_ratio(ratio)
    gains = {
        premium: fsp - divide_half_even(each.entry_price_micros * (100 + premium), 100)
        for premium in PREMIUMS_PERCENT
    }
    sign = 1 if role == "buyer" else -1
    if hours is None:
        # h hours held for every hour rented: long for a buyer, short for a provider. Either way the
        # rent, paid or received, becomes rent − h·(FSP − K).
        return ProgrammeMonth(
            month=each.month, ratio=ratio, learned_from=learned_from, unit_gpu_hours=None, lots=None,
            hedged_seconds=None, gpu_seconds=None, rate_micros=round_fraction(each.rent),
            hedged_rate_micros={p: round_fraction(each.rent - exact * gain) for p, gain in gains.items()},
            pnl_rate_micros={p: round_fraction(sign * exact * gain) for p, gain in gains.items()},
            bill_micros=None, pnl_micros=None, hedged_bill_micros=None,
            entry_price_micros=each.entry_price_micros, settlement_micros=fsp,
        )  # fmt: skip
    lots: int | None = None
    unit: int | None = None
    note: str | None = None
    times, over = sized or (exact, Fraction(hours.planned_seconds, SECONDS_PER_HOUR))
    if spec is None:
        held = round_fraction(times * over * sign * SECONDS_PER_HOUR)
    else:
        size = size_lots(spec, {each.month: sign * over}, hedge_ratio=times)[0]
        lots, unit, note = size.lots, size.unit_gpu_hours, size.note
        held = lots * unit * SECONDS_PER_HOUR
    pnl = {p: divide_half_even(held * gain, SECONDS_PER_HOUR) for p, gain in gains.items()}
    hedged = {p: hours.bill_micros - sign * amount for p, amount in pnl.items()}
    unused = hours.actual_seconds == 0
    seconds = hours.planned_seconds if unused else hours.actual_seconds
    pnl_rate = {p: divide_half_even(amount * SECONDS_PER_HOUR, seconds) for p, amount in pnl.items()}
    if unused:  # no hour was paid, so figures per hour stand on the hours planned
        rate = round_fraction(each.rent)
        hedged_rate = {p: rate - sign * amount for p, amount in pnl_rate.items()}
        note = f"{each.month}: zero hours were used, so the whole position stood without a rent."
    else:
        rate = divide_half_even(hours.bill_micros * SECONDS_PER_HOUR, seconds)
        hedged_rate = {
            p: divide_half_even(amount * SECONDS_PER_HOUR, seconds) for p, amount in hedged.items()
        }
    return ProgrammeMonth(
        month=each.month, ratio=ratio, learned_from=learned_from, unit_gpu_hours=unit, lots=lots,
        hedged_seconds=held, gpu_seconds=hours.actual_seconds, rate_micros=rate,
        hedged_rate_micros=hedged_rate, pnl_rate_micros=pnl_rate,
        bill_micros=hours.bill_micros, pnl_micros=pnl, hedged_bill_micros=hedged,
        entry_price_micros=each.entry_price_micros, settlement_micros=fsp, note=note,
        wanted_hours=times * over * sign,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstMonth:
    """The dearest month for a buyer, the leanest for a provider; bills, or rates without hours."""

    unhedged_micros: int
    unhedged_month: str
    hedged_micros: Mapping[int, int]
    hedged_month: Mapping[int, str]
    is_bill: bool


def worst_month(programme: Sequence[ProgrammeMonth], role: Role) -> WorstMonth | None:
    """The worst month without the hedge and with it; None where no month was simulated."""
    if not programme:
        return None
    is_bill = all(each.bill_micros is not None for each in programme)
    worst = max if role == "buyer" else min

    def unhedged(each: ProgrammeMonth) -> int:
        return each.rate_micros if each.bill_micros is None else each.bill_micros

    def hedged(premium: int, each: ProgrammeMonth) -> int:
        by_premium = each.hedged_rate_micros if each.hedged_bill_micros is None else each.hedged_bill_micros
        return by_premium[premium]

    bare = worst(programme, key=unhedged)
    held = {p: worst(programme, key=partial(hedged, p)) for p in PREMIUMS_PERCENT}
    return WorstMonth(
        unhedged_micros=unhedged(bare),
        unhedged_month=bare.month,
        hedged_micros={p: hedged(p, each) for p, each in held.items()},
        hedged_month={p: each.month for p, each in held.items()},
        is_bill=is_bill,
    )


def mean_hours(exposure: Mapping[str, Exposure], months: Sequence[str]) -> Fraction | None:
    """Mean actual GPU-hours of the named months that have any; None where none has."""
    seconds = [exposure[month].actual_seconds for month in months if month in exposure]
    if not seconds:
        return None
    return Fraction(sum(seconds), len(seconds) * SECONDS_PER_HOUR)
