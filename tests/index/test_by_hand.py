"""Ballots counted by hand are those of the engine's panel, field by field, over random archives."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.index import CORRECTION_COLUMNS, Ballot, Benchmark, Window, windows_between
from rentmark.index.by_hand import FewRows, TradeVersions, ballots_by_hand, countable, is_later, pass_by_hand
from rentmark.index.joint import Facts, layers
from rentmark.index.passes import run_pass

from .drawing import BENCHMARKS, DAYS, archives, instants, large_archive
from .making import DAY, LATER, NOON, World, benchmark, hours, offer, table_of, trade, windows_for
from .test_joint import ALONE, SHARED

FIRST = date(2026, 7, 6)
LAST = FIRST + timedelta(days=DAYS + 2)
COUNTED = {
    **{name: rules for name, rules in BENCHMARKS.items() if countable(rules)},
    **{rules.name: rules for rules in (*SHARED, *ALONE) if countable(rules)},
    "observations": benchmark(inputs=["trade", "listed"], vote=["observation"], weights="volume"),
}
MATTERS = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def by_hand(world: World, rules: Benchmark, windows: list[Window]) -> dict[date, list[Ballot]]:
    corrections = None
    if world.corrections is not None:
        corrections = TradeVersions()
        corrections.add_table(world.corrections)
    return ballots_by_hand(rules, FewRows((world.table, {})), windows, corrections)


def check(world: World, rules: Benchmark, seen_until=LATER) -> dict[date, list[Ballot]]:
    windows = windows_between(rules.methodology, FIRST, LAST, LATER)
    windows = [Window(w.date, w.start, w.end, w.cutoff_at, w.effective_at, seen_until) for w in windows]
    made = by_hand(world, rules, windows)
    assert made == world.ballots(rules, windows), rules.name
    return made


def test_which_benchmarks_are_counted_by_hand():
    assert {rules.name for rules in SHARED} <= set(COUNTED)
    assert {name for name in BENCHMARKS if name not in COUNTED} == {"silent", "screens"}
    assert [rules.name for rules in ALONE if not countable(rules)] == ["silent", "sized", "sampled"]
    # a key of the panel that nobody taught this module keeps a benchmark with the engine
    assert not countable(benchmark(inputs=["trade"], vote=["observation"], max_trade_share="0.5"))


@pytest.mark.parametrize("name", sorted(COUNTED))
def test_a_large_archive_gives_the_same_ballots(world, name):
    rows = large_archive(7, 700)
    later = [row for row in large_archive(8, 300) if row["trade_status"] in ("corrected", "cancelled")]
    assert check(world(rows, later), COUNTED[name])


@MATTERS
@given(
    rows=archives(largest=20),
    later=archives(largest=8),
    seen_until=instants,
    names=st.lists(st.sampled_from(sorted(COUNTED)), min_size=3, max_size=3, unique=True),
)
def test_small_archives_give_the_same_ballots(engine, rows, later, seen_until, names):
    known = {row["observation_id"] for row in rows}
    apart = [row for row in later if row["observation_id"] not in known]
    for name in names:
        check(World(engine, rows, apart), COUNTED[name], seen_until)


@MATTERS
@given(rows=archives(largest=20))
def test_small_archives_give_the_same_passes(engine, rows):
    windows = windows_between(benchmark().methodology, FIRST, LAST, LATER)
    world = World(engine, rows)
    world.bind()
    for layer in layers(SHARED[:8]):
        expected = run_pass(layer, engine, Facts())
        found = pass_by_hand(layer, FewRows((world.table, {})), windows)
        for one, mine, theirs in zip(layer, found, expected, strict=True):
            assert (mine.counted, mine.ballots) == (theirs.counted, theirs.ballots), one.name


def test_only_rows_recorded_by_then_vote():
    row = offer(recorded_at=NOON + hours(30))
    windows = windows_for(benchmark(), seen_until=row["recorded_at"])
    assert ballots_by_hand(benchmark(), FewRows((table_of([row]), {})), windows).keys() == {DAY}
    windows = windows_for(benchmark(), seen_until=row["recorded_at"] - timedelta(microseconds=1))
    assert ballots_by_hand(benchmark(), FewRows((table_of([row]), {})), windows) == {}


def test_a_correction_of_another_month_takes_its_trade_out():
    first = trade("t1", price_micros=2_000_000)
    later = trade("t1", trade_status="cancelled", observed_at=first["observed_at"] + hours(900), position=1)
    rules = benchmark(inputs=["trade"])
    versions = TradeVersions(FewRows((table_of([later]).select(list(CORRECTION_COLUMNS)), {})))
    assert ballots_by_hand(rules, FewRows((table_of([first]), {})), windows_for(rules)).keys() == {DAY}
    assert ballots_by_hand(rules, FewRows((table_of([first]), {})), windows_for(rules), versions) == {}


def test_a_version_whose_time_is_unknown_is_not_later():
    assert is_later((1, 5, 5, 1, 0), (0, 9, 9, 0, 0))
    assert is_later((1, 5, None, 1, 0), (1, 4, 9, 1, 0))
    assert not is_later((1, None, 5, 1, 0), (1, 4, 4, 1, 0))
    assert not is_later((1, 5, 5, 1, 0), (1, 5, 5, 1, 0))


def test_what_all_rows_of_a_part_hold_alike_need_not_be_in_it():
    rows = [offer(), offer(seller="beta", position=1), trade("t1", position=2)]
    whole = table_of(rows)
    parts = [
        (table_of(rows[:2]).drop_columns(["tier", "machine"]), {"tier": "listed", "machine": None}),
        (table_of(rows[2:]).drop_columns(["trade_status"]), {"trade_status": "new"}),
    ]
    rules = benchmark(inputs=["trade", "listed"])
    expected = ballots_by_hand(rules, FewRows((whole, {})), windows_for(rules))
    assert ballots_by_hand(rules, FewRows(*parts), windows_for(rules)) == expected
    assert len(expected[DAY]) == 3


def test_no_rows_give_no_ballots():
    empty = pa.Table.from_pylist([], schema=table_of([offer()]).schema)
    assert ballots_by_hand(benchmark(), FewRows((empty, {})), windows_for(benchmark())) == {}
