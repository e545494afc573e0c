"""Alarms as of each day: what fires, what does not, and that the future changes no past alarm."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest.alarm_rules import WatchRules, read_watch
from rentmark.backtest.alarms import fixing_alarms, rent_alarms
from rentmark.backtest.monitoring import first_crossing
from rentmark.backtest.series import CommonDate
from rentmark.records import UsageError

from .making import days_from, make_fixing

START = date(2026, 1, 1)
RULES = WatchRules(
    gap_run=2,
    coverage_days=4,
    stale_days=2,
    sellers_window=3,
    z_window=10,
    rolling_window=12,
    cusum_training=12,
)


def kinds(alarms):
    return [(each.kind, (each.date - START).days) for each in alarms]


def fixings_of(values, **changes):
    return [
        make_fixing(day, value, **changes)
        for day, value in zip(days_from(START, len(values)), values, strict=True)
    ]


def fired(values, kind, rules=RULES, **changes):
    fixings = fixings_of(values, **changes)
    found = fixing_alarms(fixings, rules, today=fixings[-1].date)
    return [(each.date - START).days for each in found if each.kind == kind]


def test_a_run_of_gaps_fires_once_when_it_is_long_enough():
    assert fired([3_000_000, None, None, None, 3_000_000, None, None], "gap_run") == [2, 6]


def test_coverage_fires_when_it_falls_and_again_after_it_recovered():
    values = [3_000_000] * 4 + [None] + [3_000_000] * 4 + [None]
    assert fired(values, "coverage") == [4, 9]


def test_a_feed_goes_stale_on_its_own_day_in_the_past_as_well_as_today():
    assert fired([3_000_000, None, None, None, 3_000_000], "stale") == [3]
    assert fired([3_000_000, None, None, 3_000_000], "stale") == []
    last = fixing_alarms(fixings_of([3_000_000]), RULES, today=START + timedelta(days=9))
    assert ("stale", 3) in kinds(last)
    assert not kinds(fixing_alarms(fixings_of([3_000_000]), RULES, today=START + timedelta(days=2)))


def test_a_benchmark_with_weekly_values_is_late_by_its_own_rhythm():
    weekly = [3_000_000 if number % 7 == 0 else None for number in range(64)]
    # Distances of seven days: two weeks are allowed once five of them are known, on day 35.
    quiet = [day for day in fired([*weekly, *[None] * 20], "stale") if day > 35]
    assert quiet == [63 + 15]
    assert [day for day in fired([*weekly, *[None] * 20], "gap_run") if day > 35] == [63 + 14]


def test_a_jump_is_measured_from_the_last_value_over_gaps():
    assert fired([3_000_000, None, 3_300_000, 3_310_000], "jump") == [2]


def test_sellers_are_held_against_what_was_usual():
    fixings = [
        make_fixing(day, 3_000_000, n_sellers=n)
        for day, n in zip(days_from(START, 6), [10, 10, 10, 6, 5, 10], strict=True)
    ]
    found = fixing_alarms(fixings, RULES, today=fixings[-1].date)
    assert [(each.date - START).days for each in found if each.kind == "few_sellers"] == [3]


def test_one_heavy_vote_fires_when_it_becomes_heavy():
    weights = ["0.300000", "0.500000", "0.600000", "0.400000", "0.700000"]
    fixings = [
        make_fixing(day, 3_000_000, top_weight=weight)
        for day, weight in zip(days_from(START, 5), weights, strict=True)
    ]
    found = fixing_alarms(fixings, RULES, today=fixings[-1].date)
    assert kinds(each for each in found if each.kind == "top_weight") == [
        ("top_weight", 1),
        ("top_weight", 4),
    ]


def test_a_panel_that_turns_over_names_who_came_and_left():
    panels = {START: frozenset("abc"), START + timedelta(days=1): frozenset("abd")}
    found = fixing_alarms(fixings_of([3_000_000] * 2), RULES, today=START, panels=panels)
    assert [each.kind for each in found] == ["seller_set"]
    assert found[0].value == 0.5
    assert found[0].sentence.endswith("2 of 4 sellers behind invented-list came or left: +d, −c.")


def test_new_rules_are_told():
    changed = make_fixing(START + timedelta(days=1), methodology_hash="2" * 64)
    fixings = [*fixings_of([3_000_000]), changed]
    assert kinds(fixing_alarms(fixings, RULES, today=START)) == [("methodology", 1)]


def common_of(rent, reference):
    days = days_from(START, len(rent))
    return [CommonDate(day, int(y), int(x)) for day, y, x in zip(days, rent, reference, strict=True)]


def calm(n, seed=4):
    generator = np.random.default_rng(seed)
    reference = 3_000_000 + np.cumsum(generator.integers(-3, 4, n)) * 10_000
    return reference + 100_000 + generator.integers(-1, 2, n) * 5_000, reference


def test_a_step_of_the_gap_fires_on_its_day_and_not_on_the_days_after():
    rent, reference = calm(40)
    rent[25:] += 900_000
    found = [
        each for each in rent_alarms(common_of(rent, reference), RULES, "rent.csv") if each.kind == "basis_z"
    ]
    assert kinds(found) == [("basis_z", 25)]
    assert found[0].value > 4


def test_the_first_move_of_a_gap_that_stood_still_has_no_scale_and_says_so():
    rent = np.full(20, 3_000_000)
    rent[15:] = 3_500_000
    found = rent_alarms(common_of(rent, np.full(20, 3_000_000)), RULES, "rent.csv")
    assert kinds(found) == [("basis_z", 15)]
    assert found[0].value is None
    assert found[0].to_json()["reason"] == "it had not moved before, so there is no scale"
    small = rent.copy()
    small[15:] = 3_010_000
    assert rent_alarms(common_of(small, np.full(20, 3_000_000)), RULES, "rent.csv") == []


def test_a_rent_that_stops_following_loses_r_squared_and_ratio():
    rent, reference = calm(80)
    rent[40:] = rent[40] + np.random.default_rng(1).integers(-1, 2, 40) * 5_000
    found = {each.kind for each in rent_alarms(common_of(rent, reference), RULES, "rent.csv")}
    assert {"rolling_r_squared", "rolling_ratio"} <= found


def test_the_running_sum_of_errors_crosses_after_the_rent_begins_to_drift():
    rent, reference = calm(120)
    rent[60:] += np.arange(60) * 40_000
    found = [
        each for each in rent_alarms(common_of(rent, reference), RULES, "rent.csv") if each.kind == "cusum"
    ]
    assert 60 < (found[0].date - START).days < 90


def test_monitoring_holds_its_level_over_all_time():
    """Null: a constant ratio and independent Gaussian errors; 60 changes of training, 440 watched; 200 runs.

    Chu, Stinchcombe & White's (1996) bound is for 5 % over infinite time; an estimated σ̂ adds a little.
    """
    crossed = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        reference = generator.normal(size=500)
        rent = 0.5 * reference + generator.normal(size=500)
        crossed += first_crossing(rent.tolist(), reference.tolist(), 60, 7.78) is not None
    # Binomial(200, 0.07): 14 ± 3 × 3.6.
    assert crossed <= 25


def test_training_goes_on_until_there_is_an_error_to_measure_by():
    reference = [float(n % 3) for n in range(40)]
    rent = list(reference)
    assert first_crossing(rent, reference, 12, 7.78) is None
    rent[20] += 0.5
    assert first_crossing(rent, reference, 12, 7.78) is None
    later = rent[:30] + [each + 50 for each in rent[30:]]
    assert first_crossing(later, reference, 12, 7.78)[0] == 30


PRICE = st.integers(8, 14).map(lambda each: each * 250_000)
DAY = st.one_of(st.none(), PRICE)


@given(
    values=st.lists(DAY, min_size=2, max_size=40),
    more=st.lists(DAY, min_size=1, max_size=15),
    sellers=st.lists(st.integers(3, 9), min_size=55, max_size=55),
)
@settings(max_examples=60, deadline=None)
def test_no_future_fixing_changes_an_alarm_of_the_past(values, more, sellers):
    every = [
        make_fixing(day, value, n_sellers=n, top_weight=f"0.{n}00000")
        for day, value, n in zip(
            days_from(START, len(values) + len(more)), [*values, *more], sellers, strict=False
        )
    ]
    panels = {each.date: frozenset(range(each.n_sellers)) for each in every if each.value_micros}
    now = every[len(values) - 1].date
    then = fixing_alarms(
        every[: len(values)], RULES, today=now, panels={d: p for d, p in panels.items() if d <= now}
    )
    later = fixing_alarms(every, RULES, today=every[-1].date, panels=panels)
    assert [each for each in later if each.date <= now] == then


@given(
    pairs=st.lists(st.tuples(PRICE, PRICE), min_size=2, max_size=60),
    more=st.lists(st.tuples(PRICE, PRICE), min_size=1, max_size=30),
)
@settings(max_examples=60, deadline=None)
def test_no_future_rent_or_fixing_changes_an_alarm_of_the_past(pairs, more):
    every = common_of(*np.array([*pairs, *more]).T)
    then = rent_alarms(every[: len(pairs)], RULES, "rent.csv")
    later = rent_alarms(every, RULES, "rent.csv")
    assert [each for each in later if each.date <= every[len(pairs) - 1].date] == then


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"z": 0}, "z"),
        ({"gap_runs": 3}, "gap_runs"),
        (3, "write a table"),
        ({"coverage_at_least": 1.5}, "1.5"),
    ],
)
def test_a_threshold_that_makes_no_sense_is_one_sentence(table, said):
    with pytest.raises(UsageError, match=said):
        read_watch(table)
