"""A mapping is data: what it names is read, what it leaves out is not guessed, mistakes are one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rentmark.ingest import (
    DEFAULT_MAPPING,
    DEFAULT_TRADE_MAPPING,
    OFFER_COLUMNS,
    TRADE_COLUMNS,
    TableMapping,
)
from rentmark.records import Batch, UsageError

Parse = Callable[..., Batch]
ROW = "2026-08-14T06:00:00Z,amber,H100,3.10"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone = 'Mars/Olympus'"),
        ({"lag_hours": -1}, "lag_hours = -1"),
        ({"tier": "trade"}, "tier = 'trade'"),
        ({"pricing": "weekly"}, "pricing = 'weekly'"),
        ({"rights": "maybe"}, "rights = 'maybe'"),
        ({"seller": " "}, "seller = ' '"),
        ({"time_zon": "UTC"}, "did you mean time_zone?"),
        ({"columns": {"chp": "Karte"}}, "did you mean chip?"),
        ({"columns": {"zzz": "Karte"}}, "which is none"),
        ({"columns": {"chip": "a", "gpu_model": "b"}}, "chip twice"),
        ({"columns": {"trade_id": "a"}}, "'trade_id', which is none"),
        ({"columns": {"price_micros": "Preis"}}, "unit and currency are not stated"),
        ({"columns": {"price_micros": "Preis"}, "unit": "per_gpu_hour"}, "currency is not stated"),
        ({"kind": "trade", "columns": {"amount_usd": "Betrag"}, "currency": "USD"}, "unit is not stated"),
    ],
)
def test_a_wrong_mapping_is_one_sentence_that_names_it(values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        TableMapping.read(values, "[mappings.mine]")
    assert caught.value.sentence.startswith("[mappings.mine]")
    assert words in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_a_field_may_be_named_by_its_default_column() -> None:
    by_field = TableMapping(columns={"chip": "Karte", "memory_gb": "GB"})
    by_column = TableMapping(columns={"gpu_model": "Karte", "vram_gb": "GB"})
    assert by_field == by_column
    assert by_field.mapping_hash() == by_column.mapping_hash()


def test_every_statement_of_a_mapping_is_in_its_hash() -> None:
    changes: list[dict[str, Any]] = [
        {}, {"kind": "trade"}, {"columns": {"sku": ""}}, {"delimiter": ";"}, {"time_zone": "UTC"},
        {"lag_hours": 1}, {"tier": "executable"}, {"unit": "per_instance_hour"}, {"currency": "USD"},
        {"seller": "a"}, {"venue": "a"}, {"source": "a"}, {"aggregator": "a"}, {"pricing": "spot"},
        {"gpu_count": 8}, {"rights": "unknown"}, {"license": "a"},
    ]  # fmt: skip
    assert set(TableMapping.model_fields) == {key for change in changes for key in change} | {"kind"}
    hashes = {TableMapping.read(change, "x").mapping_hash() for change in changes}
    assert len(hashes) == len(changes)


def test_the_default_layouts_are_the_documented_ones() -> None:
    assert DEFAULT_MAPPING.column_of("chip") == "gpu_model" == OFFER_COLUMNS["chip"]
    assert DEFAULT_MAPPING.column_of("price_micros") == "price_per_gpu_hour"
    assert DEFAULT_TRADE_MAPPING.column_of("observed_at") == "executed_at" == TRADE_COLUMNS["observed_at"]
    assert DEFAULT_MAPPING.unit_original == "usd_per_gpu_hour"
    assert DEFAULT_MAPPING.mapping_hash() != DEFAULT_TRADE_MAPPING.mapping_hash()


def test_a_column_the_mapping_names_must_be_there(parse: Parse) -> None:
    payload = f"observed_at,seller,gpu_model,price_per_gpu_hour\n{ROW}\n"
    batch = parse("tabular", payload, mapping=TableMapping(columns={"region": "Ort"}))
    assert batch.refusal is not None
    assert batch.refusal.code == "missing_column"
    assert "'Ort'" in batch.refusal.sentence


def test_a_field_can_be_left_unread(parse: Parse) -> None:
    payload = f"observed_at,seller,gpu_model,price_per_gpu_hour,region\n{ROW},somewhere\n"
    assert parse("tabular", payload).observations["region"].to_pylist() == ["somewhere"]
    batch = parse("tabular", payload, mapping=TableMapping(columns={"region": ""}))
    assert batch.observations["region"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("unit", "price", "unit_original"),
    [
        ("per_gpu_hour", 310_000_000, "usd_per_gpu_hour"),
        ("per_instance_hour", 38_750_000, "usd_per_instance_hour"),
        ("cents_per_gpu_hour", 3_100_000, "usd_cents_per_gpu_hour"),
        ("cents_per_instance_hour", 387_500, "usd_cents_per_instance_hour"),
    ],
)
def test_a_price_is_read_in_the_unit_the_mapping_states(
    parse: Parse, unit: str, price: int, unit_original: str
) -> None:
    payload = "observed_at,seller,gpu_model,rate\n2026-08-14T06:00:00Z,amber,H100,310\n"
    mapping = TableMapping.read(
        {"columns": {"price_micros": "rate"}, "unit": unit, "currency": "USD", "gpu_count": 8},
        "[mappings.mine]",
    )
    (row,) = parse("tabular", payload, mapping=mapping).observations.to_pylist()
    assert (row["price_micros"], row["price_original"], row["unit_original"]) == (price, "310", unit_original)


def test_a_mapping_of_the_other_kind_is_a_usage_error(parse: Parse) -> None:
    with pytest.raises(UsageError, match="trades"):
        parse("tabular", ROW, mapping=DEFAULT_TRADE_MAPPING)
    with pytest.raises(UsageError, match="kind = 'trade'"):
        parse("trades", ROW, mapping=DEFAULT_MAPPING)


def test_an_unknown_feed_is_a_usage_error_that_lists_the_feeds(parse: Parse) -> None:
    with pytest.raises(
        UsageError, match=r"did you mean tabular\? The feeds are tabular, gpurentalprices, vast, skypilot"
    ):
        parse("tabula", ROW)
