"""Whatever stops a commit, a batch is there whole or not at all, and the next one works."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from rentmark.records import RentmarkError
from rentmark.store import Store, files
from rentmark.store import commit as commit_module
from rentmark.store.tables import BATCH

from .making import DAY, START, SteppedClock, commit, observation, offers, reject
from .running import go, start


def parquet_files(store: Store) -> list[str]:
    return sorted(path.relative_to(store.root).as_posix() for path in store.root.rglob("*.parquet"))


def temporary_files(store: Store) -> list[Path]:
    return list(store.root.rglob(".*.tmp"))


def two_months() -> list[dict]:
    return [observation(seller="another", observed_at=START - n * DAY) for n in range(3)]


class Stop(BaseException):
    """Stands for what is no error of the program: a signal, a lost machine."""


STEPS = ("first file", "second file", "rename", "ledger row", "manifest", "rejects", "just before commit")


def break_at(step: str, patch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Raise ``error`` at a step of the next commit."""

    def fail(*_arguments: object, **_named: object) -> None:
        raise error

    if step.endswith("file"):
        real, calls = commit_module.write_month, iter(range(9))

        def write_month(*arguments: object):
            if next(calls) == (0 if step == "first file" else 1):
                raise error
            return real(*arguments)

        patch.setattr(commit_module, "write_month", write_month)
    elif step == "rename":
        patch.setattr(Path, "replace", fail)
    elif step == "just before commit":
        patch.setattr(commit_module, "entry_from", fail)
    else:
        table = {"ledger row": "batch", "manifest": "observation_file", "rejects": "reject"}[step]
        execute = sa.Connection.execute

        def failing(
            connection: sa.Connection, statement: sa.Executable, *parameters: object, **named: object
        ):
            if isinstance(statement, sa.Insert) and statement.table.name == table:
                raise error
            return execute(connection, statement, *parameters, **named)

        patch.setattr(sa.Connection, "execute", failing)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), Stop()])
@pytest.mark.parametrize("step", STEPS)
def test_a_commit_that_fails_at_any_step_leaves_nothing_and_can_be_repeated(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
):
    store = sqlite_store
    commit(store, offers(2))
    before = parquet_files(store)
    digest = store.put_payload(b"payload")
    with monkeypatch.context() as patch:
        break_at(step, patch, error)
        expected = RentmarkError if step == "rename" and isinstance(error, OSError) else type(error)
        with pytest.raises(expected):
            commit(store, two_months(), payload=b"payload", rejects=[reject(0)])
    assert len(store.ledger()) == 1
    assert store.rejects() == []
    assert parquet_files(store) == before
    assert temporary_files(store) == []
    entry = commit(store, two_months(), payload=b"payload", rejects=[reject(0)])
    assert (entry.batch_id, entry.accepted, entry.rejected, entry.payload_digest) == (2, 3, 1, digest)
    assert store.check_files() == []


def test_a_database_that_fails_while_committing_leaves_files_that_are_set_aside(
    store: Store, database_url: str | None, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
):
    """Whether the commit came through is not known then: nothing may be deleted."""
    commit(store, offers(2))
    with monkeypatch.context() as patch:

        def lost(_dialect: object, _connection: object) -> None:
            raise sa.exc.OperationalError("COMMIT", {}, Exception("server closed the connection"))

        patch.setattr(sa.engine.default.DefaultDialect, "do_commit", lost)
        with pytest.raises(RentmarkError, match="server closed the connection"):
            commit(store, two_months(), payload=b"payload")
    assert len(parquet_files(store)) == 3
    assert [entry.batch_id for entry in store.ledger()] == [1]
    with Store.open(store.root, database_url=database_url, clock=clock) as opened:
        assert parquet_files(opened) == [file.path for file in opened.observation_files()]
        assert len(list((opened.root / "archive/stray").iterdir())) == 2
        assert commit(opened, two_months(), payload=b"payload").accepted == 3
        assert opened.check_files() == []


def test_strays_of_a_stopped_command_do_not_get_in_the_way_of_its_repetition(
    store: Store, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_a, **_n: None)
        break_at("ledger row", patch, Stop())
        with pytest.raises(Stop):
            commit(store, two_months(), payload=b"payload")
    strays = parquet_files(store)
    assert len(strays) == 2
    assert store.observation_files() == []
    clock.step()
    entry = commit(store, two_months(), payload=b"payload")
    assert entry.accepted == 3
    assert store.clean() == strays
    assert parquet_files(store) == [file.path for file in store.observation_files()]
    assert store.check_files() == []


def test_files_of_a_command_that_is_writing_are_left_alone(
    store: Store, database_url: str | None, clock: SteppedClock
):
    path = store.root / "archive/observations/month=2026-08/being-written.parquet"
    files.write_durably(path, b"not in the ledger yet")
    with store.database.writing(), Store.open(store.root, database_url=database_url, clock=clock):
        assert path.exists()
    assert store.clean() == ["archive/observations/month=2026-08/being-written.parquet"]
    assert not path.exists()
    assert store.clean() == []


@pytest.mark.parametrize("step", ["rename", "ledger row"])
def test_files_of_a_failed_commit_are_removed_while_it_holds_the_lock(
    store: Store, monkeypatch: pytest.MonkeyPatch, step: str
):
    """Later, another process might have committed the same batch to the same place."""
    unlink = Path.unlink
    held: list[bool] = []
    store.put_payload(b"payload")

    def watched(path: Path, missing_ok: bool = False) -> None:
        if path.suffix == ".parquet":
            held.append(getattr(store.database._writing, "here", False))
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", watched)
        break_at(step, patch, Stop())
        with pytest.raises(Stop):
            commit(store, two_months(), payload=b"payload")
    assert held
    assert all(held)


def test_files_stay_where_the_database_failed_first(store: Store, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        break_at("ledger row", patch, sa.exc.OperationalError("INSERT", {}, Exception("server is gone")))
        with pytest.raises(RentmarkError, match="server is gone"):
            commit(store, two_months(), payload=b"payload")
    assert len(store.clean()) == 2
    assert commit(store, two_months(), payload=b"payload").accepted == 3


def check_whole(store: Store, sellers: int) -> int:
    """Every batch is whole, and every file belongs to one; returns how many batches there are."""
    entries = store.ledger()
    assert [entry.batch_id for entry in entries] == list(range(1, len(entries) + 1))
    named = store.observation_files()
    assert parquet_files(store) == sorted(file.path for file in named)
    assert temporary_files(store) == []
    for entry in entries:
        mine = [file for file in named if file.batch_id == entry.batch_id]
        assert sum(file.rows for file in mine) == entry.accepted == entry.records == sellers
        for path in store.file_paths(mine):
            stamps = pq.ParquetFile(path).read(columns=["recorded_at"])["recorded_at"].unique()
            assert stamps.to_pylist() == [entry.recorded_at]
    assert store.check_files() == []
    with store.database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(BATCH)) == len(entries)
    return len(entries)


def test_a_process_killed_at_any_moment_leaves_whole_batches_only(
    store: Store, database_url: str | None, clock: SteppedClock
):
    sellers, moments = 400, random.Random(7)
    committed = 0
    for _ in range(5):
        process = start("commit_many.py", store.root, database_url or "-", 0, 500, sellers)
        go(process)
        assert process.stdout is not None
        for _ in range(committed + 1):  # the batches that are there already, and one more
            process.stdout.readline()
        time.sleep(moments.uniform(0, 0.06))
        process.kill()
        process.communicate(timeout=60)
        with Store.open(store.root, database_url=database_url, clock=clock) as opened:
            opened.clean()
            now = check_whole(opened, sellers)
        assert now > committed
        committed = now
