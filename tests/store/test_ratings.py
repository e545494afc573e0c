"""Imported ratings are kept whole, once, unchangeably, and seen as of when they were recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rentmark.records import RentmarkError
from rentmark.store import Store
from rentmark.store.ratings import find_rating_import, rating_imports, rating_rows

from .making import START, SteppedClock, commit, offers
from .ratings_made import keep, rating


def test_an_import_is_counted_stamped_and_given_back_as_it_was(store: Store, clock: SteppedClock):
    amber = rating(
        "Amber", "Gold", completeness="2 of 2", source_url="https://invented.example", sellers=("amber-eu",)
    )
    basalt = rating("Basalt", "Unavailable")
    entry = keep(store, amber, basalt)
    assert (entry.import_id, entry.records, entry.accepted, entry.duplicates) == (1, 2, 2, 0)
    assert entry.recorded_at == START
    assert rating_rows(store) == [replace(row, recorded_at=START, import_id=1) for row in (amber, basalt)]
    assert rating_rows(store, "another") == []
    assert rating_imports(store) == [entry]
    assert find_rating_import(store, entry.payload_digest, "invented") == entry
    assert find_rating_import(store, entry.payload_digest, "another") is None


def test_the_same_file_again_changes_nothing(store: Store, clock: SteppedClock):
    first = keep(store, rating())
    clock.step()
    assert keep(store, rating()) == first
    assert len(rating_rows(store)) == 1


def test_what_stands_already_is_a_duplicate(store: Store):
    keep(store, rating("Amber"))
    entry = keep(store, rating("Amber"), rating("Basalt"), name="more.csv")
    assert (entry.records, entry.accepted, entry.duplicates) == (2, 1, 1)
    assert [row.operator for row in rating_rows(store)] == ["Amber", "Basalt"]


def test_another_tier_for_the_same_date_is_refused_unless_it_is_a_stated_correction(
    store: Store, clock: SteppedClock
):
    keep(store, rating("Amber", "Gold"))
    clock.step()
    with pytest.raises(RentmarkError) as refused:
        keep(store, rating("Amber", "Silver"), rating("Basalt"), name="second.csv")
    assert refused.value.sentence == (
        "second.csv: Amber is Silver (1.0) on 2026-07-01, and was imported as Gold (1.0); "
        "add --correct REASON if the earlier import was wrong."
    )
    assert len(rating_rows(store)) == 1, "a refused file leaves nothing"
    entry = keep(store, rating("Amber", "Silver"), name="second.csv", correction="misread the chart")
    assert entry.correction_reason == "misread the chart"
    assert [(row.tier, row.recorded_at) for row in rating_rows(store)] == [
        ("Gold", START),
        ("Silver", clock.now()),
    ]


def test_as_of_an_instant_sees_what_was_recorded_by_then(store: Store, clock: SteppedClock):
    keep(store, rating("Amber"))
    later = clock.step()
    keep(store, rating("Basalt"), name="later.csv")
    assert [row.operator for row in rating_rows(store, as_of=START)] == ["Amber"]
    assert len(rating_imports(store, as_of=START)) == 1
    assert [row.operator for row in rating_rows(store, as_of=later)] == ["Amber", "Basalt"]


def test_a_rating_takes_its_place_in_the_one_order_of_stamps(store: Store):
    """The clock stands still, and still no two writes share a stamp."""
    entry = keep(store, rating())
    batch = commit(store, offers(1))
    assert entry.recorded_at < batch.recorded_at
    assert store.latest_instant() == batch.recorded_at


def test_simulated_and_real_ratings_keep_apart(sqlite_store: Store, tmp_path, clock: SteppedClock):
    with pytest.raises(RentmarkError, match="keep them in a simulated workspace"):
        keep(sqlite_store, rating(simulated=True))
    with Store.create(tmp_path / "s", database_url=None, simulated=True, clock=clock) as simulated:
        with pytest.raises(RentmarkError, match="takes simulated sources only"):
            keep(simulated, rating())
        assert keep(simulated, rating(simulated=True)).simulated
        assert rating_rows(simulated)[0].simulated


def test_text_that_cannot_be_stored_is_refused_whole(store: Store):
    with pytest.raises(RentmarkError, match="holds a sign that can't be stored"):
        keep(store, rating("Amber"), rating("Bas\x00alt"))
    assert rating_rows(store) == []
