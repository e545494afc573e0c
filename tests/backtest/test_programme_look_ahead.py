"""No look-ahead: what comes later, or is restated later, changes no earlier ratio, lot or cent."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.programmes import ProgrammeRun

from tests.backtest.making import days_from, make_fixing
from tests.backtest.programme_made import FIRST, end_of, mark, market, run

SHORT, LONG = 170, 30 * 29
"""Days of a market for rules that learn nothing, and for those that learn from two years before they trade."""
RULES = (
    ({"method": "naive", "months_ahead": 2}, SHORT),
    ({"method": "ols"}, LONG),
    ({"method": "ols", "style": "stack", "months_ahead": 3, "reestimate": "quarterly"}, LONG),
)
PRICES = st.integers(4, 20).map(lambda steps: steps * 250_000)
"""A coarse grid, so that ties occur."""


def told_by(done: ProgrammeRun, through: date) -> dict[str, object]:
    """Everything a run says of days up to one: decisions, and each premium's account line by line."""
    return {
        "decisions": [each for each in done.decisions if each.day <= through],
        "learned": [each for each in done.learned if each.known_on <= through],
        "accounts": {
            premium: [
                (day.day, day.positions, day.lines, day.closing_cents, day.requirement)
                for day in account.days
                if day.day <= through
            ]
            for premium, account in done.accounts.items()
        },
        "trades": [t for t in done.account.trades if t.day <= through],
    }


def marks_of(values: dict[date, int]) -> list:
    """Settlements of some months on some days, so that stated and modelled entries both occur."""
    found = []
    for day, value in values.items():
        later = (day.replace(day=1) + timedelta(days=32)).strftime("%Y-%m")
        if day.day > 20 and day.month % 2:
            found.append(mark(later, day, value + 100_000))
    return found


FUTURES = {
    "back": st.integers(1, 60),
    "future": st.lists(PRICES, min_size=1, max_size=70),
    "rent_too": st.booleans(),
    "marks_too": st.booleans(),
    "gpus": st.sampled_from([None, 10]),
}
"""How many days before the end of a market the past ends, and what comes after it."""


@settings(max_examples=15, deadline=None)
@given(rules=st.sampled_from([RULES[0][0], {"method": "naive", "style": "stack"}]), **FUTURES)
def test_appending_any_future_changes_nothing_before_it(rules, back, future, rent_too, marks_too, gpus):
    check_future(rules, SHORT, back, future, rent_too, marks_too, gpus)


@settings(max_examples=4, deadline=None)
@given(rules=st.sampled_from([each for each, days in RULES if days == LONG]), **FUTURES)
def test_appending_any_future_changes_no_estimated_ratio(rules, back, future, rent_too, marks_too, gpus):
    check_future(rules, LONG, back, future, rent_too, marks_too, gpus)


def check_future(rules, count, back, future, rent_too, marks_too, gpus):
    tape, rents = market(count)
    values = {row.date: row.value_micros for row in tape}
    days = list(values)[: count - back]
    last = days[-1]
    past_tape = [row for row in tape if row.date <= last]
    past_rents = {day: rents[day] for day in days}
    past_marks = marks_of({day: values[day] for day in days})
    settled = {"gpus": gpus, "gpu_hours": None if gpus else "240"}
    before = run(rules, past_tape, past_rents, marks=past_marks, now=end_of(last), **settled)

    coming = dict(zip(days_from(last + timedelta(days=1), len(future)), future, strict=True))
    more_tape = past_tape + [make_fixing(day, value) for day, value in coming.items()]
    more_rents = past_rents | (coming if rent_too else {})
    more_marks = past_marks + (marks_of(coming) if marks_too else [])
    after = run(rules, more_tape, more_rents, marks=more_marks, now=end_of(max(coming)), **settled)

    premiums = before.accounts.keys() & after.accounts.keys()
    first, second = told_by(before, last), told_by(after, last)
    for told in (first, second):
        told["accounts"] = {premium: told["accounts"][premium] for premium in sorted(premiums)}
    assert any(each.orders for each in first["decisions"]), "a test of nothing"
    assert first == second


@pytest.mark.parametrize(("rules", "count"), RULES)
def test_history_restated_later_reaches_no_decision_before_its_publication(rules, count):
    tape, rents = market(count)
    now = end_of(FIRST + timedelta(days=count - 1))
    told = FIRST + timedelta(days=count - 45)
    restated = [
        replace(
            row, revision=1, value_micros=row.value_micros * 2, origin="backcast",
            published_at=end_of(told),
        )
        for row in tape
        if row.date < told
    ]  # fmt: skip
    as_it_was = run(rules, tape, rents, now=now)
    with_history = run(rules, [*tape, *restated], rents, now=now)
    assert told_by(as_it_was, told - timedelta(days=1)) == told_by(with_history, told - timedelta(days=1))
    # settled months keep what they settled at; the restatement is seen by what comes after it
    for key, end in as_it_was.ends.items():
        if end.final.day < told:
            assert with_history.ends[key] == end
    assert told_by(as_it_was, now.date()) != told_by(with_history, now.date())


def test_a_settlement_corrected_later_changes_nothing():
    tape, rents = market(150)
    values = {row.date: row.value_micros for row in tape}
    marks = marks_of(values)
    later = [
        mark(each.month, each.trade_date, each.settle_micros * 3, vintage=end_of(date(2022, 5, 1)))
        for each in marks
    ]
    now = end_of(date(2022, 5, 25))
    first = run({"method": "naive"}, tape, rents, marks=marks, now=now)
    second = run({"method": "naive"}, tape, rents, marks=[*later, *marks], now=now)
    assert told_by(first, now.date()) == told_by(second, now.date())
    assert second.instruments[0].corrected == len(marks)
