"""Ranking: the hedge that follows the rent comes first, on the same months for all, corrected for their number."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from rentmark.backtest import Candidate, benchmark_candidate, contract_candidate, rank_hedges
from rentmark.backtest.series import first_published
from rentmark.contracts.account import IndexView

from tests.backtest.making import BENCHMARK, EVERY_DAY, LATER, days_from, make_book, make_tape, wander

FIRST = date(2020, 1, 1)
DAYS = 30 * 46


@pytest.fixture(scope="module")
def market():
    days = days_from(FIRST, DAYS)
    values = dict(zip(days, wander(DAYS), strict=True))
    book = make_book({day: value + 100_000 for day, value in values.items()})
    months = sorted({f"{day:%Y-%m}" for day in days})
    other = dict(zip(months, wander(len(months), seed=11), strict=True))
    useless = Candidate(
        benchmark="another", references={month: Fraction(value) for month, value in other.items()}
    )
    tape = make_tape(values)
    view = IndexView(EVERY_DAY, BENCHMARK, tape, known_until=LATER)
    through = days[-1]
    return book, contract_candidate(view, months, through, EVERY_DAY), useless, tape


def test_the_hedge_that_follows_the_rent_is_first_and_the_useless_one_out_of_the_set(market):
    book, good, useless, _ = market
    found = rank_hedges(book, [useless, good], ["naive", "ols"], role="buyer")
    assert found.best.candidate is good
    assert found.best.verdict.name == "covers"
    assert [each.rank for each in found.ranked] == [1, 2, 3, 4]
    swings = [each.judged.swing_hedged for each in found.ranked]
    assert swings == sorted(swings)
    assert not any(each.in_set for each in found.ranked if each.candidate is useless)
    assert found.comparison.spa_p_value < 0.01
    assert len({each.changes for each in found.ranked}) == 1


def test_a_short_candidate_is_too_short_and_leaves_the_others_months_alone(market):
    book, good, _, _ = market
    short = Candidate(
        benchmark="short",
        references={month: value for month, value in good.references.items() if month >= "2022-06"},
    )
    alone = rank_hedges(book, [good], ["naive"], role="buyer")
    found = rank_hedges(book, [good, short], ["naive"], role="buyer")
    assert found.months == alone.months
    assert found.ranked[0].judged == alone.ranked[0].judged
    assert (found.ranked[1].rank, found.ranked[1].verdict.name) == (None, "too short")


def test_a_benchmark_alone_pays_the_mean_of_its_month(market):
    _, good, _, tape = market
    alone = benchmark_candidate(BENCHMARK, first_published(tape, LATER))
    month = "2021-03"
    values = [row.value_micros for row in tape if f"{row.date:%Y-%m}" == month]
    assert alone.references[month] == Fraction(sum(values), len(values))
    # the contract settles on the same days, rounded to a micro-dollar
    assert abs(good.references[month] - alone.references[month]) <= Fraction(1, 2)
    assert (good.proxy, alone.proxy) == (False, True)


def test_nothing_long_enough_is_ranked_and_says_why(market):
    book, good, _, _ = market
    short = Candidate(
        benchmark="short",
        references={month: value for month, value in good.references.items() if month < "2021-01"},
    )
    found = rank_hedges(book, [short], ["naive"], role="buyer")
    assert found.best is None
    assert "36 monthly changes" in found.reason
