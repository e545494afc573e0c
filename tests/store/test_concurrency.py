"""Processes that write at once wait for each other and lose nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from rentmark.store import Database, Store
from rentmark.store.database import HEAD_REVISION

from .running import finish, start


@pytest.mark.parametrize("writers", [2, 4])
def test_different_payloads_at_once_are_all_committed(store: Store, database_url: str | None, writers: int):
    running = [
        start("commit_many.py", store.root, database_url or "-", 10 * n, 5, 40) for n in range(writers)
    ]
    printed = [line for lines in finish(running) for line in lines]
    entries = store.ledger()
    assert sorted(printed) == sorted(f"{entry.batch_id} 40" for entry in entries)
    assert [entry.batch_id for entry in entries] == list(range(1, 5 * writers + 1))
    stamps = [entry.recorded_at for entry in entries]
    assert stamps == sorted(set(stamps))
    assert sum(file.rows for file in store.observation_files()) == 200 * writers
    assert store.check_files() == []


@pytest.mark.parametrize("writers", [2, 4])
def test_the_same_payload_at_once_is_committed_once(store: Store, database_url: str | None, writers: int):
    running = [start("commit_many.py", store.root, database_url or "-", 0, 5, 40) for _ in range(writers)]
    printed = finish(running)
    assert all(lines == printed[0] for lines in printed)
    assert [entry.accepted for entry in store.ledger()] == [40] * 5
    assert len(list(store.root.rglob("*.parquet"))) == len(store.observation_files()) == 10
    assert store.check_files() == []


def test_two_publishers_at_once_publish_once(store: Store, database_url: str | None):
    running = [start("publish_once.py", store.root, database_url or "-") for _ in range(2)]
    assert sorted(int(lines[0]) for lines in finish(running)) == [0, 10]
    assert len(store.tape("invented-list", revisions="all")) == 10
    assert store.check_chain("invented-list") == []


def test_four_first_migrations_at_once_pass(
    tmp_path: Path, request: pytest.FixtureRequest, database_url: str | None
):
    url = database_url or sa.URL.create("sqlite", database=str(tmp_path / "new.db")).render_as_string()
    running = [start("first_migration.py", url) for _ in range(4)]
    assert finish(running) == [[HEAD_REVISION]] * 4
    database = Database(url)
    assert database.revision() == HEAD_REVISION
    database.close()
