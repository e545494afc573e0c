"""What was learnt later never changes what an earlier as-of instant saw."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import Benchmark, window_of

from .drawing import BENCHMARKS, archives, instants, large_archive
from .making import LATER, NOON, World, benchmark, hours, offer, usd, windows_for
from .test_panel_properties import DATES

CLOCKS = {False: "recorded_at", True: "known_at"}


def assert_later_rows_are_not_seen(
    engine: Any, rows: list[dict[str, Any]], rules: Benchmark, seen_until: datetime, *, reconstructed: bool
) -> None:
    windows = [window_of(rules.methodology, day, seen_until) for day in DATES]
    known = [row for row in rows if row[CLOCKS[reconstructed]] <= seen_until]
    everything, then = World(engine, rows), World(engine, known)
    marks = everything.marked(rules, windows, reconstructed=reconstructed)
    assert marks == then.marked(rules, windows, reconstructed=reconstructed)
    # what the archive holds of a day is asked of what was known then, too
    everything.rows = known
    assert everything.fixings(rules, windows, reconstructed=reconstructed) == then.fixings(
        rules, windows, reconstructed=reconstructed
    )


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("reconstructed", [False, True], ids=["strict", "reconstructed"])
def test_a_large_archive_shows_nothing_learnt_later(engine, name, reconstructed):
    rows = large_archive(seed=20 + list(BENCHMARKS).index(name), count=600)
    seen_until = sorted(row[CLOCKS[reconstructed]] for row in rows)[350]
    assert_later_rows_are_not_seen(engine, rows, BENCHMARKS[name], seen_until, reconstructed=reconstructed)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=archives(),
    name=st.sampled_from(sorted(BENCHMARKS)),
    seen_until=instants,
    reconstructed=st.booleans(),
)
def test_a_small_archive_shows_nothing_learnt_later(engine, rows, name, seen_until, reconstructed):
    assert_later_rows_are_not_seen(engine, rows, BENCHMARKS[name], seen_until, reconstructed=reconstructed)


@pytest.mark.parametrize(("hour", "sellers"), [(0, 0), (47, 0), (48, 1), (49, 1)])
def test_a_row_is_seen_from_the_instant_it_was_recorded(world, hour, sellers):
    rules = benchmark()
    archive = world([offer(recorded_at=NOON + hours(48), known_at=NOON)])
    window = replace(windows_for(rules)[0], seen_until=NOON + hours(hour))
    assert archive.fixing(rules, window).n_sellers == sellers


def test_a_reconstructed_view_asks_when_the_source_made_it_public(world):
    rules = benchmark()
    archive = world(
        [
            offer(known_at=NOON, recorded_at=LATER, price_micros=usd("2.00")),
            offer(seller="beta", known_at=LATER, recorded_at=LATER),
        ]
    )
    asked = windows_for(rules, seen_until=NOON + hours(24))
    made = archive.fixings(rules, asked, reconstructed=True)[0]
    assert (made.value_micros, made.n_sellers, made.reconstructed) == (usd("2.00"), 1, True)
    strict = archive.fixings(rules, asked)[0]
    assert (strict.status, strict.reconstructed) == ("GAP", False)


def test_a_row_without_a_recorded_time_is_not_seen_by_a_strict_view(world):
    unrecorded = offer()
    unrecorded["recorded_at"] = None
    assert world([unrecorded]).ballots(benchmark()) == {}
