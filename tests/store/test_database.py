"""One schema from migrations, one writer at a time, and plain sentences without passwords."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from rentmark.records import RentmarkError, UsageError
from rentmark.store import Database, DatabaseBusyError, Store
from rentmark.store import database as module
from rentmark.store.database import HEAD_REVISION
from rentmark.store.tables import APPEND_ONLY, BATCH, META, METADATA

from .making import SteppedClock, commit, offers


@pytest.fixture
def database(tmp_path: Path, database_url: str | None):
    made = Database.at_path(tmp_path / "rentmark.db") if database_url is None else Database(database_url)
    yield made
    made.close()


def test_there_is_exactly_one_newest_migration_and_the_code_knows_it():
    config = Config()
    config.set_main_option("script_location", "rentmark.store:migrations")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD_REVISION]


def test_the_migrations_make_exactly_the_tables_of_the_code(database: Database):
    database.upgrade()
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        found = sa.inspect(connection)
        assert set(found.get_table_names()) == {*METADATA.tables, "alembic_version"}
        for table in METADATA.tables.values():
            checks = {check["name"] for check in found.get_check_constraints(table.name)}
            wanted = {str(c.name) for c in table.constraints if isinstance(c, sa.CheckConstraint)}
            assert checks == wanted


def test_upgrading_again_changes_nothing(database: Database):
    assert database.revision() is None
    database.upgrade()
    database.upgrade()
    assert database.revision() == HEAD_REVISION


def test_tables_of_a_newer_version_are_refused(store: Store, database_url: str | None):
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(RentmarkError, match="was written by a newer Rentmark"):
        Store.open(store.root, database_url=database_url, clock=SteppedClock())


def test_observations_identified_the_old_way_are_refused_and_left(store: Store, database_url: str | None):
    """A repeated offer would be taken for a new one beside ids of another definition."""
    commit(store, offers(1))
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0008'")
    with pytest.raises(RentmarkError, match="would not recognise a repeated offer"):
        Store.open(store.root, database_url=database_url, clock=SteppedClock())
    assert store.database.revision() == "0008"
    assert len(store.ledger()) == 1


def test_every_append_only_table_is_guarded(database: Database):
    database.upgrade()
    query = (
        "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'"
        if database.is_sqlite
        else "SELECT event_object_table FROM information_schema.triggers"
    )
    with database.reading() as connection:
        assert set(connection.scalars(sa.text(query))) == {table.name for table in APPEND_ONLY}


def test_a_failed_write_leaves_nothing(database: Database):
    database.upgrade()

    def fail() -> None:
        with database.writing() as connection:
            connection.execute(sa.insert(META), {"name": "a", "value": "b"})
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(META)) == 0


def test_a_reader_keeps_its_view_while_another_writes(database: Database):
    database.upgrade()
    count = sa.select(sa.func.count()).select_from(META)
    with database.reading() as reader:
        assert reader.scalar(count) == 0
        with database.writing() as writer:
            writer.execute(sa.insert(META), {"name": "a", "value": "b"})
        assert reader.scalar(count) == 0
    with database.reading() as reader:
        assert reader.scalar(count) == 1


def test_a_second_writer_is_told_that_another_is_writing(database: Database):
    database.upgrade()
    said: list[str] = []

    def write() -> None:
        with pytest.raises(DatabaseBusyError) as refused, database.writing(wait_seconds=0.05):
            pass
        said.append(refused.value.sentence)

    with database.writing():
        other = threading.Thread(target=write)
        other.start()
        other.join()
    assert said[0].startswith("Another command is writing to ")
    with database.writing(wait_seconds=0):
        pass


def test_threads_that_read_and_then_write_lose_no_update(database: Database):
    database.upgrade()
    with database.writing() as connection:
        connection.execute(sa.insert(META), {"name": "count", "value": "0"})

    def add_ten() -> None:
        for _ in range(10):
            with database.writing() as connection:
                value = int(connection.scalar(sa.select(META.c.value)) or 0)
                connection.execute(sa.update(META).values(value=str(value + 1)))

    threads = [threading.Thread(target=add_ten) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.reading() as connection:
        assert connection.scalar(sa.select(META.c.value)) == "40"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "mysql://me:secret-word@host/x",
            "starts with mysql; Rentmark keeps its tables in sqlite or postgresql",
        ),
        ("postgresql+pg8000://me:secret-word@host/x", "starts with postgresql"),
        ("nonsense:secret-word", "The database URL can't be read"),
        ("", "The database URL can't be read"),
        ("postgresql://me:secret-word@host:port/x", "The database URL can't be read"),
    ],
)
def test_a_url_that_is_none_of_ours_is_wrong_usage(url: str, sentence: str):
    with pytest.raises(UsageError, match=sentence) as refused:
        Database(url)
    assert "secret-word" not in refused.value.sentence


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_server_that_is_not_there_is_one_sentence_without_the_password(scheme: str):
    database = Database(f"{scheme}://me:secret-word@127.0.0.1:9/books?connect_timeout=2")
    with pytest.raises(RentmarkError) as refused, database.reading():
        pass
    assert "secret-word" not in refused.value.sentence
    assert "postgresql+psycopg://me:***@127.0.0.1:9/books" in refused.value.sentence
    assert "check RENTMARK_DATABASE_URL" in refused.value.sentence
    assert "\n" not in refused.value.sentence
    assert refused.value.__suppress_context__


def test_a_database_that_does_not_exist_is_named(postgres_url: sa.URL):
    database = Database(postgres_url.set(database="absent"))
    with (
        pytest.raises(RentmarkError, match='database "absent" does not exist') as refused,
        database.reading(),
    ):
        pass
    assert "secret-word" not in refused.value.sentence


@pytest.mark.parametrize("rights", ["USAGE", None])
def test_a_user_without_rights_is_told_so(new_postgres: Callable[[], str], rights: str | None):
    owner = Database(new_postgres())
    with owner.writing() as connection:
        schema = connection.scalar(sa.select(sa.func.current_schema()))
        connection.exec_driver_sql("DROP ROLE IF EXISTS guest")
        connection.exec_driver_sql("CREATE ROLE guest LOGIN")
        if rights:
            connection.exec_driver_sql(f"GRANT {rights} ON SCHEMA {schema} TO guest")
    guest = Database(owner.url.set(username="guest"))
    with pytest.raises(RentmarkError, match="does not let this user do that; grant the rights"):
        guest.upgrade()
    guest.close()
    with owner.writing() as connection:
        connection.exec_driver_sql("DROP OWNED BY guest")
        connection.exec_driver_sql("DROP ROLE guest")
    owner.close()


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path):
    (tmp_path / "rentmark.db").write_bytes(b"these are not tables " * 100)
    with pytest.raises(RentmarkError, match=r"rentmark\.db is not a database, or is damaged"):
        Database.at_path(tmp_path / "rentmark.db").upgrade()


def test_a_folder_that_is_missing_is_one_sentence(tmp_path: Path):
    with pytest.raises(RentmarkError, match="can't be opened; check that its folder exists"):
        Database.at_path(tmp_path / "absent" / "rentmark.db").upgrade()


@pytest.mark.parametrize("name", ["a b", "50%", "x?mode=ro", "#1", "über", "a[1]*"])
def test_a_workspace_folder_may_have_any_name(tmp_path: Path, name: str):
    clock = SteppedClock()
    with Store.create(tmp_path / name, database_url=None, simulated=False, clock=clock) as store:
        commit(store, offers(2))
    with Store.open(tmp_path / name, database_url=None, clock=clock) as store:
        assert store.ledger()[0].accepted == 2
    assert (tmp_path / name / "rentmark.db").is_file()


def test_what_is_flushed_together_is_flushed_once_when_the_block_ends(tmp_path, monkeypatch):
    database = Database.at_path(tmp_path / "a.db")
    modes: list[bool] = []
    flushed: list[Path] = []
    prepare, flush = module._prepare_transaction, module._flush_log

    def watched(connection: sa.Connection, wait_seconds: float, *, durable: bool) -> None:
        modes.append(durable)
        prepare(connection, wait_seconds, durable=durable)

    monkeypatch.setattr(module, "_prepare_transaction", watched)
    monkeypatch.setattr(module, "_flush_log", lambda log: (flushed.append(log), flush(log)))
    with database.flushed_together():
        for number in range(3):
            with database.writing() as connection:
                connection.exec_driver_sql(f"CREATE TABLE t{number} (x)")
        with database.flushed_together(), database.writing():
            assert modes == [False] * 4
        assert flushed == []
    assert flushed == [tmp_path / "a.db-wal"]
    assert flushed[0].exists()
    with database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE t0")
    assert modes[-1]
    database.close()
    module._flush_log(tmp_path / "a.db-wal")  # the last to close empties the log into the database file


def count_batches(store: Store) -> int:
    with store.database.reading() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(BATCH)) or 0


def test_what_belongs_together_reads_one_state_whatever_others_commit(store: Store):
    with store.database.one_state():
        assert count_batches(store) == 0
        other = threading.Thread(target=commit, args=(store, offers(1)))
        other.start()
        other.join()
        assert count_batches(store) == 0
        assert store.observation_files() == []
    assert count_batches(store) == 1
    assert len(store.observation_files()) == 1


def test_a_write_ends_the_one_state_and_what_follows_sees_it(store: Store):
    with store.database.one_state():
        with store.database.one_state():
            assert count_batches(store) == 0
            commit(store, offers(1))
            assert count_batches(store) == 1
        assert count_batches(store) == 1
        commit(store, offers(1, day=2))
        assert [file.batch_id for file in store.observation_files()] == [1, 2]
    assert count_batches(store) == 2


def test_one_state_lasts_no_longer_than_its_block_and_ends_with_an_exception(store: Store):
    def stopped() -> None:
        with store.database.one_state():
            assert count_batches(store) == 0
            raise KeyError

    with pytest.raises(KeyError):
        stopped()
    commit(store, offers(1))
    assert count_batches(store) == 1


def test_a_statement_that_fails_in_one_state_is_a_plain_sentence(store: Store):
    with pytest.raises(RentmarkError), store.database.one_state(), store.database.reading() as connection:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")
