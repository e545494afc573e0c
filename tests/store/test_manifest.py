"""The manifest answers from what it has put in order what the ledger's rows say, at every step of a history."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest
from rentmark.records import month_of
from rentmark.store import ObservationFile, Store
from rentmark.store.manifest import every_file

from .making import DAY, START, SteppedClock, archived, commit, observation


def counted(
    store: Store, as_of: datetime | None, months: list[str] | None, span: tuple[datetime, datetime] | None
) -> list[ObservationFile]:
    """The files that count, from the ledger's rows one by one."""
    known = [entry for entry in store.ledger() if as_of is None or entry.recorded_at <= as_of]
    counting = {entry.batch_id for entry in known} - {entry.supersedes for entry in known}
    return [
        file
        for file in sorted(every_file(store.database), key=lambda file: (file.month, file.batch_id))
        if file.batch_id in counting
        and (months is None or file.month in months)
        and (span is None or (file.last_observed_at >= span[0] and file.first_observed_at <= span[1]))
    ]


@pytest.mark.parametrize("seed", range(3))
def test_files_are_those_of_the_ledger_at_every_instant(sqlite_store: Store, clock: SteppedClock, seed: int):
    chance = Random(seed)
    store, manifest = sqlite_store, sqlite_store._manifest
    stamps = [START - DAY]
    for step in range(25):
        clock.step()
        days = [chance.randrange(-80, 1) for _ in range(chance.randrange(0, 4))]
        rows = [
            observation(seller=f"{step}-{n}", observed_at=START + day * DAY) for n, day in enumerate(days)
        ]
        payload = f"payload {chance.randrange(step + 1) if chance.random() < 0.4 else step}".encode()
        entry = commit(store, rows, payload=payload, feed_version=str(step))
        assert entry == store.find_batch(entry.payload_digest, "invented", str(step), "none")
        stamps.append(entry.recorded_at)
        for as_of in (None, chance.choice(stamps)):
            start = START + chance.randrange(-80, 1) * DAY
            span = (start, start + timedelta(days=chance.randrange(40)))
            some = [month_of((START - n * 31 * DAY).date()) for n in range(2)]
            with store.database.reading() as connection:
                assert manifest.files(connection, as_of=as_of) == counted(store, as_of, None, None)
                found = manifest.files(connection, as_of=as_of, months=some)
                assert found == counted(store, as_of, some, None)
                found = manifest.files(connection, as_of=as_of, overlapping=span)
                assert found == counted(store, as_of, None, span)
    assert any(entry.supersedes for entry in store.ledger())


def test_a_repeat_is_found_in_a_file_of_its_source_and_none_of_another_is_opened(sqlite_store: Store):
    store = sqlite_store
    one = [observation(source="one", seller=f"s{n}") for n in range(3)]
    two = [observation(source="two", seller=f"s{n}") for n in range(3)]
    commit(store, one)
    (path,) = store.file_paths(store.observation_files())
    whole = path.read_bytes()
    path.write_bytes(b"damaged")
    first = commit(store, two)
    path.write_bytes(whole)
    again = commit(store, [*one, *two, observation(source="one", seller="new")])
    assert (first.accepted, first.duplicates) == (3, 0)
    assert (again.accepted, again.duplicates) == (1, 6)
    assert len(archived(store)) == 7
