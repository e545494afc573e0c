"""Every printed figure is what its working comes to; an unmet gate says how far; rules that look back say what they read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import build_fixings, explain
from rentmark.index.gates import Gate
from rentmark.index.reconciling import failing, short_by
from rentmark.index.state import EMPTY, Memory
from rentmark.index.state_told import state_told

from .making import DAY, NOON, World, ballot, benchmark, hours, in_order, offer, trade, usd, windows_for

RULES = [
    {"min_sellers": 2},
    {
        "inputs": ["trade", "listed"],
        "vote": ["observation"],
        "weights": "volume",
        "estimator": "volume_weighted_median",
    },
    {
        "screen": {"robust_z": 3.5, "jump": {"move": 0.25, "others": 1, "others_move": 0.1}},
        "estimator": "mean",
    },
    {"vote": ["seller", "region"], "cap": 0.5, "min_sellers": 2, "decimals": 2, "estimator": "mean"},
    {"fallback": "carry", "carry_days": 2, "min_sellers": 3, "reopen": {"days": 2}},
    {"estimator": "matched_chain", "memory_days": 5},
    {"inputs": ["trade", "listed"], "hierarchy": "blend", "blend": {"trade": 0.5, "listed": 0.5}},
]


def told(archive: World, rules: Any, days: int = 1) -> list[Any]:
    """The explanations of consecutive dates, each from the state of those before it."""
    first = DAY - timedelta(days=days - 1)
    windows = windows_for(rules, first, DAY)
    ballots = archive.ballots(rules, windows)
    held = {w.date for w in windows if any(w.start <= row["observed_at"] < w.end for row in archive.rows)}
    fixings = build_fixings(
        rules, ballots, windows, archive_holds=held.__contains__, published={}, reconstructed=False
    )
    memory = Memory(rules.methodology)
    found = []
    for fixing, window in zip(fixings, windows, strict=True):
        rows = archive.explained(rules, window)
        found.append(
            explain(
                rules, fixing, window, ballots.get(window.date, []), rows, state=memory.state(window.date)
            )
        )
        memory.put(fixing)
    return found


def row_of(seller: str, quarters: int, day: int, region: str, size: int) -> dict[str, Any]:
    """An offer, or a trade where no size is drawn."""
    at = {"seller": seller, "price_micros": 250_000 * quarters, "observed_at": NOON - hours(24 * day)}
    return (
        offer(region=region, gpu_count=size, **at)
        if size
        else trade(f"t{quarters}{day}{seller}{region}", **at)
    )


DRAWN = st.tuples(
    st.sampled_from("abcd"),
    st.integers(4, 16),
    st.integers(0, 2),
    st.sampled_from(["us", "eu"]),
    st.integers(0, 2),
)
ROWS = st.lists(DRAWN, min_size=1, max_size=12, unique=True).map(
    lambda drawn: [row_of(*each) for each in drawn]
)


@settings(deadline=None, max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("rules", RULES, ids=lambda r: str(r.get("estimator", "median")))
@given(rows=ROWS)
def test_every_figure_reconciles_whatever_the_rules_and_the_rows(world, rules, rows):
    for each in told(world(rows), benchmark(**rules), days=3):
        apart = [line for line in each.reconciled if not line.agrees]
        assert not apart
        assert {"value", "window", "observations", "input_digest"} <= {line.what for line in each.reconciled}


def test_a_value_that_does_not_follow_is_told(world):
    rules = benchmark()
    archive = world([offer(seller="a"), offer(seller="b", price_micros=usd("4.00"))])
    [window] = windows_for(rules)
    forged = replace(
        archive.fixing(rules), value_micros=usd("3.500001"), n_observations=3, input_digest="0" * 64
    )
    each = explain(rules, forged, window, archive.ballots(rules)[DAY], archive.explained(rules))
    apart = {line.what: (line.worked, line.printed) for line in each.reconciled if not line.agrees}
    assert apart["value"] == ("3.500000", "3.500001")
    assert apart["n_observations"] == ("2", "3")
    assert apart["input_digest"][1] == "0" * 64
    assert len(apart) == 3


def test_a_carried_value_is_that_of_the_date_it_names(world):
    rules = benchmark(fallback="carry", carry_days=2, min_sellers=2)
    rows = [offer(seller=s, observed_at=NOON - hours(24), price_micros=usd("3.00")) for s in "ab"]
    last = told(world([*rows, offer(seller="a")]), rules, days=2)[-1]
    assert last.fixing.status == "CARRIED"
    [value] = [line for line in last.reconciled if line.what == "value"]
    assert (value.worked, value.agrees) == ("3.000000", True)
    assert value.sentence == f"the value of {DAY - timedelta(days=1)}, carried"
    assert dict(last.read)["carry"] == (
        f"the last value of its own is 3.000000 of {DAY - timedelta(days=1)}, 1 of at most 2 days old"
    )


@pytest.mark.parametrize(
    ("gate", "away", "words"),
    [
        (Gate("min_sellers", 2, 3, hard=True), 1, "min_sellers: 2 where 3 are needed, 1 short"),
        (Gate("min_sellers", 3, 3, hard=True), 0, None),
        (
            Gate("max_dispersion", Fraction(3, 10), Fraction(1, 4), hard=True, at_most=True),
            0.05,
            "max_dispersion: 0.300000 where 0.250000 is allowed, 0.050000 too much",
        ),
        (Gate("max_dispersion", Fraction(1, 4), Fraction(1, 4), hard=True, at_most=True), 0, None),
    ],
)
def test_a_gate_says_how_far_it_was(gate, away, words):
    assert short_by(gate) == pytest.approx(away)
    if words is not None:
        assert failing(gate) == words


def test_a_rule_that_looks_back_says_what_it_read():
    rules = benchmark(
        fallback="carry",
        carry_days=2,
        reopen={"days": 3},
        matched_days=7,
        max_dispersion=1,
        dispersion_days=3,
        screen={"jump": {"move": 0.25, "others_move": 0.1, "wait_days": 5}, "administered_days": 30},
    ).methodology
    said = dict(state_told(rules, DAY, EMPTY))
    assert said["carry"] == "no value of its own in the 2 days before, so nothing can be carried"
    assert said["reopen"] == "no fixing before, so there is no gap to leave"
    assert said["screen.jump"] == "a move is measured from 0 votes on 0 dates of the last 5 days"
    assert list(said) == [
        "carry",
        "reopen",
        "screen.jump",
        "screen.administered_days",
        "dispersion_days",
        "matched_days",
    ]
    assert state_told(benchmark().methodology, DAY, EMPTY) == ()


def test_the_way_out_of_a_gap_says_how_many_dates_have_met_it():
    rules = benchmark(reopen={"days": 2}, min_sellers=2)
    windows = windows_for(rules, DAY - timedelta(days=2), DAY)
    full, thin = [ballot("a", "3.00"), ballot("b", "3.00")], [ballot("a", "3.00")]
    dated = {w.date: in_order(b) for w, b in zip(windows, (thin, full, full), strict=True)}
    fixings = build_fixings(
        rules, dated, windows, archive_holds=lambda _: True, published={}, reconstructed=False
    )
    assert [f.status for f in fixings] == ["GAP", "GAP", "OK"]
    memory = Memory(rules.methodology, fixings[:2])
    said = dict(state_told(rules.methodology, DAY, memory.state(DAY)))
    assert said["reopen"] == (
        f"{DAY - timedelta(days=1)} is GAP: the way out of the gap is asked; before this date 1 of 2 dates in a row had "
        "met every gate"
    )
