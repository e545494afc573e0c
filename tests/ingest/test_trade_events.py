"""Trades: hours, amounts and events, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest import TableMapping
from rentmark.records import Batch, divide_half_even

Parse = Callable[..., Batch]
COLUMNS = (
    "trade_id", "executed_at", "reported_at", "seller", "chip", "gpu_count", "gpu_hours", "start_at", "end_at",
    "price_usd_per_gpu_hour", "amount_usd", "status",
)  # fmt: skip


def trades(*rows: dict[str, str]) -> str:
    """A CSV of invented H100 trades; every field but those given and the four needed is blank."""
    filled = [
        {"trade_id": "t-1", "executed_at": "2026-08-14T06:00:00Z", "seller": "amber", "chip": "H100", **row}
        for row in rows
    ]
    lines = [",".join(row.get(name, "") for name in COLUMNS) for row in filled]
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"


def outcome(parse: Parse, row: dict[str, str], mapping: TableMapping | None = None) -> Any:
    """(price, seconds) of a trade, or the reason it is refused."""
    batch = parse("trades", trades(row), mapping=mapping)
    if batch.rejected:
        return batch.rejects["reason"][0].as_py()
    (found,) = batch.observations.to_pylist()
    return found["price_micros"], found["gpu_seconds"]


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50"}, (2_500_000, 360_000)),
        ({"gpu_hours": "0.5", "price_usd_per_gpu_hour": "2.50"}, (2_500_000, 1_800)),
        ({"gpu_hours": "3", "amount_usd": "7.00"}, (2_333_333, 10_800)),
        ({"gpu_hours": "0.001", "amount_usd": "0.01"}, (10_000_000, 4)),  # hours stay exact, seconds are whole
        ({"gpu_hours": "1e1", "price_usd_per_gpu_hour": "2.50"}, (2_500_000, 36_000)),
        ({"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50", "amount_usd": "250.005"}, (2_500_000, 360_000)),
        ({"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50", "amount_usd": "250.0051"}, "amount_mismatch"),
        ({"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50", "amount_usd": "249.99"}, "amount_mismatch"),
        ({"gpu_hours": "1000000", "price_usd_per_gpu_hour": "2.1234567", "amount_usd": "2123456.70"}, (2_123_457, 3_600_000_000)),
        ({"gpu_hours": "100"}, "missing_price"),
        ({"gpu_hours": "100", "amount_usd": "0"}, "price_not_positive"),
        ({"gpu_hours": "100", "amount_usd": "-250"}, "price_not_positive"),
        ({"gpu_hours": "100", "amount_usd": "lots"}, "price_not_a_number"),
        ({"gpu_hours": "100", "price_usd_per_gpu_hour": "inf"}, "price_not_finite"),
        ({"price_usd_per_gpu_hour": "2.50"}, "missing_hours"),
        ({"gpu_hours": "0", "price_usd_per_gpu_hour": "2.50"}, "bad_hours"),
        ({"gpu_hours": "NaN", "price_usd_per_gpu_hour": "2.50"}, "bad_hours"),
        ({"gpu_hours": "1e999999999", "price_usd_per_gpu_hour": "2.50"}, "bad_hours"),
        ({"gpu_hours": "1e-999999999", "price_usd_per_gpu_hour": "2.50"}, "bad_hours"),
        ({"gpu_hours": "0.0001", "price_usd_per_gpu_hour": "2.50"}, "bad_hours"),
        ({"gpu_hours": "many", "price_usd_per_gpu_hour": "2.50"}, "bad_number"),
    ],
)  # fmt: skip
def test_price_and_hours_are_exact_or_refused(parse: Parse, row: dict[str, str], answer: Any) -> None:
    assert outcome(parse, row) == answer


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({"start_at": "2026-09-01T00:00:00Z", "end_at": "2026-09-02T00:00:00Z", "gpu_count": "8"}, (2_500_000, 691_200)),
        ({"start_at": "2026-09-01T00:00:00Z", "end_at": "2026-09-02T00:00:00Z"}, "missing_hours"),
        ({"start_at": "2026-09-01T00:00:00Z", "gpu_count": "8"}, "missing_hours"),
        ({"start_at": "2026-09-01T00:00:00Z", "end_at": "2026-09-01T00:00:00Z", "gpu_count": "8"}, "bad_hours"),
        ({"start_at": "2026-09-02", "end_at": "2026-09-01T00:00:00Z", "gpu_count": "8"}, "naive_time"),
        ({"start_at": "2026-09-02T00:00:00Z", "end_at": "2026-09-01T00:00:00Z", "gpu_hours": "5"}, "bad_hours"),
        ({"start_at": "2026-09-01T00:00:00Z", "end_at": "2026-09-02T00:00:00Z", "gpu_hours": "5"}, (2_500_000, 18_000)),
    ],
)  # fmt: skip
def test_hours_come_from_the_delivery_where_they_are_not_stated(
    parse: Parse, row: dict[str, str], answer: Any
) -> None:
    assert outcome(parse, {**row, "price_usd_per_gpu_hour": "2.50"}) == answer


@settings(deadline=None)
@given(hours=st.integers(1, 5_000), quarters=st.integers(1, 40))
def test_an_amount_gives_back_the_price_it_came_from(parse: Parse, hours: int, quarters: int) -> None:
    cents = hours * quarters * 25
    row = {"gpu_hours": str(hours), "amount_usd": f"{cents // 100}.{cents % 100:02d}"}
    assert outcome(parse, row) == (divide_half_even(cents * 10_000, hours), hours * 3_600)
    stated = {**row, "price_usd_per_gpu_hour": f"{quarters / 4}"}
    assert outcome(parse, stated) == (quarters * 250_000, hours * 3_600)


def test_corrections_and_cancellations_are_events_of_their_own(parse: Parse) -> None:
    base = {"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50"}
    batch = parse(
        "trades",
        trades(
            base,
            base,
            {**base, "status": "corrected", "price_usd_per_gpu_hour": "2.60"},
            {**base, "status": "Canceled"},
            {"status": "cancelled", "price_usd_per_gpu_hour": "2.50"},
            {"status": "cancelled"},
        ),
    )
    assert batch.observations["trade_status"].to_pylist() == ["new", "corrected", "cancelled", "cancelled"]
    assert batch.observations["gpu_seconds"].to_pylist() == [360_000, 360_000, 360_000, None]
    assert batch.duplicates == 1
    assert batch.rejects["reason"].to_pylist() == ["missing_price"]


def test_two_equal_trades_with_their_own_names_are_two_trades(parse: Parse) -> None:
    base = {"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50"}
    assert parse("trades", trades(base, {**base, "trade_id": "t-2"})).accepted == 2


def test_a_report_is_known_when_it_was_made_never_before_the_trade(parse: Parse) -> None:
    base = {"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50"}
    late = parse("trades", trades({**base, "reported_at": "2026-08-16T00:00:00Z"})).observations.to_pylist()[
        0
    ]
    early = parse("trades", trades({**base, "reported_at": "2026-08-13T00:00:00Z"})).observations.to_pylist()[
        0
    ]
    assert late["known_at"].isoformat() == "2026-08-16T00:00:00+00:00"
    assert early["known_at"] == early["observed_at"]


def test_trades_in_cents_and_per_instance_are_read_through_a_mapping(parse: Parse) -> None:
    mapping = TableMapping.read(
        {"kind": "trade", "unit": "cents_per_instance_hour", "lag_hours": 6}, "[mappings.x]"
    )
    row = {"gpu_hours": "16", "gpu_count": "8", "price_usd_per_gpu_hour": "2000", "amount_usd": "4000"}
    assert outcome(parse, row, mapping) == (2_500_000, 57_600)
    assert outcome(parse, {**row, "gpu_count": ""}, mapping) == "bad_gpu_count"
    assert outcome(parse, {**row, "amount_usd": "4001"}, mapping) == "amount_mismatch"


@pytest.mark.parametrize("column", ["trade_id", "seller", "chip", "executed_at"])
def test_a_trade_without_its_identity_is_refused(parse: Parse, column: str) -> None:
    row = {"gpu_hours": "100", "price_usd_per_gpu_hour": "2.50", column: ""}
    expected = {
        "trade_id": "missing_trade_id",
        "seller": "missing_seller",
        "chip": "unknown_chip",
        "executed_at": "missing_time",
    }
    assert outcome(parse, row) == expected[column]
