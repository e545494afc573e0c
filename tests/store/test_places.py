"""Places on the tape are those of its rows, and appending by them is appending by the rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from rentmark.records import Fixing
from rentmark.store import Store
from rentmark.store.places import (
    Place,
    append_in_place,
    candidate_hashes,
    first_unpublished,
    tape_places,
)

from .making import START, SteppedClock, make_fixing, publish

NAME = "invented-list"
FIRST = date(2026, 7, 7)


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def places_of(rows: list[Fixing]) -> list[Place]:
    return [Place(*(getattr(row, name) for name in Place._fields)) for row in rows]


def test_places_are_those_of_the_rows(store: Store, clock: SteppedClock):
    assert tape_places(store, NAME) == []
    publish(store, make_fixing(day(0)), make_fixing(day(1)))
    publish(store, make_fixing(day(0), benchmark="another-list"))
    assert tape_places(store, NAME) == places_of(store.tape_sequence(NAME))
    clock.step()
    publish(store, make_fixing(day(0), 3_250_000, revision=1, reason="late data"))
    assert tape_places(store, NAME) == places_of(store.tape_sequence(NAME))
    assert [place.revision for place in tape_places(store, NAME)] == [0, 0, 1]


def test_what_is_appended_in_place_is_sealed_as_any_row(store: Store, clock: SteppedClock):
    publish(store, make_fixing(day(0)))
    clock.step()

    def make(tape: list[Place], published_at):
        assert tape == places_of(store_rows)
        assert published_at == START + timedelta(hours=1)
        return [replace(make_fixing(day(1)), origin="live")]

    store_rows = store.tape_sequence(NAME)
    (added,) = append_in_place(store, NAME, make)
    assert store.tape_sequence(NAME) == [*store_rows, added]
    assert added.previous_digest == store_rows[-1].row_digest
    assert store.check_chain(NAME) == []
    with pytest.raises(ValueError, match="does not follow on the tape"):
        append_in_place(store, NAME, lambda _tape, _at: [replace(make_fixing(day(1)), origin="live")])


def test_what_is_left_to_publish(store: Store):
    assert candidate_hashes(store, NAME, "latest") == set()
    assert first_unpublished(store, NAME, "latest") is None
    made = [make_fixing(day(n)) for n in range(4)]
    plain = [replace(f, origin=None, actor=None) for f in made]
    other = replace(plain[3], methodology_hash="f" * 64)
    store.replace_candidates(NAME, "latest", [*plain[:3], other], START)
    assert candidate_hashes(store, NAME, "latest") == {plain[0].methodology_hash, "f" * 64}
    assert first_unpublished(store, NAME, "latest") == day(0)
    publish(store, made[0], made[2])
    publish(store, make_fixing(day(1), benchmark="another-list"))
    assert first_unpublished(store, NAME, "latest") == day(1)
    assert first_unpublished(store, NAME, "another view") is None
    publish(store, made[1], made[3])
    assert first_unpublished(store, NAME, "latest") is None
