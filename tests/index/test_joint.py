"""The joint pass gives the fixings that each benchmark's own panel gives, field by field.

Archives are random, with tied prices, repeated offers, machines in several sizes, several venues of a seller,
carried, suspect and forbidden rows, trades beside offers, and grades of one chip that overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import Benchmark, build_fixings, window_of, windows_between
from rentmark.index.by_hand import day_votes
from rentmark.index.joint import Facts, joint_key, layers
from rentmark.index.panel import OFFER_KEY, windows_table
from rentmark.index.passes import facts_found, ranges_met, run_pass
from rentmark.index.plain import is_plain, plain_fixing
from rentmark.records import Fixing

from .drawing import CHOICES, DAYS, archives, instants, large_archive
from .making import DAY, LATER, World, benchmark, offer

FIRST, LAST = date(2026, 7, 6), date(2026, 7, 6) + timedelta(days=DAYS + 2)
ONE_DAY = timedelta(days=1)
ODD_NAMES = ("alpha", "al'pha", 'say "b"', "tab\there", "ünder", "a", "a b", "back\\slash", "漢")


def named(name: str, grade: dict[str, Any] | None = None, **rules: Any) -> Benchmark:
    return replace(benchmark(grade, **rules), name=name)


SHARED = [
    named("plain"),
    named("sxm", {"form_factor": ["SXM"], "pricing": "on_demand"}, min_sellers=2, thin_sellers=3),
    named("h200", {"chip": "H200"}, thin_observations=60, decimals=1),
    named("silence", {"form_factor": ["SXM", "unstated"], "memory_gb": [80]}, min_observations=2),
    named("places", {"regions": ["us-1"], "exclude_sellers": ["beta"], "max_gpus": 4}, min_venues=2),
    named("executable", inputs=["executable"], decimals=0),
    named("carried", include_carried=True, suspect="exclude"),
    named("mean", seller_statistic="mean"),
    named(
        "tiers",
        inputs=["executable", "listed"],
        hierarchy="pool",
        tier_weights={"executable": 2, "listed": 1},
        weights="tier",
    ),
    named("regions", vote=["seller", "region"], cap="0.5", min_sellers=2),
    named("skus", {"chip": "H200"}, vote=["seller", "sku"], estimator="trimmed_mean", tail="0.1"),
    named("carry", fallback="carry", carry_days=2),
    named("screened", min_sellers=3, screen={"robust_z": "2"}),
    named("weekdays", calendar="weekdays"),
]
ALONE = [
    named("silent", {"form_factor": ["SXM", "unstated_if_silent"]}),
    named("traded", inputs=["trade", "listed"]),
    named("sized", weights="capacity"),
    named("cut", cutoff="16:00 America/New_York"),
    named("back", lookback_hours=48),
    named("sampled", snapshots=4),
]
MATTERS = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def alone(world: World, rules: Benchmark) -> list[Fixing]:
    return world.fixings(rules, windows_between(rules.methodology, FIRST, LAST, LATER))


def together(world: World, rules: Sequence[Benchmark], facts: Facts) -> dict[str, list[Fixing]]:
    world.bind()
    found = {}
    for layer in layers(rules):
        for one, votes in zip(layer, run_pass(layer, world.engine, facts), strict=True):
            windows = windows_between(one.methodology, FIRST, LAST, LATER)
            held = {w.date for w in windows if any(w.start <= r["observed_at"] < w.end for r in world.rows)}
            if is_plain(one):
                found[one.name] = [
                    plain_fixing(
                        one, w, votes.counted.get(w.date), archive_holds_day=w.date in held, built_as_of=None
                    )
                    for w in windows
                ]
            else:
                found[one.name] = build_fixings(
                    one,
                    votes.ballots,
                    windows,
                    archive_holds=held.__contains__,
                    published={},
                    reconstructed=False,
                )
    return found


def check(world: World, facts: Facts | None = None, held_to: Sequence[Benchmark] = SHARED) -> list[Fixing]:
    """Every benchmark is in the pass; ``held_to`` are held against their own panel."""
    found = together(world, SHARED, facts or Facts())
    for rules in held_to:
        assert found[rules.name] == alone(world, rules), rules.name
    return [fixing for fixings in found.values() for fixing in fixings]


def test_which_benchmarks_share_a_pass():
    assert all(joint_key(rules) is not None for rules in SHARED)
    assert [rules.name for rules in ALONE if joint_key(rules) is not None] == []
    plain = {"plain", "sxm", "h200", "silence", "places", "executable", "carried", "weekdays"}
    assert {rules.name for rules in SHARED if is_plain(rules)} == plain
    for layer in layers(SHARED):
        assert len({rules.grade.chip for rules in layer}) == len(layer)
    assert len(layers([named("a"), named("b", {"chip": "H200"})])) == 1
    with pytest.raises(ValueError, match="can't share a pass"):
        layers(ALONE[:1])


@pytest.mark.parametrize("seed", range(2))
def test_large_archives_give_the_same_fixings(world, seed):
    rows = large_archive(seed, 900)
    made = check(world(rows))
    assert {fixing.status for fixing in made} >= {"OK", "THIN", "CARRIED", "GAP"}
    ranges = {}
    for layer in layers(SHARED):
        for place, (first, last) in ranges_met(layer, world(rows).engine).items():
            ranges[layer[place].name] = (first, last)
    assert ranges["plain"] == (
        min(row["observed_at"] for row in rows if row["chip"] == "H100"),
        max(row["observed_at"] for row in rows if row["chip"] == "H100"),
    )


some = st.lists(st.sampled_from(SHARED), min_size=4, max_size=4, unique_by=lambda rules: rules.name)


@MATTERS
@given(rows=archives(largest=20), held_to=some)
def test_small_archives_give_the_same_fixings(engine, rows, held_to):
    check(World(engine, rows), held_to=held_to)


@MATTERS
@given(data=st.data())
def test_what_is_known_of_the_rows_changes_nothing(engine, data):
    """Rows that keep to the facts: no offer twice a day, no machine, no venue; names that are hard to quote."""
    count = data.draw(st.integers(1, 16))
    rows = []
    for number in range(count):
        drawn = {name: data.draw(st.sampled_from(values)) for name, values in CHOICES.items()}
        drawn |= {"machine": None, "venue": None, "sku": f"k{number}"}
        drawn["seller"] = data.draw(st.sampled_from(ODD_NAMES))
        drawn["price_micros"] = 250_000 * data.draw(st.integers(1, 6)) + data.draw(st.sampled_from([0, 1]))
        drawn["simulated"] = data.draw(st.booleans())
        day = data.draw(st.integers(0, 2))
        rows.append(offer(observed_at=drawn.pop("observed_at", None) or _instant(day, number), **drawn))
    facts = Facts(repeats=False, machines=False, venues=False)
    check(World(engine, rows), facts, held_to=data.draw(some))


@MATTERS
@given(rows=archives(largest=20), held_to=some, data=st.data())
def test_each_day_is_seen_as_of_its_own_instant(engine, rows, held_to, data):
    """The ballots of the panel with the same windows, of the days that are asked alone, under facts that were counted."""
    world = World(engine, rows)
    asked = data.draw(st.lists(st.integers(0, DAYS + 1), min_size=1, unique=True))
    seen = {FIRST + n * ONE_DAY: data.draw(instants) for n in sorted(asked)}
    for layer in layers(held_to):
        windows = [window_of(layer[0].methodology, day, instant) for day, instant in seen.items()]
        world.bind()
        facts = data.draw(st.sampled_from([Facts(), facts_found(engine)]))
        engine.bind_table("windows", windows_table(windows))
        for one, votes in zip(layer, run_pass(layer, engine, facts, windowed=True), strict=True):
            alone = world.ballots(one, windows)
            if is_plain(one):
                assert votes.counted == {day: day_votes(of_day) for day, of_day in alone.items()}, one.name
            else:
                assert votes.ballots == alone, one.name


@MATTERS
@given(rows=archives(largest=30))
def test_facts_are_counted(engine, rows):
    """As a plain count has them: an offer key twice on a UTC day, and anything that names a machine or a venue."""
    World(engine, rows).bind()
    keys = [(row["observed_at"].date(), *_offer(row)) for row in rows]
    assert facts_found(engine) == Facts(
        repeats=len(set(keys)) < len(keys),
        machines=any(row["machine"] is not None for row in rows),
        venues=any(row["venue"] is not None for row in rows),
    )


def test_facts_of_no_rows(engine):
    World(engine, []).bind()
    assert facts_found(engine) == Facts(repeats=False, machines=False, venues=False)


def _offer(row: dict[str, Any]) -> list[Any]:
    """The offer key as the definitions spell it."""
    written = "|".join(str(row[n] or "") for n in ("name_as_written", "form_factor", "memory_gb"))
    stand_ins = {
        "seller_venue": row["venue"] or row["seller"],
        "sku_key": row["sku"] or written,
        "trade_key": row["observation_id"] if row["kind"] == "trade" else None,
    }
    return [stand_ins[name] if name in stand_ins else row[name] for name in OFFER_KEY]


def _instant(day: int, number: int) -> Any:
    from .drawing import FIRST_HOUR

    return FIRST_HOUR + timedelta(days=day, minutes=number)


def test_a_seller_on_three_venues_counts_three(world):
    rows = [offer(sku=f"k{n}", venue=venue) for n, venue in enumerate(["a", "b", "c", "b"])]
    made = [f for f in check(world(rows), held_to=SHARED[:1]) if f.benchmark == "plain" and f.date == DAY]
    assert [f.n_venues for f in made] == [3]


def test_a_price_of_nothing_after_rounding_is_refused(world):
    rows = [offer(tier="executable", price_micros=400_000)]
    made = [f for f in check(world(rows), held_to=SHARED[5:6]) if f.date == DAY]
    refused = [f for f in made if f.benchmark == "executable"]
    assert [(f.status, f.rule) for f in refused] == [("GAP", "rounds_to_zero")]
