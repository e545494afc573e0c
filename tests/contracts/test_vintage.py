"""Which revision counts: as published, never as restated later."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, counts_at, fixings_for_settlement, fixings_known_at
from rentmark.records import day_start

from .making import LATER, ask, make_fixing, month_tape

CME = CONTRACTS["cme-gpu1"]
DAY = date(2026, 7, 6)


def test_a_first_print_counts_from_its_effect_even_when_published_later():
    late = make_fixing(DAY, origin="backcast", published_at=LATER)
    assert not counts_at(late, day_start(DAY) + timedelta(hours=23))
    assert counts_at(late, day_start(DAY) + timedelta(days=1))


def test_a_revision_counts_from_its_publication():
    first = make_fixing(DAY, 3_000_000)
    second = make_fixing(DAY, 9_000_000, revision=1, published_at=datetime(2026, 9, 1, tzinfo=UTC))
    before = fixings_known_at([second, first], datetime(2026, 8, 31, tzinfo=UTC))
    after = fixings_known_at([second, first], datetime(2026, 9, 1, tzinfo=UTC))
    assert before[DAY].value_micros == 3_000_000
    assert after[DAY].value_micros == 9_000_000


def test_a_revision_that_was_never_published_never_counts():
    draft = make_fixing(DAY, revision=1, published_at=None, origin=None)
    assert fixings_known_at([draft], LATER) == {}


def test_a_month_keeps_its_settlement_when_history_is_restated_afterwards():
    rows = list(month_tape(CME, "2026-07").values())
    restated = [
        make_fixing(row.date, 9_000_000, revision=1, published_at=datetime(2026, 9, 1, tzinfo=UTC))
        for row in rows
    ]
    before = ask(CME, "2026-07", fixings_for_settlement(CME, "2026-07", rows, LATER))
    after = ask(CME, "2026-07", fixings_for_settlement(CME, "2026-07", rows + restated, LATER))
    assert before == after
    assert after.final_settlement_price_micros == 3_000_000


def test_a_correction_published_before_the_month_settles_is_what_it_settles_on():
    rows = list(month_tape(CME, "2026-07").values())
    correction = make_fixing(DAY, 3_022_000, revision=1, published_at=datetime(2026, 7, 20, tzinfo=UTC))
    chosen = fixings_for_settlement(CME, "2026-07", [*rows, correction], LATER)
    done = ask(CME, "2026-07", chosen)
    assert done.final_settlement_price_micros == 3_001_000


@settings(deadline=None)
@given(hours=st.integers(0, 24 * 60), revisions=st.lists(st.integers(1, 24 * 60), max_size=4))
def test_nothing_published_after_the_instant_is_known_at_it(hours, revisions):
    start = datetime(2026, 7, 1, tzinfo=UTC)
    instant = start + timedelta(hours=hours)
    rows = list(month_tape(CME, "2026-07").values())
    for number, after in enumerate(sorted(revisions), start=1):
        rows.append(make_fixing(DAY, revision=number, published_at=start + timedelta(hours=after)))
    for row in fixings_known_at(rows, instant).values():
        assert row.effective_at <= instant
        assert row.revision == 0 or (row.published_at is not None and row.published_at <= instant)
