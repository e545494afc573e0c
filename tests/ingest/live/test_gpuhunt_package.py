"""The package gpuhunt as a collector: what it returns becomes a payload that its own feed reads."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from rentmark.ingest import FeedContext, parse_payload, read_mapping, split_reading
from rentmark.ingest.live_gpuhunt import COLUMNS, gpuhunt_catalogue
from rentmark.records import Refusal, RentmarkError, sha256_hex


class Vendor(str, enum.Enum):  # noqa: UP042
    """As the package has it."""

    NVIDIA = "nvidia"


@dataclass
class Item:
    """An invented catalogue item with the fields of gpuhunt.CatalogItem."""

    instance_name: str = "h100x8"
    location: str = "us-1"
    price: float = 24.8
    cpu: int = 96
    memory: float = 900.0
    gpu_count: int = 8
    gpu_name: str | None = "H100"
    gpu_memory: float | None = 80.0
    spot: bool = False
    disk_size: float | None = None
    gpu_vendor: Vendor | None = Vendor.NVIDIA


def installed(monkeypatch: pytest.MonkeyPatch, query: Any) -> None:
    monkeypatch.setitem(sys.modules, "gpuhunt", SimpleNamespace(query=query))


def test_items_become_a_payload_that_the_feed_reads(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def query(*, provider: str) -> list[Item]:
        asked.append(provider)
        return [
            Item(),
            Item(spot=True, price=9.92),
            Item(gpu_count=0, gpu_name=None, gpu_memory=None, gpu_vendor=None),
        ]

    installed(monkeypatch, query)
    payload = gpuhunt_catalogue("amber")
    assert asked == ["amber"]
    assert isinstance(payload, bytes)
    assert payload.decode().splitlines()[:2] == [
        ",".join(COLUMNS), "h100x8,us-1,24.8,96,900.0,8,H100,80.0,False,,nvidia",
    ]  # fmt: skip
    moment = datetime(2026, 9, 1, tzinfo=UTC)
    reading = read_mapping({"feed": "gpuhunt", "provider": "amber", "observed_at": moment}, "[mappings.x]")
    context = FeedContext(
        payload_digest=sha256_hex(payload),
        received_at=moment,
        origin_name="amber",
        parameters=split_reading(reading)[1],
    )
    batch = parse_payload("gpuhunt", payload, context)
    assert batch.observations["price_micros"].to_pylist() == [3_100_000, 1_240_000]
    assert batch.observations["pricing"].to_pylist() == ["on_demand", "spot"]


def test_what_the_package_meets_is_told_and_stops_nothing_else(monkeypatch: pytest.MonkeyPatch):
    def query(*, provider: str) -> list[Item]:
        raise KeyError("offers")

    installed(monkeypatch, query)
    refusal = gpuhunt_catalogue("amber")
    assert isinstance(refusal, Refusal)
    assert refusal.sentence == "gpuhunt could not read amber (KeyError: 'offers')."


def test_no_offer_is_not_an_empty_market(monkeypatch: pytest.MonkeyPatch):
    installed(monkeypatch, lambda provider: [])
    refusal = gpuhunt_catalogue("amber")
    assert isinstance(refusal, Refusal)
    assert refusal.code == "empty_payload"


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "gpuhunt", None)
    with pytest.raises(RentmarkError, match=r"rentmark\[gpuhunt\]"):
        gpuhunt_catalogue("amber")
