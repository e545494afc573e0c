"""Hostile variants of a payload: bytes, fields, types, sizes, nesting, encodings, bombs."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from rentmark.records import PAYLOAD_REASONS, REJECT_REASONS, SUSPECT_REASONS, Batch
from rentmark.records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA

VALUES = (
    "1e999999999", "-1e999999999", "1e-999999999", "9" * 5_000, "NaN", "Infinity", "-0", "0x10", "1_000", "３.1",
    "null", "true", "[]", "{}", '"\\ud800"', '"\\u0000"', "'", '"', "=1+1", "<b>", "..", "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00", "2026-08-14T24:00:00Z", "x" * 20_000, "\u202e", "18446744073709551616",
    "253402300800", "-1", "0", "1e308", '{"a": {"a": {"a": []}}}', "[[[[[[[[1]]]]]]]]",
)  # fmt: skip
NEST = 100_000
LARGE = 10_000_000


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
    assert set(batch.observations["suspect"].unique().to_pylist()) <= {None, *SUSPECT_REASONS}
    ids = batch.observations["observation_id"].to_pylist()
    assert len(set(ids)) == len(ids)
    places = batch.observations["position"].to_pylist() + batch.rejects["position"].to_pylist()
    assert len(set(places)) == len(places)
    assert all(price > 0 for price in batch.observations["price_micros"].to_pylist())


Mutation = Callable[[str, random.Random], bytes]


def _flipped(text: str, generator: random.Random) -> bytes:
    content = bytearray(text.encode())
    for _ in range(generator.randint(1, 8)):
        content[generator.randrange(len(content))] = generator.randrange(256)
    return bytes(content)


def _cut_out(text: str, generator: random.Random) -> bytes:
    content = text.encode()
    start = generator.randrange(len(content))
    return content[:start] + content[start + generator.randint(1, 40) :]


def _cut_off(text: str, generator: random.Random) -> bytes:
    content = text.encode()
    return content[: generator.randrange(len(content))]


def _not_utf8(text: str, generator: random.Random) -> bytes:
    content = text.encode()
    start = generator.randrange(len(content))
    return content[:start] + b"\xff\xfe\xc3\x28" + content[start:]


def _swapped(text: str, generator: random.Random) -> bytes:
    """One plain value, or one whole value of a JSON document, replaced by a hostile one."""
    places = [match.span() for match in re.finditer(r'(?<=[,:\n\t ])[^,:\n\t{}\[\]" ]+(?=[,\n\t}])', text)]
    if not places:
        return text.encode()
    start, stop = generator.choice(places)
    return (text[:start] + generator.choice(VALUES) + text[stop:]).encode("utf-8", "surrogatepass")


def _reshaped(text: str, generator: random.Random) -> bytes:
    """A part of a JSON document dropped, doubled, emptied, or put where another belongs."""
    try:
        document = json.loads(text)
    except ValueError:
        return _cut_out(text, generator)
    holders: list[tuple[Any, Any]] = []
    pending = [document]
    while pending:
        node = pending.pop()
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            holders.append((node, key))
            pending.append(node[key])
    if not holders:
        return text.encode()
    node, key = generator.choice(holders)
    other, place = generator.choice(holders)
    match generator.randrange(4):
        case 0 if isinstance(node, dict):
            del node[key]
        case 1:
            node[key] = json.loads(json.dumps(other[place]))
        case 2:
            node[key] = generator.choice([None, [], {}, "", True, -1, [[]], {"": None}, 1e308])
        case _:
            node[key] = [json.loads(json.dumps(node[key]))] * 3
    return json.dumps(document).encode()


def _packed_cut(text: str, generator: random.Random) -> bytes:
    packed = gzip.compress(text.encode(), mtime=0)
    return packed[: generator.randrange(2, len(packed))]


def _packed_flipped(text: str, generator: random.Random) -> bytes:
    packed = bytearray(gzip.compress(text.encode(), mtime=0))
    packed[generator.randrange(len(packed))] = generator.randrange(256)
    return bytes(packed)


KINDS: tuple[Mutation, ...] = (
    _flipped, _cut_out, _cut_off, _not_utf8, _swapped, _reshaped, _packed_cut, _packed_flipped,
)  # fmt: skip
"""Mutations that take a payload and a generator."""


def fixed(text: str) -> Iterator[bytes]:
    """Hostile payloads that need no chance."""
    original = text.encode()
    first_key = re.search(r'"(\w+)": ?\[', text)
    key = first_key[1] if first_key else "offers"
    yield f'{{"{key}": '.encode() + b"[" * NEST
    yield f'{{"{key}": ['.encode() + b'{"a":' * NEST
    yield f'{{"{key}": '.encode() + b"[" * 900 + b"]" * 900 + b"}"
    yield b"[" * NEST
    yield b"a:\n" + b"".join(b" " * depth + b"a:\n" for depth in range(1, 500))
    yield original + b"\x00" * 100
    yield original.replace(b",", b'"', 3)
    yield original.replace(b"\n", b"\r\n")
    yield original.replace(b"\n", b"")


def bombs(text: str) -> Iterator[bytes]:
    """Payloads that unpack to far more than they are, and single values of ten megabytes."""
    yield gzip.compress(text.encode() + b" " * LARGE * 8)
    yield gzip.compress(gzip.compress(b"\x00" * LARGE))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", b"\x00" * LARGE)
    yield archive.getvalue()
    long = "x" * LARGE
    value = re.search(r'(?<=[,:\n\t ])[^,:\n\t{}\[\]" ]+(?=[,\n\t}])', text)
    if value is not None:
        yield (text[: value.start()] + long + text[value.end() :]).encode()
        yield (text[: value.start()] + "9" * LARGE + text[value.end() :]).encode()
    name = re.search(r'"[^"\n]{3,}"', text)
    if name is not None:
        yield (text[: name.start()] + f'"{long}"' + text[name.end() :]).encode()
