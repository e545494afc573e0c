"""Each cause simulated alone puts its money on its own line: at least 95 % of T, and hardly any unexplained."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from rentmark.backtest import hedge
from rentmark.backtest.attribution import (
    NAMED_LINES,
    Dimensions,
    HedgedPosition,
    Leg,
    RentedDay,
    RentedLeg,
    add_up,
    attribute,
    take_apart,
)
from rentmark.contracts import read_contract, size_lots
from rentmark.grades import Grade
from rentmark.records import month_of

from tests.backtest.attribution.market import (
    DAYS,
    OWN_REGION,
    OWN_SELLER,
    REFERENCE,
    Market,
    walk,
)
from tests.backtest.making import BENCHMARK, LATER, days_in, make_book, make_tape

OWN_SHARE = 0.95
"""Of T, on the line of the cause that was simulated."""
UNEXPLAINED_SHARE = 0.02
"""Of the sum of all absolute lines, at most."""
PCIE = Grade.read({"chip": "H100", "form_factor": ["PCIe"], "pricing": "on_demand"}, "[grades.invented-pcie]")
HOURS = 24 * 50
STATES_NOTHING = Dimensions()
SPEC = {
    "id": "invented-hours",
    "name": "Invented monthly average by GPU-hour",
    "exchange": "Invented",
    "chip": "H100",
    "status_line": "invented for tests",
    "listed": False,
    "official_underlying": "Invented index",
    "official_benchmark": BENCHMARK,
    "unit_rule": "fixed",
    "fixed_gpu_hours": 24,
    "tick_micros": 1,
    "averaging": "every_day",
    "last_trade": "last_fixing_day",
}


def contract(**changes):
    return read_contract({**SPEC, **changes}, "the invented contract", contract_id=SPEC["id"])


def rented_legs(report, own, entry, *, index=None, until=None):
    """The rent of a report as one contract with stated dimensions; ``until`` is when ``entry`` gives way to ``own``."""
    months = {each.month: each for each in report.months}
    found = {}
    for ran in report.programme:
        known = months[ran.month]
        plan = report.exposure[ran.month]

        def kind(day):
            return entry if until is not None and day < until else own

        days = tuple(
            RentedDay(day.date, Fraction(day.gpu_seconds), kind(day.date))
            for day in report.rent.days
            if month_of(day.date) == ran.month
        )
        found[ran.month] = (
            RentedLeg(
                name="the contract",
                planned_hours=Fraction(plan.planned_seconds, 3600),
                actual_hours=Fraction(plan.actual_seconds, 3600),
                bill_micros=ran.bill_micros,
                days=days,
                entry_date=known.last_rent_date,
                entry_dimensions=kind(known.last_rent_date),
                budget_rate_micros=known.last_rent_micros,
                index=index,
            ),
        )
    return found


def simulate(
    market,
    rent,
    *,
    own=STATES_NOTHING,
    spec=None,
    role="buyer",
    published=None,
    quotes=None,
    hours=HOURS,
    gpus=None,
    index=None,
    indices=None,
    **changes,
):
    """A naive hedge of a rent on the market's reference grade, taken apart."""
    reference = market.benchmark_for(REFERENCE)
    tape = make_tape(published or reference)
    if "rules_from" in changes:
        tape = [replace(f, methodology_hash="2" * 64) if f.date >= changes["rules_from"] else f for f in tape]
    spec = spec or contract()
    report = hedge(
        make_book(rent, f"{hours}"),
        tape,
        benchmark=BENCHMARK,
        now=LATER,
        contract=spec,
        role=role,
        gpus=gpus,
        ratio_method="naive",
        entry_prices_micros=quotes,
    )
    entry = changes.get("before", own)
    legs = rented_legs(report, own, entry, index=index, until=changes.get("until"))
    market.asked.clear()
    return attribute(
        report,
        legs,
        reference=REFERENCE,
        benchmark_for=market.benchmark_for,
        index_named=lambda name: (indices or {})[name],
        contract=spec,
    )


def alone(cause):
    """Simulate one cause and nothing else."""
    drift = walk(11, 30_000)
    plain = Market()
    on_reference = plain.benchmark_for(REFERENCE)
    if cause == "volume":
        return simulate(plain, on_reference, gpus=40)  # 50 GPUs used where 40 were planned
    if cause == "provider":
        market = Market({lambda o: o[0] == OWN_SELLER: drift})
        own = Dimensions(provider=OWN_SELLER)
        grade = REFERENCE.model_copy(update={"sellers": (OWN_SELLER,)})
        return simulate(market, market.benchmark_for(grade), own=own)
    if cause == "region":
        market = Market({lambda o: o[1] == OWN_REGION: drift})
        own = Dimensions(provider=OWN_SELLER, region=OWN_REGION)
        return simulate(market, market.path((OWN_SELLER, OWN_REGION, "SXM", ("on_demand", None))), own=own)
    if cause == "grade":
        market = Market({lambda o: o[2] == "PCIe": drift})
        own = Dimensions(provider=OWN_SELLER, region=OWN_REGION, grade=PCIE)
        return simulate(market, market.path((OWN_SELLER, OWN_REGION, "PCIe", ("on_demand", None))), own=own)
    if cause == "term":
        market = Market({lambda o: o[3][0] == "reserved": drift})
        own = Dimensions(provider=OWN_SELLER, term_months=12)
        grade = REFERENCE.model_copy(
            update={"sellers": (OWN_SELLER,), "pricing": "reserved", "term_months": (12,)}
        )
        return simulate(market, market.benchmark_for(grade), own=own)
    if cause == "cross_index":
        other = {day: value + drift[n] for n, (day, value) in enumerate(on_reference.items())}
        return simulate(plain, other, index="another-list", indices={"another-list": other})
    if cause == "methodology":
        broken_on = DAYS[400]
        published = {day: value + (400_000 if day >= broken_on else 0) for day, value in on_reference.items()}
        return simulate(plain, on_reference, published=published, rules_from=broken_on)
    if cause == "averaging":
        last_week = contract(averaging="business_days", averaging_last=7, calendar="XNYS")
        return simulate(plain, on_reference, spec=last_week)
    if cause == "rounding":
        return simulate(plain, on_reference, spec=contract(fixed_gpu_hours=10_000))
    if cause == "roll":
        quotes = dict.fromkeys({month_of(day) for day in DAYS}, 4000000)
        return simulate(plain, on_reference, quotes=quotes)
    if cause == "fees":
        fees = {
            "trade_non_member_micros": 5_500_000,
            "cash_settlement_non_member_micros": 1_350_000,
        }
        return simulate(plain, on_reference, spec=contract(fees=fees))
    assert cause in ("day_count", "hedge_ratio")
    return positions_alone(cause, on_reference)


def positions_alone(cause, reference):
    """Flat lots, or six tenths of the hours, over the months of a rent that is the reference itself."""
    months = sorted({month_of(day) for day in DAYS})[1:]
    spec = contract(unit_rule="fixed")
    hours = {month: Fraction(HOURS * days_in(month)) for month in months}
    flat = {each.month: each for each in size_lots(spec, hours, sizing="flat")}
    made = []
    for month in months:
        days = [day for day in DAYS if month_of(day) == month]
        entry = max(day for day in DAYS if month_of(day) < month)
        start = reference[entry]
        rate = Fraction(sum(reference[day] for day in days), len(days))
        leg = Leg(
            name="the contract",
            planned_hours=hours[month],
            actual_hours=hours[month],
            bill_micros=round(rate * hours[month]),
            budget_rate_micros=start,
        )
        lots = flat[month]
        held = Fraction(lots.lots * lots.unit_gpu_hours)
        counted = lots.exact_lots if cause == "day_count" else None
        if cause == "day_count":
            same = sum((each.exact_lots for each in flat.values()), Fraction(0)) / len(flat)
            counted = same * lots.unit_gpu_hours
            position = HedgedPosition(
                settlement_move=rate - start,
                day_count_hours=counted,
                ratio_hours=counted,
                held_hours=held,
            )
        else:
            held = hours[month] * Fraction(6, 10)
            position = HedgedPosition(
                settlement_move=rate - start, day_count_hours=hours[month], ratio_hours=held, held_hours=held
            )
        made.append(take_apart(month, [leg], position))
    return add_up(made, is_amount=True, reasons={})


@pytest.mark.parametrize("cause", NAMED_LINES)
def test_a_cause_alone_stands_on_its_own_line(cause):
    found = alone(cause)
    total = found.total_micros
    assert abs(total) > 100_000_000  # a hundred dollars: something happened
    assert found.line(cause).micros / total >= OWN_SHARE
    assert found.line(cause).micros / total <= 2 - OWN_SHARE
    assert found.unexplained_share <= UNEXPLAINED_SHARE
    # Month by month too, not in the sum alone.
    weight = sum(abs(value) for month in found.months for value in month.forward.values())
    own = sum(abs(month.forward[cause]) for month in found.months)
    assert own / weight >= OWN_SHARE
    assert sum(abs(month.forward["unexplained"]) for month in found.months) / weight <= UNEXPLAINED_SHARE
