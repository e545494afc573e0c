"""The panel expression against a second panel in plain Python, on random archives.

Filtering and marking are two uses of one expression; both must name exactly the rows that the
definitions name, and each refused row must carry the first rule that refused it.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import EXCLUSIONS, Ballot, Benchmark, Window, window_of

from . import reference
from .drawing import BENCHMARKS, DAYS, archives, instants, large_archive
from .making import LATER, World

OF_VOTES = {
    "capacity_unstated",
    "administered_price",
    "venue_deviation",
    "jump_uncorroborated",
    "robust_distance",
}
"""Exclusions of votes, after the panel."""
DATES = [date(2026, 7, 6) + timedelta(days=number) for number in range(DAYS + 2)]
on_one_engine = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""One engine serves all examples: each binds its own rows before it asks."""


def windows_of(rules: Benchmark, seen_until: Any) -> list[Window]:
    return [window_of(rules.methodology, day, seen_until) for day in DATES]


def plain(ballots: dict[date, list[Ballot]]) -> dict[date, list[tuple[Any, ...]]]:
    """Ballots in the form in which the reference counts votes."""
    return {
        day: sorted(
            (
                (
                    b.tier,
                    b.seller,
                    b.region,
                    b.sku,
                    b.observation_id,
                    b.value_micros,
                    b.n_observations,
                    b.gpu_seconds,
                    b.venues,
                )
                for b in group
            ),
            key=repr,
        )
        for day, group in ballots.items()
    }


def check(
    world: World, rules: Benchmark, seen_until: Any, corrections: list[dict[str, Any]], *, reconstructed: bool
) -> None:
    windows = windows_of(rules, seen_until)
    expected = reference.marks(
        world.rows, windows, rules, corrections=corrections, reconstructed=reconstructed
    )
    marked = world.marked(rules, windows, reconstructed=reconstructed)
    if "trade" not in rules.methodology.inputs:
        # such a methodology asks no trade whether it was superseded; its tier has refused it
        assert not {"trade_superseded", "trade_cancelled"} & set(marked.values())
    assert marked == expected
    filtered = world.filtered(rules, windows, reconstructed=reconstructed)
    assert filtered == sorted(key for key, code in expected.items() if code is None)
    ballots = world.ballots(rules, windows, reconstructed=reconstructed)
    assert plain(ballots) == reference.votes(world.rows, expected, rules)


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("reconstructed", [False, True], ids=["strict", "reconstructed"])
def test_a_large_archive_gives_what_the_definitions_give(world, name, reconstructed):
    rows = large_archive(seed=list(BENCHMARKS).index(name), count=1_500)
    elsewhere = [row for row in rows[1_200:] if row["trade_status"] in {"corrected", "cancelled"}]
    check(world(rows[:1_200], elsewhere), BENCHMARKS[name], LATER, elsewhere, reconstructed=reconstructed)


@on_one_engine
@given(
    rows=archives(),
    name=st.sampled_from(sorted(BENCHMARKS)),
    seen_until=instants,
    reconstructed=st.booleans(),
)
def test_filter_and_marking_agree_with_the_definitions(engine, rows, name, seen_until, reconstructed):
    check(World(engine, rows), BENCHMARKS[name], seen_until, [], reconstructed=reconstructed)


def test_the_random_archives_reach_every_exclusion_and_leave_rows_in():
    reached: set[str | None] = set()
    for seed, (name, rules) in enumerate(BENCHMARKS.items()):
        marks = reference.marks(large_archive(seed, 1_500), windows_of(rules, LATER), rules)
        kept = sum(code is None for code in marks.values())
        assert kept >= 5, f"{name} keeps {kept} rows"
        reached |= set(marks.values())
    # test_adjusting.py and test_rating.py draw archives of their own for these two
    elsewhere = {"rating", "adjustment_cap"}
    assert reached - {None} == set(EXCLUSIONS) - {"tier_not_chosen", *OF_VOTES} - elsewhere
