"""Observation files stream in bounded pieces, and pieces change nothing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.records import RentmarkError
from rentmark.records.schemas import OBSERVATION_SCHEMA
from rentmark.store import Store, observations
from rentmark.store.observations import (
    archive_order,
    different_chunks,
    parquet_bytes,
    rows_at,
    shared_columns,
    split_by_month,
    stamped_parts,
)

from .making import DAY, HOUR, START, archived, commit, make_batch, observation, offers


def test_no_row_group_is_longer_than_a_reader_must_hold():
    rows = 300_000
    one = make_batch(offers(1), "0" * 64).observations
    many = pa.concat_tables([one] * 1000).combine_chunks()
    many = pa.concat_tables([many] * (rows // 1000))
    file = pq.ParquetFile(pa.BufferReader(parquet_bytes([many])))
    groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert sum(groups) == rows
    assert max(groups) <= observations.ROW_GROUP_ROWS == 131_072
    assert file.schema_arrow.equals(OBSERVATION_SCHEMA)


def test_duplicates_are_found_across_row_groups(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(observations, "ROW_GROUP_ROWS", 7)
    rows = [offer for day in range(10) for offer in offers(10, day=day)]
    commit(sqlite_store, rows[:60])
    entry = commit(sqlite_store, rows[30:], payload=b"overlapping")
    assert (entry.accepted, entry.duplicates) == (40, 30)
    assert len({row["observation_id"] for row in archived(sqlite_store)}) == 100


@settings(max_examples=50, deadline=None)
@given(days=st.lists(st.integers(-800, 800), max_size=30), seed=st.integers(0, 99))
def test_order_of_arrival_does_not_reach_the_file(days: list[int], seed: int):
    made = [observation(seller=str(n % 3), observed_at=START + day * DAY) for n, day in enumerate(days)]
    table = make_batch(made, "0" * 64).observations
    shuffled = table.take(np.random.default_rng(seed).permutation(len(days)))
    order = archive_order(table)
    first, second = rows_at(table, order), rows_at(shuffled, archive_order(shuffled))
    assert first.drop_columns("position").equals(second.drop_columns("position"))
    months = [(month, rows_at(table, places)) for month, places in split_by_month(table, order)]
    assert [month for month, _ in months] == sorted({(START + day * DAY).strftime("%Y-%m") for day in days})
    assert pa.concat_tables([rows for _, rows in months] or [first]).equals(first)
    for month, rows in months:
        assert {stamp.strftime("%Y-%m") for stamp in rows["observed_at"].to_pylist()} == {month}


@settings(max_examples=40, deadline=None)
@given(
    sellers=st.lists(st.sampled_from(["amber", "basalt"]), min_size=1, max_size=30),
    regions=st.sampled_from([[None], ["us"], ["us", None], ["us", "ömland"]]),
    rows=st.sampled_from([1, 7, 1_000]),
)
def test_what_all_rows_share_is_read_back_as_any_other_text(sellers, regions, rows):
    """A text of all rows is handed to the writer as a dictionary; the file does not tell."""
    made = [
        observation(
            seller=seller, observed_at=START + n % 5 * HOUR, region=regions[n % len(regions)], position=n
        )
        for n, seller in enumerate(sellers)
    ]
    table = make_batch(made, "0" * 64).observations
    order = archive_order(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observations, "ROW_GROUP_ROWS", rows)
        parts = list(stamped_parts(table, START + DAY)(order))
        file = pq.ParquetFile(pa.BufferReader(parquet_bytes(parts)))
    assert max(part.num_rows for part in parts) <= rows
    assert any(pa.types.is_dictionary(field.type) for field in parts[0].schema)
    assert file.schema_arrow.equals(OBSERVATION_SCHEMA)
    stamped = pa.repeat(pa.scalar(START + DAY, OBSERVATION_SCHEMA.field("recorded_at").type), len(made))
    wanted = rows_at(table, order)
    place = wanted.column_names.index("recorded_at")
    assert file.read().equals(wanted.set_column(place, wanted.field(place), stamped))


def test_chunks_in_the_same_memory_are_looked_at_once():
    one, other = pa.array(["a"] * 5), pa.array(["a"] * 5)
    column = pa.chunked_array([one, one, one.slice(0, 3), other, other.slice(2), one.slice(2)])
    assert [len(chunk) for chunk in different_chunks(column)] == [5, 5, 3, 3]
    growing = pa.chunked_array([one.slice(0, 2), one])
    assert [len(chunk) for chunk in different_chunks(growing)] == [2, 5]
    last = pa.chunked_array([one, one, pa.array(["b", "a"])])
    assert shared_columns(pa.table({"shared": pa.chunked_array([one, one]), "x": column[:10]})) == {
        "shared",
        "x",
    }
    assert shared_columns(pa.table({"not": last})) == set()


@pytest.mark.parametrize(("rows", "coder"), [(1, "SNAPPY"), (499, "SNAPPY"), (500, "ZSTD"), (3_000, "ZSTD")])
def test_a_small_file_is_coded_by_what_is_set_up_at_once(rows: int, coder: str):
    table = make_batch(offers(rows), "0" * 64).observations
    payload = parquet_bytes(stamped_parts(table, START)(archive_order(table)))
    assert payload.equals(parquet_bytes(stamped_parts(table, START)(archive_order(table))))
    group = pq.ParquetFile(pa.BufferReader(payload)).metadata.row_group(0)
    coders = {group.column(n).path_in_schema: group.column(n).compression for n in range(group.num_columns)}
    assert coders.pop("observation_id") == coders.pop("content_check") == "UNCOMPRESSED"
    assert set(coders.values()) == {coder}


@pytest.mark.parametrize("at_once", [0, 10**9])
def test_a_file_reads_the_same_whole_or_column_by_column(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
):
    commit(sqlite_store, offers(40))
    (path,) = sqlite_store.file_paths(sqlite_store.observation_files())
    monkeypatch.setattr(observations, "READ_AT_ONCE_BYTES", at_once)
    rows = observations.read_columns(path, ["seller", "price_micros"])
    assert rows.to_pylist() == pq.read_table(path, columns=["seller", "price_micros"]).to_pylist()
    assert rows.num_rows == 40
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(RentmarkError, match=f"{path.name} is damaged"):
        observations.read_columns(path, ["seller"])
    path.unlink()
    with pytest.raises(RentmarkError, match="it does not exist"):
        observations.read_columns(path, ["seller"])
