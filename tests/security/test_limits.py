"""What strangers hand over stays within limits: small files that would fill memory or take hours are refused."""

from __future__ import annotations

import gzip
import io
import time
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rentmark.backtest.book import read_book
from rentmark.cli import run
from rentmark.ingest.read_parquet import read_parquet
from rentmark.ingest.unpack import Unpacked, unpack
from rentmark.records import Refusal, RentmarkError
from rentmark.workspace import Workspace
from rentmark.workspace.rent_desk import RentFile, read_rent_upload

DEEP = "a = " + "[" * 100_000 + "]" * 100_000 + "\n"
"""Nested deeper than any parser's stack."""


def test_many_empty_gzip_members_are_read_in_time_that_grows_with_the_bytes():
    member = gzip.compress(b"", mtime=0)

    def seconds(members: int) -> float:
        payload = member * members + gzip.compress(b"a,b\n1,2\n", mtime=0)
        begin = time.perf_counter()
        assert unpack(payload, "p") == Unpacked("csv", bytearray(b"a,b\n1,2\n"))
        return time.perf_counter() - begin

    seconds(100)
    # Eight times the members: about eight times the time. Handing all that is left to each was 64 times.
    assert seconds(80_000) < 24 * seconds(10_000)


@pytest.mark.parametrize("size", [0, 1, 1 << 10, (1 << 16) - 18, 1 << 16, (1 << 16) + 1, 3 << 20])
@pytest.mark.parametrize("level", [0, 9])
def test_members_of_any_size_come_out_whole_padding_between_them_included(size, level):
    text = b"a,b\n" + bytes(range(32, 127)) * (size // 95 + 1)
    payload = gzip.compress(text, level, mtime=0) + b"\x00" * 700 + gzip.compress(text, level, mtime=0)
    found = unpack(payload, "p")
    assert isinstance(found, Unpacked)
    assert (bytes(found.content), found.truncated) == (text * 2, False)
    cut = unpack(payload[:-9], "p")
    assert isinstance(cut, Unpacked)
    assert cut.truncated


def test_a_gzip_bomb_is_refused_whether_in_one_member_or_in_many():
    one = zlib.compressobj(9, wbits=31)
    bomb = one.compress(bytes(200 << 20)) + one.flush()
    many = gzip.compress(b"0" * (1 << 20), mtime=0) * 100
    for payload in (bomb, many):
        found = unpack(payload, "p")
        assert isinstance(found, Refusal)
        assert found.code == "too_large"


def long_text_in_every_row(column: str, rows: int = 20_000) -> bytes:
    """A few kilobytes of Parquet that stand for 20 GB of text: one megabyte, once, in every row."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * (1 << 20)]))
    target = io.BytesIO()
    table = pa.table({column: text, "date": pa.array(["2026-01-01"] * rows)})
    pq.write_table(table, target, compression="zstd", store_schema=False, dictionary_pagesize_limit=4 << 20)
    return target.getvalue()


def test_one_long_text_in_every_row_is_held_once():
    payload = long_text_in_every_row("seller")
    assert len(payload) < 100_000
    before = pa.total_allocated_bytes()
    table = read_parquet(payload, {"seller", "date"}, origin_name="p")
    assert not isinstance(table, Refusal)
    assert pa.total_allocated_bytes() - before < 64 << 20


def test_a_rent_file_of_long_texts_is_refused_before_it_is_written_out(tmp_path):
    assert run(["init", str(tmp_path / "w")]) == 0
    workspace = Workspace.open(tmp_path / "w", database_url=None)
    with (
        workspace.store,
        pytest.raises(RentmarkError, match=r"texts of over 1000 bytes in note\. Nothing was kept"),
    ):
        read_rent_upload(workspace, RentFile("rent.parquet", long_text_in_every_row("note")))


def test_deeply_nested_rules_are_refused_in_a_sentence(tmp_path, capsys):
    assert run(["init", str(tmp_path / "w")]) == 0
    (tmp_path / "w" / "rentmark.toml").write_text(DEEP, encoding="utf-8")
    capsys.readouterr()
    assert run(["market", "--workspace", str(tmp_path / "w")]) == 2
    assert capsys.readouterr().err == "rentmark.toml can't be read: its values are nested too deeply.\n"
    with pytest.raises(RentmarkError, match="nested too deeply"):
        read_book(DEEP.encode(), "book.toml", {}, exchange=None, today=None)


def test_rules_of_a_size_that_nobody_wrote_are_refused(tmp_path, capsys):
    assert run(["init", str(tmp_path / "w")]) == 0
    (tmp_path / "w" / "rentmark.toml").write_text("# \n" * (2 << 20), encoding="utf-8")
    capsys.readouterr()
    assert run(["market", "--workspace", str(tmp_path / "w")]) == 2
    assert "is over 4 MB" in capsys.readouterr().err
