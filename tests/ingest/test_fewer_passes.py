"""What spares a pass over the rows comes to what the pass would have come to."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.columns import Column, Fault
from rentmark.ingest.identity import first_of_each, identified, identities
from rentmark.ingest.layout import VAST_VENUE, on_vast
from rentmark.ingest.screens import _WHO, _rows_not_alone, _Seen, _shared
from rentmark.records.schemas import OBSERVATION_SCHEMA

ROWS = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from("abc"), st.sampled_from([None, "floor"])),
    min_size=2,
    max_size=40,
)
"""Instants on a coarse grid, so that some are shared; invented sellers and a venue."""


def table_of(rows) -> pa.Table:
    columns = {
        name: pa.nulls(len(rows), OBSERVATION_SCHEMA.field(name).type) for name in OBSERVATION_SCHEMA.names
    }
    columns["observed_at"] = pa.array([at for at, _, _ in rows]).cast(
        OBSERVATION_SCHEMA.field("observed_at").type
    )
    columns["seller"] = pa.array([seller for _, seller, _ in rows])
    columns["venue"] = pa.array([venue for _, _, venue in rows], pa.string())
    columns["source"] = pa.array(["invented"] * len(rows))
    columns["price_micros"] = pa.array([3_000_000] * len(rows))
    return pa.table(columns)


@given(ROWS, st.booleans())
def test_rows_that_are_not_alone_are_those_of_a_full_grouping(rows, in_order):
    table = table_of(sorted(rows, key=lambda row: row[0]) if in_order else rows)
    whole = np.flatnonzero(_shared(_Seen(table).groups(_WHO), 2))
    assert _rows_not_alone(table).tolist() == whole.tolist()


@given(
    st.lists(
        st.sampled_from([("a", None), ("b", VAST_VENUE), ("c", "floor"), Fault("r", "f", "v")]), min_size=1
    )
)
def test_the_marketplace_is_told_row_by_row(places):
    distinct = list(dict.fromkeys(places))
    column = Column("seller", distinct, np.array([distinct.index(place) for place in places], np.int32))
    told = on_vast(column)
    assert told.at(np.arange(len(places))) == [
        not isinstance(p, Fault) and p[1] == VAST_VENUE for p in places
    ]
    assert len(told.values) <= 2


def test_ids_and_their_first_rows_come_together():
    table = table_of([(1, "a", None), (2, "b", None), (1, "a", None)])
    ids, checks, kept = identified(table)
    assert [ids.tolist(), checks.tolist()] == [part.tolist() for part in identities(table)]
    assert kept.tolist() == first_of_each(ids).tolist() == [0, 1]
