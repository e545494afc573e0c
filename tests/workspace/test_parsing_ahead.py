"""What a second process parses is what this one would, and one that ends costs time alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from rentmark.ingest import FeedContext, parse_payload
from rentmark.ingest.simulated import DEFAULT_FIRST_DAY, SimulatedMarket
from rentmark.records import Batch, sha256_hex
from rentmark.workspace import parsing_ahead as module
from rentmark.workspace.ingesting import DEFAULT_MAPPINGS
from rentmark.workspace.parsing_ahead import STEPS_AHEAD, Arrival, Coming, parsing_ahead

DAYS = STEPS_AHEAD + 3
RECEIVED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def steps() -> list[list[Coming]]:
    """The payloads of some simulated days, one of which has none."""
    market = SimulatedMarket(7, DEFAULT_FIRST_DAY, DAYS)

    def coming() -> Iterator[list[Coming]]:
        for day in market.days:
            yield [
                Coming(
                    each.feed_id,
                    each.payload,
                    FeedContext(
                        payload_digest=sha256_hex(each.payload),
                        received_at=RECEIVED,
                        origin_name=each.origin_name,
                        mapping=DEFAULT_MAPPINGS[each.feed_id],
                    ),
                )
                for each in market.payloads(day)
            ]

    found = list(coming())
    found.insert(2, [])
    return found


def asked(arrival: Arrival) -> Batch:
    coming = arrival.coming
    return arrival.parse(coming.feed_id, coming.payload, coming.context)


def here(coming: Coming) -> Batch:
    return parse_payload(coming.feed_id, coming.payload, coming.context)


def same(one: Batch, other: Batch) -> bool:
    counts = [(b.records, b.accepted, b.rejected, b.duplicates, b.notes, b.refusal) for b in (one, other)]
    return (
        counts[0] == counts[1]
        and one.observations.equals(other.observations)
        and one.rejects.equals(other.rejects)
        and one.observations.schema.equals(other.observations.schema)
    )


@pytest.mark.parametrize("second_process", [False, True])
def test_payloads_come_in_their_order_and_parsed_alike(steps, second_process):
    with parsing_ahead(steps, second_process=second_process) as ahead:
        arrived = list(ahead)
        assert [[each.coming for each in step] for step in arrived] == steps
        for step in arrived:
            for each in step:
                assert same(asked(each), here(each.coming)), each.coming.context.origin_name


def test_the_second_process_did_the_work(steps, monkeypatch):
    with parsing_ahead(steps, second_process=True) as ahead:
        first = next(ahead)[0]
        assert first.parsed is not None
        expected = here(first.coming)
        assert same(first.parsed.result(), expected)
        monkeypatch.setattr(module, "parse_payload", None)  # nothing is parsed here
        assert same(asked(first), expected)


def test_another_question_than_the_one_handed_over_is_answered_here(steps):
    with parsing_ahead(steps, second_process=True) as ahead:
        first = next(ahead)[0]
        coming = first.coming
        later = FeedContext(
            payload_digest=coming.context.payload_digest,
            received_at=datetime(2027, 1, 1, tzinfo=UTC),
            origin_name="another.csv",
            mapping=coming.context.mapping,
        )
        found = first.parse(coming.feed_id, coming.payload, later)
    assert same(found, parse_payload(coming.feed_id, coming.payload, later))


def test_a_second_process_that_ends_or_never_starts_is_done_without(steps, monkeypatch):
    monkeypatch.setattr(module, "_SERVE", "raise SystemExit")
    with parsing_ahead(steps, second_process=True) as ahead:
        assert all(same(asked(each), here(each.coming)) for step in ahead for each in step)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with parsing_ahead(steps[:2], second_process=True) as ahead:
        assert all(same(asked(each), here(each.coming)) for step in ahead for each in step)
