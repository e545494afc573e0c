"""What a build covers: from the first to the last observation that meets the grade, and which days hold any."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from rentmark.index import dates_held, meeting_grade, windows_between
from rentmark.index.build import bound_observations, query_key

from .making import NOON, World, benchmark, hours, offer, table_of, trade


def covered(engine: Any, rows: list[dict[str, Any]], rules: Any) -> tuple[datetime | None, datetime | None]:
    World(engine, rows).bind()
    key = query_key(rules, "coverage in tests", corrected=False, reconstructed=False)
    (found,) = engine.query(key, lambda: meeting_grade(bound_observations(), rules)).to_pylist()
    return found["first"], found["last"]


def test_the_range_runs_from_the_first_to_the_last_row_that_meets_the_grade(engine):
    rows = [
        offer(observed_at=NOON - hours(500), chip="H200"),
        offer(observed_at=NOON - hours(100)),
        offer(),
        offer(observed_at=NOON + hours(50)),
        offer(observed_at=NOON + hours(500), memory_gb=94),
    ]
    rules = benchmark({"memory_gb": [80]})
    assert covered(engine, rows, rules) == (NOON - hours(100), NOON + hours(50))


def test_a_row_meets_the_grade_whether_or_not_the_methodology_uses_it(engine):
    # so that days on which everything was left out are rows that say no_match
    rows = [
        offer(observed_at=NOON - hours(48), rights="forbidden"),
        offer(),
        trade(observed_at=NOON + hours(48)),
    ]
    assert covered(engine, rows, benchmark()) == (NOON - hours(48), NOON + hours(48))


@pytest.mark.parametrize("word", ["unstated", "unstated_if_silent"])
def test_a_silent_row_is_covered_where_the_grade_admits_silence(engine, word):
    rules = benchmark({"form_factor": ["SXM", word]})
    assert covered(engine, [offer(form_factor=None)], rules) == (NOON, NOON)
    assert covered(engine, [offer(form_factor="PCIe")], rules) == (None, None)


def test_nothing_that_meets_the_grade_has_no_range(engine):
    assert covered(engine, [], benchmark()) == (None, None)


def test_a_date_is_held_where_its_own_window_holds_anything_known_by_then(engine):
    rules = benchmark(cutoff="16:00 UTC")
    after_cutoff = datetime(2026, 7, 8, 17, tzinfo=UTC)
    rows = [offer(observed_at=after_cutoff, chip="H200")]
    engine.bind_table("observations", table_of(rows))
    windows = windows_between(rules.methodology, date(2026, 7, 7), date(2026, 7, 10), NOON + hours(2_000))
    assert dates_held(rules, windows, engine, reconstructed=False) == {date(2026, 7, 9)}


def test_a_bound_table_that_is_replaced_answers_with_its_new_rows(world):
    rules = benchmark()
    assert [b.seller for b in world([offer()]).ballots(rules).popitem()[1]] == ["alpha"]
    assert [b.seller for b in world([offer(seller="beta")]).ballots(rules).popitem()[1]] == ["beta"]
    assert world([]).ballots(rules) == {}
    assert world([offer()]).ballots(rules, []) == {}
