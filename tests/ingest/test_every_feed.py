"""The base suite: every feed of FEEDS inherits it by having an answers file.

An answers file gives invented payloads with the observations and rejects they must become; only
the fields it names are compared. Adding a feed is its module and ``answers/<feed>.json``.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rentmark.ingest import FEEDS, read_mapping, split_reading
from rentmark.records import Batch, parse_instant

from tests.ingest.hostile import KINDS, bombs, check_account, fixed

ANSWERS = Path(__file__).parent / "answers"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}-{case['name'].replace(' ', '-')}")
    for path in sorted(ANSWERS.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]
EVERY_CASE = pytest.mark.parametrize(("feed_id", "case"), CASES)
MUTATIONS_PER_KIND = 8


def read(
    parse: Callable[..., Batch],
    feed_id: str,
    case: dict[str, Any],
    payload: bytes | None = None,
    **context: Any,
) -> Batch:
    content = case["text"].encode() if payload is None else payload
    return parse(feed_id, content, **stated(case), **context)


def stated(case: dict[str, Any]) -> dict[str, Any]:
    """What a case states beside its payload: mapping or parameters, and the time it came."""
    reading = read_mapping(case["mapping"], "[mappings.test]") if case.get("mapping") else None
    mapping, parameters = split_reading(reading)
    return {"mapping": mapping, "parameters": parameters, "received_at": parse_instant(case["received_at"])}


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
    batch = read(parse, feed_id, case, simulated=True)
    assert all(batch.observations["simulated"].to_pylist())


@EVERY_CASE
def test_shuffled_records_are_the_same_observations(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    if case["refusal"] is not None:
        return
    ordered = read(parse, feed_id, case)
    for seed in range(5):
        shuffled = read(parse, feed_id, case, shuffle(case, random.Random(seed)))
        assert shuffled.records == ordered.records
        assert ids_of(shuffled) == ids_of(ordered)


def ids_of(batch: Batch) -> set[int]:
    return set(batch.observations["observation_id"].to_pylist())


def shuffle(case: dict[str, Any], generator: random.Random) -> bytes:
    """The records of a payload in another order: those of its ``list``, or its lines below the header.

    ``list`` is the path to the list (or object) in a JSON document, "" the document itself; ``header`` says how
    many lines are not records, and "all" that the order of lines is the layout.
    """
    text = case["text"]
    if "list" in case:
        document = json.loads(text)
        above: Any = {"": document}
        key = ""
        for step in filter(None, case["list"].split(".")):
            above, key = above[key], step
        records = above[key]
        if isinstance(records, list):
            generator.shuffle(records)
        else:
            pairs = list(records.items())
            generator.shuffle(pairs)
            above[key] = dict(pairs)
        return json.dumps(document).encode()
    lines = text.splitlines()
    fixed = case.get("header", 0 if text.startswith("{") else 1)
    header, rest = (lines, []) if fixed == "all" else (lines[:fixed], lines[fixed:])
    generator.shuffle(rest)
    return ("\n".join([*header, *rest]) + "\n").encode()


@EVERY_CASE
def test_hostile_payloads_never_raise_and_always_add_up(
    parse: Callable[..., Batch], feed_id: str, case: dict[str, Any]
) -> None:
    generator = random.Random(20260814)
    text = case["text"]
    for mutate in KINDS:
        for _ in range(MUTATIONS_PER_KIND):
            check_account(read(parse, feed_id, case, mutate(text, generator)))
    for payload in fixed(text):
        check_account(read(parse, feed_id, case, payload))


@pytest.mark.parametrize("feed_id", ["tabular", "aws-spot", "gcp", "lambda", "sfcompute"])
def test_a_bomb_or_a_value_of_ten_megabytes_is_refused_in_a_sentence(
    parse: Callable[..., Batch], feed_id: str
) -> None:
    """One feed for each reader of bytes; the longer proof has all of them."""
    case = next(param.values[1] for param in CASES if param.values[0] == feed_id)
    for payload in bombs(case["text"]):
        check_account(read(parse, feed_id, case, payload))
