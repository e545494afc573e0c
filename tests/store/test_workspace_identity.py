"""A workspace is created once, and its folder and its database belong together."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rentmark.records import RentmarkError
from rentmark.store import Store

from .making import START, SteppedClock, commit, offers


def test_what_was_created_opens_with_what_was_fixed(
    store: Store, database_url: str | None, clock: SteppedClock
):
    commit(store, offers(2))
    with Store.open(store.root, database_url=database_url, clock=clock) as opened:
        assert opened.simulated is False
        assert opened.ledger() == store.ledger()
        assert opened.check_files() == []


def test_creating_twice_is_refused(store: Store, database_url: str | None, clock: SteppedClock):
    with pytest.raises(RentmarkError, match=f"There is a workspace in {store.root} already"):
        Store.create(store.root, database_url=database_url, simulated=True, clock=clock)
    with Store.open(store.root, database_url=database_url, clock=clock) as opened:
        assert opened.simulated is False


@pytest.mark.parametrize("leave", ["nothing", "a folder", "an empty database"])
def test_opening_what_is_no_workspace_names_the_remedy(tmp_path: Path, clock: SteppedClock, leave: str):
    root = tmp_path / "w"
    if leave != "nothing":
        (root / "archive").mkdir(parents=True)
    if leave == "an empty database":
        (root / "rentmark.db").touch()
    with pytest.raises(RentmarkError) as refused:
        Store.open(root, database_url=None, clock=clock)
    assert refused.value.sentence == f"No workspace in {root}; run `rentmark init {root}`."
    if leave == "nothing":
        assert not root.exists()


def test_opening_an_empty_server_is_no_workspace(
    tmp_path: Path, clock: SteppedClock, new_postgres: Callable[[], str]
):
    (tmp_path / "archive").mkdir()
    with pytest.raises(RentmarkError, match="No workspace in"):
        Store.open(tmp_path, database_url=new_postgres(), clock=clock)


def test_a_creation_that_was_stopped_can_be_repeated(tmp_path: Path, clock: SteppedClock):
    with Store.create(tmp_path, database_url=None, simulated=False, clock=clock):
        pass
    (tmp_path / "rentmark.db").unlink()
    with Store.create(tmp_path, database_url=None, simulated=False, clock=clock) as store:
        assert store.latest_instant() == START


def test_a_new_database_over_an_archive_that_holds_something_is_refused(
    sqlite_store: Store, clock: SteppedClock
):
    commit(sqlite_store, offers(2))
    sqlite_store.close()
    (sqlite_store.root / "rentmark.db").unlink()
    with pytest.raises(RentmarkError, match="holds the archive of a workspace whose database is another"):
        Store.create(sqlite_store.root, database_url=None, simulated=False, clock=clock)


def test_the_database_of_another_folder_is_refused_and_no_file_is_touched(
    tmp_path: Path, clock: SteppedClock
):
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        with Store.create(root, database_url=None, simulated=False, clock=clock) as store:
            commit(store, offers(2))
    shutil.copy(roots[0] / "rentmark.db", roots[1] / "rentmark.db")
    before = sorted(tmp_path.rglob("*.parquet"))
    with pytest.raises(RentmarkError, match="belongs to another folder"):
        Store.open(roots[1], database_url=None, clock=clock)
    assert sorted(tmp_path.rglob("*.parquet")) == before


def test_two_folders_cannot_share_a_database(
    tmp_path: Path, clock: SteppedClock, new_postgres: Callable[[], str]
):
    url = new_postgres()
    Store.create(tmp_path / "one", database_url=url, simulated=False, clock=clock).close()
    with pytest.raises(RentmarkError, match="holds another workspace") as refused:
        Store.create(tmp_path / "two", database_url=url, simulated=False, clock=clock)
    assert "secret-word" not in refused.value.sentence


def test_a_clock_without_a_zone_is_refused(sqlite_store: Store, clock: SteppedClock):
    clock.instant = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="without a time zone"):
        commit(sqlite_store, offers(1))
    assert sqlite_store.ledger() == []
