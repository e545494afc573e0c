"""Payloads that are one JSON document with a list of offers in it."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
    return document, read_objects(offers, fields, skipped=skipped)
