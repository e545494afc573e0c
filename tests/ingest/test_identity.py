"""The identity of an observation is what it says, not how or when it reached us."""

from __future__ import annotations

import hashlib
import struct
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest import content_checks, identity, observation_ids
from rentmark.ingest.canonical_texts import SLICE_ROWS, canonical_texts
from rentmark.ingest.identity import KEY_COLUMNS, first_of_each, identities
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA

from .conftest import Parse

ROW: dict[str, Any] = {
    "observation_id": 0, "content_check": 0, "kind": "offer", "tier": "listed", "source": "invented/list",
    "seller": "amber", "observed_at": datetime(2026, 8, 14, 6, tzinfo=UTC),
    "known_at": datetime(2026, 8, 14, 6, tzinfo=UTC), "chip": "H100", "gpu_count": 8, "price_micros": 3_100_000,
    "currency": "USD", "price_basis": "instance", "pricing": "on_demand", "service": "unstated",
    "reliability": 0.995, "carried_by_source": False, "rights": "allowed", "simulated": True,
    "payload_digest": "d", "position": 7,
}  # fmt: skip


def table(*changes: dict[str, Any]) -> pa.Table:
    rows = [{**dict.fromkeys(OBSERVATION_SCHEMA.names), **ROW, **change} for change in changes]
    return pa.Table.from_pylist(rows, schema=OBSERVATION_SCHEMA)


def test_the_identity_is_the_documented_digest() -> None:
    """Worked by hand from the definition."""

    def head(message: bytes) -> bytes:
        return hashlib.sha256(message).digest()[:8]

    who = head(b"source=invented/list\x1fseller=amber")
    what = head(b"chip=H100\x1fgpu_count=8\x1fpricing=on_demand")
    message = who + what + struct.pack("<qq", 1_786_687_200_000_000, 3_100_000)
    expected = int.from_bytes(head(message), "little", signed=True)
    assert observation_ids(table({})).tolist() == [expected]
    message += b"machine=m1"
    expected = int.from_bytes(head(message), "little", signed=True)
    assert observation_ids(table({"machine": "m1"})).tolist() == [expected]


def test_content_holds_flags_as_digits_and_floats_in_their_shortest_form() -> None:
    (texts,) = canonical_texts(table({}), ("reliability", "carried_by_source", "simulated"))
    assert texts.to_pylist() == ["reliability=0.995\x1fcarried_by_source=0\x1fsimulated=1"]


@pytest.mark.parametrize("name", KEY_COLUMNS)
def test_every_key_column_tells_records_apart(name: str) -> None:
    kind = OBSERVATION_SCHEMA.field(name).type
    other = (
        "other"
        if pa.types.is_string(kind)
        else datetime(2026, 8, 15, tzinfo=UTC)
        if pa.types.is_timestamp(kind)
        else 99
    )
    same, different = observation_ids(table({}, {name: other})).tolist()
    assert same != different


@pytest.mark.parametrize(
    "name", sorted(set(OBSERVATION_SCHEMA.names) - set(DUPLICATE_KEY) - set(NOT_CONTENT))
)
def test_other_content_leaves_the_identity_and_changes_the_check(name: str) -> None:
    kind = OBSERVATION_SCHEMA.field(name).type
    other: Any
    if pa.types.is_string(kind):
        other = "other"
    elif pa.types.is_timestamp(kind):
        other = datetime(2026, 8, 15, tzinfo=UTC)
    elif pa.types.is_boolean(kind):
        other = not ROW[name]
    else:
        other = 99
    changed = table({}, {name: other})
    assert len(set(observation_ids(changed).tolist())) == 1
    assert len(set(content_checks(changed).tolist())) == 2


@pytest.mark.parametrize("name", NOT_CONTENT)
def test_how_a_record_reached_us_is_in_no_digest(name: str) -> None:
    kind = OBSERVATION_SCHEMA.field(name).type
    other = (
        "other"
        if pa.types.is_string(kind)
        else datetime(2026, 8, 15, tzinfo=UTC)
        if pa.types.is_timestamp(kind)
        else 99
    )
    changed = table({}, {name: other})
    assert len(set(observation_ids(changed).tolist())) == 1
    assert len(set(content_checks(changed).tolist())) == 1


def test_a_column_added_later_leaves_old_digests_as_they_are() -> None:
    with_column = table({}).append_column("invented_later", pa.array([None], pa.string()))
    without = table({}).drop_columns(["buyer"])
    assert content_checks(with_column).tolist() == content_checks(without).tolist()


def test_digests_do_not_depend_on_slices_or_chunks() -> None:
    rows = table(*({"gpu_count": 1 + place % 7, "sku": f"s{place % 11}"} for place in range(SLICE_ROWS + 3)))
    chunked = pa.concat_tables([rows.slice(0, 5), rows.slice(5, SLICE_ROWS), rows.slice(SLICE_ROWS + 5)])
    ids = observation_ids(rows)
    assert np.array_equal(observation_ids(chunked), ids)
    assert ids.tolist()[SLICE_ROWS:] == observation_ids(rows.slice(SLICE_ROWS)).tolist()


def test_ids_and_checks_made_side_by_side_are_those_made_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(
        *(
            {
                "gpu_count": 1 + place % 7,
                "sku": f"s{place}" if place % 5 else None,
                "reliability": place / 8 if place % 3 else None,
                "region": "Österreich" if place % 11 == 0 else None,
                "trade_status": "new" if place > SLICE_ROWS else None,
            }
            for place in range(SLICE_ROWS + 1_000)
        )
    )
    alone = observation_ids(rows), content_checks(rows)
    monkeypatch.setattr(identity, "MANY_ROWS", 1)
    beside = identities(rows)
    assert np.array_equal(beside[0], alone[0])
    assert np.array_equal(beside[1], alone[1])


@given(
    st.lists(st.one_of(st.none(), st.floats(), st.floats(0, 2), st.integers(-5, 5).map(float)), max_size=20)
)
def test_floats_are_written_as_python_writes_them(values: list[float | None]) -> None:
    texts = next(
        canonical_texts(
            pa.table({"first": [1] * len(values), "x": pa.array(values, pa.float64())}), ("first", "x")
        ),
        None,
    )
    expected = ["first=1" + ("" if value is None else f"\x1fx={value!r}") for value in values]
    assert (texts.to_pylist() if texts is not None else []) == expected


@given(st.lists(st.integers(0, 9), max_size=30))
def test_the_first_of_each_is_the_row_where_it_first_stands(values: list[int]) -> None:
    assert first_of_each(np.array(values, np.int64)).tolist() == sorted(
        {values.index(value) for value in values}
    )


def test_an_empty_table_has_no_digests() -> None:
    assert observation_ids(OBSERVATION_SCHEMA.empty_table()).tolist() == []


def test_two_records_that_share_64_bits_are_never_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_hashlib_heads", lambda texts: np.zeros(len(texts), np.int64))
    with pytest.raises(identity.SharedIdentityError, match="share an observation_id"):
        identity.observation_ids(table({}, {"gpu_count": 4}))
    assert identity.observation_ids(table({}, {})).tolist() == [0, 0]


def test_a_payload_of_two_records_of_one_identity_is_refused_with_what_to_do(
    parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = (
        "observed_at,seller,gpu_model,price_per_gpu_hour\n"
        "2026-08-01T00:00:00Z,amber,H100,3.00\n2026-08-01T00:00:00Z,basalt,H100,3.10\n"
    )
    assert parse("tabular", payload).accepted == 2
    monkeypatch.setattr(identity, "_hashlib_heads", lambda texts: np.zeros(len(texts), np.int64))
    batch = parse("tabular", payload)
    assert batch.refusal is not None
    assert batch.refusal.code == "shared_identity"
    assert "two different records of one identity" in batch.refusal.sentence
    assert batch.records == batch.accepted == 0
