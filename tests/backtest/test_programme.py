"""The simulated programme: hours to lots, lots to bills, exact and the right way round."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .making import EVERY_DAY, days_from, days_in, middle_of_months, monthly_case, run, wander


def two_month_run(role="buyer", **options):
    """1.00 in January, entered there; February settles at 1.50; the rent is 2.00 throughout but 3.00 in February."""
    days = days_from(date(2026, 1, 1), 59)
    rates = {day: 2_000_000 if day.month == 1 else 3_000_000 for day in days}
    reference = {day: 1_000_000 if day.month == 1 else 1_500_000 for day in days}
    return run(rates, reference, role=role, ratio_method="naive", **options)


def test_a_buyers_hedge_takes_the_rise_off_the_bill():
    report = two_month_run(contract=EVERY_DAY, gpu_hours="48")
    (month,) = report.programme
    # 28 days of 48 hours are 1,344; lots of 100 hours: 13.44, half-even 13.
    assert (month.lots, month.unit_gpu_hours) == (13, 100)
    assert month.bill_micros == 1_344 * 3_000_000
    assert month.pnl_micros == {-10: 780_000_000, 0: 650_000_000, 10: 520_000_000}
    assert month.hedged_bill_micros[0] == 4_032_000_000 - 650_000_000


def test_a_providers_hedge_is_short_and_takes_the_rise_off_the_revenue():
    report = two_month_run(role="provider", contract=EVERY_DAY, gpu_hours="48")
    (month,) = report.programme
    assert month.lots == -13
    assert month.pnl_micros[0] == -650_000_000
    assert month.hedged_bill_micros[0] == 4_032_000_000 - 650_000_000
    assert "your monthly revenue" in report.sentence or "your rental revenue" in report.sentence
    assert report.sentences[2].startswith("Sold 13 lots over 1 month;")


@pytest.mark.parametrize("role", ["buyer", "provider"])
def test_without_hours_there_are_rates_and_neither_lots_nor_bills(role):
    (month,) = two_month_run(role=role).programme
    assert (month.lots, month.bill_micros, month.pnl_micros) == (None, None, None)
    assert (month.rate_micros, month.hedged_rate_micros[0]) == (3_000_000, 2_500_000)
    assert month.pnl_rate_micros[0] == (500_000 if role == "buyer" else -500_000)


def test_gpus_alone_plan_every_hour_of_the_month():
    (month,) = two_month_run(gpus=3).programme
    assert month.gpu_seconds == 3 * 28 * 24 * 3600
    assert month.bill_micros == 3 * 28 * 24 * 3_000_000
    assert month.hedged_seconds == month.gpu_seconds
    assert month.lots is None  # no contract, so no lots


def test_with_gpus_and_hours_the_plan_sizes_and_the_file_bills():
    (month,) = two_month_run(contract=EVERY_DAY, gpus=1, gpu_hours="48").programme
    assert month.lots == 7  # 672 planned hours of 100
    assert month.bill_micros == 1_344 * 3_000_000


def test_hours_that_round_to_no_lots_are_said_so():
    report = two_month_run(contract=EVERY_DAY, gpu_hours="1")
    assert report.programme[0].lots == 0
    assert any("round to zero lots" in note for note in report.notes)


def test_the_next_month_is_sized_from_every_month_that_settled():
    report = two_month_run(contract=EVERY_DAY, gpus=10)
    coming = report.next_month
    assert (coming.month, coming.lots, coming.ratio) == ("2026-03", 74, 1.0)  # 7,440 hours of 100


def test_ols_waits_for_twenty_four_months_that_were_over_at_entry():
    rents, references = monthly_case(wander(40, seed=3), wander(40, seed=5))
    report = run(rents, references)
    assert len(report.months) == 39
    assert [each.month for each in report.programme] == [each.month for each in report.months[24:]]
    assert [each.learned_from for each in report.programme] == list(range(24, 39))


def test_through_a_contract_the_month_still_running_at_entry_teaches_nothing():
    days = [date(2022, 1, 1).fromordinal(date(2022, 1, 1).toordinal() + number) for number in range(900)]
    walk = wander(900, seed=9)
    report = run(
        {day: value + 1_000_000 for day, value in zip(days, walk, strict=True)},
        dict(zip(days, walk, strict=True)),
        contract=EVERY_DAY,
        gpu_hours="24",
    )
    first = report.programme[0]
    place = [each.month for each in report.months].index(first.month)
    # Traded on the last day of the month before, which settles only after it.
    assert (first.learned_from, place) == (24, 25)


def test_the_worst_month_is_the_dearest_for_a_buyer_and_the_leanest_for_a_provider():
    rents, references = monthly_case([n * 250_000 for n in (4, 6, 8, 5)], [1_000_000] * 4)
    buyer = run(rents, references, ratio_method="naive", gpus=1).worst
    provider = run(rents, references, ratio_method="naive", gpus=1, role="provider").worst
    assert (buyer.unhedged_month, provider.unhedged_month) == ("2022-03", "2022-04")


def test_break_even_is_the_entry_price_that_leaves_nothing():
    report = two_month_run(contract=EVERY_DAY, gpu_hours="48")
    entry = report.entry
    assert (entry.break_even_price_micros, entry.break_even_premium) == (1_500_000, 0.5)
    at_break_even = two_month_run(
        contract=EVERY_DAY, gpu_hours="48", entry_prices_micros={"2026-02": entry.break_even_price_micros}
    )
    assert at_break_even.entry.pnl_micros[0] == 0
    assert entry.pnl_micros == report.programme[0].pnl_micros


def test_no_simulated_month_has_no_entry_view_and_says_why():
    rents, references = monthly_case(wander(10), wander(10, seed=2))
    entry = run(rents, references).entry
    assert entry.pnl_micros is None
    assert "learns from 24" in entry.reason


GRID = st.integers(4, 24).map(lambda quarter: quarter * 250_000)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(GRID, GRID), min_size=3, max_size=12), st.integers(1, 50))
def test_bill_minus_profit_is_the_hedged_bill_for_both_sides(rows, gpus):
    rents, references = monthly_case([a for a, _ in rows], [b for _, b in rows])
    sides = [
        run(rents, references, ratio_method="naive", gpus=gpus, role=role) for role in ("buyer", "provider")
    ]
    for bought, sold in zip(sides[0].programme, sides[1].programme, strict=True):
        for premium in (-10, 0, 10):
            assert bought.pnl_micros[premium] == -sold.pnl_micros[premium]
            assert bought.hedged_bill_micros[premium] == bought.bill_micros - bought.pnl_micros[premium]
            assert sold.hedged_bill_micros[premium] == sold.bill_micros + sold.pnl_micros[premium]
        assert bought.hedged_seconds == -sold.hedged_seconds == days_in(bought.month) * gpus * 86_400
    assert [each.month for each in sides[0].programme] == [
        f"{d:%Y-%m}" for d in middle_of_months(len(rows))[1:]
    ]
