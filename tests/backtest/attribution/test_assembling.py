"""What is not stated is the reference's and exactly 0; what can't be told apart stays unexplained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rentmark.backtest import hedge
from rentmark.backtest.attribution import Dimensions, attribute, rungs
from rentmark.grades import Grade

from tests.backtest.attribution.market import OWN_REGION, OWN_SELLER, REFERENCE, Market, walk
from tests.backtest.attribution.test_simulated_truth import rented_legs, simulate
from tests.backtest.making import BENCHMARK, EVERY_DAY, LATER, make_book, make_tape

DIMENSIONS = ("provider", "region", "grade", "term")


def test_the_ladder_exchanges_one_dimension_at_a_time_and_ends_at_the_reference():
    own = Dimensions(
        provider="me",
        region="here",
        grade=Grade.read({"chip": "A100", "memory_gb": [80]}, "[grades.own]"),
        term_months=12,
    )
    reference = Grade.read({"chip": "H100", "regions": ["there"], "pricing": "on_demand"}, "[grades.theirs]")
    first, *rest = rungs(own, reference)
    assert (first.sellers, first.regions, first.chip, first.memory_gb, first.pricing, first.term_months) == (
        ("me",), ("here",), "A100", (80,), "reserved", (12,),
    )  # fmt: skip
    assert [(r.sellers, r.regions, r.chip, r.pricing) for r in rest] == [
        (None, ("here",), "A100", "reserved"),
        (None, ("there",), "A100", "reserved"),
        (None, ("there",), "H100", "reserved"),
        (None, ("there",), "H100", "on_demand"),
    ]
    assert rest[-1] == reference


def test_a_rent_that_states_nothing_asks_for_no_sub_index_and_its_lines_are_zero():
    market = Market({lambda o: o[0] == OWN_SELLER: walk(11, 30_000)})
    rent = market.path((OWN_SELLER, OWN_REGION, "SXM", ("on_demand", None)))
    found = simulate(market, rent)
    assert market.asked == []
    assert [found.line(name).micros for name in DIMENSIONS] == [0, 0, 0, 0]
    assert "states no region" in found.line("region").reason
    # The provider's own drift can't be told apart: it is shown, not spread.
    assert found.unexplained_share > 0.95


def test_a_dimension_that_the_data_hold_constant_is_exactly_zero_without_being_told():
    market = Market({lambda o: o[1] == OWN_REGION: walk(11, 30_000)})
    market.levels = {offer: level for offer, level in market.levels.items() if offer[0] == OWN_SELLER}
    own = Dimensions(provider=OWN_SELLER, region=OWN_REGION)
    rent = market.path((OWN_SELLER, OWN_REGION, "SXM", ("on_demand", None)))
    found = simulate(market, rent, own=own)
    assert market.asked != []
    for order in ("micros", "reverse_micros"):
        assert [getattr(found.line(name), order) for name in ("provider", "grade", "term")] == [0, 0, 0]
    assert found.line("region").micros != 0


def test_a_missing_sub_index_leaves_its_money_unexplained_and_says_in_how_many_months():
    market = Market({lambda o: o[1] == OWN_REGION: walk(11, 30_000)})
    market.levels = {o: level for o, level in market.levels.items() if o[1] != OWN_REGION}
    rent = {day: value + n * 100 for n, (day, value) in enumerate(market.benchmark_for(REFERENCE).items())}
    found = simulate(market, rent, own=Dimensions(region=OWN_REGION))
    assert found.line("region").micros == 0
    months = len(found.months)
    assert f"in {months} of {months} months" in found.line("region").reason
    assert found.unexplained_share > 0.95


def test_a_change_of_provider_stands_on_the_provider_line():
    market = Market()
    dear = {o: 900_000 if o[0] == OWN_SELLER else 0 for o in market.levels}
    market.levels = dear
    cheap, other = (market.benchmark_for(_of(seller)) for seller in ("seller-b", OWN_SELLER))
    switch = list(cheap)[400]
    rent = {day: (other if day >= switch else cheap)[day] for day in cheap}
    found = simulate(
        market,
        rent,
        own=Dimensions(provider=OWN_SELLER),
        before=Dimensions(provider="seller-b"),
        until=switch,
    )
    assert found.line("provider").micros / found.total_micros > 0.95
    assert found.unexplained_share < 0.02


def _of(seller):
    return REFERENCE.model_copy(update={"sellers": (seller,)})


@pytest.mark.parametrize("role", ["buyer", "provider"])
def test_without_hours_the_total_is_per_gpu_hour_and_follows_the_programme(role):
    market = Market({lambda o: o[0] == OWN_SELLER: walk(11, 30_000)})
    tape = make_tape(market.benchmark_for(REFERENCE))
    report = hedge(
        make_book(market.benchmark_for(_of(OWN_SELLER))),
        tape,
        benchmark=BENCHMARK,
        now=LATER,
        role=role,
        ratio_method="naive",
    )
    found = attribute(
        report, None, reference=REFERENCE, benchmark_for=market.benchmark_for, index_named=lambda _: {}
    )
    months = {each.month: each for each in report.months}
    sign = 1 if role == "buyer" else -1
    wanted = sum(
        sign * (each.rate_micros - months[each.month].last_rent_micros) - each.pnl_rate_micros[0]
        for each in report.programme
    )
    assert not found.is_amount
    assert found.total_micros == wanted
    assert "GPU-hour" in found.unit


def test_the_total_is_the_bill_of_the_report_less_budget_and_futures():
    market = Market({lambda o: o[0] == OWN_SELLER: walk(11, 30_000)})
    report = hedge(
        make_book(market.benchmark_for(_of(OWN_SELLER)), "1200"),
        make_tape(market.benchmark_for(REFERENCE)),
        benchmark=BENCHMARK,
        now=LATER,
        contract=EVERY_DAY,
        gpus=40,
        ratio_method="naive",
    )
    found = attribute(
        report,
        rented_legs(report, Dimensions(provider=OWN_SELLER), Dimensions(provider=OWN_SELLER)),
        reference=REFERENCE,
        benchmark_for=market.benchmark_for,
        index_named=lambda _: {},
        contract=EVERY_DAY,
    )
    assert sum(each.bill_micros for each in found.months) == sum(e.bill_micros for e in report.programme)
    assert sum(each.pnl_micros for each in found.months) == sum(e.pnl_micros[0] for e in report.programme)
    for premium, total in found.total_by_premium.items():
        pnl = sum(each.pnl_micros[premium] for each in report.programme)
        assert total == sum(each.bill_micros - each.budget_micros for each in found.months) - pnl
    assert found.line("volume").micros != 0
    assert found.line("rounding").micros != 0


def test_a_method_without_a_position_yet_is_taken_apart_hour_for_hour_and_says_so():
    market = Market()
    report = hedge(
        make_book(market.benchmark_for(REFERENCE)), make_tape(market.benchmark_for(REFERENCE)),
        benchmark=BENCHMARK, now=LATER,
    )  # fmt: skip
    assert report.programme == ()
    found = attribute(
        report, None, reference=REFERENCE, benchmark_for=market.benchmark_for, index_named=lambda _: {}
    )
    assert (found.method, len(found.months)) == ("naive", len(report.months))
    assert any("one hour held for each hour exposed" in note for note in found.notes)
    assert found.line("hedge_ratio").micros == 0


def test_without_any_month_there_is_a_reason_and_no_line():
    market = Market()
    report = hedge(
        make_book(market.benchmark_for(REFERENCE)), make_tape(market.benchmark_for(REFERENCE)),
        benchmark=BENCHMARK, now=LATER,
    )  # fmt: skip
    found = attribute(
        replace(report, programme=(), months=()), None, reference=REFERENCE,
        benchmark_for=market.benchmark_for, index_named=lambda _: {},
    )  # fmt: skip
    assert found.to_json()["total"] is None
    assert found.to_json()["reason"]
