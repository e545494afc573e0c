"""Feeds whose payload is a table with columns of its own, in CSV or as Parquet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..records import Refusal
from .feed import FeedContext
from .raw import RawTable, listed
from .read_csv import read_csv
from .read_parquet import read_parquet
from .unpack import unpack


def read_named_columns(
    payload: bytes,
    fields: Collection[str],
    needed: Sequence[str],
    context: FeedContext,
    *,
    delimiter: str = ",",
    header: str | None = None,
) -> RawTable | Refusal:
    """Read the columns a feed knows; refuse a table that lacks a needed one, naming what it has.

    ``header`` names the columns of a file that has no header line.
    """
    origin = context.origin_name
    unpacked = unpack(payload, origin)
    if isinstance(unpacked, Refusal):
        return unpacked
    content, truncated = unpacked.content, unpacked.truncated
    raw: RawTable | Refusal
    if unpacked.format == "parquet":
        raw = read_parquet(content, fields, origin_name=origin)
    elif unpacked.format == "json":
        return Refusal("not_this_format", f"{origin} is JSON, not a table; name the feed it came from.")
    else:
        if header is not None:
            content = header.encode() + b"\n" + bytes(content)
        raw = read_csv(content, fields, delimiter=delimiter, truncated=truncated, origin_name=origin)
    if isinstance(raw, Refusal):
        return raw
    absent = next((name for name in needed if name not in raw.names), None)
    if absent is not None:
        return Refusal(
            "missing_column",
            f"{origin} lacks the column {absent}; its columns are {listed(raw.names)}. "
            "Name the feed it came from.",
        )
    if raw.records == 0:
        return Refusal("empty_payload", f"{origin} holds no records.")
    if header is not None and raw.rows == 0:
        return Refusal(
            "not_this_format",
            f"{origin} has no line of {len(fields)} columns separated by {delimiter!r}; name the feed it came from.",
        )
    if truncated:
        cut = Refusal("truncated_payload", f"{origin} ends early; the rows before are in. Fetch it again.")
        raw = replace(raw, refusal=cut)
    return raw
