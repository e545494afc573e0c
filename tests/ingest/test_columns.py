"""Columns of distinct values: each value read once, refusals carried along."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest.columns import (
    Bad,
    Column,
    Fault,
    clean_text,
    clean_texts,
    constant,
    from_cells,
    group_rows,
    join,
    shown,
)

cells = st.lists(st.sampled_from(["a", "b", " a ", "", None, "c"]), max_size=30)


def test_each_distinct_value_is_read_once() -> None:
    asked: list[str | None] = []
    column = from_cells("x", ["a", "b", "a", None, "a"])

    def read(value: str | None) -> int:
        asked.append(value)
        return 1

    column.convert(read)
    assert asked == ["a", "b", None]


def test_a_refused_value_stays_refused_through_every_step() -> None:
    column = from_cells("price", ["3", "many"]).convert(lambda text: int(text) if text == "3" else Bad("no"))
    doubled = column.convert(lambda number: number * 2)
    beside = join([doubled, constant("gpus", 8, 2)], lambda number, gpus: number * gpus)
    assert list(beside.values) == [48, Fault("no", "price", "many")]
    assert beside.to_arrow(pa.int64()).to_pylist() == [48, None]
    assert beside.to_numpy(missing=-1).tolist() == [48, -1]


def test_a_joint_reading_may_lay_the_fault_on_another_field() -> None:
    left, right = from_cells("left", ["a", "b"]), from_cells("right", ["1", "2"])
    both = join([left, right], lambda one, two: Bad("no", "right", two) if two == "2" else one + two)
    assert list(both.values) == ["a1", Fault("no", "right", "2")]


@settings(deadline=None)
@given(cells, cells)
def test_joined_columns_agree_with_row_by_row_reading(
    first: list[str | None], second: list[str | None]
) -> None:
    rows = min(len(first), len(second))
    left, right = from_cells("l", first[:rows]), from_cells("r", second[:rows])
    both = join([left, right], lambda one, two: (one, two))
    found = [both.values[code] for code in both.codes.tolist()]
    plain = [(clean_text("l", one), clean_text("r", two)) for one, two in zip(first, second, strict=False)]
    assert found == plain


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_rows_are_grouped_exactly_where_they_agree(rows: list[tuple[int, int, int]]) -> None:
    columns = [Column("c", list(range(4)), np.array(codes, np.int64)) for codes in zip(*rows, strict=True)]
    first, group = group_rows(columns, len(rows))
    for place, row in enumerate(rows):
        assert first[group[place]] == rows.index(row)


def test_grouping_survives_more_combinations_than_64_bits() -> None:
    wide = Column("c", range(2**21), np.array([0, 5, 0, 5], np.int64))
    first, group = group_rows([wide] * 4, 4)
    assert first.tolist() == [0, 1]
    assert group.tolist() == [0, 1, 0, 1]


def test_text_that_could_not_be_sealed_is_refused() -> None:
    for cell in (b"\xff\xfe", "a\x1fb", "two\nlines", "\ud800", "x" * 1_001):
        found = clean_text("sku", cell)
        assert isinstance(found, Fault)
        assert found.reason == "malformed_record"
        found.value.encode()
    assert clean_text("sku", "  ") is None
    assert clean_text("sku", "x" * 1_000) == "x" * 1_000


@settings(deadline=None)
@given(st.lists(st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace")), max_size=10))
def test_texts_are_cleaned_alike_together_and_one_by_one(cells_in: list[bytes]) -> None:
    together = clean_texts("x", pa.array(cells_in, pa.binary()))
    assert together == [clean_text("x", cell) for cell in cells_in]


def test_shown_values_are_short_and_printable() -> None:
    assert len(shown("x" * 10_000)) == 200
    assert shown("a\x00b\ud800") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
