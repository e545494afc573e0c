"""What counts at a time is chosen by file: recorded by then, not superseded by then."""

from __future__ import annotations

import pytest
from rentmark.records import Refusal
from rentmark.store import Store

from .making import DAY, HOUR, MICROSECOND, START, SteppedClock, archived, commit, offers, reject


def batches(store: Store, as_of=None) -> list[int]:
    return [file.batch_id for file in store.observation_files(as_of=as_of)]


def test_as_of_sees_what_was_recorded_by_then_and_nothing_later(store: Store, clock: SteppedClock):
    commit(store, offers(1))
    clock.step()
    commit(store, offers(1, day=2))
    assert batches(store, START - MICROSECOND) == []
    assert batches(store, START) == [1]
    assert batches(store, START + HOUR - MICROSECOND) == [1]
    assert batches(store, START + HOUR) == [1, 2]
    assert batches(store) == [1, 2]
    assert [entry.batch_id for entry in store.ledger(as_of=START)] == [1]
    assert store.observed_months(as_of=START - DAY) == []


def test_a_new_reading_supersedes_and_an_earlier_as_of_still_sees_the_old_one(
    store: Store, clock: SteppedClock
):
    commit(store, offers(3), payload=b"payload")
    clock.step()
    second = commit(store, offers(4, price_micros=3_500_000), payload=b"payload", feed_version="2")
    clock.step()
    third = commit(store, offers(4), payload=b"payload", feed_version="2", mapping_hash="other")
    assert (second.supersedes, third.supersedes) == (1, 2)
    assert batches(store, START) == [1]
    assert batches(store, START + HOUR) == [2]
    assert batches(store, START + 2 * HOUR) == [3]
    assert batches(store) == [3]
    assert len(archived(store)) == 4
    assert len(archived(store, as_of=START)) == 3


def test_rows_of_the_reading_that_is_replaced_are_no_duplicates(store: Store):
    commit(store, offers(3), payload=b"payload")
    again = commit(store, offers(3), payload=b"payload", feed_version="2")
    assert (again.accepted, again.duplicates) == (3, 0)
    assert len(archived(store)) == 3


def test_rows_of_other_payloads_stay_duplicates_for_a_new_reading(store: Store):
    commit(store, offers(2), payload=b"other")
    first = commit(store, offers(3), payload=b"payload")
    again = commit(store, offers(3), payload=b"payload", feed_version="2")
    assert (first.accepted, first.duplicates) == (1, 2)
    assert (again.accepted, again.duplicates, again.supersedes) == (1, 2, 2)
    assert len(archived(store)) == 3


def test_a_reading_without_observations_takes_nothing_out_of_sight(store: Store, clock: SteppedClock):
    commit(store, offers(3), payload=b"payload")
    refusal = Refusal("missing_column", "offers.csv has no price; map it.")
    refused = commit(store, [], payload=b"payload", mapping_hash="wrong", refusal=refusal)
    rejected = commit(store, [], payload=b"payload", mapping_hash="worse", rejects=[reject(0)])
    assert (refused.supersedes, rejected.supersedes) == (None, None)
    assert batches(store) == [1]
    clock.step()
    better = commit(store, offers(5), payload=b"payload", mapping_hash="better")
    assert better.supersedes == 1
    assert batches(store) == [4]


def test_a_reading_whose_rows_are_all_archived_still_supersedes(store: Store):
    commit(store, offers(3), payload=b"payload")
    commit(store, offers(3, price_micros=4_000_000), payload=b"other")
    again = commit(store, offers(3, price_micros=4_000_000), payload=b"payload", feed_version="2")
    assert (again.accepted, again.duplicates, again.supersedes) == (0, 3, 1)
    assert batches(store) == [2]


@pytest.mark.parametrize("feed", ["invented", "another"])
def test_only_the_same_feed_supersedes(store: Store, feed: str):
    commit(store, offers(2), payload=b"payload")
    entry = commit(store, offers(2, day=3), payload=b"payload", feed=feed, feed_version="2")
    assert entry.supersedes == (1 if feed == "invented" else None)


def test_a_store_opened_before_sees_what_another_commits(
    store: Store, database_url: str | None, clock: SteppedClock
):
    assert batches(store) == []
    with Store.open(store.root, database_url=database_url, clock=clock) as other:
        commit(other, offers(2), payload=b"payload")
        assert batches(store) == [1]
        commit(other, offers(2), payload=b"payload", feed_version="2")
    assert batches(store) == [2]
    assert batches(store, START) == [1]
