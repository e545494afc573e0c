"""Imported settlements are kept whole, once, unchangeably, in every vintage."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from rentmark.records import MarkReject, RentmarkError
from rentmark.store import Store
from rentmark.store.marks import find_mark_import, mark_imports, mark_rows

from .making import HOUR, START, SteppedClock, commit, offers
from .marks_made import keep_marks, mark

REFUSED = MarkReject(
    position=2, reason="off_tick", field="settle", value="3.1234", sentence="settle is 3.1234, “off”."
)


def test_an_import_is_counted_stamped_and_given_back_as_it_was(store: Store):
    near, far = mark("2026-09"), mark("2026-10", 3_090_000, ask_micros=3_110_000, open_interest=40)
    entry = keep_marks(store, near, far, rejects=(REFUSED,), duplicates=3, notes=("a gap.",))
    assert (entry.import_id, entry.records, entry.accepted, entry.rejected, entry.duplicates) == (
        1,
        6,
        2,
        1,
        3,
    )
    assert entry.recorded_at == START
    assert mark_rows(store) == [replace(row, recorded_at=START) for row in (near, far)]
    assert mark_rows(store, "cme-gpu1", month="2026-10") == [replace(far, recorded_at=START)]
    assert mark_rows(store, "ice-hpr") == []
    assert mark_imports(store) == [entry]
    assert find_mark_import(store, entry.payload_digest) == entry
    assert entry.rejects == (REFUSED,)


def test_the_same_file_again_changes_nothing(store: Store, clock: SteppedClock):
    first = keep_marks(store, mark())
    clock.step()
    assert keep_marks(store, mark()) == first
    assert len(mark_rows(store)) == 1


def test_a_later_vintage_stands_beside_the_first_and_an_earlier_as_of_does_not_see_it(
    store: Store, clock: SteppedClock
):
    keep_marks(store, mark())
    clock.step()
    corrected = mark(settle_micros=3_140_000, vintage=mark().vintage + timedelta(days=1))
    keep_marks(store, corrected, name="corrected.csv")
    assert [row.settle_micros for row in mark_rows(store)] == [3_120_000, 3_140_000]
    assert [row.settle_micros for row in mark_rows(store, as_of=START)] == [3_120_000]
    assert len(mark_imports(store, as_of=START)) == 1
    assert mark_rows(store, as_of=START - HOUR) == []


def test_an_import_takes_its_place_in_the_one_order_of_stamps(store: Store):
    entry = keep_marks(store, mark())
    assert commit(store, offers(1)).recorded_at > entry.recorded_at


def test_whoever_prepares_sees_what_stands(store: Store, clock: SteppedClock):
    from rentmark.store.marks import PreparedMarks, add_marks

    keep_marks(store, mark())
    clock.step()
    seen = []

    def prepare(standing, now):
        seen.append((standing, now))
        return PreparedMarks(marks=(), rejects=(), duplicates=1, notes=())

    add_marks(store, prepare, payload_digest="0" * 64, payload_bytes=1, origin_name="again.csv")
    assert seen == [([replace(mark(), recorded_at=START)], START + HOUR)]


def test_a_simulated_workspace_takes_no_real_settlements(tmp_path: Path, clock: SteppedClock):
    with (
        Store.create(tmp_path / "w", database_url=None, simulated=True, clock=clock) as made,
        pytest.raises(RentmarkError, match=r"settlements\.csv is not simulated"),
    ):
        keep_marks(made, mark())
