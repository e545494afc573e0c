"""The DuckDB engine keeps what every engine promises, with any number of threads."""

from __future__ import annotations

import subprocess
import sys

import ibis
import pytest
from rentmark.records import RentmarkError
from rentmark.store import Store
from rentmark.store.engines import DuckDBEngine

from .engine_suite import EngineSuite
from .making import commit, offers


class TestDuckDB(EngineSuite):
    def make(self) -> DuckDBEngine:
        return DuckDBEngine()


class TestDuckDBOnOneThread(EngineSuite):
    def make(self) -> DuckDBEngine:
        return DuckDBEngine(threads=1, memory_limit_mb=256)


def test_threads_do_not_change_a_bit(sqlite_store: Store):
    for day in range(6):
        commit(sqlite_store, offers(50, day=day, price_micros=250_000 * (day + 1)))
    paths = sqlite_store.file_paths(sqlite_store.observation_files())
    answers = []
    for threads in (1, 2, 4):
        for order in (paths, paths[::-1]):
            with DuckDBEngine(threads=threads) as engine:
                rows = engine.observations(order)
                by_seller = rows.group_by("seller").aggregate(
                    median=rows.price_micros.median(), n=rows.count(), total=rows.price_micros.sum()
                )
                answers.append(engine.to_arrow(by_seller.order_by("seller")))
    assert all(answer.equals(answers[0]) for answer in answers)


def test_too_little_memory_is_one_sentence():
    with DuckDBEngine(threads=1, memory_limit_mb=20) as engine:
        numbers = ibis.range(0, 3_000_000).unnest().name("n").as_table()
        collected = numbers.aggregate(all=(numbers.n.cast("string") + "x" * 50).collect())
        with pytest.raises(RentmarkError, match="DuckDB ran out of memory; give it more"):
            engine.to_arrow(collected)


def test_a_mistake_in_an_expression_is_not_called_a_damaged_archive():
    import duckdb

    with DuckDBEngine() as engine:
        text = ibis.memtable({"a": ["x"]})
        with pytest.raises(duckdb.ConversionException):
            engine.to_arrow(text.select(n=text.a.cast("int64")))


def test_nothing_is_left_on_disk(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with DuckDBEngine() as engine:
        engine.to_arrow(engine.observations([]))
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_drawn_on_standard_output_where_a_person_seems_to_type():
    """DuckDB takes a program without a file for a prompt, and draws a bar once a query takes two seconds."""
    code = (
        "from rentmark.store.engines import DuckDBEngine;"
        "import duckdb; asked = 'SELECT current_setting($$enable_progress_bar$$)';"
        "engine = DuckDBEngine(); engine.bind_table('few', __import__('pyarrow').table({'a': [1]}));"
        "print(duckdb.connect().execute(asked).fetchall()[0][0], engine._backend.con.execute(asked).fetchall()[0][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"
