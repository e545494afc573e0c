"""Estimators that hold composition constant: the chained matched panel and the rolling time dummy."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index import ESTIMATORS, Ballot, build_fixings, fixed_effects_index
from rentmark.index.estimators import Earlier, Estimate, Parameters, Slate
from rentmark.index.estimators.time_dummy import time_effects
from rentmark.records import Fixing

from .estimator_suite import EstimatorSuite, grid_prices
from .making import DAY, LATER, ballot, benchmark, usd, windows_for

BY_SELLER = {"inputs": ["trade"], "vote": ["seller", "region"]}
FIRST = date(2026, 7, 1)
panels = st.lists(st.dictionaries(st.sampled_from("abcde"), grid_prices, min_size=1), min_size=2, max_size=6)


class TestMatchedChain(EstimatorSuite):
    estimator = "matched_chain"
    rules: ClassVar = {**BY_SELLER, "memory_days": 30}
    translates = False
    """Without history it is a median; with one it goes by ratios."""


class TestTimeDummy(EstimatorSuite):
    estimator = "time_dummy"
    rules: ClassVar = {**BY_SELLER, "memory_days": 30, "splice": "mean"}
    translates = False


def named(votes: dict[str, int]) -> dict[Any, int]:
    return {(seller, None, None): price for seller, price in votes.items()}


def asked(name: str, panel: list[dict[str, int]], levels: list[int], splice: Any = "mean") -> Estimate:
    """An estimator on the last day of a panel whose earlier days came to these levels."""
    *past, now = panel
    history = tuple(
        Earlier(FIRST + timedelta(days=n), level, named(votes))
        for n, (votes, level) in enumerate(zip(past, levels, strict=True))
    )
    ordered = sorted(now.items(), key=lambda item: item[1])
    made = ESTIMATORS[name].work(
        Slate(
            prices=tuple(price for _, price in ordered),
            weights=(1,) * len(now),
            ids=tuple((seller, None, None) for seller, _ in ordered),
            history=history,
            parameters=Parameters(splice=splice),
        )
    )
    assert isinstance(made, Estimate)
    return made


def connected(panel: list[dict[str, int]]) -> bool:
    """Whether every day hangs together with the last through sellers in common."""
    reached, rest = set(panel[-1]), panel[:-1]
    while any(reached & set(day) for day in rest):
        reached |= {seller for day in rest if reached & set(day) for seller in day}
        rest = [day for day in rest if not reached & set(day)]
    return not rest


@settings(deadline=None)
@given(panels.filter(connected))
def test_date_effects_are_those_of_ordinary_least_squares(panel):
    ours = time_effects([named(day) for day in panel])
    sellers = sorted({seller for day in panel for seller in day})
    rows = [(n, sellers.index(s), price) for n, day in enumerate(panel) for s, price in day.items()]
    design = np.zeros((len(rows), len(sellers) + len(panel) - 1))
    for place, (at, who, _) in enumerate(rows):
        design[place, who] = 1.0
        if at < len(panel) - 1:
            design[place, len(sellers) + at] = 1.0
    theirs = sm.OLS(np.log([price for _, _, price in rows]), design).fit().params[len(sellers) :]
    assert np.allclose([float(effect) for effect in ours[:-1]], theirs, atol=1e-9)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), st.tuples(grid_prices, grid_prices), min_size=1))
def test_over_two_dates_the_time_dummy_is_the_matched_chain(both):
    panel = [{s: then for s, (then, _) in both.items()}, {s: now for s, (_, now) in both.items()}]
    chained = asked("matched_chain", panel, [2_500_000]).value
    dummy = asked("time_dummy", panel, [2_500_000], "movement").value
    assert abs(chained - dummy) < Fraction(1, 10**20) * chained


@settings(deadline=None)
@given(panels.filter(connected), st.integers(2, 9))
def test_prices_that_all_rise_by_a_factor_raise_an_index_by_it(panel, factor):
    levels = [2_000_000 + 250_000 * n for n in range(len(panel) - 1)]
    dearer = [*panel[:-1], {seller: price * factor for seller, price in panel[-1].items()}]
    for splice in ("movement", "window", "mean"):
        before, after = (asked("time_dummy", p, levels, splice).value for p in (panel, dearer))
        assert abs(after - factor * before) < Fraction(1, 10**20) * after


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), grid_prices, min_size=1), panels, st.data())
def test_who_is_there_does_not_move_an_index_of_prices_that_stand_still(prices, panel, data):
    # each day asks some of the sellers, and all have the one price they always had
    days = [
        {s: prices[s] for s in data.draw(st.sets(st.sampled_from(sorted(prices)), min_size=1))} for _ in panel
    ]
    levels = [2_500_000] * (len(days) - 1)
    if set(days[-1]) & set(days[-2]):
        assert abs(asked("matched_chain", days, levels).value - 2_500_000) < Fraction(1, 10**20)
    if connected(days):
        assert abs(asked("time_dummy", days, levels).value - 2_500_000) < Fraction(1, 10**20)


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def build(rules: Any, panel: list[dict[str, str]], **more: Any) -> list[Fixing]:
    ballots: dict[date, list[Ballot]] = {
        day(n): sorted((ballot(s, price) for s, price in votes.items()), key=lambda b: b.order)
        for n, votes in enumerate(panel)
        if votes
    }
    return build_fixings(
        rules,
        ballots,
        windows_for(rules, FIRST, day(len(panel) - 1), LATER),
        archive_holds=lambda _: False,
        published=more.pop("published", {}),
        reconstructed=False,
        **more,
    )


CHAIN = benchmark(estimator="matched_chain", memory_days=3)


def test_a_chain_built_day_by_day_follows_prices_and_not_the_panel():
    panel = [
        {"a": "2.00", "b": "4.00"},
        {"a": "2.00", "b": "4.00", "c": "9.00"},
        {"b": "4.40", "c": "9.90"},
        {"c": "9.90"},
    ]
    values = [f.value_micros for f in build(CHAIN, panel)]
    # worked by hand: 3.00 is the median of the first day, then two days of +0 and +10 %, then +0
    assert values == [usd("3.00"), usd("3.00"), usd("3.30"), usd("3.30")]


def test_a_chain_that_found_nothing_in_its_memory_begins_again_and_says_so():
    panel = [{"a": "2.00"}, {}, {}, {}, {"a": "8.00"}]
    fixings = build(CHAIN, panel)
    assert [f.status for f in fixings] == ["OK", "GAP", "GAP", "GAP", "OK"]
    assert fixings[-1].value_micros == usd("8.00")
    assert '"chain_begins":true' in (fixings[-1].details or "")


def test_a_day_without_a_seller_in_common_is_a_gap_with_its_rule():
    fixings = build(CHAIN, [{"a": "2.00"}, {"b": "3.00"}, {"a": "2.20", "b": "3.00"}])
    assert [(f.status, f.rule) for f in fixings] == [("OK", None), ("GAP", "too_few_matched"), ("OK", None)]
    assert fixings[2].value_micros == usd("2.20")


def test_a_chain_goes_on_from_what_was_published():
    panel = [{"a": "2.00"}, {"a": "2.20"}]
    published = replace(build(CHAIN, panel)[0], value_micros=usd("5.00"), published_at=LATER)
    assert build(CHAIN, panel, published={FIRST: published})[1].value_micros == usd("5.50")


@pytest.mark.parametrize("mark", ["simulated", "rights_unknown"])
def test_a_chain_inherits_the_marks_of_what_it_goes_on_from(mark):
    ballots = {DAY - timedelta(days=1): [ballot("a", **{mark: True})], DAY: [ballot("a")]}
    windows = windows_for(CHAIN, DAY - timedelta(days=1), DAY)
    made = build_fixings(
        CHAIN, ballots, windows, archive_holds=lambda _: False, published={}, reconstructed=False
    )
    assert (made[1].simulated, made[1].rights == "unknown") == (mark == "simulated", mark == "rights_unknown")


def test_a_panel_of_study_agrees_with_the_estimator_and_has_an_interval():
    panel = [{"a": 2.0, "b": 4.0, "c": 3.0}, {"a": 2.2, "b": 4.0, "d": 5.0}, {"a": 2.1, "c": 3.3, "d": 5.5}]
    votes = [{s: round(p * 1e6) for s, p in one.items()} for one in panel]
    points = fixed_effects_index({day(n): named(one) for n, one in enumerate(votes)})
    effects = time_effects([named(one) for one in votes])
    for point, effect in zip(points, effects, strict=True):
        assert point.relative == pytest.approx(float((effect - effects[0]).exp()), rel=1e-9)
        assert point.low <= point.relative <= point.high
    assert [p.n_votes for p in points] == [3, 3, 3]
    with pytest.raises(ValueError, match="needs two dates with votes; there are 1"):
        fixed_effects_index({day(0): named(votes[0]), day(1): {}})
