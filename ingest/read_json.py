"""JSON bytes to text columns: numbers keep their digits, and a broken line costs only itself."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ..records import Refusal
from .columns import Column, Fault, from_cells, shown
from .raw import Damaged, RawTable

NOTHING = object()
"""What stands for bytes that are not JSON; null is JSON."""
_TEXTS = frozenset({str, type(None)})
NO_TEXTS: Mapping[int, str] = MappingProxyType({})


def parse_document(content: bytes | bytearray, origin_name: str) -> Any | Refusal:
    """One JSON document, with every number as the text it was written in."""
    document = _load(content)
    if document is NOTHING:
        if content.rstrip().endswith((b"}", b"]")):
            return Refusal("not_this_format", f"{origin_name} is not valid JSON; fetch it again.")
        return Refusal("truncated_payload", f"{origin_name} is not closed: it ends early; fetch it again.")
    return document


def _load(text: bytes | bytearray) -> Any:
    """Parse JSON without turning a number into a float; NOTHING where it is not JSON.

    Bytes that are not UTF-8 survive as lone surrogates, which refuse their own field later.
    """
    try:
        return json.loads(
            text.decode("utf-8", "surrogateescape"), parse_float=str, parse_int=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return NOTHING


def read_json_lines(
    content: bytes | bytearray, wanted: Collection[str], *, truncated: bool, origin_name: str
) -> RawTable | Refusal:
    """Read one object per line, or one array of objects, into text columns."""
    if content.lstrip()[:1] == b"[":
        document = parse_document(content, origin_name)
        if isinstance(document, Refusal):
            return document
        return read_objects(document, wanted) if isinstance(document, list) else _not_lines(origin_name)
    lines = [line for line in content.split(b"\n") if line.strip()]
    cut_off = truncated and not content.endswith(b"\n")
    records: list[Any] = [_load(line) for line in lines]
    if not any(isinstance(record, dict) for record in records):
        return _not_lines(origin_name)
    texts = {
        place: lines[place].decode("utf-8", "replace")
        for place, record in enumerate(records)
        if record is NOTHING
    }
    table = read_objects(records, wanted, texts)
    if cut_off and table.damaged and table.damaged[-1].position == len(records) - 1:
        cut = replace(table.damaged[-1], reason="truncated_row")
        return replace(table, damaged=[*table.damaged[:-1], cut])
    return table


def _not_lines(origin_name: str) -> Refusal:
    return Refusal(
        "not_this_format",
        f"{origin_name} is JSON, but not one object per line or an array of objects; name the feed it came from.",
    )


def read_objects(
    records: Sequence[Any],
    wanted: Collection[str],
    texts: Mapping[int, str] = NO_TEXTS,
    skipped: Collection[int] = (),
) -> RawTable:
    """Text columns from parsed objects; what is no object is a damaged record.

    ``texts`` gives the text of records that could not be parsed. Records at the places in
    ``skipped`` are not counted, though they keep their place.
    """
    kept = [(place, record) for place, record in enumerate(records) if place not in skipped]
    damaged = [
        Damaged(place, "malformed_record", "record", texts.get(place) or _written(record))
        for place, record in kept
        if not isinstance(record, dict)
    ]
    objects = [record for _, record in kept if isinstance(record, dict)]
    names: dict[str, None] = {}
    for record in objects:
        if not record.keys() <= names.keys():
            names.update(dict.fromkeys(record))
    columns: dict[str, Column[str | None]] = {
        name: from_cells(name, _cells(name, objects)) for name in wanted if name in names
    }
    places = [place for place, record in kept if isinstance(record, dict)]
    return RawTable(columns=columns, positions=np.array(places, np.int64), names=list(names), damaged=damaged)


def _cells(name: str, objects: Sequence[Mapping[str, Any]]) -> list[Any]:
    """A field of each object as text, as :func:`_cell` gives it."""
    values = [record.get(name) for record in objects]
    return values if set(map(type, values)) <= _TEXTS else [_cell(name, value) for value in values]


def _cell(name: str, value: Any) -> str | Fault | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return Fault("malformed_record", name, shown(_written(value)))


def _written(value: Any) -> str:
    """A value of the wrong shape as short text, without walking into deep nesting."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return str(value)
