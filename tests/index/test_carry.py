"""A carried value repeats the last one observed, at most the days allowed, and never another carried one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from rentmark.index import Ballot, build_fixings
from rentmark.records import Fixing

from .making import LATER, ballot, benchmark, usd, windows_for

FIRST = date(2026, 7, 6)
"""A Monday."""


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def build(
    rules: Any,
    prices: dict[int, str | list[Ballot]],
    last: int,
    *,
    published: dict[date, Fixing] | None = None,
    first: int = 0,
) -> list[Fixing]:
    """Fixings of days ``first`` to ``last`` with one seller at a price on the days given."""
    ballots = {
        day(number): [ballot(price=price)] if isinstance(price, str) else price
        for number, price in prices.items()
    }
    return build_fixings(
        rules,
        ballots,
        windows_for(rules, day(first), day(last), LATER),
        archive_holds=lambda _: False,
        published=published or {},
        reconstructed=False,
    )


def states(fixings: list[Fixing]) -> list[tuple[str, int | None]]:
    return [(f.status, f.value_micros) for f in fixings]


CARRY_2 = benchmark(fallback="carry", carry_days=2)


def test_a_gap_stays_a_gap_unless_the_methodology_carries():
    assert states(build(benchmark(), {0: "3.00"}, 1)) == [("OK", usd("3.00")), ("GAP", None)]


def test_a_value_is_carried_for_the_days_allowed_and_not_one_more():
    fixings = build(CARRY_2, {0: "3.00"}, 4)
    assert states(fixings) == [
        ("OK", usd("3.00")),
        ("CARRIED", usd("3.00")),
        ("CARRIED", usd("3.00")),
        ("GAP", None),
        ("GAP", None),
    ]
    assert [f.carried_from for f in fixings] == [None, day(0), day(0), None, None]


def test_days_are_counted_from_the_value_observed_and_not_from_one_carried():
    fixings = build(benchmark(fallback="carry", carry_days=1), {0: "3.00", 3: "2.00"}, 5)
    assert [f.status for f in fixings] == ["OK", "CARRIED", "GAP", "OK", "CARRIED", "GAP"]
    assert fixings[4].value_micros == usd("2.00")


def test_a_carried_row_keeps_the_rule_that_refused_the_day():
    rules = benchmark(fallback="carry", carry_days=2, min_sellers=2)
    pair = [ballot("alpha", "2.00"), ballot("beta", "4.00")]
    fixings = build(rules, {0: pair, 1: "9.00"}, 2)
    assert [(f.status, f.rule) for f in fixings] == [
        ("OK", None),
        ("CARRIED", "min_sellers"),
        ("CARRIED", "empty_window"),
    ]
    carried = fixings[1]
    assert (carried.value_micros, carried.n_sellers) == (usd("3.00"), 1)
    assert (carried.p25_micros, carried.p75_micros, carried.settlement_grade) == (None, None, False)


def test_a_thin_value_is_carried_too():
    fixings = build(benchmark(fallback="carry", carry_days=1, thin_sellers=2), {0: "3.00"}, 1)
    assert [f.status for f in fixings] == ["THIN", "CARRIED"]


def test_nothing_before_the_first_value_is_carried():
    assert [f.status for f in build(CARRY_2, {1: "3.00"}, 2)] == ["GAP", "OK", "CARRIED"]


def test_days_are_calendar_days_over_a_weekend():
    rules = benchmark(fallback="carry", carry_days=2, calendar="weekdays", cutoff="16:00 UTC")
    # Friday the 10th has a value; Monday is three days later
    fixings = build(rules, {4: "3.00"}, 7, first=4)
    assert [(f.date.day, f.status) for f in fixings] == [(10, "OK"), (13, "GAP")]
    three = build(
        benchmark(fallback="carry", carry_days=3, calendar="weekdays", cutoff="16:00 UTC"),
        {4: "3.00"},
        7,
        first=4,
    )
    assert three[1].status == "CARRIED"


@pytest.mark.parametrize("mark", ["simulated", "rights"])
def test_a_carried_row_inherits_the_marks_of_what_it_repeats(mark):
    source = ballot(simulated=mark == "simulated", rights_unknown=mark == "rights")
    carried = build(CARRY_2, {0: [source]}, 1)[1]
    assert carried.simulated is (mark == "simulated")
    assert carried.rights == ("unknown" if mark == "rights" else "allowed")


def test_the_published_value_is_carried_and_not_the_candidate_in_its_place():
    published = replace(build(CARRY_2, {0: "9.00"}, 0)[0], published_at=LATER)
    fixings = build(CARRY_2, {0: "3.00"}, 1, published={day(0): published})
    assert states(fixings) == [("OK", usd("3.00")), ("CARRIED", usd("9.00"))]


def test_a_published_gap_is_not_carried_over_by_a_candidate_with_a_value():
    gap = replace(build(benchmark(), {}, 0)[0], published_at=LATER)
    fixings = build(CARRY_2, {0: "3.00"}, 1, published={day(0): gap})
    assert [f.status for f in fixings] == ["OK", "GAP"]


def test_a_build_of_later_dates_alone_carries_what_was_published_before():
    whole = build(CARRY_2, {0: "3.00", 1: "2.00"}, 3)
    published = {f.date: replace(f, published_at=LATER) for f in whole[:2]}
    assert build(CARRY_2, {}, 3, published=published, first=2) == whole[2:]


def test_a_published_carried_row_is_never_carried_on():
    carried = build(CARRY_2, {0: "3.00"}, 2)[2]
    assert carried.status == "CARRIED"
    fixings = build(CARRY_2, {}, 3, published={carried.date: replace(carried, published_at=LATER)}, first=3)
    assert states(fixings) == [("GAP", None)]


def test_dates_are_fixed_in_order_whatever_order_the_windows_come_in():
    rules = CARRY_2
    windows = windows_for(rules, day(0), day(3), LATER)
    ballots = {day(0): [ballot()]}
    built = [
        build_fixings(rules, ballots, order, archive_holds=lambda _: False, published={}, reconstructed=False)
        for order in (windows, windows[::-1])
    ]
    assert built[0] == built[1]
    assert (
        build_fixings(rules, {}, [], archive_holds=lambda _: False, published={}, reconstructed=False) == []
    )
