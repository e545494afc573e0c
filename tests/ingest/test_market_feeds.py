"""The documents of collectors and marketplaces: what their layouts leave to be decided."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from rentmark.records import Batch

Parse = Callable[..., Batch]

OFFER: dict[str, Any] = {
    "id": 1, "machine_id": 7, "host_id": 9, "hosting_type": 0, "gpu_name": "H100 SXM", "gpu_ram": 81559,
    "num_gpus": 3, "dph_total": 10.0, "rentable": True, "rented": False, "geolocation": "Texas, US",
}  # fmt: skip
PRICE = {
    "provider": "amber", "gpu": "h100", "vram_gb": 80, "usd_hr": 3.1, "kind": "on-demand",
    "fetched_at": "2026-08-14T06:00:00Z",
}  # fmt: skip


DEEP = '{"collected_utc": NEST, "generated_at": NEST, "offers": [{}]}'.replace("NEST", "[" * 900 + "]" * 900)
"""Nested as deep as a JSON reader still takes; writing it out would go too deep."""


def book(*offers: Any, **top: Any) -> str:
    return json.dumps({"collected_utc": "2026-08-14T06:00:00Z", **top, "offers": list(offers)})


def snapshot(*offers: Any, **top: Any) -> str:
    return json.dumps(
        {"date": "2026-08-14", "generated_at": "2026-08-14T06:30:00Z", **top, "offers": list(offers)}
    )


def only(batch: Batch) -> dict[str, Any]:
    (row,) = batch.observations.to_pylist()
    return dict(row)


def test_a_vast_price_is_the_total_shared_by_the_gpus_and_rounded_once(parse: Parse) -> None:
    assert only(parse("vast", book(OFFER)))["price_micros"] == 3_333_333
    text = book(OFFER).replace("10.0", "0.0000075")  # 2.5 micro-dollars each: half-even is 2
    assert only(parse("vast", text))["price_micros"] == 2


def test_the_digits_of_a_price_survive_the_reading(parse: Parse) -> None:
    text = book(OFFER).replace("10.0", "9.000004500000000000000001")  # a float would lose the last digit
    row = only(parse("vast", text))
    assert row["price_original"] == "9.000004500000000000000001"
    assert row["price_micros"] == 3_000_002


def test_a_bid_is_no_record_and_is_said(parse: Parse) -> None:
    batch = parse(
        "vast",
        book(
            {**OFFER, "is_bid": True},
            {**OFFER, "is_bid": False},
            {**OFFER, "min_bid": 1.0, "dph_total": None},
        ),
    )
    assert (batch.records, batch.accepted, batch.rejected) == (2, 1, 1)
    assert batch.rejects["reason"].to_pylist() == ["missing_price"]
    assert batch.notes == ("passed over, as they are no offers: 1",)
    assert batch.observations["position"].to_pylist() == [1]


@pytest.mark.parametrize(
    ("change", "tier", "available"),
    [
        ({}, "executable", 3),
        ({"rented": True}, "listed", 0),
        ({"rentable": False}, "listed", 0),
        ({"rentable": None, "rented": None}, "executable", None),
        ({"rentable": True, "rented": None}, "executable", 3),
    ],
)
def test_only_what_can_be_taken_is_executable(
    parse: Parse, change: dict[str, Any], tier: str, available: int | None
) -> None:
    row = only(parse("vast", book({**OFFER, **change})))
    assert (row["tier"], row["gpus_available"]) == (tier, available)


def test_a_book_without_a_stamp_is_dated_by_our_own_fetch_or_refused(parse: Parse) -> None:
    text = json.dumps({"offers": [OFFER]})
    fetched = datetime(2026, 8, 15, 12, tzinfo=UTC)
    assert only(parse("vast", text, collected_at=fetched))["observed_at"] == fetched
    refusal = parse("vast", text).refusal
    assert refusal is not None
    assert "collected_utc" in refusal.sentence


def test_a_book_from_the_future_is_refused_record_by_record(parse: Parse) -> None:
    batch = parse("vast", book(OFFER, {**OFFER, "num_gpus": 1}, collected_utc="2026-08-21T00:00:00Z"))
    assert batch.rejects["reason"].to_pylist() == ["future_time", "future_time"]
    assert batch.rejects["field"].to_pylist() == ["collected_utc", "collected_utc"]


def test_one_machine_in_several_sizes_keeps_its_machine(parse: Parse) -> None:
    batch = parse(
        "vast",
        book(*({**OFFER, "id": size, "num_gpus": size, "dph_total": 3.0 * size} for size in (1, 2, 4, 8))),
    )
    assert batch.observations["machine"].to_pylist() == ["7"] * 4
    assert batch.observations["gpu_count"].to_pylist() == [1, 2, 4, 8]


@pytest.mark.parametrize(
    ("change", "top", "carried", "suspect"),
    [
        ({}, {}, False, None),
        ({"fetched_at": "2026-08-13T23:59:59Z"}, {}, True, "older_than_snapshot"),
        ({"fetched_at": "2026-08-14T00:00:00Z"}, {}, False, None),
        ({"fetched_at": "2026-08-13T23:59:59Z"}, {"date": None}, True, "older_than_snapshot"),
        ({"fetched_at": "2026-08-13T23:59:59Z"}, {"date": None, "generated_at": None}, False, None),
        ({}, {"providers": {"amber": {"stale": True}}}, True, None),
        ({}, {"providers": {"amber": {"stale": False}, "basalt": {"stale": True}}}, False, None),
        ({}, {"providers": [1, 2]}, False, None),
    ],
)
def test_an_old_price_repeated_is_marked_as_carried(
    parse: Parse, change: dict[str, Any], top: dict[str, Any], carried: bool, suspect: str | None
) -> None:
    row = only(parse("gpurentalprices", snapshot({**PRICE, **change}, **top)))
    assert (row["carried_by_source"], row["suspect"]) == (carried, suspect)


@pytest.mark.parametrize(
    ("generated_at", "known"),
    [
        ("2026-08-14T06:30:00Z", datetime(2026, 8, 14, 6, 30, tzinfo=UTC)),
        ("2026-08-14T05:00:00Z", datetime(2026, 8, 14, 6, tzinfo=UTC)),
        (None, datetime(2026, 8, 14, 6, tzinfo=UTC)),
    ],
)
def test_a_snapshot_is_known_when_it_was_made(
    parse: Parse, generated_at: str | None, known: datetime
) -> None:
    assert only(parse("gpurentalprices", snapshot(PRICE, generated_at=generated_at)))["known_at"] == known


@pytest.mark.parametrize("feed_id", ["vast", "gpurentalprices"])
@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", "empty_payload"),
        (b"observed_at,seller\n1,2\n", "not_this_format"),
        (b"[]", "not_this_format"),
        (b'{"offers": {}}', "not_this_format"),
        (b'{"offers": []}', "empty_payload"),
        (b'{"collected_utc": "noon", "generated_at": "noon", "offers": [{}]}', "not_this_format"),
        (b'{"collected_utc": [], "generated_at": [], "offers": [{}]}', "not_this_format"),
        (b'{"offers": [' + b"[" * 200_000, "truncated_payload"),
        (b'{"offers": [}', "not_this_format"),
        (DEEP.encode(), "not_this_format"),
        (b'{"date": "today", "collected_utc": "today", "offers": [{}]}', "not_this_format"),
        (b"\xff\xfe\x00\x00", "not_this_format"),
    ],
)
def test_a_document_of_another_kind_is_refused_in_one_sentence(
    parse: Parse, feed_id: str, payload: bytes, code: str
) -> None:
    batch = parse(feed_id, payload)
    assert batch.refusal is not None
    assert batch.refusal.code == code
    assert batch.records == 0


@pytest.mark.parametrize("feed_id", ["vast", "gpurentalprices"])
def test_an_offer_without_anything_is_one_reject(parse: Parse, feed_id: str) -> None:
    text = json.dumps({"collected_utc": "2026-08-14T06:00:00Z", "offers": [{}, None]})
    batch = parse(feed_id, text)
    assert (batch.records, batch.rejected) == (2, 2)


def test_a_value_of_the_wrong_type_costs_its_record_only(parse: Parse) -> None:
    batch = parse("vast", book({**OFFER, "host_id": {"a": [1]}}, {**OFFER, "gpu_name": "\ud800"}, OFFER))
    assert batch.rejects["reason"].to_pylist() == ["malformed_record", "malformed_record"]
    assert batch.accepted == 1
