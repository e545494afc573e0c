"""A byte that changed in the archive is found and located."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from rentmark.records import RentmarkError
from rentmark.store import Store
from rentmark.store.duplicates import archived_rows
from rentmark.store.observations import archive_order, read_identities, rows_at

from .making import commit, make_batch, observation, offers


def flip(path, place: int) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 0x80
    path.write_bytes(damaged)


def found(store: Store) -> list[tuple[str, str, int]]:
    return [(problem.code, problem.path, problem.batch_id) for problem in store.check_files()]


@pytest.mark.parametrize("place", [0, 200, -30, -1])
def test_a_flipped_byte_in_an_observation_file_is_located_by_path_and_batch(store: Store, place: int):
    commit(store, offers(3))
    commit(store, offers(3, day=40))
    assert store.check_files() == []
    file = store.observation_files()[1]
    flip(store.root / file.path, place)
    assert found(store) == [("file_altered", file.path, 2)]
    sentence = store.check_files()[0].sentence
    assert file.sha256 in sentence
    assert f"{file.path} of batch 2 was altered" in sentence


def test_what_is_missing_or_altered_is_found_even_where_it_is_superseded(store: Store):
    commit(store, offers(3), payload=b"payload")
    commit(store, offers(4), payload=b"payload", feed_version="2")
    first = store.file_paths(store.observation_files(as_of=store.ledger()[0].recorded_at))[0]
    first.unlink()
    digest = store.ledger()[0].payload_digest
    raw = store.root / "archive/raw" / digest[:2] / digest
    flip(raw, 0)
    relative = raw.relative_to(store.root).as_posix()
    assert found(store) == [
        ("file_altered", relative, 1),
        ("file_altered", relative, 2),
        ("file_missing", first.relative_to(store.root).as_posix(), 1),
    ]


def test_a_damaged_file_stops_a_commit_that_must_read_it(store: Store):
    commit(store, offers(3))
    path = store.root / store.observation_files()[0].path
    flip(path, 200)
    with pytest.raises(RentmarkError, match=f"{path} of batch 1 was altered.*run `rentmark index verify`"):
        commit(store, offers(4), payload=b"more")
    path.unlink()
    with pytest.raises(RentmarkError, match=f"Reading {path} failed: it does not exist"):
        commit(store, offers(4), payload=b"more")
    with pytest.raises(RentmarkError, match="it does not exist"):
        store.batch_identities(1)
    assert len(store.ledger()) == 1


def test_a_flipped_byte_is_found_before_an_engine_reads_the_file(store: Store):
    commit(store, offers(3))
    files = store.observation_files()
    flip(store.root / files[0].path, 200)
    with pytest.raises(RentmarkError, match="of batch 1 was altered"):
        store.file_paths(files)


def test_a_key_column_added_later_counts_as_null_in_older_files(sqlite_store: Store):
    commit(sqlite_store, offers(3))
    files = sqlite_store.observation_files()
    path = sqlite_store.file_paths(files)[0]
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["term_months", "trade_status"]), path)
    batch = make_batch([*offers(5), observation(term_months=1, observation_id=7)], "")
    rows = rows_at(batch.observations, archive_order(batch.observations))
    known = archived_rows(rows, files, lambda file: sqlite_store.root / file.path)
    assert sorted(rows.filter(known)["seller"].to_pylist()) == ["seller-0", "seller-1", "seller-2"]


def test_a_file_that_is_no_parquet_is_one_sentence(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(RentmarkError, match=r"x\.parquet is damaged"):
        read_identities([tmp_path / "x.parquet"])
