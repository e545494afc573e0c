"""Texts put together from runs of neighbouring columns are those written column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest import identity, text_runs, two_at_once
from rentmark.ingest.canonical_texts import canonical_texts, join_pieces, written_slices
from rentmark.ingest.columns import Column
from rentmark.ingest.identity import CONTENT_COLUMNS, KEY_COLUMNS
from rentmark.ingest.text_runs import Run, plan_of
from rentmark.records.schemas import OBSERVATION_SCHEMA

from .conftest import Parse

FEW: dict[str, list[Any]] = {
    "kind": ["offer"],
    "source": ["invented", "ömlaut"],
    "sku": [None, "k", "k\u2009l"],
    "seller": ["a", "b", "c"],
    "chip": ["H100", "A100"],
    "form_factor": [None, "SXM"],
    "memory_gb": [None, 80],
    "gpu_count": [None, 1, 8],
    "reliability": [None, 0.5, 1e-7],
    "carried_by_source": [True, False],
    "simulated": [False],
}
BY_ROW: dict[str, list[Any]] = {"price_micros": [1_000_000, 1_500_000], "machine": [None, "m1", "m2"]}
"""Columns that are not coded, on a coarse grid; the machine may be blank."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, dict[str, Column[Any]]]:
    rows = draw(st.integers(1, 25))
    names = draw(st.sets(st.sampled_from([*FEW, *BY_ROW])))
    columns: dict[str, Any] = {}
    coded: dict[str, Column[Any]] = {}
    for name in OBSERVATION_SCHEMA.names:
        kind = OBSERVATION_SCHEMA.field(name).type
        if name not in names:
            columns[name] = pa.nulls(rows, kind)
            continue
        values = (FEW | BY_ROW)[name]
        codes = np.array(
            draw(st.lists(st.integers(0, len(values) - 1), min_size=rows, max_size=rows)), np.int8
        )
        columns[name] = pa.array(values, kind).take(pa.array(codes))
        if name in FEW and draw(st.booleans()):
            coded[name] = Column(name, values, codes)
    return pa.table(columns, schema=OBSERVATION_SCHEMA), coded


@settings(deadline=None, max_examples=60)
@given(tables(), st.sampled_from([1, 2, 7, 1 << 14]))
def test_runs_come_to_the_canonical_texts(made, most):
    table, coded = made
    for columns in (KEY_COLUMNS, CONTENT_COLUMNS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_runs, "MOST_COMBINATIONS", most)
            plan = plan_of(table, columns, coded)
        if plan is None:
            continue
        found, start = [], 0
        for part, written in written_slices(table, plan.by_row):
            found += join_pieces(plan.pieces(written, start, part.num_rows), part.num_rows).to_pylist()
            start += part.num_rows
        wanted = [text for texts in canonical_texts(table, columns) for text in texts.to_pylist()]
        assert found == wanted
        assert all(len(part.texts) <= most or most < 3 for part in plan.parts if isinstance(part, Run))


def test_no_plan_is_made_where_a_text_may_begin_with_any_column():
    table = pa.table({"source": pa.array([None, "a"]), "seller": pa.array(["x", "y"])})
    coded = {"source": Column("source", [None, "a"], np.array([0, 1], np.int8))}
    assert plan_of(table, ("source", "seller"), coded) is None
    assert plan_of(table, ("source", "seller"), {}) is None


HEADER = "observed_at,seller,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,region,machine,reliability"


def invented(rows: int) -> str:
    """Invented offers: some refused, some repeated, some with blanks."""
    lines = [HEADER]
    for row in range(rows):
        chip, form = (("H100", "SXM"), ("A100", ""), ("none such", ""))[row % 7 % 3]
        price = "many" if row % 11 == 5 else f"{1 + row % 40 / 8}"
        sku = f"k{row % 3}" if row % 5 else ""
        region = "Österreich" if row % 13 == 0 else f"r{row % 4}"
        lines.append(
            f"2026-08-{1 + row % 9:02d}T00:00:{row % 60:02d}Z,s{row % 6},{sku},{chip},{form},80,{1 + row % 2},"
            f"{price},{region},m{row % 900},{'' if row % 2 else row % 8 / 8}"
        )
    return "\n".join(lines) + "\n"


def test_a_large_payload_is_read_as_a_small_one(parse: Parse, monkeypatch: pytest.MonkeyPatch):
    payload = invented(3_000)
    alone = parse("tabular", payload)
    monkeypatch.setattr(identity, "MANY_ROWS", 1)
    monkeypatch.setattr(two_at_once, "MANY_ROWS", 1)
    beside = parse("tabular", payload)
    assert beside.observations.equals(alone.observations)
    assert beside.rejects.equals(alone.rejects)
    assert alone.rejected > 100
    assert alone.duplicates > 0
    assert alone.accepted > 1_000
