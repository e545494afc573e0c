"""What the simulated market sends reads through the feeds with the rejects it plans and no others."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta

import pytest
from rentmark.ingest import FeedContext, parse_payload
from rentmark.ingest.simulated import SOURCE, SimulatedMarket, SimulatedPayload
from rentmark.records import Batch, day_start


@pytest.fixture(scope="module")
def market() -> SimulatedMarket:
    return SimulatedMarket()


def read(day: date, payload: SimulatedPayload) -> Batch:
    context = FeedContext(
        payload_digest=hashlib.sha256(payload.payload).hexdigest(),
        received_at=day_start(day + timedelta(days=1)),
        origin_name=payload.origin_name,
    )
    return parse_payload(payload.feed_id, payload.payload, context)


def withheld(payload: SimulatedPayload) -> int:
    return payload.payload.count(b",0.0000,0.0000,")


def sampled_days(market: SimulatedMarket) -> list[date]:
    """Every seventeenth day, and the first six that hold a row to refuse."""
    days = [day for day in market.days if day not in market.outage_days]
    dirty = [day for day in days if withheld(market.payloads(day)[0])]
    return sorted({*days[::17], *dirty[:6], market.last_day})


def test_every_record_is_accepted_but_a_spot_price_of_zero(market):
    refused = 0
    for day in sampled_days(market):
        for payload in market.payloads(day):
            batch = read(day, payload)
            assert batch.refusal is None
            assert batch.records == payload.payload.count(b"\n") - 1
            assert (batch.rejected, batch.duplicates) == (withheld(payload), 0)
            assert set(batch.rejects["reason"].to_pylist()) <= {"price_not_positive"}
            refused += batch.rejected
    assert refused >= 6


def test_what_is_read_is_simulated_usable_and_undoubted(market):
    for day in sampled_days(market)[::8]:
        for payload, tier in zip(market.payloads(day), ("listed", "trade"), strict=True):
            table = read(day, payload).observations
            for column, values in {
                "simulated": {True},
                "source": {SOURCE},
                "rights": {"allowed"},
                "suspect": {None},
                "tier": {tier},
                "currency": {"USD"},
            }.items():
                assert set(table[column].to_pylist()) == values, column


def test_hosts_keep_their_venue_and_secure_counts_as_on_demand(market):
    day = date(2026, 2, 2)
    for payload in market.payloads(day):
        rows = read(day, payload).observations.to_pylist()
        hosts = [row for row in rows if row["venue"] is not None]
        assert {row["venue"] for row in hosts} == {"sim-market-a", "sim-market-b"}
        assert all(row["seller"].startswith("sim-host-") for row in hosts)
        assert {(row["venue"], row["pricing"]) for row in hosts} == {
            ("sim-market-a", "on_demand"),
            ("sim-market-b", "community"),
        }


def test_an_unstated_form_factor_stays_unstated(market):
    day = date(2026, 2, 2)
    for payload in market.payloads(day):
        rows = read(day, payload).observations.to_pylist()
        assert {row["form_factor"] for row in rows if row["chip"] == "H100"} == {"SXM", None}
        assert {row["memory_gb"] for row in rows if row["chip"] == "H100"} == {80}


def test_amendments_keep_the_time_of_the_trade_and_are_known_when_reported(market):
    found = set()
    for day in market.days[40:80]:
        for row in read(day, market.payloads(day)[1]).observations.to_pylist():
            if row["trade_status"] == "new":
                assert row["known_at"] == row["observed_at"]
            else:
                found.add(row["trade_status"])
                assert row["observed_at"] < day_start(day) <= row["known_at"]
    assert found == {"corrected", "cancelled"}
