"""What `explain` shows: every step follows from its own terms, and the last one is the printed value."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index import (
    ESTIMATORS,
    Ballot,
    Before,
    Composition,
    build_fixings,
    decide,
    explain,
    explained_rows,
)
from rentmark.index.state import Memory

from .estimator_suite import assert_steps_follow
from .making import DAY, NOON, World, ballot, benchmark, hours, in_order, offer, trade, usd, windows_for

PARAMETERS: dict[str, dict[str, Any]] = {
    "trimmed_mean": {"tail": 0.2},
    "winsorised_mean": {"tail": 0.2},
    "partitioned_volume_weighted_median": {"partitions": 6, "vote": ["observation"], "inputs": ["trade"]},
    "central_third_mean": {"spread_floor": 0.03, "memory_days": 30},
    "matched_chain": {"memory_days": 30},
    "time_dummy": {"memory_days": 30, "splice": "mean"},
}
AROUND: list[dict[str, Any]] = [
    {},
    {"screen": {"robust_z": 3.5, "venue_deviation": 0.2}},
    {"cap": 0.5, "min_sellers": 2, "recency": 0.5},
    {"decimals": 2, "reopen": {"days": 2}, "max_dispersion": 1},
]


def rules_of(name: str, around: dict[str, Any]) -> Any:
    rules: dict[str, Any] = {
        "estimator": name,
        "inputs": ["trade", "listed"],
        **PARAMETERS.get(name, {}),
        **around,
    }
    if "volume" in ESTIMATORS[name].reads:
        rules["weights"] = "volume"
    return benchmark(**rules)


ballots_drawn = st.lists(
    st.builds(
        lambda tier, seller, quarters, gpu_hours, number: ballot(
            seller,
            "1.00",
            value_micros=250_000 * quarters,
            tier=tier,
            gpu_seconds=3600 * gpu_hours if tier == "trade" else 0,
            observation_id=number,
            venues=(seller if number % 2 else "floor",),
            instant=1_783_468_800_000_000 + 3_600_000_000 * (number % 24),
        ),
        st.sampled_from(["trade", "listed"]),
        st.sampled_from("abcde"),
        st.integers(1, 24),
        st.integers(0, 5),
        st.integers(0, 10_000),
    ),
    max_size=10,
    unique_by=lambda b: (b.tier, b.seller),
)


@settings(deadline=None, max_examples=25)
@pytest.mark.parametrize("name", ESTIMATORS)
@given(days=st.lists(ballots_drawn, min_size=1, max_size=4), around=st.sampled_from(AROUND))
def test_the_arithmetic_shown_comes_to_the_value_to_the_micro_dollar(name, days, around):
    rules = rules_of(name, around)
    dated = {DAY + timedelta(days=n): in_order(ballots) for n, ballots in enumerate(days)}
    windows = windows_for(rules, DAY, DAY + timedelta(days=len(days) - 1))
    fixings = build_fixings(
        rules, dated, windows, archive_holds=lambda _: False, published={}, reconstructed=False
    )
    memory = Memory(rules.methodology)
    for fixing, window in zip(fixings, windows, strict=True):
        outcome = decide(rules, dated[window.date], window, memory.state(window.date)).outcome
        memory.put(fixing)
        if outcome is None or outcome.value_micros is None:
            assert fixing.status == "GAP"
            continue
        assert fixing.value_micros == outcome.value_micros
        steps = outcome.steps
        assert_steps_follow(steps)
        assert steps[-1].operation == "round"
        assert steps[-1].result == fixing.value_micros
        # a step takes votes, levels of earlier fixings, or what a step before it came to
        before = {Fraction(v.value_micros) for v in outcome.votes}
        before |= {Fraction(r.value_micros) for r in memory.state(window.date).recent if r.value_micros}
        for step in steps:
            drawn_in = name in {"central_third_mean", "winsorised_mean"} and step is steps[0]
            if step.unit == "usd" and step.operation != "product" and not drawn_in:
                assert {term.value for term in step.terms} <= before, step.name
            before.add(step.result)
        assert sum(vote.weight for vote in outcome.votes) == outcome.votes[0].total_weight


def test_a_blend_shows_the_steps_of_each_tier_and_then_the_one_that_joins_them():
    rules = benchmark(
        inputs=["trade", "listed"], hierarchy="blend", blend={"trade": 0.75, "listed": 0.25}, decimals=2
    )
    ballots = in_order([ballot("a", "2.00", tier="trade"), ballot("b", "3.01"), ballot("c", "3.02")])
    outcome = decide(rules, ballots, windows_for(rules)[0]).outcome
    assert outcome is not None
    assert_steps_follow(outcome.steps)
    joined = next(s for s in outcome.steps if s.name.startswith("blend"))
    # worked by hand: the list tier rounds 3.015 half-even to 3.02, and 0.75·2 + 0.25·3.02 = 2.255 to 2.26
    assert [(t.label, t.value, t.weight) for t in joined.terms] == [
        ("trade level", usd("2.00"), Fraction(3, 4)),
        ("listed level", usd("3.02"), Fraction(1, 4)),
    ]
    assert outcome.value_micros == usd("2.26")


SCREENED = benchmark(
    inputs=["trade", "listed"], estimator="mean", screen={"robust_z": 3.5, "circular_trades": "exclude"}
)
ROWS = [
    *(offer(seller=s, price_micros=usd("3.00")) for s in "abcd"),
    offer(seller="wild", price_micros=usd("1000000.00")),
    offer(seller="wild", sku="k1", price_micros=usd("1000000.00")),
    trade("t1", seller="x", buyer="x", price_micros=usd("1.00")),
    trade("t2", seller="x", buyer="y", price_micros=usd("1.00")),
    trade("t3", seller="y", buyer="x", price_micros=usd("1.00")),
]


def explained(world: Any, rules: Any, rows: list[dict[str, Any]], **more: Any) -> Any:
    archive: World = world(rows)
    window = windows_for(rules)[0]
    ballots: list[Ballot] = archive.ballots(rules).get(window.date, [])
    return explain(rules, archive.fixing(rules), window, ballots, archive.explained(rules), **more)


def test_rows_behind_a_screened_vote_are_left_out_by_its_rule(world):
    explanation = explained(world, SCREENED, ROWS)
    assert explanation.fixing.value_micros == usd("3.00")
    assert explanation.funnel == {"wash_trade": 1, "circular_trade": 2, "robust_distance": 2, "in": 4}
    assert explanation.funnel["in"] == explanation.fixing.n_observations
    (screened,) = explanation.outcome.screened
    assert screened.sentence == "1000000.000000 is 333333.3333 times off the median, beyond the band 2"


def test_a_row_is_matched_to_its_vote_by_sku_region_or_itself(world):
    rows = [
        *(offer(seller=s, price_micros=usd("3.00")) for s in "abc"),
        offer(seller="d", sku="k1", price_micros=usd("900.00")),
        offer(seller="d", sku="k2", price_micros=usd("3.00"), region="us-1"),
        offer(seller="d", sku=None, price_micros=usd("800.00")),
    ]
    for vote, out in ((["seller", "sku"], 2), (["observation"], 2), (["seller", "region"], 2)):
        rules = benchmark(vote=vote, screen={"robust_z": 3.5})
        explanation = explained(world, rules, rows)
        assert explanation.funnel == {"robust_distance": out, "in": len(rows) - out}


def test_an_explanation_takes_the_move_since_the_date_before_apart(world):
    rules = benchmark()
    (window,) = windows_for(rules)
    (earlier,) = windows_for(rules, DAY - timedelta(days=1))
    rows = [
        offer(seller="a", observed_at=NOON - hours(24), price_micros=usd("2.00")),
        offer(seller="a", price_micros=usd("3.00")),
        offer(seller="b", price_micros=usd("9.00")),
    ]
    archive: World = world(rows)
    ballots = archive.ballots(rules, [earlier, window])
    archive.bind()
    shown = explained_rows(rules, window, archive.engine, corrected=False, reconstructed=False)
    made = explain(
        rules,
        archive.fixing(rules),
        window,
        ballots[window.date],
        shown,
        before=Before(earlier, ballots[earlier.date]),
    )
    assert isinstance(made.composition, Composition)
    assert (made.composition.change_micros, made.composition.price_micros) == (usd("4.00"), usd("1.00"))
    assert made.composition.entered == ("b",)


@settings(deadline=None)
@given(ballots_drawn, st.sampled_from(["median", "weighted_median"]), st.data())
def test_one_seller_that_changes_its_price_moves_a_median_no_further_than_the_neighbouring_vote(
    ballots, name, data
):
    held = [b for b in ballots if b.tier == "listed"]
    if len(held) < 2:
        return
    rules = benchmark(estimator=name)
    window = windows_for(rules)[0]
    changed = data.draw(st.sampled_from(held))
    moved = ballot(changed.seller, "1.00", value_micros=250_000 * data.draw(st.integers(1, 200)))
    rest = [b for b in held if b is not changed]
    values = []
    for votes in (held, [*rest, moved]):
        outcome = decide(rules, in_order(votes), window).outcome
        assert outcome is not None
        assert outcome.value_micros is not None
        values.append(outcome.value_micros)
    # whatever one seller asks, the value stays between two votes that stand around the middle without it
    others = sorted(b.value_micros for b in rest)
    low = others[max((len(others) - 1) // 2 - (len(others) % 2 == 1), 0)]
    high = others[min(len(others) // 2 + (len(others) % 2 == 1), len(others) - 1)]
    if len(others) >= 3:
        assert all(low <= value <= high for value in values)
