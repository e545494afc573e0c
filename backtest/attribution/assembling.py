"""From a hedge report and the rents behind it to an attribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from ...contracts import ContractSpec, exact_ratio
from ...grades import Grade
from ...records import STATUSES_OBSERVED, month_of, round_fraction
from ..hedge_months import HedgeMonth
from ..methods import METHODS
from ..programme import PREMIUMS_PERCENT, ProgrammeMonth, run_programme
from ..rent import SECONDS_PER_HOUR
from ..report_model import HedgeReport
from .archive import Archive, BenchmarkFor, IndexNamed
from .ladder import LADDER, Dimensions, rungs
from .lines import LineName
from .moves import PaidDay, Series, move
from .reasons import fees_micros, notes_of, reasons_of, rules_changed
from .result import Attribution, add_up
from .waterfall import HedgedPosition, Leg, MonthParts, take_apart


@dataclass(frozen=True, slots=True)
class RentedDay:
    """A day of a leg: the weight of its hours, and what was rented on it."""

    date: date
    weight: Fraction
    dimensions: Dimensions


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedLeg:
    """One exposed contract in one month, without sign: hours, bill, days, and the last rate before entry.

    ``index`` names the benchmark its price follows, where it follows another than the hedge's.
    """

    name: str
    planned_hours: Fraction
    actual_hours: Fraction
    bill_micros: int
    days: tuple[RentedDay, ...]
    entry_date: date
    entry_dimensions: Dimensions
    budget_rate_micros: int
    index: str | None = None


def attribute(
    report: HedgeReport,
    legs: Mapping[str, Sequence[RentedLeg]] | None,
    *,
    reference: Grade,
    benchmark_for: BenchmarkFor,
    index_named: IndexNamed,
    contract: ContractSpec | None = None,
    dimensions: Dimensions | None = None,
) -> Attribution:
    """Attribute what a simulated hedge left over; see :class:`Attribution` for T and its signs.

    ``legs`` are the exposed contracts by month; None takes the report's rent as one contract of
    ``dimensions``. ``benchmark_for`` makes the sub-indices; it is asked only for grades that differ
    from their neighbour, so a dimension that is constant costs nothing and is exactly 0. P&L is at
    the assumed entry price. Where the method has no position yet, one hour is held for each exposed. Without hours every month counts one GPU-hour.
    """
    programme, stands_on = _programme(report, contract)
    if not programme:
        return Attribution(months=(), lines=(), is_amount=False, reason=report.entry.reason)
    is_amount = programme[0].bill_micros is not None
    by_month = {each.month: each for each in report.months}
    archive = Archive(
        report=report,
        contract=contract,
        reference=reference,
        benchmark_for=benchmark_for,
        index_named=index_named,
        published=Series(
            {
                d.date: d.value_micros
                for d in report.reference
                if d.value_micros is not None and d.status in STATUSES_OBSERVED
            }
        ),
    )
    ran: list[MonthParts] = []
    used: list[RentedLeg] = []
    for each in programme:
        known = by_month[each.month]
        rented = (
            plain_legs(report, known, each, dimensions or Dimensions()) if legs is None else legs[each.month]
        )
        used += rented
        made = [_leg(archive, one, each.month) for one in rented]
        ran.append(take_apart(each.month, made, _position(archive, known, each, rented)))
    kinds = list(dict.fromkeys(day.dimensions for each in used for day in each.days))
    return add_up(
        ran,
        is_amount=is_amount,
        method=stands_on,
        reasons=reasons_of(archive, kinds, [each.index for each in used], len(ran)),
        notes=notes_of(archive, stands_on),
        pnl_by_premium={
            p: sum(
                (each.pnl_rate_micros if each.pnl_micros is None else each.pnl_micros)[p]
                for each in programme
            )
            for p in PREMIUMS_PERCENT
        },
    )


def _programme(report: HedgeReport, contract: ContractSpec | None) -> tuple[Sequence[ProgrammeMonth], str]:
    """The positions taken apart: those of the report, or, where its method has none yet, hour for hour."""
    if report.programme:
        return report.programme, report.method
    naive = METHODS["naive"]
    made = run_programme(report.months, naive, role=report.role, exposure=report.exposure, spec=contract)
    return made, naive.name


def plain_legs(
    report: HedgeReport, known: HedgeMonth, ran: ProgrammeMonth, dimensions: Dimensions
) -> tuple[RentedLeg, ...]:
    """The rent of a plain file in one month, as one contract."""
    days = tuple(
        RentedDay(day.date, Fraction(1 if day.gpu_seconds is None else day.gpu_seconds), dimensions)
        for day in report.rent.days
        if month_of(day.date) == ran.month
    )
    hours = None if report.exposure is None else report.exposure[ran.month]
    one = Fraction(1)
    return (
        RentedLeg(
            name=report.rent.name,
            planned_hours=one if hours is None else Fraction(hours.planned_seconds, SECONDS_PER_HOUR),
            actual_hours=one if hours is None else Fraction(hours.actual_seconds, SECONDS_PER_HOUR),
            bill_micros=ran.rate_micros if ran.bill_micros is None else ran.bill_micros,
            days=days,
            entry_date=known.last_rent_date,
            entry_dimensions=dimensions,
            budget_rate_micros=known.last_rent_micros,
        ),
    )


def _leg(archive: Archive, rented: RentedLeg, month: str) -> Leg:
    sign = archive.sign
    return Leg(
        name=rented.name,
        planned_hours=sign * rented.planned_hours,
        actual_hours=sign * rented.actual_hours,
        bill_micros=sign * rented.bill_micros,
        budget_rate_micros=rented.budget_rate_micros,
        moves=_rent_moves(archive, rented, month),
    )


def _rent_moves(archive: Archive, rented: RentedLeg, month: str) -> dict[LineName, Fraction]:
    """How far each dimension moved the own price; a pair of rungs that is one grade everywhere is exactly 0."""
    kinds = list(dict.fromkeys([rented.entry_dimensions, *(day.dimensions for day in rented.days)]))
    ladders = [rungs(kind, archive.reference) for kind in kinds]
    days = [PaidDay(day.date, day.weight, kinds.index(day.dimensions)) for day in rented.days]
    entry_key = kinds.index(rented.entry_dimensions)
    found: dict[LineName, Fraction] = {}
    for number, name in enumerate(LADDER):
        if all(ladder[number] == ladder[number + 1] for ladder in ladders):
            continue
        sides = [
            move([archive.of(ladder[rung]) for ladder in ladders], days, rented.entry_date, entry_key)
            for rung in (number, number + 1)
        ]
        if sides[0] is None or sides[1] is None:
            archive.miss(name, month)
        else:
            found[name] = sides[0] - sides[1]
            archive.moved |= {name} if found[name] else set()
    if rented.index is not None:
        plain = [PaidDay(day.date, day.weight) for day in rented.days]
        followed = move([archive.named(rented.index)], plain, rented.entry_date, 0)
        hedged_on = move([archive.published], plain, rented.entry_date, 0)
        if followed is None or hedged_on is None:
            archive.miss("cross_index", month)
        else:
            found["cross_index"] = followed - hedged_on
    return found


def _position(
    archive: Archive, known: HedgeMonth, ran: ProgrammeMonth, rented: Sequence[RentedLeg]
) -> HedgedPosition:
    exposed = archive.sign * sum((each.planned_hours for each in rented), Fraction(0))
    if ran.hedged_seconds is None:
        held = wanted = exposed * exact_ratio(ran.ratio)
        pnl = ran.pnl_rate_micros[0]
    else:
        held = Fraction(ran.hedged_seconds, SECONDS_PER_HOUR)
        wanted = held if ran.lots is None or ran.wanted_hours is None else ran.wanted_hours
        assert ran.pnl_micros is not None
        pnl = ran.pnl_micros[0]
    entered_on = archive.published.at(known.fixing_date)
    assert entered_on is not None  # the entry rests on that very fixing
    settled = Fraction(ran.settlement_micros - entered_on)
    days = [PaidDay(day.date, day.weight) for each in rented for day in each.days]
    moves: dict[LineName, Fraction] = {}
    as_published = move([archive.published], days, known.last_rent_date, 0)
    if as_published is None:
        archive.miss("averaging", ran.month)
    else:
        moves["averaging"] = settled - as_published
        if rules_changed(archive.report, known):
            constant = move([archive.of(archive.reference)], days, known.last_rent_date, 0)
            if constant is None:
                archive.miss("methodology", ran.month)
            else:
                moves["methodology"] = as_published - constant
    return HedgedPosition(
        settlement_move=settled,
        day_count_hours=exposed,
        ratio_hours=wanted,
        held_hours=held,
        moves=moves,
        roll_micros=pnl - round_fraction(held * settled),
        fees_micros=fees_micros(archive.contract, ran),
    )
