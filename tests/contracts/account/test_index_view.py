"""A benchmark as known at the end of each day: no look-ahead, vintages, and what of a month has fixed."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from rentmark.contracts import CONTRACTS, fixing_days
from rentmark.contracts.account import IndexView, flat_marks
from rentmark.records import Refusal, day_start

from tests.contracts.making import BENCHMARK, make_fixing, own_contract

from .made import days_from, make_view

CME = CONTRACTS["cme-gpu1"]
AUGUST = days_from(date(2026, 7, 25), 40)


def test_a_fixing_is_known_at_the_end_of_its_own_day_and_not_before():
    view = make_view(dict.fromkeys(AUGUST, 3_000_000))
    assert max(view.known(date(2026, 8, 14))) == date(2026, 8, 14)
    assert view.last_value(date(2026, 7, 24)) is None
    # asked for an earlier day again, it forgets what came later
    assert max(view.known(date(2026, 8, 10))) == date(2026, 8, 10)
    assert max(view.known(date(2026, 8, 14))) == date(2026, 8, 14)


def test_a_revision_counts_from_its_publication_on():
    day = date(2026, 8, 3)
    first = make_fixing(day, 3_000_000)
    later = make_fixing(day, 3_500_000, revision=1, published_at=day_start(date(2026, 8, 10)))
    view = IndexView(CME, BENCHMARK, [later, first])
    assert view.known(date(2026, 8, 8))[day] == 3_000_000
    assert view.known(date(2026, 8, 9))[day] == 3_500_000  # the 9th ends as the 10th begins


def test_gaps_and_carried_values_are_no_observations():
    view = IndexView(
        CME,
        BENCHMARK,
        [make_fixing(date(2026, 8, 3), None), make_fixing(date(2026, 8, 4), status="CARRIED")],
    )
    assert view.known(date(2026, 8, 5)) == {}


def test_the_known_share_grows_by_a_fixing_a_day():
    view = make_view({day: 3_000_000 + 1_000 * number for number, day in enumerate(AUGUST)})
    days = fixing_days(CME, "2026-08")
    assert view.share("2026-08", date(2026, 7, 31)).known_share == 0
    for number, day in enumerate(days, start=1):
        share = view.share("2026-08", day)
        assert share.known_share == Fraction(number, 21)
        assert share.remaining_share == Fraction(21 - number, 21)
        assert (share.known, share.expected) == (number, 21)
    done = view.share("2026-08", days[-1])
    assert done.rest(3_000_000) is None
    outcome = view.outcome("2026-08", days[-1])
    assert outcome is not None
    assert outcome.final is not None
    assert outcome.final.day == date(2026, 8, 31)
    assert outcome.final.price_micros == round(done.known_sum)


def test_what_the_rest_must_average_is_the_price_less_what_fixed():
    view = make_view(dict.fromkeys(AUGUST, 3_000_000))
    share = view.share("2026-08", date(2026, 8, 7))  # 5 of 21
    assert share.rest(3_160_000) == 3_000_000 + Fraction(160_000 * 21, 16)


def test_a_missing_fixing_leaves_the_rest_more_weight():
    values = dict.fromkeys(AUGUST, 3_000_000) | {date(2026, 8, 4): None}
    share = make_view(values).share("2026-08", date(2026, 8, 5))
    assert share.known_share == Fraction(2, 20)


def test_a_day_under_way_waits_for_its_fixing_and_calls_it_not_missing():
    values = {day: 3_000_000 for day in AUGUST if day <= date(2026, 8, 4)}
    noon = day_start(date(2026, 8, 5)) + timedelta(hours=12)
    rows = [make_fixing(day, value) for day, value in values.items()]
    now = IndexView(CME, BENCHMARK, rows, known_until=noon).share("2026-08", date(2026, 8, 5))
    assert now.known_share == Fraction(2, 21)
    later = IndexView(CME, BENCHMARK, rows).share("2026-08", date(2026, 8, 5))
    assert later.known_share == Fraction(2, 20)  # the day is over and nothing came


def test_a_month_that_accrues_has_no_outcome_and_one_in_determination_no_price():
    view = make_view(dict.fromkeys(AUGUST, 3_000_000))
    assert view.outcome("2026-08", date(2026, 8, 30)) is None
    few = make_view({date(2026, 8, 3): 3_000_000})
    outcome = few.outcome("2026-08", date(2026, 9, 15))
    assert outcome is not None
    assert outcome.settlement.status == "determination"
    assert outcome.final is None


def test_flat_marks_end_at_the_settlement_and_rest_on_each_day_alone():
    values = {day: 3_000_000 + 10_000 * (number % 7) for number, day in enumerate(AUGUST)}
    view = make_view(values)
    days = fixing_days(CME, "2026-08")
    marks = flat_marks(view, "2026-08", [date(2026, 7, 30), *days])
    assert not isinstance(marks, Refusal)
    assert marks[date(2026, 7, 30)].settle_micros == values[date(2026, 7, 30)]
    final = view.outcome("2026-08", days[-1])
    assert final is not None
    assert final.final is not None
    assert marks[days[-1]].settle_micros == final.final.price_micros
    assert all(mark.modelled and mark.source.startswith("modelled, flat") for mark in marks.values())
    until = {day: value for day, value in values.items() if day <= date(2026, 8, 14)}
    early = flat_marks(make_view(until), "2026-08", [date(2026, 8, 14)])
    assert not isinstance(early, Refusal)
    assert early[date(2026, 8, 14)] == marks[date(2026, 8, 14)]


def test_a_ceased_index_has_no_mark_after_its_last_day():
    view = make_view(dict.fromkeys(AUGUST, 3_000_000), ended_on=date(2026, 8, 10))
    assert not isinstance(flat_marks(view, "2026-08", [date(2026, 8, 10)]), Refusal)
    refused = flat_marks(view, "2026-08", [date(2026, 8, 10), date(2026, 8, 11)])
    assert isinstance(refused, Refusal)
    assert refused.code == "index_ceased"


def test_a_day_before_any_fixing_has_no_mark():
    view = make_view({date(2026, 8, 3): 3_000_000})
    assert flat_marks(view, "2026-10", [date(2026, 8, 2)]) == {}


@pytest.mark.parametrize("lag", [0, 6])
def test_cash_moves_on_the_first_day_that_ends_after_the_last_fixing(lag):
    spec = own_contract()
    days = fixing_days(spec, "2026-08")
    rows = [
        make_fixing(day, effective_at=day_start(day + timedelta(days=1)) + timedelta(hours=lag))
        for day in days
    ]
    outcome = IndexView(spec, BENCHMARK, rows).outcome("2026-08", date(2026, 9, 10))
    assert outcome is not None
    assert outcome.final is not None
    assert outcome.final.day == (date(2026, 8, 31) if lag == 0 else date(2026, 9, 1))
