"""Changed keys and other rules: what each does to a period, and that a difference is explained to nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.index import Methodology
from rentmark.index.review.parallel import Parallel, parallel
from rentmark.index.review.sensitivity import sensitivity
from rentmark.index.review.variants import NOT_VARIED, variants

from tests.index.making import DAY, ballot, benchmark, in_order, usd
from tests.index.review.making import MEDIAN, days, votes

SCREENED = benchmark(
    inputs=["trade", "listed"],
    estimator="trimmed_mean",
    tail="0.2",
    cap="0.5",
    cap_venue="0.5",
    cap_aggregator="0.6",
    weight_floor="0.05",
    max_aggregator_share="0.8",
    min_sellers=3,
    min_venues=2,
    thin_sellers=5,
    thin_observations=4,
    min_gpu_hours=200,
    max_dispersion="0.5",
    dispersion_days=3,
    reopen={"days": 2},
    screen={"robust_z": "3", "venue_deviation": "0.2", "jump": {"move": "0.25", "others_move": "0.1"}},
    fallback="carry",
    carry_days=2,
    lookback_hours=36,
    staleness_hours=30,
    outage_sources=["invented"],
)


def test_every_key_is_varied_or_named_as_left_alone():
    seen = {v.key.split(".")[0] for v in (*variants(MEDIAN), *variants(SCREENED))}
    for name, extra in (
        (
            "partitioned_volume_weighted_median",
            {
                "partitions": 4,
                "inputs": ["trade"],
                "vote": ["observation"],
                "weights": "volume",
                "max_trade_share": "0.5",
            },
        ),
        ("central_third_mean", {"spread_floor": "0.03", "memory_days": 20}),
        ("time_dummy", {"memory_days": 9, "splice": "movement"}),
    ):
        seen |= {v.key.split(".")[0] for v in variants(benchmark(estimator=name, **extra))}
    assert set(Methodology.model_fields) - seen == NOT_VARIED


def test_a_variant_changes_its_key_and_what_it_can_not_be_without():
    for variant in variants(SCREENED):
        if variant.benchmark is None:
            assert variant.reason
            continue
        old, new = SCREENED.methodology.model_dump(), variant.benchmark.methodology.model_dump()
        changed = {key for key in old if old[key] != new[key]}
        allowed = {variant.key.split(".")[0]} | {
            "estimator": {"tail"},
            "fallback": {"carry_days"},
            "max_dispersion": {"dispersion_days"},
        }.get(variant.key, set())
        assert changed
        assert changed <= allowed, variant
        assert variant.benchmark.methodology_hash != SCREENED.methodology_hash


def test_sensitivity_by_hand():
    rules = benchmark(min_sellers=2)
    panel = [votes(a="2.00", b="3.00", c="4.00"), votes(a="2.00", b="5.00"), votes(a="2.00")]
    made = days(rules, panel)
    held = {day.window.date: day.ballots for day in made}
    found = {(s.key, s.asked): s for s in sensitivity(rules, made, lambda _: held)}
    stricter = found["min_sellers", "3"]
    assert (stricter.n_compared, stricter.n_changed, stricter.n_gapped, stricter.n_gained) == (1, 0, 1, 0)
    looser = found["min_sellers", "1"]
    assert (looser.n_compared, looser.n_gapped, looser.n_gained) == (2, 0, 1)
    lower = found["estimator", "weighted_median"]
    # the lower of the middle two: 2.00 for 3.50 on the second date
    assert (lower.n_changed, lower.largest_on, lower.largest) == (
        1,
        DAY + timedelta(days=1),
        pytest.approx(-3 / 7),
    )
    assert lower.mean_absolute == pytest.approx(3 / 14)
    carried = found["fallback", "carry (carry_days 1)"]
    assert (carried.n_gained, carried.n_changed) == (1, 0)


def side_by_side(one, other, panel, other_panel=None) -> Parallel:
    beside = {day.window.date: day for day in days(other, panel if other_panel is None else other_panel)}
    return parallel(one, days(one, panel), other, beside, names=("one", "other"))


def test_a_difference_is_laid_to_the_seller_that_is_not_there():
    strict = benchmark(grade={"form_factor": ["SXM"]})
    made = side_by_side(
        MEDIAN, strict, [votes(a="2.00", b="3.00", c="4.00", d="9.00")], [votes(a="2.00", b="3.00", c="4.00")]
    )
    assert not made.same_grade
    assert ("grade.form_factor", "none", "SXM") in made.changed_keys
    day = made.days[0]
    assert day.difference_micros == usd("-0.50")
    pieces = {p.name: p for p in day.pieces}
    assert (pieces["d"].change, pieces["d"].explains_micros, pieces["d"].why) == (
        "removed",
        usd("-0.50"),
        "no vote",
    )
    assert pieces["remainder"].explains_micros == 0
    assert (made.n_both, made.n_differ, made.mean_difference) == (1, 1, pytest.approx(-1 / 7))


def test_a_screened_seller_says_which_rule_left_it_out():
    screened = benchmark(screen={"robust_z": "3"})
    made = side_by_side(
        MEDIAN, screened, [votes(a="2.95", b="3.00", c="3.02", d="3.05", e="90.00", f="3.10")]
    )
    (piece,) = [p for p in made.days[0].pieces if p.name == "e"]
    assert (piece.change, piece.why, piece.before_micros, piece.after_micros) == (
        "removed",
        "robust_distance",
        usd("90.00"),
        None,
    )


def test_weights_and_estimator_are_steps_of_their_own():
    mean = benchmark(estimator="mean")
    pieces = side_by_side(MEDIAN, mean, [votes(a="2.00", b="3.00", c="7.00")]).days[0].pieces
    assert [(p.change, p.explains_micros) for p in pieces] == [("estimator", usd("1.00")), ("remainder", 0)]
    capped = benchmark(estimator="mean", weights="vote", vote=["seller", "region"], cap="0.5", min_sellers=2)
    plain = benchmark(estimator="mean", weights="vote", vote=["seller", "region"], min_sellers=2)
    panel = [in_order([ballot("a", "2.00", region=r) for r in "xyz"] + [ballot("b", "6.00", region="x")])]
    pieces = side_by_side(plain, capped, panel, panel).days[0].pieces
    # three votes of a against one of b make 3.00; with a held to a half, 4.00
    assert [(p.change, p.explains_micros) for p in pieces] == [("weights", usd("1.00")), ("remainder", 0)]


def test_a_rounding_is_the_remainder_and_a_gap_has_a_reason():
    coarse = benchmark(decimals=1)
    pieces = side_by_side(MEDIAN, coarse, [votes(a="2.34")]).days[0].pieces
    assert [(p.change, p.explains_micros) for p in pieces] == [("remainder", usd("-0.04"))]
    strict = benchmark(min_sellers=2)
    made = side_by_side(MEDIAN, strict, [votes(a="2.00")])
    assert (made.n_only_one, made.days[0].reason) == (1, "min_sellers under the other")
    carrying = benchmark(min_sellers=2, fallback="carry", carry_days=3)
    made = side_by_side(MEDIAN, carrying, [votes(a="2.00", b="3.00"), votes(a="2.20")])
    assert [(p.change, p.explains_micros) for p in made.days[1].pieces] == [("remainder", usd("0.30"))]


RULES = [
    MEDIAN,
    benchmark(estimator="mean", cap="0.4", min_sellers=3),
    benchmark(estimator="trimmed_mean", tail="0.2", screen={"robust_z": "2", "floor": "0.01"}),
    benchmark(estimator="matched_chain", memory_days=9),
    benchmark(inputs=["trade", "listed"], weights="volume", estimator="volume_weighted_median"),
    benchmark(inputs=["trade", "listed"], hierarchy="blend", blend={"trade": "0.7", "listed": "0.3"}),
]
prices = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=1)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 5),
    st.integers(0, 5),
    st.lists(st.tuples(prices, prices, prices), min_size=1, max_size=3),
)
def test_what_the_pieces_explain_adds_up_to_the_difference(first, second, drawn):
    def panel(which: int):
        return [
            in_order(
                [ballot(s, "1.00", value_micros=250_000 * q) for s, q in day[which].items()]
                + [
                    ballot(s, "1.00", tier="trade", gpu_seconds=3600 * q, value_micros=250_000 * q)
                    for s, q in day[2].items()
                ]
            )
            for day in drawn
        ]

    one, other = RULES[first], RULES[second]
    made = side_by_side(one, other, panel(0), panel(1))
    for day in made.days:
        if day.difference_micros is None:
            assert day.reason
            assert day.pieces == ()
        else:
            assert sum(p.explains_micros for p in day.pieces) == day.difference_micros
    assert made.n_both + made.n_only_one + made.n_only_other <= len(made.days)
    same = side_by_side(one, one, panel(0), panel(0))
    assert (same.n_differ, same.changed_keys, same.same_grade) == (0, (), True)
