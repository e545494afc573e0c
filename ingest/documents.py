"""Payloads that are one JSON document with a list of offers in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ..records import Refusal
from .feed import FeedContext
from .raw import RawTable
from .read_json import parse_document, read_objects
from .unpack import unpack


def read_offers(
    payload: bytes,
    fields: Collection[str],
    context: FeedContext,
    passed_over: Callable[[Any], bool] = lambda _: False,
) -> tuple[dict[str, Any], RawTable] | Refusal:
    """The document and its ``offers`` as text columns.

    Entries for which ``passed_over`` holds are no records: they take a place in the payload but
    are not counted; a note says how many.
    """
    unpacked = unpack(payload, context.origin_name)
    if isinstance(unpacked, Refusal):
        return unpacked
    if unpacked.format != "json":
        return Refusal(
            "not_this_format", f"{context.origin_name} is {unpacked.format.upper()}, not a JSON document."
        )
    document = parse_document(unpacked.content, context.origin_name)
    if isinstance(document, Refusal):
        return document
    offers = document.get("offers") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(offers, list):
        return Refusal(
            "not_this_format", f"{context.origin_name} has no list called offers; name the feed it came from."
        )
    if not offers:
        return Refusal("empty_payload", f"{context.origin_name} holds no records.")
    skipped = {place for place, offer in enumerate(offers) if passed_over(offer)}
    raw = read_objects(offers, fields, skipped=skipped)
    if skipped:
        raw = replace(raw, notes=(f"passed over, as they are no offers: {len(skipped)}",))
    return document, raw


def text_beside(document: Mapping[str, Any], key: str) -> str | None:
    """A text beside the list of offers, or None; another kind of value is named, not written out."""
    value = document.get(key)
    return value if value is None or isinstance(value, str) else f"a {type(value).__name__}"
