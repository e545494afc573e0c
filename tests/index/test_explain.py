"""Explain: every row of the window, in or out and why, and the value without each seller."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest
from rentmark.grades.spec import Grade
from rentmark.index import (
    EXCLUSIONS,
    Benchmark,
    Explanation,
    WithoutSeller,
    explain,
    leave_one_out,
    window_of,
)
from rentmark.index.panel import REFUSAL

from .drawing import BENCHMARKS, large_archive
from .making import (
    LATER,
    NOON,
    WINDOW,
    World,
    ballot,
    benchmark,
    hours,
    in_order,
    offer,
    trade,
    usd,
    windows_for,
)
from .test_panel_properties import DATES

BOTH_TIERS = benchmark({"form_factor": ["SXM"]}, inputs=["trade", "listed"], min_sellers=2)
ROWS = [
    offer(seller="alpha", price_micros=usd("4.00")),
    offer(seller="alpha", price_micros=usd("9.00"), observed_at=NOON - hours(1)),
    offer(seller="beta", price_micros=usd("2.00")),
    offer(seller="gamma", price_micros=usd("3.00"), form_factor="PCIe"),
    offer(seller="gamma", chip="H200"),
    trade(seller="delta", price_micros=usd("1.00")),
]


def explained(archive: World, rules: Benchmark) -> Explanation:
    ballots = archive.ballots(rules)
    window = windows_for(rules)[0]
    fixing = archive.fixing(rules)
    return explain(rules, fixing, window, ballots.get(window.date, []), archive.explained(rules))


def test_every_row_of_the_window_is_there_in_order_of_price_with_its_reason(world):
    reasons = [None, "older_state", None, "form_factor", "chip", None]
    expected = sorted(
        (row["price_micros"], row["observation_id"], reason)
        for row, reason in zip(ROWS, reasons, strict=True)
    )
    shown = world(ROWS).explained(BOTH_TIERS)
    assert [(row["price_micros"], row["observation_id"], row[REFUSAL]) for row in shown] == expected


def test_rows_of_a_tier_passed_over_say_so_and_the_rest_are_in(world):
    explanation = explained(world(ROWS), BOTH_TIERS)
    assert explanation.fixing.tier == "listed"
    assert explanation.funnel == {
        "chip": 1,
        "form_factor": 1,
        "older_state": 1,
        "tier_not_chosen": 1,
        "in": 2,
    }
    assert sum(explanation.funnel.values()) == len(ROWS)
    assert explanation.fixing.n_observations == explanation.funnel["in"]


def test_explaining_does_not_change_the_rows_it_was_given(world):
    archive = world(ROWS)
    rows = archive.explained(BOTH_TIERS)
    before = deepcopy(rows)
    window = windows_for(BOTH_TIERS)[0]
    explain(BOTH_TIERS, archive.fixing(BOTH_TIERS), window, archive.ballots(BOTH_TIERS)[window.date], rows)
    assert rows == before


def test_a_day_on_which_nothing_meets_the_grade_is_explained_too(world):
    explanation = explained(world([offer(chip="H200"), offer(chip="H200", seller="beta")]), BOTH_TIERS)
    assert explanation.outcome is None
    assert explanation.funnel == {"chip": 2}
    assert explanation.without == ()
    assert explanation.fixing.rule == "no_match"


def test_a_refused_day_shows_the_votes_and_the_gate_that_refused_them(world):
    explanation = explained(world(ROWS[2:3]), BOTH_TIERS)
    assert explanation.outcome is not None
    assert [v.seller for v in explanation.outcome.votes] == ["beta"]
    assert [g.code for g in explanation.outcome.gates if not g.met] == ["min_sellers"]
    assert explanation.without == (WithoutSeller("beta", None, "no_match"),)


def test_an_explanation_is_of_what_was_known_then(world):
    late = offer(seller="eps", recorded_at=NOON + hours(100))
    rows = world([*ROWS, late]).explained(BOTH_TIERS, windows_for(BOTH_TIERS, seen_until=NOON + hours(99))[0])
    assert late["observation_id"] not in {row["observation_id"] for row in rows}


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("reconstructed", [False, True], ids=["strict", "reconstructed"])
def test_the_funnel_adds_up_and_what_is_in_is_what_was_counted(engine, name, reconstructed):
    rules = BENCHMARKS[name]
    archive = World(engine, large_archive(seed=31, count=900))
    windows = [window_of(rules.methodology, day, LATER) for day in DATES]
    ballots = archive.ballots(rules, windows, reconstructed=reconstructed)
    fixings = archive.fixings(rules, windows, reconstructed=reconstructed)
    counted = Counter[str]()
    for window, fixing in zip(windows, fixings, strict=True):
        rows = archive.explained(rules, window, reconstructed=reconstructed)
        marks = Counter(row[REFUSAL] for row in rows)
        explanation = explain(rules, fixing, window, ballots.get(window.date, []), rows)
        assert sum(explanation.funnel.values()) == len(rows) == len(explanation.observations)
        assert set(explanation.funnel) <= {*EXCLUSIONS, "in"}
        assert explanation.funnel.get("in", 0) == fixing.n_observations
        # before the waterfall, what is in is what all votes of all tiers gathered
        assert marks[None] == sum(b.n_observations for b in ballots.get(window.date, []))
        counted.update(explanation.funnel)
    assert counted["in"] >= 3


def without(rules: Benchmark, seller: str) -> Benchmark:
    """The same rules with one seller excluded by the grade."""
    excluded = (*(rules.grade.exclude_sellers or ()), seller)
    grade = Grade.model_validate({**rules.grade.model_dump(), "exclude_sellers": excluded})
    return replace(rules, grade=grade)


def without_circles(rules: Benchmark) -> Benchmark:
    """The same rules, keeping trades in a circle: leaving a seller out does not undo what stood in a circle."""
    if rules.methodology.screen is None:
        return rules
    screen = rules.methodology.screen.model_copy(update={"circular_trades": "keep"})
    return replace(rules, methodology=rules.methodology.model_copy(update={"screen": screen}))


# without a seller by the grade a trade with it no longer goes in a circle; without its votes it did
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name != "screens"])
def test_the_value_without_a_seller_is_that_of_a_build_without_it(engine, name):
    rules = without_circles(BENCHMARKS[name])
    archive = World(engine, large_archive(seed=41, count=900))
    windows = [window_of(rules.methodology, day, LATER) for day in DATES]
    ballots = archive.ballots(rules, windows)
    rebuilt = {
        seller: {f.date: f for f in archive.fixings(without(rules, seller), windows)}
        for seller in ("alpha", "beta", "gamma")
    }
    compared = 0
    for day, of_day in ballots.items():
        for left in leave_one_out(rules, of_day, window_of(rules.methodology, day, LATER)):
            again = rebuilt[left.seller][day]
            assert (left.value_micros, left.rule) == (again.value_micros, again.rule)
            compared += 1
    assert compared >= 3


def test_leaving_a_seller_out_goes_through_the_gates_and_the_waterfall():
    rules = benchmark(inputs=["trade", "listed"], min_sellers=2)
    ballots = in_order(
        [
            ballot("alpha", "1.00", tier="trade"),
            ballot("beta", "2.00", tier="trade"),
            ballot("beta", "5.00"),
            ballot("gamma", "6.00"),
        ]
    )
    assert leave_one_out(rules, ballots, WINDOW) == (
        WithoutSeller("alpha", usd("5.50"), None),
        WithoutSeller("beta", None, "min_sellers"),
        WithoutSeller("gamma", usd("1.50"), None),
    )


def test_every_exclusion_has_its_own_words():
    assert len(set(EXCLUSIONS.values())) == len(EXCLUSIONS)
    assert all(words and words[0].islower() for words in EXCLUSIONS.values())


def test_an_explained_row_says_where_it_came_from(world):
    archive = world([offer(license="CC BY 4.0", payload_digest="a" * 64, position=12)])
    (row,) = archive.explained(benchmark())
    origin = ("payload_digest", "position", "license", "known_at", "recorded_at", "source")
    assert {name: row[name] for name in origin} == {
        "payload_digest": "a" * 64,
        "position": 12,
        "license": "CC BY 4.0",
        "known_at": NOON + hours(1),
        "recorded_at": NOON + hours(2),
        "source": "invented",
    }
