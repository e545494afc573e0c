"""The same observations give the same votes and digests, bit for bit, and any change shows."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from rentmark.index import input_digest, window_of
from rentmark.store.engines.duckdb import DuckDBEngine

from .drawing import BENCHMARKS, large_archive
from .making import LATER, NOON, World, ballot, benchmark, hours, in_order, offer, trade, usd
from .test_panel_properties import DATES

RULES = benchmark(inputs=["trade", "listed"])
ROWS = [
    offer(),
    offer(sku="k1", price_micros=usd("2.00")),
    offer(seller="beta", price_micros=usd("2.50"), observed_at=NOON - hours(1)),
    trade(seller="gamma"),
]


@pytest.fixture(scope="module")
def two_threads() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=2) as opened:
        yield opened


@pytest.mark.parametrize("name", BENCHMARKS)
def test_row_order_and_threads_change_no_bit(engine, two_threads, name):
    rules = BENCHMARKS[name]
    rows = large_archive(seed=7, count=3_000)
    shuffled = list(rows)
    Random(11).shuffle(shuffled)
    windows = [window_of(rules.methodology, day, LATER) for day in DATES]
    expected = World(engine, rows).fixings(rules, windows)
    votes = World(engine, rows).ballots(rules, windows)
    assert sum(len(ballots) for ballots in votes.values()) >= 3
    for opened in (engine, two_threads):
        for order in (rows, shuffled):
            assert World(opened, order).fixings(rules, windows) == expected
            assert World(opened, order).ballots(rules, windows) == votes


def digest(world: Any, rows: list[dict[str, Any]]) -> str:
    made: str = world(rows).fixing(RULES).input_digest
    return made


IRRELEVANT = {
    "another chip": offer(seller="delta", chip="H200"),
    "another day": offer(seller="delta", observed_at=NOON + hours(24)),
    "a tier not read": offer(seller="delta", tier="executable"),
    "a price carried by its source": offer(seller="delta", carried_by_source=True),
    "an older state": offer(price_micros=usd("9.00"), observed_at=NOON - hours(2)),
    "a source that forbids it": offer(seller="delta", rights="forbidden"),
    "a cancelled trade": trade("t9", seller="delta", trade_status="cancelled"),
}


@pytest.mark.parametrize("row", IRRELEVANT.values(), ids=IRRELEVANT)
def test_a_row_that_does_not_enter_the_panel_changes_no_digest(world, row):
    assert digest(world, [*ROWS, row]) == digest(world, ROWS)


CONTENT = {
    "price_micros": usd("3.01"),
    "seller": "zeta",
    "venue": "floor",
    "observed_at": NOON + hours(1),
    "gpu_count": 2,
    "sku": "k7",
    "region": "us-1",
    "name_as_written": "H100 SXM5",
    "verification": "verified",
    "reliability": 0.99,
    "license": "CC BY 4.0",
    "rights": "unknown",
    "source_commit": "abc",
}


@pytest.mark.parametrize("field", CONTENT)
def test_a_changed_content_of_a_row_changes_the_digest(world, field):
    assert digest(world, [offer(**{field: CONTENT[field]}), *ROWS[1:]]) != digest(world, ROWS)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recorded_at", NOON + hours(99)),
        ("known_at", NOON + hours(3)),
        ("payload_digest", "1" * 64),
        ("position", 77),
    ],
)
def test_how_a_row_reached_us_does_not_change_the_digest(world, field, value):
    assert digest(world, [offer(**{field: value}), *ROWS[1:]]) == digest(world, ROWS)


@pytest.mark.parametrize("gone", range(len(ROWS)))
def test_a_row_that_is_gone_changes_the_digest(world, gone):
    assert digest(world, ROWS[:gone] + ROWS[gone + 1 :]) != digest(world, ROWS)


def test_equal_prices_swapped_between_sellers_change_the_digest(world):
    swapped = [offer(price_micros=usd("2.00")), offer(seller="beta")]
    plain = [offer(), offer(seller="beta", price_micros=usd("2.00"))]
    assert digest(world, swapped) != digest(world, plain)


def test_a_digest_depends_on_no_order_of_votes():
    ballots = [ballot(s, f"{n}.00") for n, s in enumerate("abcdef", 1)]
    shuffled = list(ballots)
    Random(3).shuffle(shuffled)
    assert input_digest(shuffled) == input_digest(in_order(ballots))


@pytest.mark.parametrize(
    "change",
    [
        {"tier": "trade"},
        {"seller": "beta"},
        {"region": "us-1"},
        {"observation_id": 5},
        {"value_micros": 1},
        {"n_observations": 2},
        {"gpu_seconds": 60},
        {"identity_xor": 1},
        {"identity_xor": -1},
        {"content_xor": 8},
        {"content_xor": -7},
    ],
    ids=str,
)
def test_a_digest_seals_all_that_a_vote_says(change):
    assert input_digest([ballot(**change)]) != input_digest([ballot()])


def test_no_votes_have_a_digest_of_their_own():
    assert input_digest([]) != input_digest([ballot()])
    assert len(input_digest([])) == 64
