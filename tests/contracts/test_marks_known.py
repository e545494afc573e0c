"""Which settlement was known when: strict by recording, reconstructed by vintage."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts.curve import board_marks, curve_panel, marks_known_at

from .curve_making import make_mark

DAY = date(2026, 8, 13)
FIRST = make_mark(DAY)
CORRECTED = make_mark(
    DAY,
    settle_micros=3_140_000,
    vintage=FIRST.vintage + timedelta(days=1),
    recorded_at=FIRST.vintage + timedelta(days=6),
)


def settle_at(instant, *, reconstructed=False):
    known = marks_known_at([CORRECTED, FIRST], instant, reconstructed=reconstructed)
    return [mark.settle_micros for mark in known.values()]


def test_strictly_a_correction_counts_from_when_it_was_recorded():
    assert settle_at(CORRECTED.recorded_at - timedelta(microseconds=1)) == [3_120_000]
    assert settle_at(CORRECTED.recorded_at) == [3_140_000]
    assert settle_at(FIRST.recorded_at - timedelta(microseconds=1)) == []
    assert settle_at(None) == [3_140_000]


def test_reconstructed_it_counts_from_its_vintage():
    assert settle_at(CORRECTED.vintage - timedelta(microseconds=1), reconstructed=True) == [3_120_000]
    assert settle_at(CORRECTED.vintage, reconstructed=True) == [3_140_000]


@settings(deadline=None)
@given(st.permutations(range(8)))
def test_the_order_of_recording_rows_does_not_matter(order):
    rows = [
        make_mark(DAY + timedelta(days=n // 2), settle_micros=3_000_000 + 10_000 * n, vintage=FIRST.vintage + timedelta(days=n))
        for n in range(8)
    ]  # fmt: skip
    assert marks_known_at([rows[n] for n in order], None) == marks_known_at(rows, None)


def test_a_month_marked_on_an_earlier_day_than_the_board_is_stale():
    rows = [make_mark(DAY), make_mark(DAY + timedelta(days=1), "2026-10"), make_mark(DAY + timedelta(days=4))]
    board = board_marks(marks_known_at(rows, None), DAY + timedelta(days=1))
    assert {month: found.stale for month, found in board.items()} == {"2026-09": True, "2026-10": False}
    assert board["2026-09"].mark.trade_date == DAY
    assert board_marks({}, DAY) == {}


def test_a_panel_holds_nothing_traded_later():
    rows = [make_mark(DAY + timedelta(days=n)) for n in range(4)]
    panel = curve_panel(marks_known_at(rows, None), DAY + timedelta(days=1))
    assert list(panel) == [DAY, DAY + timedelta(days=1)]
    assert panel[DAY] == {"2026-09": 3_120_000}


@pytest.mark.parametrize("reconstructed", [False, True])
def test_a_mark_that_was_not_recorded_is_not_known_strictly(reconstructed):
    unrecorded = make_mark(DAY, recorded_at=None)
    known = marks_known_at([unrecorded], FIRST.vintage, reconstructed=reconstructed)
    assert bool(known) is reconstructed
