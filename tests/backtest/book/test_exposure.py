"""Fixed hours are no exposure, capped ones only under their cap, renewals are a forecast, a provider's are negative."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from rentmark.backtest import hedge, render_report
from rentmark.backtest.attribution import Dimensions, attribute
from rentmark.backtest.book import hedge_input, rented_legs
from rentmark.backtest.book.cover import MonthCover, exposure_view
from rentmark.backtest.plan import HedgePlan
from rentmark.backtest.rent_study import RentStudy
from rentmark.records import month_of

from tests.backtest.attribution.market import REFERENCE
from tests.backtest.making import BENCHMARK, EVERY_DAY, LATER, days_from, make_tape, wander

from .making import book_of, contract, rates_text

DAYS = days_from(date(2025, 1, 1), 730)
"""Two years, to the end of 2026."""
WALK = dict(zip(DAYS, wander(len(DAYS), seed=9), strict=True))
FILES = {"rates.csv": rates_text({day: f"{value / 1e6}" for day, value in WALK.items()})}


def exposure_of(**keys):
    made = hedge_input(book_of(contract(rates="rates.csv", **keys), FILES))
    return made, {each.month: each for each in made.exposure}


def report_of(made, **options):
    plan = HedgePlan(by_month=made.plan, ahead=made.ahead, fixed_until=made.fixed_until)
    return hedge(
        made.rent,
        make_tape(WALK),
        benchmark=BENCHMARK,
        now=LATER,
        plan=plan,
        ratio_method=options.pop("method", "naive"),
        **options,
    )


def test_a_floating_contract_is_exposed_with_all_its_planned_hours():
    _, months = exposure_of(gpus=10)
    assert months["2025-02"].exposed_hours == 10 * 24 * 28
    assert months["2025-02"].states == ("floating",)
    assert not months["2025-02"].is_forecast


def test_a_month_is_split_on_the_last_day_of_its_fixed_price():
    made, months = exposure_of(gpus=10, price="floating", fixed_until="2025-06-10")
    assert months["2025-05"].exposed_hours == 0
    assert months["2025-06"].exposed_hours == 10 * 24 * 20
    assert months["2025-06"].states == ("fixed", "floating")
    assert min(made.rent.rates) == date(2025, 6, 11)
    assert "2025-05" not in made.plan
    assert made.plan["2025-06"].planned_seconds == 10 * 24 * 20 * 3600


def test_a_capped_contract_is_exposed_only_while_the_last_price_before_the_month_is_under_the_cap():
    _, months = exposure_of(gpus=10, price="capped", cap="3.00")
    for month, each in months.items():
        before = [value for day, value in WALK.items() if month_of(day) < month]
        at_cap = bool(before) and before[-1] >= 3_000_000
        assert each.states == (("at the cap",) if at_cap else ("capped",))
        assert (each.exposed_hours == 0) is at_cap
    assert {each.states for each in months.values()} == {("at the cap",), ("capped",)}


def test_a_renewal_is_forecast_exposure_with_the_day_of_notice():
    _, months = exposure_of(
        gpus=10, price="fixed", fixed_until="2026-12-31", renewal_months=3, notice_days=60
    )
    assert months["2026-12"].exposed_hours == 0
    ahead = [months[month] for month in ("2027-01", "2027-02", "2027-03")]
    assert all(each.is_forecast and each.is_future and each.states == ("renewal",) for each in ahead)
    assert {each.notice_by for each in ahead} == {date(2026, 11, 1)}
    assert ahead[0].exposed_hours == 10 * 24 * 31
    assert "2027-04" not in months


def test_months_without_a_plan_take_the_hours_used_and_say_so():
    used = rates_text(dict.fromkeys(DAYS, "2"), gpu_hours=dict.fromkeys(DAYS, "48"))
    made = hedge_input(book_of(contract(rates="rates.csv"), {"rates.csv": used}))
    first = made.exposure[0]
    assert (first.planned_hours, first.planned_is_actual) == (48 * 31, True)
    assert made.ahead is None


def test_a_plan_by_month_wins_over_the_gpus():
    _, months = exposure_of(gpus=10, plan={"2025-03": 100.5})
    assert months["2025-03"].exposed_hours == Fraction(201, 2)
    assert months["2025-04"].exposed_hours == 10 * 24 * 30


def test_exposure_is_negative_for_a_provider():
    _, months = exposure_of(gpus=10)
    buyer, provider = (months["2025-02"].to_json(role) for role in ("buyer", "provider"))
    assert buyer["exposed_gpu_hours"] == 6720
    assert provider["exposed_gpu_hours"] == -6720


def test_a_book_that_is_fixed_has_nothing_to_hedge_and_lots_would_add_risk():
    made, _ = exposure_of(gpus=10, price="fixed", fixed_until="2026-12-31")
    assert made.fixed_until == date(2026, 12, 31)
    report = report_of(made, contract=EVERY_DAY)
    assert report.verdict.name == "nothing to hedge"
    assert (
        report.sentence == "Nothing to hedge: your rent is fixed until 2026-12-31; any lots would add risk."
    )
    assert report.programme == ()
    assert "fixed until 2026-12-31" in report.next_month_reason
    assert report.basis.mean is not None  # what can be said is said


def test_only_the_exposed_contracts_are_hedged():
    fixed = contract(name="serving", price="fixed", rate="2", start="2025-01-01", gpus=1000)
    made = hedge_input(book_of(contract(rates="rates.csv", gpus=10) + fixed, FILES))
    assert made.rent.rates == WALK
    report = report_of(made, contract=EVERY_DAY)
    march = next(each for each in report.programme if each.month == "2025-03")
    assert march.lots == 74  # 7,440 hours of the ten exposed GPUs, lots of 100
    assert {each.contract for each in made.exposure} == {"training", "serving"}
    assert report.next_month.lots == 74  # January 2027


def test_a_position_above_the_exposure_is_flagged():
    made, _ = exposure_of(gpus=10)
    report = report_of(made, contract=EVERY_DAY)
    assert exposure_view(report, made.exposure).above == ()
    doubled = tuple(
        replace(each, lots=each.lots * 2, hedged_seconds=each.hedged_seconds * 2) for each in report.programme
    )
    view = exposure_view(replace(report, programme=doubled), made.exposure)
    assert len(view.above) == len(doubled)
    assert "above the 7,440 exposed; they add risk" in view.above[-1].sentence


@pytest.mark.parametrize(
    ("exposed", "held", "unit", "adds"),
    [
        (1000, 1000, None, False),
        (1000, 1001, None, True),
        (1000, 1050, 100, False),
        (1000, 1051, 100, True),
        (1000, -10, 100, False),
        (1000, -60, 100, True),
        (-1000, -1100, 100, True),
        (-1000, 80, 100, True),
        (0, 100, 100, True),
    ],
)
def test_more_than_half_a_lot_beyond_the_exposure_adds_risk(exposed, held, unit, adds):
    each = MonthCover(
        month="2026-08",
        exposed_hours=Fraction(exposed),
        held_hours=Fraction(held),
        lots=None if unit is None else held // unit,
        unit_gpu_hours=unit,
    )
    assert each.adds_risk is adds
    assert (each.sentence is not None) is adds


def test_legs_carry_the_contract_and_its_last_rate_before_entry():
    columns = {
        "provider": {day: "beta" if day >= date(2026, 1, 1) else "" for day in DAYS},
        "term_months": dict.fromkeys(DAYS, "12"),
    }
    files = {"rates.csv": rates_text({day: f"{value / 1e6}" for day, value in WALK.items()}, **columns)}
    made = hedge_input(book_of(contract(rates="rates.csv", gpus=10, provider="alpha", region="us"), files))
    entry = date(2025, 12, 31)
    legs = rented_legs(made.months, {"2026-01": (entry, 1)}, pytest.fail)
    (leg,) = legs["2026-01"]
    assert (leg.entry_date, leg.budget_rate_micros) == (entry, WALK[entry])
    assert leg.entry_dimensions == Dimensions(provider="alpha", region="us", term_months=12)
    assert {day.dimensions for day in leg.days} == {Dimensions(provider="beta", region="us", term_months=12)}
    assert leg.planned_hours == leg.actual_hours == 7440


def test_a_month_with_zero_hours_used_is_told_and_the_report_still_prints():
    zero = {day: "0" if month_of(day) == "2026-03" else "240" for day in DAYS}
    files = {"rates.csv": rates_text({day: f"{v / 1e6}" for day, v in WALK.items()}, gpu_hours=zero)}
    made = hedge_input(book_of(contract(rates="rates.csv", gpus=10), files))
    report = report_of(made, contract=EVERY_DAY)
    march = next(each for each in report.programme if each.month == "2026-03")
    assert (march.bill_micros, march.gpu_seconds) == (0, 0)
    assert "2026-03: zero hours were used" in march.note
    json.dumps(report.to_json(), allow_nan=False)
    assert "zero hours were used" in render_report(report)


def test_the_report_shows_the_exposure_table_and_the_months_above_it():
    made, _ = exposure_of(gpus=10, renewal_months=2, end="2026-12-31", notice_days=30)
    report = report_of(made, contract=EVERY_DAY)
    study = RentStudy(exposure=exposure_view(report, made.exposure))
    page = render_report(replace(report, rent_study=study))
    assert "forecast, notice by 2026-12-01" in page
    assert "Position beside exposure" in page


def test_adding_later_days_changes_no_earlier_exposure():
    whole = hedge_input(book_of(contract(rates="rates.csv", gpus=10, price="capped", cap="3.00"), FILES))
    until = date(2026, 6, 30)
    early = hedge_input(
        book_of(contract(rates="rates.csv", gpus=10, price="capped", cap="3.00"), FILES, today=until)
    )
    for month, part in early.plan.items():
        assert whole.plan[month] == part
    assert {day: rate for day, rate in whole.rent.rates.items() if day <= until} == early.rent.rates


def test_a_provider_sells_the_hours_it_has_to_let_and_its_total_is_worse_when_positive():
    made, _ = exposure_of(gpus=10)
    report = report_of(made, contract=EVERY_DAY, role="provider")
    march = next(each for each in report.programme if each.month == "2025-03")
    assert march.lots == -74
    entries = {each.month: (each.last_rent_date, each.last_rent_micros) for each in report.months}
    found = attribute(
        report,
        rented_legs(made.months, entries, pytest.fail),
        reference=REFERENCE,
        benchmark_for=pytest.fail,
        index_named=pytest.fail,
        contract=EVERY_DAY,
    )
    revenue = sum(each.bill_micros for each in report.programme)
    budget = sum(
        round(made.plan[each.month].planned_seconds * entries[each.month][1] / 3600)
        for each in report.programme
    )
    pnl = sum(each.pnl_micros[0] for each in report.programme)
    assert found.total_micros == budget - revenue - pnl
    assert exposure_view(report, made.exposure).cover[0].exposed_hours < 0
