"""A disk that is full or read-only is one plain sentence, and what was committed stays whole."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rentmark.records import RentmarkError
from rentmark.store import Store

from .making import START, SteppedClock, commit, make_fixing, offers, publish

DAY = START.date()


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{' '.join(command)}: {done.stderr.strip()}"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes: root ignores permissions, so only a real one can refuse."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    refused = run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place))
    if refused:
        pytest.skip(f"a small file system can't be mounted here: {refused}")
    try:
        yield place
    finally:
        run("umount", "-l", str(place))


def test_a_payload_that_does_not_fit_is_refused_and_the_rest_goes_on(small_disk: Path, clock: SteppedClock):
    with Store.create(small_disk / "w", database_url=None, simulated=False, clock=clock) as store:
        commit(store, offers(2))
        with pytest.raises(RentmarkError, match="failed: the disk is full; free some space"):
            store.put_payload(os.urandom(3_000_000))
        assert not list(store.root.rglob(".*.tmp"))
        assert commit(store, offers(2, day=3)).accepted == 2
        assert store.check_files() == []


def test_a_batch_that_does_not_fit_leaves_the_ledger_as_it_was(small_disk: Path, clock: SteppedClock):
    with Store.create(small_disk / "w", database_url=None, simulated=False, clock=clock) as store:
        first = commit(store, offers(2))
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space left"):
            filler.write_bytes(b"\x00" * 3_000_000)
        with pytest.raises(RentmarkError, match="disk is full"):
            commit(store, offers(2000, day=3), payload=b"")
        filler.unlink()
        assert store.ledger() == [first]
        assert store.check_files() == []
        assert commit(store, offers(2, day=3)).accepted == 2
    with Store.open(small_disk / "w", database_url=None, clock=clock) as opened:
        assert [entry.accepted for entry in opened.ledger()] == [2, 2]
        assert opened.check_files() == []


def test_a_tape_on_a_full_disk_publishes_whole_or_not_at_all(small_disk: Path, clock: SteppedClock):
    from datetime import timedelta

    with Store.create(small_disk / "w", database_url=None, simulated=False, clock=clock) as store:
        publish(store, make_fixing(DAY))
        many = [make_fixing(DAY + timedelta(days=n), reason="x" * 5000) for n in range(1, 600)]
        with pytest.raises(RentmarkError, match="the disk is full"):
            publish(store, *many)
        assert len(store.tape("invented-list")) == 1
        assert store.check_chain("invented-list") == []
        publish(store, many[0])
    with Store.open(small_disk / "w", database_url=None, clock=clock) as opened:
        assert len(opened.tape("invented-list")) == 2
        assert opened.check_chain("invented-list") == []


def test_a_read_only_disk_is_one_sentence(small_disk: Path, clock: SteppedClock):
    root = small_disk / "w"
    store = Store.create(root, database_url=None, simulated=False, clock=clock)
    commit(store, offers(2))
    store.close()
    assert run("mount", "-o", "remount,ro", str(small_disk)) == ""
    with pytest.raises(RentmarkError, match="read-only"):
        store.put_payload(b"new")
    for attempt in (
        lambda: publish(store, make_fixing(DAY)),
        lambda: Store.open(root, database_url=None, clock=clock),
        lambda: Store.create(small_disk / "other", database_url=None, simulated=False, clock=clock),
    ):
        with pytest.raises(RentmarkError, match=r"read-only|can't be opened; check that its folder"):
            attempt()
    assert run("mount", "-o", "remount,rw", str(small_disk)) == ""
    with Store.open(root, database_url=None, clock=clock) as opened:
        assert opened.check_files() == []
