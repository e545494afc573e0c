"""What every engine must do; a test class of an engine inherits it and says how one is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rentmark.records import RentmarkError
from rentmark.records.schemas import INSTANT, OBSERVATION_SCHEMA
from rentmark.store import Store
from rentmark.store.engines import Engine

from .making import HOUR, START, commit, observation, offers


def unbound_observations():
    """An unbound table that a prepared query reads by name."""
    kinds = ibis.schema(OBSERVATION_SCHEMA)
    return ibis.table({name: kind.copy(nullable=True) for name, kind in kinds.items()}, name="observations")


class EngineSuite:
    """Inherit and give ``make``."""

    def make(self) -> Engine:
        raise NotImplementedError

    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        engine = self.make()
        yield engine
        engine.close()

    def test_it_reads_exactly_the_files_it_is_given(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, offers(3))
        commit(sqlite_store, offers(4, day=40))
        files = sqlite_store.observation_files()
        for chosen in (files, files[:1], files[1:]):
            rows = engine.to_arrow(engine.observations(sqlite_store.file_paths(chosen)))
            assert rows.num_rows == sum(file.rows for file in chosen)

    def test_rows_come_back_as_they_were_archived(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, [observation(reliability=0.1, region="ü", gpu_seconds=2**62, start_at=START)])
        path = sqlite_store.file_paths(sqlite_store.observation_files())[0]
        rows = engine.to_arrow(engine.observations([path]))
        assert rows.schema.names == OBSERVATION_SCHEMA.names
        assert [field.type for field in rows.schema] == [field.type for field in OBSERVATION_SCHEMA]
        assert rows.to_pylist() == pq.ParquetFile(path).read().to_pylist()

    def test_no_files_are_an_empty_table_of_the_same_types(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, offers(1))
        some = engine.observations(sqlite_store.file_paths(sqlite_store.observation_files()))
        none = engine.observations([])
        assert none.schema() == some.schema()
        assert engine.to_arrow(none).num_rows == 0
        assert engine.to_arrow(none.aggregate(n=none.count()))["n"].to_pylist() == [0]

    def test_a_column_that_an_older_file_lacks_reads_as_null(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, offers(2, interconnect="nvlink"))
        commit(sqlite_store, offers(2, day=5, interconnect="nvlink"))
        paths = sqlite_store.file_paths(sqlite_store.observation_files())
        older = pq.ParquetFile(paths[0]).read().drop_columns(["interconnect", "gpu_seconds"])
        pq.write_table(older, paths[0])
        for chosen, expected in ((paths, [None, None, "nvlink", "nvlink"]), (paths[:1], [None, None])):
            rows = engine.to_arrow(engine.observations(chosen).order_by("observed_at"))
            assert rows["interconnect"].to_pylist() == expected
            assert rows["gpu_seconds"].to_pylist() == [None] * len(expected)
            assert rows.schema.names == OBSERVATION_SCHEMA.names

    def test_a_column_of_a_newer_version_is_left_out(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, offers(2))
        path = sqlite_store.file_paths(sqlite_store.observation_files())[0]
        table = pq.ParquetFile(path).read()
        pq.write_table(table.append_column("newer", pa.array([1, 2])), path)
        assert engine.to_arrow(engine.observations([path])).schema.names == OBSERVATION_SCHEMA.names

    @pytest.mark.parametrize("name", ["a b", "it's", "[1]", "what?", "a*b", "ü%20"])
    def test_a_folder_may_have_any_name(self, engine: Engine, sqlite_store: Store, tmp_path: Path, name: str):
        commit(sqlite_store, offers(2))
        path = sqlite_store.file_paths(sqlite_store.observation_files())[0]
        moved = tmp_path / name / "month=2026-07" / "x.parquet"
        moved.parent.mkdir(parents=True)
        path.rename(moved)
        assert engine.to_arrow(engine.observations([moved])).num_rows == 2

    def test_a_missing_file_is_named(self, engine: Engine, tmp_path: Path):
        with pytest.raises(RentmarkError, match=f"The archive lacks {tmp_path / 'x.parquet'}"):
            engine.observations([tmp_path / "x.parquet"])

    @pytest.mark.parametrize("part", ["pages", "footer"])
    @pytest.mark.parametrize("prepared", [False, True])
    def test_a_damaged_file_is_one_sentence(
        self, engine: Engine, sqlite_store: Store, part: str, prepared: bool
    ):
        commit(sqlite_store, offers(200))
        path = sqlite_store.file_paths(sqlite_store.observation_files())[0]
        damaged = bytearray(path.read_bytes())
        span = slice(4, len(damaged) // 3) if part == "pages" else slice(-8, None)
        damaged[span] = b"\xff" * len(damaged[span])
        path.write_bytes(damaged)

        def read() -> None:
            if prepared:
                engine.bind_files("observations", [path])
                engine.query("all", unbound_observations)
            else:
                engine.to_arrow(engine.observations([path]))

        with pytest.raises(RentmarkError, match="The archive can't be read"):
            read()

    def test_a_prepared_query_answers_for_whatever_its_names_stand_for(
        self, engine: Engine, sqlite_store: Store
    ):
        commit(sqlite_store, offers(3, interconnect="nvlink"))
        commit(sqlite_store, offers(4, day=40))
        paths = sqlite_store.file_paths(sqlite_store.observation_files())
        older = pq.ParquetFile(paths[0]).read().drop_columns(["interconnect", "start_at", "reliability"])
        pq.write_table(older, paths[0])
        made = []

        def make():
            made.append(1)
            return unbound_observations().order_by("observed_at", "seller")

        for chosen in (paths, paths[:1], [], paths[1:]):
            engine.bind_files("observations", chosen)
            expected = engine.to_arrow(engine.observations(chosen).order_by("observed_at", "seller"))
            found = engine.query("everything", make)
            assert found.to_pylist() == expected.to_pylist()
            assert found.schema.names == OBSERVATION_SCHEMA.names
            assert [field.type for field in found.schema] == [field.type for field in OBSERVATION_SCHEMA]
        engine.bind_table("observations", OBSERVATION_SCHEMA.empty_table())
        assert engine.query("everything", make).num_rows == 0
        assert len(made) == 1

    def test_a_span_and_constants_read_no_more_than_they_must(self, engine: Engine, sqlite_store: Store):
        rows = [
            observation(observed_at=START + n * HOUR, seller=f"s{n}", venue="it's", position=n)
            for n in range(6)
        ]
        commit(sqlite_store, rows)
        paths = sqlite_store.file_paths(sqlite_store.observation_files())
        known = {"venue": "it's", "machine": None, "simulated": False, "gpu_count": 8}
        engine.bind_files("observations", paths, constants=known, span=(START + HOUR, START + 4 * HOUR))
        found = engine.query("spanned", lambda: unbound_observations().order_by("observed_at"))
        assert found["seller"].to_pylist() == ["s1", "s2", "s3"]
        assert [field.type for field in found.schema] == [field.type for field in OBSERVATION_SCHEMA]
        engine.bind_files("observations", paths)
        whole = engine.query("spanned", lambda: unbound_observations().order_by("observed_at"))
        assert found.to_pylist() == whole.to_pylist()[1:4]

    def test_tables_in_memory_join_and_can_be_replaced(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, offers(3) + offers(3, day=2))
        observed = engine.observations(sqlite_store.file_paths(sqlite_store.observation_files()))
        for place, expected in ((0, 3), (1, 3), (5, 0)):
            windows = pa.table({"cutoff": pa.array([START.replace(day=1 + place)], INSTANT)})
            table = engine.memory(windows, "windows")
            joined = observed.inner_join(table, observed.observed_at == table.cutoff)
            found = engine.to_arrow(joined.count().as_table())
            assert found.column(0).to_pylist() == [0 if place == 0 else expected]
            assert engine.to_arrow(table)["cutoff"].to_pylist() == windows["cutoff"].to_pylist()

    def test_it_counts_time_in_utc(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, [observation(observed_at=START.replace(hour=h)) for h in (0, 23)])
        observed = engine.observations(sqlite_store.file_paths(sqlite_store.observation_files()))
        days = engine.to_arrow(observed.select(day=observed.observed_at.date()).distinct())
        assert [str(day) for day in days["day"].to_pylist()] == ["2026-08-01"]
        assert engine.to_arrow(observed)["observed_at"].type == INSTANT

    def test_sums_beyond_64_bits_are_exact_as_decimals(self, engine: Engine, sqlite_store: Store):
        commit(sqlite_store, [observation(seller=str(n), gpu_seconds=2**61 + n) for n in range(9)])
        observed = engine.observations(sqlite_store.file_paths(sqlite_store.observation_files()))
        total = observed.aggregate(total=observed.gpu_seconds.cast("decimal(38, 0)").sum())
        assert [int(value) for value in engine.to_arrow(total)["total"].to_pylist()] == [9 * 2**61 + 36]

    def test_an_expression_of_ibis_alone_runs(self, engine: Engine):
        alone = ibis.memtable({"price_micros": [250_000, 750_000]})
        assert engine.to_arrow(alone.aggregate(m=alone.price_micros.median()))["m"].to_pylist() == [500_000.0]
