"""A row holds as many records as prices; a blank price is none, and no row is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.candidates import PRICE, PRICED_BY, flat, only, part, spread
from rentmark.ingest.columns import from_cells
from rentmark.ingest.raw import Damaged, RawTable, positions_between

CELL = st.sampled_from([None, "1", "2", ""])


def table(rows: list[tuple[str | None, str | None]], damaged: list[int]) -> RawTable:
    records = len(rows) + len(damaged)
    lost = [Damaged(place, "malformed_record", "row", "?") for place in damaged]
    return RawTable(
        columns={
            "a": from_cells("a", [row[0] for row in rows]),
            "b": from_cells("b", [row[1] for row in rows]),
        },
        positions=positions_between(records, lost),
        names=["a", "b"],
        damaged=lost,
    )


@given(st.lists(st.one_of(st.none(), st.tuples(CELL, CELL)), max_size=12))
def test_every_price_is_one_record_at_a_place_of_its_own(
    payload: list[tuple[str | None, str | None] | None],
) -> None:
    rows = [row for row in payload if row is not None]
    raw = spread(table(rows, [place for place, row in enumerate(payload) if row is None]), ("a", "b"))
    expected: list[tuple[str | None, str] | None] = []
    for row in payload:
        if row is None:
            expected.append(None)
            continue
        stated = [(cell, name) for cell, name in zip(row, "ab", strict=True) if cell]
        expected += stated or [(None, "a")]
    found: dict[int, tuple[str | None, str] | None] = {record.position: None for record in raw.damaged}
    prices, names = raw.column(PRICE), raw.column(PRICED_BY)
    for place, cell, name in zip(
        raw.positions.tolist(), prices.at(np.arange(raw.rows)), names.at(np.arange(raw.rows)), strict=True
    ):
        found[place] = (cell, name)
    assert [found[place] for place in range(raw.records)] == expected
    assert raw.records == len(expected)


def test_rows_that_are_no_records_keep_their_place_and_are_noted() -> None:
    raw = only(
        table([("1", None), ("2", None), ("1", "1")], []), np.array([True, False, True]), "have no GPU"
    )
    assert raw.positions.tolist() == [0, 2]
    assert raw.records == 2
    assert raw.notes == ("passed over, as they have no GPU: 1",)


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"a": {"b": 1}}, 1),
        ({"a": {}}, None),
        ({"a": None}, None),
        ({}, None),
        ({"a": "text"}, ["text"]),
        ({"a": [1]}, [[1]]),
        ({"a": {"b": {"c": 1}}}, {"c": 1}),
    ],
)
def test_a_path_that_runs_into_something_without_parts_is_no_value(record: object, found: object) -> None:
    assert part(record, "a.b") == found


def test_what_is_no_object_stays_what_it_is() -> None:
    assert flat("text", ("a",)) == "text"
    assert flat({"a": 1, "c": 2}, ("a", "b"), d=3) == {"a": 1, "b": None, "d": 3}
