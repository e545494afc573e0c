"""Digests made group by group are those of the documented formula, worked out row by row."""

from __future__ import annotations

import hashlib
import struct
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest import identity, two_at_once
from rentmark.ingest.columns import Column
from rentmark.ingest.identity import DETAILS, KEY_DETAILS, TERMS, WHAT, WHO, identified
from rentmark.records import to_microseconds
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA

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
ALWAYS = ("observed_at", "price_micros")
BY_ROW: dict[str, list[Any]] = {
    "observed_at": [datetime(2026, 8, 14, hour, tzinfo=UTC) for hour in (0, 6)],
    "price_micros": [1_000_000, 1_500_000],
    "machine": [None, "m1", "m2"],
    "buyer": [None, "b", "exactly8", "eight and ω more"],
    "price_original": ["1", "1.50"],
    "known_at": [datetime(2026, 8, 15, tzinfo=UTC)],
    "end_at": [None, datetime(2026, 8, 16, tzinfo=UTC)],
}
"""Columns that are not coded, on a coarse grid; some may be blank."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, dict[str, Column[Any]]]:
    rows = draw(st.integers(1, 25))
    names = draw(st.sets(st.sampled_from([*FEW, *BY_ROW])))
    columns: dict[str, Any] = {}
    coded: dict[str, Column[Any]] = {}
    for name in OBSERVATION_SCHEMA.names:
        kind = OBSERVATION_SCHEMA.field(name).type
        if name not in names and name not in ALWAYS:
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


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(to_microseconds(value)) if isinstance(value, datetime) else str(value)


def head(message: bytes) -> bytes:
    return hashlib.sha256(message).digest()[:8]


def of_row(row: dict[str, Any]) -> tuple[int, int]:
    """Both digests of one row, from the definition at the head of rentmark.ingest.identity."""

    def text(names: tuple[str, ...]) -> bytes:
        stated = (name for name in names if row[name] is not None)
        return "\x1f".join(f"{name}={as_text(row[name])}" for name in stated).encode()

    numbers = struct.pack("<qq", to_microseconds(row["observed_at"]), row["price_micros"])
    key = head(head(text(WHO)) + head(text(WHAT)) + numbers + text(KEY_DETAILS))
    check = mixed(int.from_bytes(key, "little") + int.from_bytes(head(text(TERMS)), "little"))
    for name in DETAILS:
        if row[name] is not None:
            named = int.from_bytes(head(name.encode()), "little")
            check = mixed(check + mixed(number_of(row[name]) + named))
    return int.from_bytes(key, "little", signed=True), check - 2**64 if check >= 2**63 else check


def mixed(z: int) -> int:
    z %= 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def number_of(value: Any) -> int:
    if isinstance(value, datetime):
        return to_microseconds(value)
    if isinstance(value, float):
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    written = value.encode()
    digest = len(written)
    for begin in range(0, len(written), 8):
        digest = mixed(digest + int.from_bytes(written[begin : begin + 8], "little"))
    return digest


def test_every_column_of_a_record_is_in_one_group() -> None:
    grouped = [*WHO, *WHAT, *KEY_DETAILS, "observed_at", "price_micros"]
    assert sorted(grouped) == sorted(DUPLICATE_KEY)
    assert sorted([*grouped, *TERMS, *DETAILS, *NOT_CONTENT]) == sorted(OBSERVATION_SCHEMA.names)


@settings(deadline=None, max_examples=60)
@given(tables(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1, 4, 32_768]))
def test_digests_are_those_of_the_definition_however_they_are_made(made, mostly, slice_rows):
    table, coded = made
    wanted = [of_row(row) for row in table.to_pylist()]
    assert list(zip(*(part.tolist() for part in identified(table)[:2]), strict=True)) == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "MANY_ROWS", 1)
        patch.setattr(identity, "SLICE_ROWS", slice_rows)
        patch.setattr(identity, "_MOSTLY", mostly)
        for known in ({}, coded):
            ids, checks, _ = identified(table, known)
            assert list(zip(ids.tolist(), checks.tolist(), strict=True)) == wanted


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
