"""From votes to a fixing: hard gates refuse with their rule, soft ones mark, the waterfall is by date."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.index import Ballot, decide, evaluate, gates, make_fixing, windows_between
from rentmark.index.ballot import count
from rentmark.index.state import Memory, State
from rentmark.records import STATUSES_WITH_VALUE, Fixing

from .making import (
    DAY,
    LATER,
    NOON,
    WINDOW,
    ballot,
    benchmark,
    hours,
    in_order,
    offer,
    trade,
    usd,
    windows_for,
)

FIVE = [
    ballot(name, f"{price}.00") for price, name in enumerate(("alpha", "beta", "gamma", "delta", "eps"), 1)
]


def before(rules: Any, earlier: Fixing | None) -> State:
    """What the rules of the day read where one earlier fixing stands."""
    return Memory(rules.methodology, [] if earlier is None else [earlier]).state(DAY)


def fix(
    rules: Any, ballots: list[Ballot], *, archive_holds_day: bool = True, earlier: Fixing | None = None
) -> Fixing:
    return make_fixing(
        rules,
        windows_for(rules)[0],
        in_order(ballots),
        archive_holds_day=archive_holds_day,
        state=before(rules, earlier),
        reconstructed=False,
    )


def traded(seller: str, price: str, gpu_hours: int, **changes: Any) -> Ballot:
    return ballot(seller, price, tier="trade", gpu_seconds=3_600 * gpu_hours, **changes)


HARD = [
    (
        "min_sellers",
        {"vote": ["seller", "region"]},
        [ballot(region=r) for r in ("eu-1", "us-1", "us-2")],
        1,
        3,
    ),
    ("min_votes", {}, FIVE[:2], 2, 3),
    ("min_observations", {}, [ballot(n_observations=2)], 2, 3),
    ("min_venues", {}, [ballot(s, venues=("floor", "hall")) for s in "abcd"], 2, 3),
    ("min_gpu_hours", {"inputs": ["trade"]}, [traded("a", "1.00", 1), traded("b", "2.00", 1)], 2, 3),
]


@pytest.mark.parametrize(("rule", "rules", "ballots", "found", "needed"), HARD, ids=[h[0] for h in HARD])
def test_an_unmet_hard_gate_is_a_gap_that_names_it(rule, rules, ballots, found, needed):
    refused = fix(benchmark(**rules, **{rule: needed}), ballots)
    assert (refused.status, refused.rule, refused.value_micros) == ("GAP", rule, None)
    assert (refused.p25_micros, refused.p75_micros) == (None, None)
    met = fix(benchmark(**rules, **{rule: found}), ballots)
    assert (met.status, met.rule) == ("OK", None)
    tier = "trade" if rule == "min_gpu_hours" else "listed"
    outcome = evaluate(benchmark(**rules, **{rule: needed}), tier, in_order(ballots), WINDOW)
    assert outcome.refusal is not None
    assert (outcome.refusal.code, outcome.refusal.sentence) == (rule, f"{rule} {found}<{needed}")


def test_a_second_short_of_the_hours_needed_is_short():
    rules = benchmark(inputs=["trade"], min_gpu_hours=2)
    assert fix(rules, [ballot(tier="trade", gpu_seconds=7_199)]).rule == "min_gpu_hours"
    assert fix(rules, [ballot(tier="trade", gpu_seconds=7_200)]).status == "OK"


def test_hours_are_asked_of_trades_only():
    rules = benchmark(inputs=["trade", "listed"], min_gpu_hours=100)
    fixing = fix(rules, FIVE)
    assert (fixing.status, fixing.tier) == ("OK", "listed")


def test_the_first_unmet_hard_gate_is_named():
    rules = benchmark(min_votes=9, min_sellers=9, min_observations=9)
    assert fix(rules, FIVE).rule == "min_sellers"


def test_a_day_without_votes_is_no_match_where_the_archive_holds_something_and_empty_otherwise():
    held, empty = fix(benchmark(), []), fix(benchmark(), [], archive_holds_day=False)
    assert (held.status, held.rule, held.n_votes) == ("GAP", "no_match", 0)
    assert (empty.status, empty.rule, empty.top_weight) == ("GAP", "empty_window", None)
    assert (held.tier, held.n_sellers, held.gpu_seconds) == (None, 0, 0)


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        ({"min_sellers": 2, "thin_sellers": 6}, "thin_sellers"),
        ({"thin_observations": 6}, "thin_observations"),
        ({"thin_sellers": 6, "thin_observations": 6}, "thin_sellers"),
        ({"thin_sellers": 5, "thin_observations": 6}, "thin_observations"),
    ],
)
def test_an_unmet_soft_gate_prints_the_value_as_thin(rules, rule):
    fixing = fix(benchmark(**rules), FIVE)
    assert (fixing.status, fixing.rule, fixing.value_micros) == ("THIN", rule, usd("3.00"))


def test_met_soft_gates_are_ok():
    assert fix(benchmark(thin_sellers=5, thin_observations=5), FIVE).status == "OK"


def test_gates_are_reported_hard_ones_first():
    rules = benchmark(inputs=["trade"], min_gpu_hours=1, thin_sellers=2, thin_observations=2).methodology
    asked = gates(rules, "trade", count(FIVE))
    assert [(g.code, g.hard) for g in asked] == [
        ("min_sellers", True),
        ("min_votes", True),
        ("min_observations", True),
        ("min_venues", True),
        ("min_gpu_hours", True),
        ("thin_sellers", False),
        ("thin_observations", False),
    ]
    assert [g.met for g in asked] == [True, True, True, True, False, True, True]


def test_a_fixing_counts_what_stands_behind_it():
    ballots = [
        traded("alpha", "1.00", 4, n_observations=3, venues=("floor", "hall")),
        traded("beta", "2.00", 2, region="eu-1", venues=("floor",)),
        traded("beta", "3.00", 1, region="us-1", venues=("beta",)),
    ]
    fixing = fix(benchmark(inputs=["trade"], vote=["seller", "region"]), ballots)
    assert (fixing.n_sellers, fixing.n_votes, fixing.n_observations, fixing.n_venues) == (2, 3, 5, 3)
    assert (fixing.gpu_seconds, fixing.gpu_hours, fixing.tier) == (3_600 * 7, 7.0, "trade")
    # alpha weighs 2 of 4, beta 1 + 1
    assert fixing.top_weight == "0.500000"


def test_percentiles_interpolate_over_the_votes():
    # five votes 1 to 5: position (n − 1)·0.25 = 1, so exactly 2 and 4; numpy.percentile agrees
    fixing = fix(benchmark(), FIVE)
    assert (fixing.p25_micros, fixing.value_micros, fixing.p75_micros) == (
        usd("2.00"),
        usd("3.00"),
        usd("4.00"),
    )
    # four votes 1 to 4: position 0.75, so 1.75 and 3.25
    fixing = fix(benchmark(), FIVE[:4])
    assert (fixing.p25_micros, fixing.value_micros, fixing.p75_micros) == (
        usd("1.75"),
        usd("2.50"),
        usd("3.25"),
    )
    # two votes of 1 and 3 micro-dollars: 1.5 and 2.5, and each half goes to the even neighbour
    fixing = fix(benchmark(), [ballot("a", "0.000001"), ballot("b", "0.000003")])
    assert (fixing.p25_micros, fixing.p75_micros) == (2, 2)


@pytest.mark.parametrize(
    ("value", "decimals", "printed"),
    [
        ("3.465950", 6, "3.465950"),
        ("3.465950", 4, "3.4660"),
        ("3.465", 2, "3.46"),
        ("3.475", 2, "3.48"),
        ("3.465001", 2, "3.47"),
        ("2.5", 0, "2"),
        ("3.5", 0, "4"),
    ],
)
def test_a_value_is_rounded_half_even_to_the_decimals_of_the_methodology(value, decimals, printed):
    fixing = fix(benchmark(decimals=decimals), [ballot(price=value)])
    assert fixing.value_micros == usd(printed)
    # the percentiles describe the votes and stay exact
    assert fixing.p25_micros == usd(value)


def test_the_waterfall_takes_the_first_tier_that_meets_the_gates():
    rules = benchmark(inputs=["trade", "executable", "listed"], min_sellers=2)
    listed = [ballot("alpha", "5.00"), ballot("beta", "6.00")]
    executable = [replace(b, tier="executable", value_micros=b.value_micros - usd("2.00")) for b in listed]
    one_trade = [traded("alpha", "1.00", 1)]
    assert fix(rules, [*listed, *executable, *one_trade]).tier == "executable"
    both = [*one_trade, traded("beta", "2.00", 1)]
    fixing = fix(rules, [*listed, *executable, *both])
    assert (fixing.tier, fixing.value_micros, fixing.n_votes) == ("trade", usd("1.50"), 2)
    assert fix(rules, [*listed, *one_trade]).value_micros == usd("5.50")


def test_where_no_tier_suffices_the_last_one_with_votes_names_the_rule():
    rules = benchmark(inputs=["trade", "listed"], min_sellers=2)
    fixing = fix(rules, [ballot(), traded("alpha", "1.00", 1)])
    assert (fixing.status, fixing.rule, fixing.tier) == ("GAP", "min_sellers", "listed")
    fixing = fix(rules, [traded("alpha", "1.00", 1)])
    assert (fixing.status, fixing.rule, fixing.tier) == ("GAP", "min_sellers", "trade")


def test_the_waterfall_is_decided_for_each_date(world):
    rules = benchmark(inputs=["trade", "listed"])
    rows = [offer(), offer(observed_at=NOON + hours(24)), trade(price_micros=usd("2.00"))]
    fixings = world(rows).fixings(rules, windows_between(rules.methodology, DAY, DAY.replace(day=9), LATER))
    assert [(f.tier, f.value_micros) for f in fixings] == [("trade", usd("2.00")), ("listed", usd("3.00"))]


def test_trades_without_volume_refuse_a_volume_weighted_value():
    rules = benchmark(inputs=["trade"], weights="volume", estimator="volume_weighted_median")
    fixing = fix(rules, [ballot(tier="trade", gpu_seconds=0)])
    assert (fixing.status, fixing.rule, fixing.top_weight) == ("GAP", "no_volume", None)


@pytest.mark.parametrize(
    ("tier", "venues", "grade"),
    [
        ("trade", ("floor", "hall"), True),
        ("executable", ("floor", "hall"), True),
        ("trade", ("floor", "floor"), False),
        ("listed", ("floor", "hall"), False),
    ],
)
def test_settlement_grade_needs_more_than_lists_and_two_venues(tier, venues, grade):
    ballots = [ballot(s, tier=tier, venues=(v,), gpu_seconds=9) for s, v in zip("ab", venues, strict=True)]
    assert fix(benchmark(inputs=["trade", "executable", "listed"]), ballots).settlement_grade is grade


def test_a_gap_is_never_settlement_grade():
    ballots = [ballot(s, tier="executable", venues=(s,)) for s in "ab"]
    assert not fix(benchmark(inputs=["executable"], min_sellers=3), ballots).settlement_grade


def test_unknown_rights_and_simulated_votes_mark_the_fixing():
    plain = fix(benchmark(), FIVE)
    assert (plain.rights, plain.simulated) == ("allowed", False)
    marked = fix(benchmark(), [*FIVE, ballot("zeta", rights_unknown=True, simulated=True)])
    assert (marked.rights, marked.simulated) == ("unknown", True)


def test_a_fixing_names_its_rules_and_when_it_counts():
    rules = benchmark(cutoff="16:00 UTC", publication_lag_hours=3)
    fixing = fix(rules, FIVE)
    assert (fixing.benchmark, fixing.methodology, fixing.methodology_version) == (
        "invented-h100",
        "invented-method",
        "1.0.0",
    )
    assert fixing.methodology_hash == rules.methodology_hash
    assert fixing.effective_at.isoformat() == "2026-07-08T19:00:00+00:00"
    assert (fixing.revision, fixing.published_at, fixing.origin, fixing.state) == (0, None, None, "candidate")


@st.composite
def days_of_votes(draw: st.DrawFn) -> tuple[Any, list[Ballot]]:
    weights = draw(st.sampled_from(["seller", "vote", "volume"]))
    estimators = ["median", "volume_weighted_median"] if weights == "volume" else ["median"]
    rules = benchmark(
        inputs=["trade", "executable", "listed"],
        vote=["seller", "region"],
        min_sellers=draw(st.integers(1, 3)),
        min_votes=draw(st.integers(1, 4)),
        min_gpu_hours=draw(st.sampled_from([0, 5])),
        thin_observations=draw(st.sampled_from([None, 4])),
        weights=weights,
        estimator=draw(st.sampled_from(estimators)),
        decimals=draw(st.sampled_from([6, 2])),
        fallback="carry",
        carry_days=1,
    )
    ballots = draw(
        st.lists(
            st.builds(
                lambda tier, seller, region, quarters, gpu_hours: ballot(
                    seller,
                    "1.00",
                    value_micros=250_000 * quarters,
                    tier=tier,
                    region=region,
                    gpu_seconds=3_600 * gpu_hours if tier == "trade" else 0,
                ),
                st.sampled_from(["trade", "executable", "listed"]),
                st.sampled_from("abcd"),
                st.sampled_from([None, "eu-1", "us-1"]),
                st.integers(1, 8),
                st.integers(0, 4),
            ),
            max_size=9,
            unique_by=lambda b: (b.tier, b.seller, b.region),
        )
    )
    return rules, ballots


@given(days_of_votes(), st.booleans(), st.booleans())
def test_a_value_is_null_exactly_when_the_status_is_gap_and_then_a_rule_is_named(day, holds, carrying):
    rules, ballots = day
    earlier = None
    if carrying:
        window = windows_for(benchmark())[0]
        earlier = replace(fix(benchmark(), FIVE), date=window.date.replace(day=7))
    fixing = fix(rules, ballots, archive_holds_day=holds, earlier=earlier)
    assert (fixing.value_micros is None) == (fixing.status == "GAP")
    assert (fixing.status in STATUSES_WITH_VALUE) == (fixing.value_micros is not None)
    assert (fixing.rule is None) == (fixing.status == "OK")
    assert (fixing.status == "CARRIED") == (fixing.carried_from is not None)
    assert (fixing.p25_micros is not None) == (fixing.status in {"OK", "THIN"})
    outcome = decide(rules, in_order(ballots), WINDOW, before(rules, earlier)).outcome
    if fixing.status in {"OK", "THIN"}:
        assert outcome is not None
        values = [v.value_micros for v in outcome.votes]
        printed = [fixing.p25_micros, fixing.p75_micros, fixing.value_micros]
        lowest, highest, value = (micros for micros in printed if micros is not None)
        assert min(values) <= lowest <= highest <= max(values)
        assert min(values) <= value <= max(values)
    else:
        assert outcome is None or outcome.value_micros is None
