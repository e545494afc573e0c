"""Observation files stream in bounded pieces, and pieces change nothing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.records.schemas import OBSERVATION_SCHEMA
from rentmark.store import Store, observations
from rentmark.store.observations import archive_order, parquet_bytes, rows_at, split_by_month

from .making import DAY, START, archived, commit, make_batch, observation, offers


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
