"""Governing: what is held, what is worth a correction, what a person sets, and who counts as a second one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index.governing import (
    HoldWatch,
    correction,
    judged,
    refuse_one_person,
    rules_changed,
    split_held,
)
from rentmark.records import RentmarkError

from tests.store.making import make_fixing

from .making import benchmark

FIRST = date(2026, 7, 1)


def rules(**keys):
    return benchmark(**keys).methodology


def on(number: int, dollars: float | None, **changes):
    micros = None if dollars is None else round(dollars * 1_000_000)
    return make_fixing(FIRST + timedelta(days=number), micros, **changes)


def held_days(standing, candidates, methodology, held=None):
    _, holds = split_held({f.date: f for f in standing}, candidates, lambda _: methodology, held)
    return [(hold.fixing.date - FIRST).days for hold in holds]


def test_a_move_of_exactly_the_limit_is_printed_and_one_beyond_it_is_held():
    limit = rules(hold_move="0.25")
    assert held_days([on(0, 4.00)], [on(1, 5.00)], limit) == []
    assert held_days([on(0, 4.00)], [on(1, 3.00)], limit) == []
    assert held_days([on(0, 4.00)], [on(1, 5.000001)], limit) == [1]
    assert held_days([on(0, 4.00)], [on(1, 2.999999)], limit) == [1]


def test_nothing_is_held_without_a_value_before_or_of_its_own():
    limit = rules(hold_move="0.1")
    assert held_days([], [on(1, 9.0)], limit) == []
    assert held_days([on(0, None)], [on(1, 9.0)], limit) == []
    assert held_days([on(0, 1.0)], [on(1, None)], limit) == []
    carried = on(1, 9.0, status="CARRIED")
    assert held_days([on(0, 1.0)], [carried], limit) == []
    assert held_days([carried], [on(2, 1.0)], limit) == [], "a carried value is no market to measure against"


def test_a_hold_says_what_it_was_measured_against():
    _, (hold,) = split_held({FIRST: on(0, 2.0)}, [on(1, 3.0)], lambda _: rules(hold_move="0.25"))
    assert (hold.last_date, hold.last_value_micros, hold.move, hold.limit) == (
        FIRST,
        2_000_000,
        Fraction(1, 2),
        "0.25",
    )


@pytest.mark.parametrize(("hold_days", "held"), [(0, [1]), (1, [1, 2]), (3, [1, 2, 3, 4])])
def test_a_step_delays_what_follows_it_by_hold_days_and_no_longer(hold_days, held):
    methodology = rules(hold_move="0.1", hold_days=hold_days)
    step = [on(n, 2.0) for n in range(1, 8)]
    assert held_days([on(0, 1.0)], step, methodology) == held
    day_by_day: dict[date, int] = {}
    printed = [on(0, 1.0)]
    for fixing in step:  # as one publication a day finds it
        ready, holds = split_held({f.date: f for f in printed}, [fixing], lambda _: methodology, day_by_day)
        printed += ready
        day_by_day |= {h.fixing.date: h.fixing.value_micros for h in holds}
    assert [(d - FIRST).days for d in day_by_day] == held


def test_a_spike_holds_its_own_date_alone():
    methodology = rules(hold_move="0.1")
    assert held_days([on(0, 1.0)], [on(1, 2.0), on(2, 1.0), on(3, 1.05)], methodology) == [1]


def test_a_released_or_judged_value_is_what_later_ones_are_measured_against():
    methodology = rules(hold_move="0.1")
    assert held_days([on(0, 1.0), on(1, 2.0)], [on(2, 2.0)], methodology) == []
    assert held_days([on(0, 1.0), judged(on(1, 1.0), 2_000_000)], [on(2, 2.0)], methodology) == []


PRICES = st.lists(st.none() | st.integers(1, 16).map(lambda quarter: quarter / 4), min_size=1, max_size=12)


@given(PRICES, st.integers(0, 4), st.integers(0, 6))
def test_whatever_is_printed_moved_no_further_than_the_limit_or_waited_its_days(prices, hold_days, standing):
    methodology = rules(hold_move="0.3", hold_days=hold_days)
    every = [on(n, price) for n, price in enumerate(prices)]
    tape = {f.date: f for f in every[:standing]}
    printed, holds = split_held(tape, every[standing:], lambda _: methodology)
    assert sorted([f.date for f in printed] + [h.fixing.date for h in holds]) == [
        f.date for f in every[standing:]
    ]
    assert [f.date for f in printed] == sorted(f.date for f in printed)
    for hold in holds:
        assert abs(hold.move) > Fraction(3, 10)
    watch = HoldWatch(tape.values())
    again = [f for f in every[standing:] if watch.measure(f, methodology) is None]
    assert again == printed, "one at a time says the same as all at once"
    assert split_held(tape, every[standing:], lambda _: rules())[1] == []


@pytest.mark.parametrize(
    ("after", "threshold", "material"),
    [
        (3.03, "0.01", True),
        (3.029999, "0.01", False),
        (2.97, "0.01", True),
        (3.0, None, True),
        (3.0, "0.01", False),
        (None, "0.5", True),
    ],
)
def test_a_correction_is_material_from_the_threshold_on(after, threshold, material):
    methodology = rules(republication_threshold=threshold)
    assert correction(on(0, 3.0), on(0, after)).material(methodology) is material


def test_a_changed_status_or_rule_is_material_and_something():
    methodology = rules(republication_threshold="0.5")
    before = on(0, 3.0)
    thin = replace(before, status="THIN", rule="thin_sellers")
    assert correction(before, thin).material(methodology)
    assert not correction(before, thin).nothing
    assert not correction(on(0, None), replace(on(0, None), rule="no_match")).nothing
    assert correction(before, replace(before, built_as_of=None)).nothing


def test_a_judged_value_keeps_what_the_market_showed_and_is_never_of_settlement_grade():
    made = on(0, 3.0, settlement_grade=True)
    set_by_hand = judged(made, 2_500_000)
    assert (set_by_hand.value_micros, set_by_hand.status, set_by_hand.rule) == (
        2_500_000,
        "THIN",
        "judgement",
    )
    assert not set_by_hand.settlement_grade
    assert (set_by_hand.n_sellers, set_by_hand.p25_micros, set_by_hand.input_digest) == (
        made.n_sellers,
        made.p25_micros,
        made.input_digest,
    )
    none = judged(made, None)
    assert (none.value_micros, none.status, none.rule, none.tier) == (None, "GAP", "judgement", None)


@pytest.mark.parametrize(
    ("actor", "approved_by", "others"),
    [
        ("ann", "ann", ()),
        ("ann", " Ann ", ()),
        ("Ann  Lee", "ann lee", ()),
        ("ann", "bo", ("bo",)),
        ("ann", "", ()),
        ("", "bo", ()),
    ],
)
def test_one_person_is_not_two(actor, approved_by, others):
    with pytest.raises(RentmarkError):
        refuse_one_person(actor, approved_by, *others)


def test_two_persons_are_two():
    refuse_one_person("ann", "bo", "ann")


def test_an_edited_rule_is_found_by_its_version_and_a_grown_catalogue_is_not_one():
    before = benchmark(min_sellers=3)
    tape = [
        on(
            0,
            3.0,
            methodology=before.methodology_name,
            methodology_version=before.methodology.version,
            methodology_hash=before.methodology_hash,
        )
    ]

    def recorded(_):
        return before.resolved()

    assert rules_changed(tape, before, recorded) is None
    assert rules_changed(tape, benchmark(min_sellers=4), recorded) == "methodology"
    assert rules_changed(tape, benchmark(min_sellers=4, version="1.0.1"), recorded) is None
    assert rules_changed(tape, replace(before, grade_name="another"), recorded) == "grade_name"
    assert rules_changed(tape, replace(before, catalogue_hash="0" * 64), recorded) is None
    assert rules_changed([], before, recorded) is None
