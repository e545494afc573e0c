"""The base suite: every feed of FEEDS inherits it by having an answers file.

An answers file gives invented payloads with the observations and rejects they must become; only
the fields it names are compared. Adding a feed is its module and ``answers/<feed>.json``.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rentmark.ingest import FEEDS, TableMapping
from rentmark.records import PAYLOAD_REASONS, REJECT_REASONS, Batch, parse_instant
from rentmark.records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA

ANSWERS = Path(__file__).parent / "answers"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}-{case['name'].replace(' ', '-')}")
    for path in sorted(ANSWERS.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]
EVERY_CASE = pytest.mark.parametrize(("feed_id", "case"), CASES)
MUTATIONS_PER_KIND = 25


def read(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any], payload: bytes | None = None
) -> Batch:
    mapping = TableMapping.read(case["mapping"], "[mappings.test]") if case.get("mapping") else None
    content = case["text"].encode() if payload is None else payload
    return parse(feed_id, content, mapping=mapping, received_at=parse_instant(case["received_at"]))


def check_account(batch: Batch) -> None:
    """What holds of every batch, whatever the payload was."""
    assert batch.records == batch.accepted + batch.rejected + batch.duplicates
    assert batch.duplicates >= 0
    assert batch.observations.schema.equals(OBSERVATION_SCHEMA)
    assert batch.rejects.schema.equals(REJECT_SCHEMA)
    batch.observations.validate(full=True)
    batch.rejects.validate(full=True)
    for field in OBSERVATION_SCHEMA:
        if not field.nullable:
            assert batch.observations[field.name].null_count == 0, field.name
    for reject in batch.rejects.to_pylist():
        assert reject["reason"] in REJECT_REASONS
        assert reject["sentence"].endswith(".")
        assert reject["field"]
        assert reject["field"] in reject["sentence"]
    if batch.refusal is not None:
        assert batch.refusal.code in PAYLOAD_REASONS
        assert batch.refusal.sentence.endswith(".")
    ids = batch.observations["observation_id"].to_pylist()
    assert len(set(ids)) == len(ids)
    places = batch.observations["position"].to_pylist() + batch.rejects["position"].to_pylist()
    assert len(set(places)) == len(places)
    assert all(price > 0 for price in batch.observations["price_micros"].to_pylist())


@pytest.mark.parametrize("feed_id", list(FEEDS))
def test_every_feed_has_answers_and_terms(feed_id: str) -> None:
    feed = FEEDS[feed_id]
    assert (ANSWERS / f"{feed_id}.json").is_file()
    assert feed.id == feed_id
    assert feed.version
    assert feed.kind in {"offer", "trade"}
    assert feed.summary
    assert feed.lag_hours >= 0
    assert feed.terms.rights in {"allowed", "forbidden", "unknown"}
    assert feed.terms.license
    assert feed.terms.attribution


@EVERY_CASE
def test_the_payload_becomes_what_the_answers_say(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    batch = read(parse, feed_id, case)
    check_account(batch)
    assert (None if batch.refusal is None else batch.refusal.code) == case["refusal"]
    rejects = [
        {name: reject[name] for name in ("position", "reason", "field", "value")}
        for reject in batch.rejects.to_pylist()
    ]
    assert rejects == case["rejects"]
    found = {row["position"]: row for row in batch.observations.to_pylist()}
    assert sorted(found) == [expected["position"] for expected in case["observations"]]
    for expected in case["observations"]:
        row = found[expected["position"]]
        for name, value in expected.items():
            answer = parse_instant(value) if isinstance(row[name], datetime) else value
            assert row[name] == answer, (expected["position"], name)
    assert batch.duplicates == case["duplicates"]
    if "records" in case:
        assert batch.records == case["records"]


@EVERY_CASE
def test_the_same_bytes_give_the_same_tables(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    first, second = read(parse, feed_id, case), read(parse, feed_id, case)
    assert first.observations.equals(second.observations)
    assert first.rejects.equals(second.rejects)
    assert first.notes == second.notes


@EVERY_CASE
def test_a_gzipped_payload_is_the_same_observations(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    plain, packed = (
        read(parse, feed_id, case),
        read(parse, feed_id, case, gzip.compress(case["text"].encode())),
    )
    assert ids_of(plain) == ids_of(packed)
    assert plain.rejects["reason"].equals(packed.rejects["reason"])
    assert plain.refusal == packed.refusal


@EVERY_CASE
def test_a_simulated_context_marks_every_observation(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    mapping = TableMapping.read(case["mapping"], "[mappings.test]") if case.get("mapping") else None
    batch = parse(
        feed_id,
        case["text"],
        mapping=mapping,
        received_at=parse_instant(case["received_at"]),
        simulated=True,
    )
    assert all(batch.observations["simulated"].to_pylist())


@EVERY_CASE
def test_shuffled_records_are_the_same_observations(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    if case["refusal"] is not None:
        return
    ordered = read(parse, feed_id, case)
    for seed in range(5):
        shuffled = read(parse, feed_id, case, shuffle(case["text"], random.Random(seed)))
        assert shuffled.records == ordered.records
        assert ids_of(shuffled) == ids_of(ordered)


def ids_of(batch: Batch) -> set[int]:
    return set(batch.observations["observation_id"].to_pylist())


def shuffle(text: str, generator: random.Random) -> bytes:
    if text.startswith("{") and '"offers"' in text:
        document = json.loads(text)
        generator.shuffle(document["offers"])
        return json.dumps(document).encode()
    lines = text.splitlines()
    header = [] if text.startswith("{") else lines[:1]
    rest = lines[len(header) :]
    generator.shuffle(rest)
    return ("\n".join([*header, *rest]) + "\n").encode()


def mutations(text: str, generator: random.Random) -> Iterator[bytes]:
    """Hostile variants of a payload: bytes, fields, types, sizes, nesting, encodings."""
    original = text.encode()
    for _ in range(MUTATIONS_PER_KIND):
        flipped = bytearray(original)
        for _ in range(generator.randint(1, 8)):
            flipped[generator.randrange(len(flipped))] = generator.randrange(256)
        yield bytes(flipped)
        start = generator.randrange(len(original))
        yield original[:start] + original[start + generator.randint(1, 40) :]
        yield original[: generator.randrange(len(original))]
        yield original[:start] + b"\xff\xfe\xc3\x28" + original[start:]
        yield swap_value(text, generator).encode("utf-8", "surrogatepass")
        compressed = bytearray(gzip.compress(original, mtime=0))
        yield bytes(compressed[: generator.randrange(2, len(compressed))])
        compressed[generator.randrange(len(compressed))] = generator.randrange(256)
        yield bytes(compressed)
    yield b'{"offers": ' + b"[" * 100_000
    yield b'{"offers": [' + b'{"a":' * 100_000
    yield original + b"\x00" * 100
    yield original.replace(b",", b'"', 3)


HOSTILE = (
    "1e999999999", "-1e999999999", "1e-999999999", "9" * 5_000, "NaN", "Infinity", "-0", "0x10", "1_000", "３.1",
    "null", "true", "[]", "{}", '"\\ud800"', '"\\u0000"', "'", '"', "=1+1", "<b>", "..", "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00", "2026-08-14T24:00:00Z", "x" * 20_000, "\u202e", "18446744073709551616",
)  # fmt: skip


def swap_value(text: str, generator: random.Random) -> str:
    places = [match.span() for match in re.finditer(r'(?<=[,:\n ])[^,:\n{}\[\]" ]+(?=[,\n}])', text)]
    if not places:
        return text
    start, stop = generator.choice(places)
    return text[:start] + generator.choice(HOSTILE) + text[stop:]


@EVERY_CASE
def test_hostile_payloads_never_raise_and_always_add_up(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    for payload in mutations(case["text"], random.Random(20260814)):
        check_account(read(parse, feed_id, case, payload))
