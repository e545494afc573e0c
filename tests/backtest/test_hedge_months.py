"""A month is entered on what was known before it, and later data change nothing of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.hedge_months import EntryRule, contract_months, hedge_changes
from rentmark.contracts import CONTRACTS
from rentmark.records import day_start

from .making import BENCHMARK, EVERY_DAY, LATER, days_from, make_fixing, make_tape, run

RENT = {
    date(2026, 1, 10): 2_000_000,
    date(2026, 1, 25): 2_250_000,
    date(2026, 2, 5): 2_500_000,
    date(2026, 2, 20): 3_000_000,
}
REFERENCE = {
    date(2026, 1, 10): 1_000_000,
    date(2026, 1, 25): 1_500_000,
    date(2026, 1, 31): 9_000_000,  # no rent that day: no common date, and no entry price
    date(2026, 2, 5): 1_750_000,
    date(2026, 2, 20): 2_250_000,
}


def test_without_a_contract_a_month_is_entered_at_the_last_common_date_before_it():
    (month,) = run(RENT, REFERENCE).months
    assert (month.month, month.entry_date, month.entry_price_micros) == (
        "2026-02",
        date(2026, 1, 25),
        1_500_000,
    )
    assert month.last_rent_micros == 2_250_000
    assert (month.settlement_micros, month.settled_on, month.fixings) == (2_000_000, "mean of fixings", 2)
    assert month.rent_change == 500_000
    assert month.price_change_micros == 500_000


def test_the_entry_premium_and_the_users_quotes_set_the_entry_price():
    dear = run(RENT, REFERENCE, entry_premium_percent=Decimal("2.5")).months[0]
    assert (dear.entry_price_micros, dear.entry_source) == (1_537_500, "flat")
    quoted = run(RENT, REFERENCE, entry_prices_micros={"2026-02": 1_600_000})
    assert (quoted.months[0].entry_price_micros, quoted.months[0].entry_source) == (1_600_000, "quote")
    assert not quoted.entry_is_assumed
    assert "Entry prices are assumed" not in quoted.sentences[2]


def months_of(rates, tape, now=LATER, spec=EVERY_DAY):
    return contract_months(spec, rates, tape, benchmark=BENCHMARK, now=now, entry=EntryRule())


def two_months():
    days = days_from(date(2026, 1, 1), 59)
    return {day: 2_000_000 + 10_000 * day.day for day in days}, {
        day: 1_000_000 + 10_000 * day.day for day in days
    }


def test_with_a_contract_a_trade_sees_only_fixings_effective_by_midnight():
    rates, reference = two_months()
    (month,) = months_of(rates, make_tape(reference))
    # Traded on 31 January: at its 00:00 UTC the fixing of the 30th is just effective, the 31st is not.
    assert (month.entry_date, month.fixing_date) == (date(2026, 1, 31), date(2026, 1, 30))
    assert month.entry_price_micros == 1_300_000
    assert (month.last_rent_date, month.last_rent_micros) == (date(2026, 1, 30), 2_300_000)
    # The mean of 1.00 + 0.01·d over d = 1…28 is 1.145.
    assert (month.settlement_micros, month.settled_on) == (1_145_000, "final price")
    assert month.known_from == day_start(date(2026, 3, 1))


def test_the_business_day_contract_is_entered_on_the_last_business_day_of_the_month_before():
    rates, reference = two_months()
    (month,) = months_of(rates, make_tape(reference), spec=CONTRACTS["cme-gpu1"])
    assert (month.month, month.entry_date, month.fixing_date) == (
        "2026-02",
        date(2026, 1, 30),
        date(2026, 1, 29),
    )
    assert (month.fixings, month.expected) == (19, 19)  # February 2026 without Presidents' Day


def test_a_gap_or_carried_day_sets_no_entry_price():
    rates, reference = two_months()
    tape = make_tape(reference)
    tape[29] = make_fixing(date(2026, 1, 30), None)
    tape[28] = make_fixing(date(2026, 1, 29), 5_000_000, status="CARRIED")
    assert months_of(rates, tape)[0].fixing_date == date(2026, 1, 28)


def test_a_backcast_month_uses_the_indicative_price_and_says_so():
    rates, reference = two_months()
    tape = make_tape(reference, origin="backcast", published_at=datetime(2026, 9, 1, tzinfo=UTC))
    (month,) = months_of(rates, tape)
    assert (month.settled_on, month.settlement_micros) == ("indicative price", 1_145_000)


def test_a_restatement_changes_the_entry_only_from_its_publication():
    rates, reference = two_months()
    tape = make_tape(reference)
    late = replace(
        tape[29], value_micros=9_000_000, revision=1, published_at=datetime(2026, 4, 1, tzinfo=UTC)
    )
    assert months_of(rates, [*tape, late]) == months_of(rates, tape)
    early = replace(late, published_at=datetime(2026, 1, 31, tzinfo=UTC))
    assert months_of(rates, [*tape, early])[0].entry_price_micros == 9_000_000


@pytest.mark.parametrize(
    ("now", "status"),
    [(datetime(2026, 2, 10, tzinfo=UTC), "accruing"), (datetime(2026, 5, 1, tzinfo=UTC), "determination")],
)
def test_a_month_without_a_price_stays_with_its_reason_and_out_of_the_regression(now, status):
    rates, reference = two_months()
    reference = {day: value for day, value in reference.items() if day.month == 1 or day.day < 10}
    months = months_of({d: r for d, r in rates.items() if d <= now.date()}, make_tape(reference), now)
    assert [(each.status, each.settlement_micros) for each in months] == [(status, None)]
    assert months[0].reason.startswith(status)
    assert len(hedge_changes(months)) == 0


QUARTERS = st.integers(4, 24).map(lambda quarter: quarter * 250_000)
WALKS = st.lists(st.tuples(QUARTERS, QUARTERS), min_size=150, max_size=150)


def figures(months, before):
    """What a month said, for months over by then; the settlement's own record of ``now`` aside."""
    return [replace(each, settlement=None) for each in months if each.known_from <= before]


@settings(max_examples=12, deadline=None)
@given(WALKS, st.integers(70, 140))
def test_appending_later_data_changes_no_earlier_month_of_a_proxy(walk, cut):
    days = [date(2025, 1, 1) + timedelta(days=2 * number) for number in range(len(walk))]
    rates = {day: rent for day, (rent, _) in zip(days, walk, strict=True)}
    reference = {day: value for day, (_, value) in zip(days, walk, strict=True)}
    now = day_start(days[cut] + timedelta(days=1))
    whole = run(rates, reference, ratio_method="naive")
    part = run({d: r for d, r in rates.items() if d <= days[cut]}, reference, now=now, ratio_method="naive")
    over = day_start(date(days[cut].year, days[cut].month, 1) - timedelta(days=1))
    assert figures(part.months, over) == figures(whole.months, over)
    closed = {each.month for each in figures(part.months, over)}
    assert [each for each in part.programme if each.month in closed] == [
        each for each in whole.programme if each.month in closed
    ]


@settings(max_examples=8, deadline=None)
@given(WALKS, st.integers(70, 140))
def test_appending_later_data_changes_no_earlier_month_of_a_contract(walk, cut):
    days = days_from(date(2025, 1, 1), len(walk))
    rates = {day: rent for day, (rent, _) in zip(days, walk, strict=True)}
    tape = make_tape({day: value for day, (_, value) in zip(days, walk, strict=True)})
    now = day_start(days[cut] + timedelta(days=1))
    part = months_of({d: r for d, r in rates.items() if d <= days[cut]}, tape, now)
    whole = months_of(rates, tape)
    assert figures(part, now) == figures(whole, now)
    # An open month has already been entered, and its entry never changes.
    entries = {
        each.month: (each.entry_date, each.entry_price_micros, each.last_rent_micros) for each in whole
    }
    assert all(
        entries[each.month] == (each.entry_date, each.entry_price_micros, each.last_rent_micros)
        for each in part
    )
